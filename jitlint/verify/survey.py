"""`--verify=all`: traces, compiles and runs every entry point of a project with real JAX, for every device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import LARGE_CONSTANT
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import Finding
from jitlint.source.defects import Defects
from jitlint.source.text import SourceFile
from jitlint.verify import discoveries, plan
from jitlint.verify.api import Note, Progress, run_jobs
from jitlint.verify.discoveries import Reached
from jitlint.verify.observing import Seen
from jitlint.verify.options import VerifyOptions
from jitlint.verify.verdicts import Reason
from jitlint.verify.worker.messages import SurveyRequest


def survey(
    entries: Sequence[EntryPoint],
    findings: Sequence[Finding],
    sources: Sequence[SourceFile],
    options: VerifyOptions,
    defects: Defects,
    progress: Progress | None = None,
    note: Note = lambda text: None,
) -> tuple[tuple[EntryReport, ...], tuple[Finding, ...]]:
    """Takes every entry point through tracing, lowering and compiling, in worker processes.

    Args:
        entries: the entry points of `sources`.
        findings: the analyzer's findings, shown or not; a failure that one of them explains is not reported again.
        sources: the files of the project.
        options: limits, interpreter and devices.
        defects: takes failures of rules.
        progress: called with the module that runs, how many entries are done, and how many there are.
        note: called with remarks on the run as a whole.

    Returns:
        A report per entry, in their order, and the findings that only verifying found.
    """
    jobs = plan.entry_jobs(entries, sources, SurveyRequest(LARGE_CONSTANT))
    seen: dict[int, Reached] = {}
    roomy = replace(options, module_timeout=options.module_timeout * plan.ENTRIES_PER_JOB / 2)
    run_jobs(jobs, lambda each: seen.update(_reached(each)), options, progress, note, limits=roomy)
    missing = Reached(None, Reason.INTERRUPTED)
    pairs = [(entry, seen.get(index, missing)) for index, entry in enumerate(entries)]
    return discoveries.judged(pairs, findings, sources, [device.name for device in options.devices], defects)


def _reached(seen: Seen) -> dict[int, Reached]:
    without = {at: Reached(None, reason, more, seen.jax) for at, (reason, more) in seen.unseen.items()}
    return without | {at: Reached(one, jax=seen.jax) for at, one in seen.observations.items()}
