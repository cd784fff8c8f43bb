"""Proves fixes: the edited program traces, compiles, and gives what the original gives without jit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import LARGE_CONSTANT
from jitlint.findings.finding import Proof
from jitlint.source.text import SourceFile
from jitlint.verify import plan
from jitlint.verify.api import Note, Progress, run_jobs
from jitlint.verify.observing import Seen
from jitlint.verify.options import VerifyOptions
from jitlint.verify.protocol import Observation
from jitlint.verify.worker.messages import SurveyRequest

_LEFT_OPEN = {
    "time": "comparing took too long",
    "": "it was not run",
}

_MANY_RUNS = 20
"""A proof with more inputs than these says no number."""


def prove(
    entries: Sequence[EntryPoint],
    before: Sequence[SourceFile],
    after: Sequence[SourceFile],
    options: VerifyOptions,
    progress: Progress | None = None,
    note: Note = lambda text: None,
) -> tuple[Proof, ...]:
    """Runs entry points of edited files in worker processes, and compares them with the files before the edits.

    Args:
        entries: entry points of `after`.
        before: the files of the project.
        after: the same files with edits.
        options: limits, interpreter and devices.
        progress: called with the module that runs, how many entries are done, and how many there are.
        note: called with remarks on the run as a whole.

    Returns:
        What became of each entry point, in their order.
    """
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old.text != new.text]
    originals = {os.path.abspath(old.path): old.text for old, _ in pairs}
    edited = {os.path.abspath(new.path): new.text for _, new in pairs}
    jobs = plan.entry_jobs(entries, after, SurveyRequest(LARGE_CONSTANT, originals=originals))
    jobs = tuple(replace(job, sources={**job.sources, **edited}) for job in jobs)
    proofs: dict[int, Proof] = {}

    def take(seen: Seen) -> None:
        proofs.update((at, Proof("open", f"not run: {reason}")) for at, (reason, _) in seen.unseen.items())
        proofs.update((at, _judged(one)) for at, one in seen.observations.items())

    roomy = replace(options, module_timeout=options.module_timeout * plan.ENTRIES_PER_JOB / 2)
    run_jobs(jobs, take, options, progress, note, limits=roomy)
    return tuple(proofs.get(at, Proof("open", "interrupted")) for at in range(len(entries)))


def _counted(runs: int) -> str:
    """A number of runs; of very many only that, since how many there is time for differs from machine to machine."""
    return str(runs) if runs <= _MANY_RUNS else f"more than {_MANY_RUNS}"


def _judged(seen: Observation) -> Proof:
    if seen.outcome == "failed":
        failure: Mapping[str, Any] = seen.evidence.get("failure", {})
        return Proof("open", f"it still fails to trace: {failure.get('type', '')}")
    if seen.outcome != "surveyed":
        said = seen.evidence.get("exception") or seen.evidence.get("branch") or ""
        return Proof("open", f"no inputs were found with which it traces ({seen.code}{': ' if said else ''}{said})")
    failed = [build for build in seen.evidence.get("builds", ()) if build.get("failed")]
    if failed:
        return Proof("open", f"it does not compile for {failed[0].get('device', '')}: {failed[0].get('failed', '')}")
    target = seen.evidence.get("target", "")
    proof: Mapping[str, Any] = seen.evidence.get("proof", {})
    why, runs = proof.get("why", ""), proof.get("runs", 0)
    match proof.get("outcome", ""):
        case "equal":
            inputs = "with one input" if runs == 1 else f"with {_counted(runs)} inputs"
            said = f"{target} gives under jit what the original gives without, {inputs}"
            return Proof("proven", said, tuple(map(str, proof.get("one_sided", ()))))
        case "differs" | "fails" as outcome:
            said = "gives another result than" if outcome == "differs" else "fails, unlike"
            return Proof("disproven", f"{target} {said} the original: {why}")
        case "not-run":
            return Proof("open", f"the original could not be run without jit: {why}")
        case outcome:
            return Proof("open", _LEFT_OPEN.get(outcome, "it was not run"))
