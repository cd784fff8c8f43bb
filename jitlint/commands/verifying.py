"""`--verify` on the command line: findings get verdicts, while a terminal shows how far it is."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from jitlint.commands.looking import Looked
from jitlint.commands.request import ALL, Request
from jitlint.config import Settings
from jitlint.config.verifying import VerifySetupError, chosen_devices, verify_setup
from jitlint.events.entry_point import EntryPoint
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import OWN, FileError, Finding, Proof
from jitlint.findings.internal_errors import internal_error
from jitlint.source.defects import Defects
from jitlint.source.printable import printable_line, printable_path
from jitlint.source.text import SourceFile
from jitlint.verify.api import Progress, verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.proving import prove
from jitlint.verify.survey import survey


class Verified(NamedTuple):
    """What a run found, with verdicts.

    Attributes:
        findings: those that were to be verified, in the order of their places.
        errors: what could not be done.
        notes: remarks about the run as a whole, each once.
        entries: what became of every entry point; None unless all were verified.
        discovered: what verifying found in entry points and the analyzer did not.
    """

    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...] = ()
    notes: tuple[str, ...] = ()
    entries: tuple[EntryReport, ...] | None = None
    discovered: tuple[Finding, ...] = ()


class Verifier:
    """Verifies as a request and the settings say."""

    def __init__(self, request: Request, settings: Settings) -> None:
        """
        Args:
            request: what was asked for.
            settings: with the request's options in place of what they say about verifying.

        Raises:
            click.UsageError: it names a device that there is not.
        """
        self._request = request
        self._settings = settings
        with _usage_errors():
            self._devices = chosen_devices(settings.verify, request.mesh)

    def verify(self, findings: tuple[Finding, ...], looked: Looked) -> Verified:
        """Verifies findings, and every entry point if that is asked for.

        Raises:
            click.UsageError: no interpreter can verify.
        """
        every_entry = self._request.verify == ALL
        if not findings and not every_entry:
            return Verified(findings)
        options, errors = self._options(looked.sources)
        verified = _verified(findings, looked.sources, options)
        verified = verified._replace(errors=(*errors, *verified.errors))
        return _surveyed(verified, looked, options) if every_entry else verified

    def prove(
        self, entries: Sequence[EntryPoint], before: tuple[SourceFile, ...], after: tuple[SourceFile, ...]
    ) -> tuple[Proof, ...]:
        """Runs entry points of edited files, and the same before the edits.

        Raises:
            click.UsageError: no interpreter can verify.
        """
        options, _ = self._options(before)
        with _progress("Proving", len(entries)) as progress:
            return prove(entries, before, after, options, progress)

    def _options(self, sources: tuple[SourceFile, ...]) -> tuple[VerifyOptions, tuple[FileError, ...]]:
        """How to verify files, and what is wrong with their settings."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does, and leaves nothing behind
        with _usage_errors():
            options, errors, passed_over = verify_setup(
                self._settings,
                self._request.start,
                sources,
                self._devices,
                run=self._request.run,
                dump=self._request.dump,
                cached=not self._request.no_cache,
                jobs=self._request.jobs or 0,
            )
        for notice in passed_over:
            click.echo(printable_line(notice), err=True)
        return options, tuple(errors)


@contextlib.contextmanager
def _usage_errors() -> Iterator[None]:
    try:
        yield
    except VerifySetupError as error:
        raise click.UsageError(str(error)) from error


def _verified(findings: tuple[Finding, ...], sources: tuple[SourceFile, ...], options: VerifyOptions) -> Verified:
    """Findings about code get verdicts; findings about comments stay as they are."""
    about_comments = tuple(finding for finding in findings if finding.code.startswith(OWN))
    about_code = tuple(finding for finding in findings if not finding.code.startswith(OWN))
    notes: dict[str, None] = {}
    with _progress("Verifying", len(about_code)) as progress:
        verified = verify(about_code, sources, options, progress, notes.setdefault)
    verdicts = [finding.verdict for finding in verified if finding.verdict]
    reasons = [verdict.reason for verdict in verdicts if verdict.evidence.get("reason") == "unusable"]
    errors = _unusable(options, reasons)
    if left := sum(verdict.evidence.get("reason") == "interrupted" for verdict in verdicts):
        errors.append(FileError("--verify", f"interrupted before {left} of {len(verified)} findings were verified"))
    return Verified(tuple(sorted((*verified, *about_comments), key=Finding.order)), tuple(errors), tuple(notes))


def _surveyed(verified: Verified, looked: Looked, options: VerifyOptions) -> Verified:
    """Adds what became of every entry point."""
    found = looked.found
    defects = Defects()
    notes = dict.fromkeys(verified.notes)
    with _progress("Compiling", len(found.entries)) as progress:
        known = (*found.findings, *found.suppressed)
        entries, more = survey(found.entries, known, looked.sources, options, defects, progress, notes.setdefault)
    errors = _unusable(options, [entry.reason for entry in entries if entry.code == "unusable"])
    if left := sum(entry.code == "interrupted" for entry in entries):
        message = f"interrupted before {left} of {len(entries)} entry points were compiled"
        errors.append(FileError("--verify=all", message))
    errors += map(internal_error, defects.found)
    return Verified(verified.findings, (*verified.errors, *errors), tuple(notes), entries, more)


def _unusable(options: VerifyOptions, reasons: Sequence[str]) -> list[FileError]:
    """An error for each reason why the interpreter could not be used."""
    return [FileError(options.python, reason) for reason in sorted(set(reasons))]


@contextlib.contextmanager
def _progress(label: str, length: int) -> Iterator[Progress]:
    """Shows what runs now and how much is left, if standard error is a terminal."""

    def progress(module: str, done: int, total: int) -> None:
        bar.current_item = f"{printable_path(module)}, {total - done} left"
        bar.update(done - bar.pos)
        bar.render_progress()

    with click.progressbar(
        length=length,
        label=label,
        item_show_func=lambda now: now or "",
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    ) as bar:
        yield progress
