"""How a run ends: errors on standard error, the report where it is wanted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

import click

from jitlint import pipeline
from jitlint.findings.finding import FileError, Result
from jitlint.findings.placed import in_files
from jitlint.source.defects import describe
from jitlint.source.text import SourceFile

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")
_OF_FILES = ("sarif", "github", "gitlab")
"""Those that are shown on lines of files."""


def say(errors: Sequence[FileError]) -> None:
    """Errors as lines on standard error; at the end, each once, what can be reported of jitlint itself."""
    for error in errors:
        click.echo(f"{error.path}: {error.text}", err=True)
    reports = {error.report.rpartition("\n")[2]: error.report for error in errors if error.report}
    for report in reports.values():
        click.echo(f"\nA defect of jitlint. Please send these lines (your code is not in them):\n{report}", err=True)


def say_defect(error: Exception) -> None:
    """What ended the run is a defect of jitlint: as such it is told."""
    say([pipeline.internal_error(describe(error, "", "the run ended"))])


def render(form: str, result: Result, sources: tuple[SourceFile, ...], statistics: bool) -> str:
    """Only the reporter that is asked for is imported."""
    if form == "text":
        from jitlint.report import text

        return text.render(result, sources) + (text.statistics(result) if statistics else "")
    if form in _OF_FILES:
        result = in_files(result, sources)
    rendered: str = import_module(f"jitlint.report.{form}").render(result)
    return rendered


def write(report: str, output: str | None) -> None:
    if output is None:
        click.echo(report, nl=False, color=False if os.environ.get("NO_COLOR") else None)
        return
    try:
        with click.open_file(output, "w", encoding="utf-8", errors="backslashreplace", atomic=True) as file:
            file.write(click.unstyle(report))
    except OSError as error:
        raise click.UsageError(f"Cannot write {output}: {error.strerror}.") from error
