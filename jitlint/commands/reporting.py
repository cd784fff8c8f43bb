"""How a run ends: errors on standard error, the report on standard output or in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import click

from jitlint.findings.finding import FileError, Result
from jitlint.findings.internal_errors import internal_error
from jitlint.findings.placed import in_files
from jitlint.findings.walk import printable_result
from jitlint.source.defects import Defects, describe
from jitlint.source.printable import printable, printable_json, printable_line, printable_path
from jitlint.source.text import SourceFile

FORMATS = ("text", "concise", "html", "json", "sarif", "github", "gitlab", "junit", "markdown")
_JSON = ("json", "sarif", "gitlab")
"""Formats that have every text as it is, in strings of JSON."""
_FOR_PEOPLE = ("text", "concise")
_BY_FILE_LINES = ("sarif", "github", "gitlab")
"""Formats whose readers show findings beside lines of files, so that places in notebooks count lines of the file."""


def print_errors(errors: Sequence[FileError]) -> None:
    """Prints errors on standard error; at the end, each once, reports on defects of jitlint for its makers."""
    for error in errors:
        click.echo(f"{printable_path(error.path)}: {printable_line(error.text)}", err=True)
    reports = {error.report.rpartition("\n")[2]: error.report for error in errors if error.report}
    for report in map(printable, reports.values()):
        click.echo(f"\nA defect of jitlint. Please send these lines (your code is not in them):\n{report}", err=True)


def print_defect(error: Exception) -> None:
    """Prints the error that ended the run as a defect of jitlint."""
    print_errors([internal_error(describe(error, "", "the run ended"))])


def render(
    form: str, result: Result, sources: tuple[SourceFile, ...], statistics: bool, quiet: bool = False
) -> tuple[str, Result]:
    """The report as text, and what it says: a finding that the reporter fails on is left out, and an error tells so.

    Args:
        form: one of `FORMATS`. Only its reporter is imported: some load much.
        result: the run.
        sources: the files that were analyzed.
        statistics: whether counts by code follow, in the formats for people.
        quiet: whether notes and the summary are left out, in the formats for people.
    """
    defects = Defects()
    with defects.contained("", f"format {form}"):
        return _rendered(form, result, sources, statistics, quiet), result
    defects = Defects()
    kept = []
    for finding in result.findings:
        with defects.contained(finding.event.place.path, f"format {form}"):
            _rendered(form, replace(result, findings=(finding,)), sources, False, quiet)
            kept.append(finding)
    errors = (*result.errors, *map(internal_error, defects.found))
    result = replace(result, findings=tuple(kept), errors=errors)
    return _rendered(form, result, sources, statistics, quiet), result


def _rendered(form: str, result: Result, sources: tuple[SourceFile, ...], statistics: bool, quiet: bool) -> str:
    if form in _BY_FILE_LINES:
        result = in_files(result, sources)
    if form not in (*_JSON, "html"):
        result = printable_result(result)
    if form in _FOR_PEOPLE:
        from jitlint.report import concise, text  # only these formats need them

        counts = text.statistics(result) if statistics else ""
        if form == "concise":
            return concise.render(result, quiet=quiet) + counts
        return text.render(result, sources, quiet=quiet) + counts
    if form == "html":
        from jitlint.report import html  # only this format needs it

        return html.render(result, sources)
    rendered: str = import_module(f"jitlint.report.{form}").render(result)
    return printable_json(rendered) if form in _JSON else rendered


def _color() -> bool | None:
    """Whether colours are wanted, None where that depends on the terminal (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def write(report: str, output: str | None) -> None:
    """Writes a report to a file, whole or not at all, or to standard output if no file is named.

    What is there and is no file (`/dev/null`, a pipe) is written to: to be replaced would make an end of it.

    Raises:
        click.UsageError: the file cannot be written.
    """
    if output is None:
        click.echo(report, nl=False, color=_color())
        return
    whole = not Path(output).exists() or Path(output).is_file()
    try:
        with click.open_file(output, "w", encoding="utf-8", errors="backslashreplace", atomic=whole) as file:
            file.write(click.unstyle(report))
    except OSError as error:
        raise click.UsageError(f"Cannot write {output}: {error.strerror}.") from error
