"""`jitlint baseline`: records the present findings, so that later runs show only new ones."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jitlint.commands import reporting
from jitlint.commands.looking import Looked, look
from jitlint.config import Choices, Configuration
from jitlint.findings import baseline as baselines
from jitlint.findings.finding import Finding
from jitlint.findings.placed import in_files, placed
from jitlint.findings.walk import printable_result
from jitlint.project.files import display_path
from jitlint.source.printable import printable_line, printable_path
from jitlint.status import CLEAN, FAILED, FOUND


@click.group()
def baseline() -> None:
    """Record the present findings, so that later runs show only new ones."""


@baseline.command("write")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file to write (default: what the settings say).",
)
def write(paths: tuple[str, ...], output: str | None) -> None:
    """Write the present findings in files and folders to a file: `jitlint check --baseline FILE` leaves them out.

    By default that is the file that `baseline` in the settings names, or .jitlint_baseline.json.
    """
    file, looked, findings = _look(paths, output)
    if looked.errors:
        click.echo("Nothing was written: the baseline would lack the findings in those files.", err=True)
        sys.exit(FAILED)
    try:
        count = baselines.write(file, findings)
    except baselines.BaselineError as error:
        raise click.UsageError(f"{_shown(file)} {error}.") from error
    click.echo(f"{_shown(file)}: {count} finding{'' if count == 1 else 's'}.")


@baseline.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--baseline",
    "given",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The baseline (default: what the settings say).",
)
def check(paths: tuple[str, ...], given: str | None) -> None:
    """List findings that are new, and findings of the baseline that are gone.

    Exits with 0 if there are neither, 1 if there are some, 2 if something could not be done.
    """
    file, looked, findings = _look(paths, given)
    try:
        known = baselines.read(file)
    except baselines.BaselineError as error:
        raise click.UsageError(f"{_shown(file)} {error}.") from error
    new, gone = printable_result(known.new(findings)), known.gone(findings)
    for finding in new:
        place = finding.event.place
        click.echo(f"{place.path}:{place.line}:{place.column} new: {finding.code} {finding.message}")
    for old in gone:
        click.echo(f"{printable_path(old.path)}:{old.line} removable: {printable_line(f'{old.code} {old.message}')}")
    click.echo(f"{len(new)} new, {len(gone)} removable, {len(known.findings) - len(gone)} still there.")
    sys.exit(FAILED if looked.errors else FOUND if new or gone else CLEAN)


def _look(paths: tuple[str, ...], given: str | None) -> tuple[Path, Looked, tuple[Finding, ...]]:
    """The baseline's file, what the analyzer found now, and those of its findings that the settings show."""
    configuration = Configuration()
    settings = configuration.of(Path(paths[0]))
    looked = look(paths, configuration)
    findings = tuple(filter(Choices(configuration.of).shows, looked.found.findings))
    findings = in_files(placed(findings, looked.sources), looked.sources)
    reporting.print_errors((*configuration.errors, *looked.errors))
    return Path(given) if given else settings.baseline or Path(baselines.NAME), looked, findings


def _shown(file: Path) -> str:
    return printable_path(display_path(file, Path.cwd()))
