"""`jitlint check`: what fails or misbehaves under tracing."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from jitlint import pipeline
from jitlint.commands import reporting, verifying
from jitlint.commands.scope import Scope
from jitlint.config import Choices, Configuration, Settings
from jitlint.events.event import Confidence
from jitlint.findings import baseline as baselines
from jitlint.findings.finding import FileError, Finding, Result
from jitlint.findings.placed import placed
from jitlint.project.cache import cache_folder
from jitlint.project.files import display_path
from jitlint.source.text import SourceFile
from jitlint.status import CLEAN, FAILED, FOUND

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
    "--inconclusive",
    type=click.Choice(["fail", "warn", "ignore"]),
    help="What findings without a clear verdict do: fail (the default), only show, or not show.",
)
@click.option("--project", is_flag=True, help="Analyze the projects that the paths belong to; report on the paths.")
@click.option("--changed-since", "revision", metavar="REV", help="Like --project, but report on changed files only.")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Leave out the findings in it.")
@click.option(
    "--config", "config", type=click.Path(dir_okay=False), metavar="FILE", help="The only settings that count."
)
@click.option("--isolated", is_flag=True, help="Read no settings.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes work at a time (default: by the processors).",
)
@click.option("--no-cache", is_flag=True, help="Compute all anew, and keep nothing for the next run.")
@click.option(
    "--format",
    "form",
    type=click.Choice(reporting.FORMATS),
    default="text",
    show_default=True,
    help="How to report: for people, other tools, or a service that shows what changes bring.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the report to this file, whole or not at all.",
)
@click.option("--select", metavar="CODES", help="Show these only; codes or their beginnings, comma-separated.")
@click.option("--extend-select", metavar="CODES", help="Show these too: hints, which are off by default.")
@click.option("--ignore", metavar="CODES", help="Leave these out.")
@click.option(
    "--confidence",
    type=click.Choice([str(level) for level in Confidence]),
    help="The least confidence to show (default: likely).",
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
    inconclusive: str | None,
    project: bool,
    revision: str | None,
    baseline: str | None,
    config: str | None,
    isolated: bool,
    jobs: int | None,
    no_cache: bool,
    form: str,
    output: str | None,
    select: str | None,
    extend_select: str | None,
    ignore: str | None,
    confidence: str | None,
    sound: bool,
    statistics: bool,
) -> None:
    """Look for what fails or misbehaves under tracing in files and folders.

    Exits with 0 if there is nothing to report, 1 if there are findings (refuted ones do not count), 2 if something
    could not be done.
    """
    if not verify and any((devices, memory, mesh, run, dump, python, imports, sandbox, inconclusive)):
        raise click.UsageError(
            "--device, --memory, --mesh, --run, --dump, --python, --import, --sandbox and --inconclusive are for "
            "--verify; add it."
        )
    start = Path(paths[0])
    configuration = Configuration(Path(config) if config else None, isolated=isolated)
    settings = configuration.of(start)
    least = Confidence.POSSIBLE if sound else Confidence(confidence) if confidence else None
    try:
        choices = Choices(configuration.of, select=select, extend=extend_select, ignore=ignore, confidence=least)
    except ValueError as error:
        raise click.UsageError(f"--select, --extend-select or --ignore: {error}.") from error
    wanted = settings.verify
    targets = verifying.devices(devices or wanted.device or ("cpu",), memory or wanted.memory, mesh) if verify else ()
    scope = Scope(paths, revision) if project or revision else None
    looked = look(paths, configuration, scope, jobs=jobs, cached=not no_cache, sound=sound)
    notes = dict.fromkeys(_incomplete(looked.found))
    old = _old(baseline, settings)
    shown = _Shown(choices, scope, old)
    findings = shown.of(looked.found.findings)
    errors, sources, reports = looked.errors, looked.sources, None
    if verify == ALL or (verify and findings):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does, and leaves nothing behind
        known = verifying.known_inputs(settings, sources, start)
        chosen = verifying.verify_options(
            wanted, start, cached=not no_cache, devices=targets, run=run, dump=dump, python=python, imports=imports,
            sandbox=sandbox, jobs=jobs,
        )  # fmt: skip
        chosen = replace(chosen, inputs=known.inputs)
        verified = verifying.verified(findings, sources, chosen, notes.setdefault)
        findings, errors = verified.findings, (*errors, *known.errors, *verified.errors)
        if verify == ALL:
            reports, more, failed = verifying.surveyed(looked.found, sources, chosen, notes.setdefault)
            errors = tuple(dict.fromkeys((*errors, *failed)))
            findings = tuple(sorted((*findings, *shown.of(more)), key=Finding.order))
    policy = inconclusive or wanted.inconclusive
    if policy == "ignore":
        findings = tuple(finding for finding in findings if not _unclear(finding))
    if old is not None and scope is None and (gone := len(old.gone(looked.found.findings))):
        are, them = ("is", "it") if gone == 1 else ("are", "them")
        notes[f"{gone} of the baseline {are} no longer found; `jitlint baseline write` removes {them}"] = None
    errors = (*configuration.errors, *errors)
    files = sum(scope is None or scope.holds(source.display) for source in sources)
    result = Result(findings, errors, files, looked.found.revealed, reports, tuple(notes), looked.found.incomplete)
    result = placed(result, sources)
    reporting.say(result.errors)
    reporting.write(reporting.render(form, result, sources, statistics), output)
    sys.exit(exit_code(result, policy))


@dataclass(frozen=True, slots=True)
class Looked:
    """What the analyzer found in the files of a run, and what could not be read."""

    sources: tuple[SourceFile, ...]
    found: pipeline.Findings
    errors: tuple[FileError, ...]


def look(
    paths: Sequence[str],
    configuration: Configuration,
    scope: Scope | None,
    *,
    jobs: int | None,
    cached: bool,
    sound: bool,
) -> Looked:  # fmt: skip
    """Reads and analyzes files: those under the paths, or with a scope their whole projects, in which a file that is
    excluded stays so when it is given by name, as hooks do."""
    if scope is None:
        sources = pipeline.read(paths, configuration.leaves_out)
    else:
        wanted = [path for path in paths if not configuration.leaves_out(Path(path).resolve(), Path(path).is_dir())]
        sources = pipeline.read_project(wanted, configuration.leaves_out)
    cache = cache_folder(Path(paths[0])) / "analysis" if cached else None
    found = pipeline.find(sources.files, sound=sound, cache=cache, jobs=jobs or pipeline.processors())
    errors = (*sources.errors, *found.errors)
    if scope is not None:
        errors = scope.errors(
            errors, [file.display for file in sources.files] + [error.path for error in sources.errors]
        )
    return Looked(sources.files, found, errors)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Which findings are shown."""

    choices: Choices
    scope: Scope | None
    old: baselines.Baseline | None

    def of(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        shown = tuple(
            finding
            for finding in findings
            if (self.scope is None or self.scope.holds(finding.event.place.path)) and self.choices.shows(finding)
        )
        return shown if self.old is None else self.old.new(shown)


def _old(given: str | None, settings: Settings) -> baselines.Baseline | None:
    """The findings that are not shown, if there are such."""
    file = Path(given) if given else settings.baseline
    if file is None:
        return None
    try:
        return baselines.read(file)
    except baselines.BaselineError as error:
        raise click.UsageError(f"{display_path(file, Path.cwd())} {error}.") from error


def _incomplete(found: pipeline.Findings) -> Iterator[str]:
    """What the analyzer did not follow to its end, in one line."""
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
