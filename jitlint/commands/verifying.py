"""`--verify`: what was said of it, and how it goes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jitlint import pipeline
from jitlint.config import Settings, VerifySettings
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import OWN, FileError, Finding
from jitlint.project.cache import cache_folder
from jitlint.project.files import project_folder
from jitlint.source.defects import Defects
from jitlint.source.text import SourceFile

if TYPE_CHECKING:
    from jitlint.verify import VerifyOptions
    from jitlint.verify.api import Note, Progress
    from jitlint.verify.devices import Device
    from jitlint.verify.known import KnownInputs


def verify_options(
    settings: VerifySettings, start: Path, *, cached: bool, devices: tuple[Device, ...],
    run: bool, dump: str | None, python: str | None, imports: str | None, sandbox: str | None, jobs: int | None,
) -> VerifyOptions:  # fmt: skip
    """What was said of verifying, by the command line or else in the settings.

    The project's environment is looked for from `start` upward.

    Raises:
        click.UsageError: a device that there is not, or no interpreter that can verify.
    """
    from jitlint.verify import VerifyOptions, environment
    from jitlint.verify.devices import size
    from jitlint.verify.options import Driver

    named = python or settings.python
    try:
        found = environment.choose(named, start)
    except environment.UnusableInterpreterError as error:
        said = "--python" if python else "`python` in [tool.jitlint.verify]" if named else "Nothing to verify with"
        raise click.UsageError(f"{said}: {error}.") from error
    for problem in found.passed_over:
        click.echo(f"{problem}; verifying with {found.python}", err=True)
    return VerifyOptions(
        devices=devices,
        python=found.python,
        jobs=jobs or 0,
        run=run,
        dump=_folder(dump) if dump else None,
        cache=cache_folder(start) if cached else None,
        sandbox=(sandbox or settings.sandbox) == "auto",
        full_import=(imports or settings.import_) == "full",
        drivers=tuple(Driver(driver.text, str(driver.folder)) for driver in settings.drivers),
        probe_timeout=settings.probe_timeout,
        module_timeout=settings.module_timeout,
        compile_timeout=settings.compile_timeout,
        memory_mb=size(settings.process_memory) >> 20,
    )


def known_inputs(settings: Settings, sources: tuple[SourceFile, ...], start: Path) -> KnownInputs:
    """Recorded inputs, then declared ones."""
    from jitlint.verify.known import KnownInputs, declared, recorded
    from jitlint.verify.recorder import store

    root = project_folder(start)
    first = recorded(sources, settings.verify.recorded or root / store.FILE, root)
    second = declared(sources, settings.verify.inputs, settings.sources.get("verify.inputs", ""))
    return KnownInputs((*first.inputs, *second.inputs), (*first.errors, *second.errors))


def devices(names: tuple[str, ...], memory: str | None, mesh: str | None) -> tuple[Device, ...]:
    from jitlint.verify import devices

    try:
        axes = devices.mesh(mesh) if mesh else ()
        capacity = devices.size(memory) if memory else None
        return tuple(devices.device(name, axes, capacity) for name in dict.fromkeys(names))
    except ValueError as error:
        raise click.UsageError(f"--device, --memory or --mesh: {error}.") from error


def _folder(name: str) -> Path:
    """The folder of a name, made if it is not there."""
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"Cannot make {name}: {error.strerror}.") from error
    return Path(name)


def verified(
    findings: tuple[Finding, ...], sources: tuple[SourceFile, ...], options: VerifyOptions, note: Note
) -> pipeline.Findings:
    """The findings with verdicts (of comments there are none), and what could not be done."""
    from jitlint.verify import verify

    own = tuple(finding for finding in findings if finding.code.startswith(OWN))
    of_code = tuple(finding for finding in findings if not finding.code.startswith(OWN))
    with _progress("Verifying", len(of_code)) as progress:
        verified = verify(of_code, sources, options, progress, note)
    verdicts = [finding.verdict for finding in verified if finding.verdict]
    unusable = {verdict.reason for verdict in verdicts if verdict.evidence.get("reason") == "unusable"}
    errors = [FileError(options.python, reason) for reason in sorted(unusable)]
    if left := sum(verdict.evidence.get("reason") == "interrupted" for verdict in verdicts):
        errors.append(FileError("--verify", f"interrupted before {left} of {len(verified)} findings were verified"))
    return pipeline.Findings(tuple(sorted((*verified, *own), key=Finding.order)), tuple(errors))


@contextlib.contextmanager
def _progress(label: str, length: int) -> Iterator[Progress]:
    """Shows what runs now and what is left, where there is a terminal to show it on."""

    def progress(module: str, done: int, total: int) -> None:
        bar.current_item = f"{module}, {total - done} left"
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


def surveyed(
    found: pipeline.Findings, sources: tuple[SourceFile, ...], options: VerifyOptions, note: Note
) -> tuple[tuple[EntryReport, ...], tuple[Finding, ...], tuple[FileError, ...]]:
    """What became of every entry point, what that found, and what could not be done."""
    from jitlint.verify.survey import survey

    defects = Defects()
    with _progress("Compiling", len(found.entries)) as progress:
        known = (*found.findings, *found.suppressed)
        reports, more = survey(found.entries, known, sources, options, defects, progress, note)
    unusable = {report.reason for report in reports if report.code == "unusable"}
    errors = [FileError(options.python, reason) for reason in sorted(unusable)]
    if left := sum(report.code == "interrupted" for report in reports):
        message = f"interrupted before {left} of {len(reports)} entry points were compiled"
        errors.append(FileError("--verify=all", message))
    return reports, more, (*errors, *map(pipeline.internal_error, defects.found))
