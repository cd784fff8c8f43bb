"""`jitlint check`: what fails or misbehaves under tracing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jitlint import pipeline
from jitlint.commands import reporting
from jitlint.commands.looking import Looked, look
from jitlint.commands.request import ALL, FINDINGS, Request
from jitlint.commands.shown import Shown
from jitlint.config import Configuration, Settings
from jitlint.events.assumption import Confidence
from jitlint.findings.finding import FileError, Finding, Result
from jitlint.findings.placed import placed
from jitlint.status import CLEAN, FAILED, FOUND
from jitlint.verify.options import BUDGETS
from jitlint.verify.sandbox.wish import FORMS

if TYPE_CHECKING:
    from jitlint.commands.fixing import Outcome
    from jitlint.commands.verifying import Verified, Verifier


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--verify",
    type=click.Choice([FINDINGS, ALL]),
    metavar="[=all]",
    help="Trace, lower and compile the findings with real JAX; with `=all`, every entry point.",
)
@click.option("--device", metavar="D", multiple=True, help="A device to verify for (default: cpu); can be repeated.")
@click.option("--memory", metavar="SIZE", help="The memory of each device, such as 16GiB (default: what it has).")
@click.option("--mesh", metavar="SHAPE", help="Compile over a mesh of devices: 2x4, or data=2,model=4.")
@click.option("--run", is_flag=True, help="Also execute once what compiles for a device of this machine.")
@click.option("--dump", type=click.Path(file_okay=False), metavar="DIR", help="A folder for jaxprs and optimized HLO.")
@click.option(
    "--python",
    metavar="PATH",
    help="The Python that verifies, or the folder of its environment (default: VIRTUAL_ENV, .venv, this one).",
)
@click.option(
    "--import",
    "import_",
    type=click.Choice(["needed", "full"]),
    help="How much of a module's top level runs: what its findings need (the default), or all of it.",
)
@click.option(
    "--sandbox",
    type=click.Choice(FORMS),
    help="Keep verified code from writing files and from the network, as far as the system can (the default); run it "
    "only where that can be done; or do not keep it.",
)
@click.option(
    "--budget",
    type=click.Choice(list(BUDGETS)),
    help="How much to do for findings before they stay inconclusive: a third of the limits, the limits (the default), "
    "or six times as much.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["fail", "warn", "ignore"]),
    help="Whether findings without a clear verdict fail the run (the default), are only shown, or are left out.",
)
@click.option("--project", is_flag=True, help="Analyze the projects that the paths belong to; report on the paths.")
@click.option("--changed-since", metavar="REV", help="Like --project, but report only on files changed since REV.")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Leave out the findings in FILE.")
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE", help="Read these settings only.")
@click.option("--isolated", is_flag=True, help="Read no settings.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes may work at a time (default: one per processor).",
)
@click.option("--no-cache", is_flag=True, help="Compute everything anew, and store nothing for the next run.")
@click.option(
    "--format",
    type=click.Choice(reporting.FORMATS),
    default="text",
    show_default=True,
    help="The format of the report.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the report to this file instead of standard output.",
)
@click.option("--select", metavar="CODES", help="Show only these codes, or beginnings of codes, comma-separated.")
@click.option("--extend-select", metavar="CODES", help="Show these codes too, such as hints, which are off by default.")
@click.option("--ignore", metavar="CODES", help="Leave these codes out.")
@click.option(
    "--confidence",
    type=click.Choice([str(level) for level in Confidence]),
    help="The least confidence to show (default: likely).",
)
@click.option(
    "--sound",
    is_flag=True,
    help="Miss nothing: count unknown values as traced, and show findings that are only possible.",
)
@click.option("--fix", is_flag=True, help="Edit the files: apply the fixes that keep what the program means.")
@click.option("--diff", is_flag=True, help="Show what --fix would change as a diff, and change nothing.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that may change what it means.")
@click.option("--allow-dirty", is_flag=True, help="With --fix: also edit files with changes that git does not have.")
@click.option("--statistics", is_flag=True, help="Count the findings by code.")
def check(**options: Any) -> None:
    """Look for what fails or misbehaves under tracing in files and folders.

    Exits with 0 if there is nothing to report, 1 if there are findings (refuted ones do not count), 2 if something
    could not be done.
    """
    request = Request(**options)
    configuration = Configuration(Path(request.config) if request.config else None, isolated=request.isolated)
    settings = request.over(configuration.of(request.start))
    shown = Shown.of(request, configuration, settings)
    verifier = _verifier(request, settings)
    looked = _looked(request, configuration, shown)
    outcome = _fixed(request, shown, looked, verifier) if request.fixes else None
    if outcome is not None and request.diff:
        reporting.print_errors((*looked.errors, *outcome.errors))
        for note in outcome.notes:
            click.echo(f"Note: {note}.", err=True)
        reporting.write(outcome.diff(), request.output)
        sys.exit(FAILED if looked.errors else FOUND if outcome.changed else CLEAN)
    if outcome is not None and outcome.changed:
        looked = _looked(request, configuration, shown)
    findings = shown.among(looked.found.findings)
    verified = verifier.verify(findings, looked) if verifier is not None else None
    policy = settings.verify.inconclusive
    result = _result(looked, findings, verified, shown, policy, configuration.errors)
    if outcome is not None:
        errors = (*result.errors, *outcome.errors)
        notes = (*result.notes, *outcome.notes)
        result = replace(result, fixed=outcome.fixed, unproven=outcome.unproven, errors=errors, notes=notes)
    report, result = reporting.render(request.format, result, looked.sources, request.statistics)
    reporting.print_errors(result.errors)
    reporting.write(report, request.output)
    sys.exit(exit_code(result, policy))


def _looked(request: Request, configuration: Configuration, shown: Shown) -> Looked:
    return look(
        request.paths,
        configuration,
        shown.reported,
        jobs=request.jobs,
        cached=not request.no_cache,
        sound=request.sound,
    )


def _fixed(request: Request, shown: Shown, looked: Looked, verifier: Verifier | None) -> Outcome:
    """What fixes make of the files; with `--fix` they are written."""
    from jitlint.commands import fixing  # loads LibCST

    outcome = fixing.Fixing(request, shown).run(looked, verifier.prove if verifier is not None else None)
    return replace(outcome, errors=(*outcome.errors, *fixing.write(outcome))) if request.fix else outcome


def _verifier(request: Request, settings: Settings) -> Verifier | None:
    if not request.verify:
        return None
    from jitlint.commands.verifying import Verifier  # with what starts workers, a good part of a start

    return Verifier(request, settings)


def _result(
    looked: Looked,
    findings: tuple[Finding, ...],
    verified: Verified | None,
    shown: Shown,
    inconclusive: str,
    wrong_settings: Sequence[FileError],
) -> Result:
    """What is reported, in the places of the user's documents.

    Args:
        looked: what the analyzer found.
        findings: those of it that are shown.
        verified: what became of them, if they were verified.
        shown: which findings are shown.
        inconclusive: `ignore` leaves out findings without a clear verdict.
        wrong_settings: what is wrong in the settings.
    """
    found = looked.found
    notes = [*_incomplete(found)]
    errors = [*wrong_settings, *looked.errors]
    entries = None
    if verified is not None:
        findings = tuple(sorted((*verified.findings, *shown.among(verified.discovered)), key=Finding.order))
        notes += verified.notes
        errors += verified.errors
        entries = verified.entries
    if inconclusive == "ignore":
        findings = tuple(finding for finding in findings if not _unclear(finding))
    if gone := shown.gone(found.findings):
        are, them = ("is", "it") if gone == 1 else ("are", "them")
        notes.append(f"{gone} of the baseline {are} no longer found; `jitlint baseline write` removes {them}")
    result = Result(
        findings,
        tuple(dict.fromkeys(errors)),
        shown.files(looked),
        found.revealed,
        entries,
        tuple(dict.fromkeys(notes)),
        found.incomplete,
    )
    return placed(result, looked.sources)


def _incomplete(found: pipeline.Findings) -> Iterator[str]:
    """A note if the analyzer did not follow some function to its end."""
    if found.incomplete:
        first, *others = found.incomplete
        more = f" (and {len(others)} more: see `incomplete` in the JSON)" if others else ""
        yield f"{first.path}: `{first.symbol}` was not followed to its end, as {first.reason}{more}"


def exit_code(result: Result, inconclusive: str = "fail") -> int:
    """0 if there is nothing to report, 1 if there are findings that count, 2 if something was not done.

    Refuted findings do not count, nor, unless `inconclusive` is "fail", those without a clear verdict.
    """
    if result.errors:
        return FAILED
    return FOUND if any(_counts(finding, inconclusive) for finding in result.findings) else CLEAN


def _counts(finding: Finding, inconclusive: str) -> bool:
    if finding.verdict is None or finding.verdict.status == "confirmed":
        return True
    return _unclear(finding) and inconclusive == "fail"


def _unclear(finding: Finding) -> bool:
    return finding.verdict is not None and finding.verdict.status in ("inconclusive", "not-run")
