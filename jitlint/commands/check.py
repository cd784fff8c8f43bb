"""`jitlint check`: what fails or misbehaves under tracing."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jitlint import pipeline
from jitlint.commands import options as declared
from jitlint.commands import reporting
from jitlint.commands.looking import Looked, look
from jitlint.commands.request import Request
from jitlint.commands.shown import Shown
from jitlint.config import Configuration, Settings
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Result
from jitlint.findings.placed import placed
from jitlint.project.cache import cache_folder
from jitlint.project.files import display_path, is_document
from jitlint.source.printable import printable_path
from jitlint.source.text import SourceError, SourceFile, decode
from jitlint.status import CLEAN, FAILED, FOUND

if TYPE_CHECKING:
    from jitlint.commands.fixing import Outcome
    from jitlint.commands.verifying import Verified, Verifier


@click.command()
@declared.options
def check(**options: Any) -> None:
    """Look for what fails or misbehaves under tracing in files and folders.

    Exits with 0 if there is nothing to report, 1 if there are findings (refuted ones do not count), 2 if something
    could not be done.
    """
    request = Request.of(**options)
    if request.watch:
        from jitlint.commands.watching import watch  # loads what sees changes

        watch(request.paths, lambda: run(request))
    else:
        sys.exit(run(request))


def run(request: Request) -> int:
    """Does what is asked for, prints the report, and returns the exit status."""
    began = time.perf_counter()
    configuration = _configuration(request)
    settings = request.over(configuration.of(request.start))
    shown = Shown.of(request, configuration, settings)
    verifier = _verifier(request, settings)
    looked = _looked(request, configuration, shown)
    if request.add_noqa:
        return _left_out(looked, shown)
    outcome = _fixed(request, shown, looked, verifier) if request.fixes else None
    if outcome is not None and request.diff:
        reporting.print_errors((*looked.errors, *outcome.errors))
        for note in outcome.notes:
            click.echo(f"Note: {note}.", err=True)
        reporting.write(outcome.diff(), request.output)
        return FAILED if looked.errors else FOUND if outcome.changed else CLEAN
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
    if request.format == "html":
        result = replace(result, stages=_stages(result, looked, request))
    report, result = reporting.render(request.format, result, looked.sources, request.statistics, request.quiet)
    reporting.print_errors(result.errors)
    reporting.write(report, request.output)
    if request.verbose:
        _say_more(looked, configuration, time.perf_counter() - began)
    status = exit_code(result, policy)
    return CLEAN if request.exit_zero and status == FOUND else status


def _configuration(request: Request) -> Configuration:
    file = Path(request.config) if request.config else None
    exclude = request.exclude.split(",") if request.exclude is not None else None
    more = request.extend_exclude.split(",") if request.extend_exclude else ()
    return Configuration(file, isolated=request.isolated, exclude=exclude, extend_exclude=more)


def _left_out(looked: Looked, shown: Shown) -> int:
    """Writes comments that leave out what is shown."""
    from jitlint.commands.ignoring import write_comments  # with what writes files

    count, errors = write_comments(looked, shown.among(looked.found.findings))
    reporting.print_errors((*looked.errors, *errors))
    click.echo(f"{count} finding{'' if count == 1 else 's'} left out by comments.")
    return FAILED if looked.errors or errors else CLEAN


def _say_more(looked: Looked, configuration: Configuration, seconds: float) -> None:
    """Says which settings counted and what was analyzed, on standard error."""
    working = Path.cwd()
    files = ", ".join(printable_path(display_path(file, working)) for file in configuration.read) or "none"
    lines = sum(file.text.count("\n") + 1 for file in looked.sources)
    click.echo(f"Settings: {files}.", err=True)
    click.echo(f"Analyzed {len(looked.sources)} files, {lines} lines, in {seconds:.2f} s.", err=True)


def _looked(request: Request, configuration: Configuration, shown: Shown) -> Looked:
    return look(
        request.searched,
        configuration,
        shown.reported,
        jobs=request.jobs,
        cached=not request.no_cache,
        sound=request.sound,
        shown=_standard_input(request.start) if request.reads_stdin else None,
    )


def _standard_input(file: Path) -> SourceFile:
    """The text on standard input, in the place of a file.

    Raises:
        click.UsageError: it is no text.
    """
    if is_document(file):
        raise click.UsageError(f"{file.name}: standard input is for Python files.")
    try:
        return SourceFile(Path.cwd() / file, display_path(file, Path.cwd()), decode(sys.stdin.buffer.read()))
    except SourceError as error:
        raise click.UsageError(f"Standard input {error}.") from error


def _stages(result: Result, looked: Looked, request: Request) -> tuple[Revealed, ...]:
    """What the names in the files that a page shows are."""
    from jitlint.report import html  # only this format needs it

    paths = html.paths(result)
    files = [source for source in looked.sources if source.display in paths]
    cache = None if request.no_cache else cache_folder(request.start) / "analysis"
    revealed = pipeline.reveal_expressions(looked.sources, files, cache=cache)
    return placed(tuple(each for each in revealed if each.expression.isidentifier()), looked.sources)


def _fixed(request: Request, shown: Shown, looked: Looked, verifier: Verifier | None) -> Outcome:
    """What fixes make of the files; with `--fix` they are written."""
    from jitlint.commands import fixing  # loads LibCST

    outcome = fixing.Fixing(request, shown).run(looked, verifier.prove if verifier is not None else None)
    return replace(outcome, errors=(*outcome.errors, *fixing.write(outcome.changed))) if request.fix else outcome


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
