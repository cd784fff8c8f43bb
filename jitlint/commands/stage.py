"""`jitlint stage`: which variables at a line are Static, Traced or Unknown."""

from __future__ import annotations

import os
import re

import click

from jitlint import pipeline
from jitlint.config import Configuration
from jitlint.events.revealed import NoStatementError
from jitlint.findings.placed import placed
from jitlint.findings.walk import printable_result
from jitlint.report import variables
from jitlint.source.printable import printable_json, printable_path

_PLACE = re.compile(r"(.+?)(?::cell (\d{1,9}))?:(\d{1,9})(?::([^\W\d]\w*))?")


@click.command()
@click.argument("place", metavar="FILE[:cell N]:LINE[:NAME]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def stage(place: str, form: str) -> None:
    """Show which variables at a line are Static, Traced or Unknown.

    This analyzes the whole project that the file belongs to, so that calls from elsewhere count. Names that the line
    assigns have their new values, the others those that they have when the line begins.
    """
    matched = _PLACE.fullmatch(place)
    if matched is None:
        raise click.UsageError(f"`{place}` is not a place; write FILE:LINE or FILE:LINE:NAME, such as train.py:12:x.")
    path, cell, name = matched[1], int(matched[2]) if matched[2] else None, matched[4] or ""
    at = f"{path}:cell {cell}:{matched[3]}" if cell is not None else f"{path}:{matched[3]}"
    sources = pipeline.read_project((path,), Configuration().leaves_out)
    source = next((file for file in sources.files if os.path.abspath(file.path) == os.path.abspath(path)), None)
    if source is None:
        problems = [error.text for error in sources.errors if error.path == path]
        raise click.UsageError(f"{path}: {', '.join(problems) or 'is not a Python file; name one'}.")
    line = source.line_of(cell, int(matched[3]))
    if line is None:
        raise click.UsageError(f"No Python is on {at}.")
    try:
        found = pipeline.reveal_line(sources.files, source, line, name)
        if name and not found.revealed and (others := pipeline.reveal_line(sources.files, source, line).revealed):
            known = ", ".join(dict.fromkeys(seen.expression for seen in others))
            raise click.UsageError(f"There is no variable `{name}` at {at}; there are {known}.")
    except NoStatementError as error:
        near = " and ".join(map(source.at, error.nearest))
        raise click.UsageError(f"No statement is on {at}" + (f"; try {near}." if near else ".")) from error
    for problem in found.errors:
        if problem.path == source.display:
            raise click.UsageError(f"{problem.path}: {problem.text}.")
    revealed = placed(found.revealed, (source,))
    if form == "json":
        click.echo(printable_json(variables.render_json(revealed)), nl=False)
    else:
        click.echo(variables.render(printable_result(revealed), printable_path(at)), nl=False)
