"""What the commands do. `__main__` tells them apart, and imports this once one is wanted."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jitlint import config, pipeline
from jitlint.analysis.events import Confidence
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import FileError, Finding, Result
from jitlint.project.files import display_path, project_folder, project_of
from jitlint.project.store import cache_folder
from jitlint.source.defects import Defects, describe
from jitlint.source.text import SourceFile, reason
from jitlint.status import CLEAN, FAILED, FOUND

if TYPE_CHECKING:
    from jitlint.verify import VerifyOptions
    from jitlint.verify.api import Note, Progress
    from jitlint.verify.devices import Device
    from jitlint.verify.known import KnownInputs

_PLACE = re.compile(r"(.+):(\d+)(?::([^\W\d]\w*))?")
FINDINGS, ALL = "findings", "all"
"""What can be verified."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--verify",
    type=click.Choice([FINDINGS, ALL]),
    metavar="[=all]",
    help="Trace, lower and compile what was found with real JAX; with `=all`, every entry point.",
)
@click.option("--device", "devices", metavar="D", multiple=True, help="A device to verify for (default: cpu).")
@click.option("--memory", metavar="SIZE", help="The memory of each device, such as 16GiB (default: its own).")
@click.option("--mesh", metavar="SHAPE", help="Compile over so many devices: 2x4, or data=2,model=4.")
@click.option("--run", is_flag=True, help="Execute once, too, what compiles for a device of this machine.")
@click.option("--dump", type=click.Path(file_okay=False), metavar="DIR", help="Write jaxprs and optimized HLO there.")
@click.option(
    "--python",
    metavar="PATH",
    help="The Python that verifies, or the folder of its environment (default: VIRTUAL_ENV, .venv, this one).",
)
@click.option(
    "--import",
    "imports",
    type=click.Choice(["needed", "full"]),
    help="What to run of a module's top level: what its findings need (the default), or all of it.",
)
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "off"]),
    help="Keep the code from writing files and from the network (the default, as far as the system can), or let it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes work at a time (default: by the processors).",
)
@click.option("--no-cache", is_flag=True, help="Compute all anew, and keep nothing for the next run.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True
)
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report there.")
@click.option("--select", metavar="CODES", help="Show these only; codes or their beginnings, comma-separated.")
@click.option("--extend-select", metavar="CODES", help="Show these too: hints, which are off by default.")
@click.option("--ignore", metavar="CODES", help="Leave these out.")
@click.option(
    "--confidence",
    type=click.Choice([str(level) for level in Confidence]),
    default=str(Confidence.LIKELY),
    show_default=True,
    help="The least confidence to show.",
)
@click.option(
    "--sound",
    is_flag=True,
    help="Leave nothing out: count what nothing is known of as traced, and show what is only possible.",
)
@click.option("--statistics", is_flag=True, help="Count the findings by code.")
def check(
    paths: tuple[str, ...],
    verify: str | None,
    devices: tuple[str, ...],
    memory: str | None,
    mesh: str | None,
    run: bool,
    dump: str | None,
    python: str | None,
    imports: str | None,
    sandbox: str | None,
    jobs: int | None,
    no_cache: bool,
    form: str,
    output: str | None,
    select: str | None,
    extend_select: str | None,
    ignore: str | None,
    confidence: str,
    sound: bool,
    statistics: bool,
) -> None:
    """Look for what fails or misbehaves under tracing in files and folders.

    Exits with 0 if there is nothing to report, 1 if there are findings (refuted ones do not count), 2 if something
    could not be done.
    """
    if not verify and any((devices, memory, mesh, run, dump, python, imports, sandbox)):
        raise click.UsageError(
            "--device, --memory, --mesh, --run, --dump, --python, --import and --sandbox are for --verify; add it."
        )
    settings, errors = config.load(Path(paths[0]))
    try:
        least = Confidence.POSSIBLE if sound else Confidence(confidence)
        choice = config.choice(settings, select, ignore, least, extend_select)
    except ValueError as error:
        raise click.UsageError(f"--select, --extend-select or --ignore: {error}.") from error
    wanted = settings.verify
    targets = _devices(devices or wanted.device or ("cpu",), memory or wanted.memory, mesh) if verify else ()
    sources = pipeline.read(paths, settings.excluded())
    cache = None if no_cache else cache_folder(Path(paths[0]))
    found = pipeline.find(sources.files, sound=sound, cache=cache and cache / "analysis", jobs=jobs or _processors())
    findings = tuple(finding for finding in found.findings if choice.shows(finding))
    errors = (*errors, *sources.errors, *found.errors)
    reports, notes = None, dict.fromkeys(_incomplete(found))
    if verify == ALL or (verify and findings):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does, and leaves nothing behind
        known = _known_inputs(settings, sources.files, Path(paths[0]))
        chosen = _verify_options(
            wanted, settings.folder, Path(paths[0]), cached=not no_cache, devices=targets, run=run, dump=dump,
            python=python, imports=imports, sandbox=sandbox, jobs=jobs,
        )  # fmt: skip
        chosen = replace(chosen, inputs=known.inputs)
        verified = _verified(findings, sources.files, chosen, notes.setdefault)
        findings, errors = verified.findings, (*errors, *known.errors, *verified.errors)
        if verify == ALL:
            reports, more, failed = _surveyed(found, sources.files, chosen, notes.setdefault)
            errors = tuple(dict.fromkeys((*errors, *failed)))
            findings = tuple(sorted((*findings, *filter(choice.shows, more)), key=_place))
    result = Result(findings, errors, len(sources.files), found.revealed, reports, tuple(notes), found.incomplete)
    _say(result.errors)
    _write(_report(form, result, sources.files, statistics), output)
    sys.exit(exit_code(result))


def _incomplete(found: pipeline.Findings) -> Iterator[str]:
    """What the analyzer did not follow to its end, in one line."""
    if found.incomplete:
        first, *others = found.incomplete
        more = f" (and {len(others)} more: see `incomplete` in the JSON)" if others else ""
        yield f"{first.path}: `{first.symbol}` was not followed to its end, as {first.reason}{more}"


def _say(errors: Sequence[FileError]) -> None:
    """Errors as lines on standard error; at the end, each once, what can be reported of jitlint itself."""
    for error in errors:
        click.echo(f"{error.path}: {error.message}", err=True)
    reports = {error.report.rpartition("\n")[2]: error.report for error in errors if error.report}
    for report in reports.values():
        click.echo(f"\nA defect of jitlint. Please send these lines (your code is not in them):\n{report}", err=True)


def say_defect(error: Exception) -> None:
    """What ended the run is a defect of jitlint: as such it is told."""
    _say([pipeline.internal_error(describe(error, "", "the run ended"))])


def exit_code(result: Result) -> int:
    """0 if there is nothing to report, 1 if there are findings that were not refuted, 2 if something was not done."""
    if result.errors:
        return FAILED
    refuted = sum(finding.verdict is not None and finding.verdict.status == "refuted" for finding in result.findings)
    return FOUND if refuted < len(result.findings) else CLEAN


@click.command()
@click.argument("code")
def explain(code: str) -> None:
    """Say what a rule finds, why it matters and what to do."""
    from jitlint.rules.page import page
    from jitlint.rules.registry import all_rules, by_code

    rule = by_code(code)
    if rule is None:
        known = ", ".join(rule.code for rule in all_rules())
        raise click.UsageError(f"There is no rule {code}. The rules are {known}.")
    click.echo(page(rule), nl=False)


@click.command()
@click.argument("place", metavar="FILE:LINE[:NAME]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def stage(place: str, form: str) -> None:
    """Say what the analyzer thinks of the variables at a line, or of one of them.

    The whole project that the file belongs to is analyzed, so that calls from elsewhere count. Names that the line
    binds are shown as they are once bound, the others as they are when the line begins.
    """
    from jitlint.analysis.reveal import NoStatementError

    matched = _PLACE.fullmatch(place)
    if matched is None:
        raise click.UsageError(f"`{place}` is no place; write FILE:LINE or FILE:LINE:NAME, such as train.py:12:x.")
    path, line, name = matched[1], int(matched[2]), matched[3] or ""
    root = project_of(Path(path))
    settings, _ = config.load(root)
    sources = pipeline.read((str(root), path), settings.excluded())
    source = next((file for file in sources.files if os.path.abspath(file.path) == os.path.abspath(path)), None)
    if source is None:
        problems = [error.message for error in sources.errors if error.path == path]
        raise click.UsageError(f"{path}: {', '.join(problems) or 'is no Python file; name one'}.")
    try:
        found = pipeline.stages(sources.files, source, line, name)
        if name and not found.revealed and (others := pipeline.stages(sources.files, source, line).revealed):
            known = ", ".join(dict.fromkeys(seen.expression for seen in others))
            raise click.UsageError(f"There is no variable `{name}` at {path}:{line}; there are {known}.")
    except NoStatementError as error:
        near = " and ".join(map(str, error.nearest))
        raise click.UsageError(f"No statement is on {path}:{line}" + (f"; try {near}." if near else ".")) from error
    for problem in found.errors:
        if problem.path == source.display:
            raise click.UsageError(f"{problem.path}: {problem.message}.")
    from jitlint.report import stages

    click.echo(
        stages.render_json(found.revealed) if form == "json" else stages.render(found.revealed, path, line), nl=False
    )


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the signatures there.")
def record(command: tuple[str, ...], output: str | None) -> None:
    """Run a program, and store what its transformed functions are called with.

    The program runs as it would without; `--verify` uses what was stored. Exits with the program's exit code.
    """
    from jitlint.verify import record as recording
    from jitlint.verify.recorder import store

    root = project_folder(Path.cwd())
    settings, _ = config.load(Path.cwd())
    file = Path(output) if output else settings.verify.recorded or root / store.FILE
    try:
        before = store.read(file)
        code = recording.record(command, file, root)
        after = store.read(file)
    except store.StoreError as error:
        raise click.UsageError(f"{display_path(file, Path.cwd())} {error}.") from error
    except OSError as error:
        raise click.UsageError(f"{command[0]} cannot be started: {reason(error)}.") from error
    click.echo(f"jitlint {recording.summary(before, after)}", err=True)
    sys.exit(code)


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _verify_options(
    settings: config.VerifySettings, folder: Path, start: Path, *, cached: bool, devices: tuple[Device, ...],
    run: bool, dump: str | None, python: str | None, imports: str | None, sandbox: str | None, jobs: int | None,
) -> VerifyOptions:  # fmt: skip
    """What was said of verifying, by the command line or else in the settings.

    The project's environment is looked for from `start` upward, drivers count from the settings' `folder`.

    Raises:
        click.UsageError: a device that there is not, or no interpreter that can verify.
    """
    from jitlint.verify import VerifyOptions, interpreter
    from jitlint.verify.options import Driver

    named = python or settings.python
    try:
        found = interpreter.choose(named, start)
    except interpreter.UnusableInterpreterError as error:
        said = "--python" if python else "`python` in [tool.jitlint.verify]" if named else "Nothing to verify with"
        raise click.UsageError(f"{said}: {error}.") from error
    for problem in found.passed_over:
        click.echo(f"{problem}; verifying with {found.python}", err=True)
    options = VerifyOptions(
        devices=devices,
        python=found.python,
        jobs=jobs or 0,
        run=run,
        dump=_folder(dump) if dump else None,
        cache=cache_folder(start) if cached else None,
        sandbox=(sandbox or settings.sandbox) == "auto",
        full_import=(imports or settings.imports) == "full",
        drivers=tuple(Driver(name, str(folder)) for name in settings.drivers),
    )
    return replace(options, **settings.limits)


def _known_inputs(settings: config.Settings, sources: tuple[SourceFile, ...], start: Path) -> KnownInputs:
    """Recorded inputs, then declared ones."""
    from jitlint.verify.known import KnownInputs, declared, recorded
    from jitlint.verify.recorder import store

    root = project_folder(start)
    first = recorded(sources, settings.verify.recorded or root / store.FILE, root)
    table = display_path(settings.folder / config.FILE, Path.cwd())
    second = declared(sources, settings.verify.inputs, table)
    return KnownInputs((*first.inputs, *second.inputs), (*first.errors, *second.errors))


def _devices(names: tuple[str, ...], memory: str | None, mesh: str | None) -> tuple[Device, ...]:
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


def _verified(
    findings: tuple[Finding, ...], sources: tuple[SourceFile, ...], options: VerifyOptions, note: Note
) -> pipeline.Findings:
    """The findings with verdicts, and what could not be done."""
    from jitlint.verify import verify

    with _progress("Verifying", len(findings)) as progress:
        verified = verify(findings, sources, options, progress, note)
    verdicts = [finding.verdict for finding in verified if finding.verdict]
    unusable = {verdict.reason for verdict in verdicts if verdict.evidence.get("reason") == "unusable"}
    errors = [FileError(options.python, reason) for reason in sorted(unusable)]
    if left := sum(verdict.evidence.get("reason") == "interrupted" for verdict in verdicts):
        errors.append(FileError("--verify", f"interrupted before {left} of {len(verified)} findings were verified"))
    return pipeline.Findings(verified, tuple(errors))


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


def _surveyed(
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


def _place(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.event.place
    return place.path, place.line, place.column, finding.code


def _report(form: str, result: Result, sources: tuple[SourceFile, ...], statistics: bool) -> str:
    """Only the reporter that is asked for is imported."""
    match form:
        case "json":
            from jitlint.report import json

            return json.render(result)
        case "sarif":
            from jitlint.report import sarif

            return sarif.render(result)
        case "github":
            from jitlint.report import github

            return github.render(result)
        case _:
            from jitlint.report import text

            return text.render(result, sources) + (text.statistics(result) if statistics else "")


def _write(report: str, output: str | None) -> None:
    if output is None:
        click.echo(report, nl=False, color=False if os.environ.get("NO_COLOR") else None)
        return
    try:
        with click.open_file(output, "w", encoding="utf-8", errors="backslashreplace", atomic=True) as file:
            file.write(click.unstyle(report))
    except OSError as error:
        raise click.UsageError(f"Cannot write {output}: {error.strerror}.") from error
