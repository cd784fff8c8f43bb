"""Runs one job in as many processes as it takes, so that a probe that ends its process costs only itself."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jitlint.verify.options import VerifyOptions
from jitlint.verify.plan import Job
from jitlint.verify.pool import JobEnd, Worker, WorkerUnusableError
from jitlint.verify.protocol import Observation
from jitlint.verify.verdicts import Reason

_LIMITS = (Reason.PROBE_TIME, Reason.MODULE_TIME)


@dataclass
class Seen:
    """What is known of a job's probes; those of an interrupted job may be missing.

    Attributes:
        observations: what workers saw, by probe.
        unseen: the reason why others have no observation, with its evidence.
        paths: the files and folders that the job's code looked at.
        jax: the version of jax that ran.
        starved: whether something was cut short for its time that hardly ran.
    """

    observations: dict[int, Observation] = field(default_factory=dict)
    unseen: dict[int, tuple[Reason, Mapping[str, Any]]] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    jax: str = ""
    starved: bool = False

    @property
    def ran_out(self) -> dict[int, Reason]:
        """The probes for which the limits were too small, and would be again."""
        if self.starved:
            return {}
        return {probe: reason for probe, (reason, _) in self.unseen.items() if reason in _LIMITS}


def observe(job: Job, worker: Worker, options: VerifyOptions, progress: Callable[[int], None]) -> Seen:
    """Runs a job to its end.

    Args:
        job: the probes of one module.
        worker: runs it.
        options: the limits.
        progress: called with the number of probes that are done, each time that some are.
    """
    modules = {job.file, *(other.file for other in job.others), *(probe.place.file for probe in job.probes)}
    seconds = options.module_seconds * len(modules)
    seen, effort = Seen(), worker.effort()

    def left() -> float:
        return seconds - effort.spent()

    _run(job, worker, seen, left, progress)
    seen.jax = worker.jax
    return seen


def _run(job: Job, worker: Worker, seen: Seen, seconds: Callable[[], float], progress: Callable[[int], None]) -> None:
    """Runs the job, as often as its process ends before all is seen, while `seconds` of work are left."""
    left = {probe.id for probe in job.probes}

    def settle(reason: Reason, probes: set[int], **evidence: Any) -> None:
        progress(len(probes - seen.observations.keys()))
        for probe in probes:
            seen.observations.pop(probe, None)
        seen.unseen.update(dict.fromkeys(probes, (reason, evidence)))
        left.difference_update(probes)

    while left:
        remaining = seconds()
        if remaining <= 0:
            settle(Reason.MODULE_TIME, set(left))
            break
        try:
            end = worker.run(job.only(left), remaining, progress)
        except WorkerUnusableError as error:
            settle(Reason.UNUSABLE, set(left), message=str(error))
            break
        seen.observations.update(end.observations)
        seen.paths |= end.paths
        seen.starved |= end.starved
        hidden = {probe for probe, one in end.observations.items() if one.code == Reason.OTHER_FAILURE}
        left = (left - end.observations.keys()) | (hidden - end.forced)
        if end.cut_by == "aborted":
            break
        reason = Reason(end.cut_by) if end.cut_by else Reason.EXITED
        if end.probe in end.forced:
            if end.cut_by:
                lasting = reason in _LIMITS and not end.starved
                seen.observations[end.probe] = replace(seen.observations[end.probe], lasting=lasting)
        elif not end.loaded and not job.definitions_only:
            job = job.only(left, definitions_only=True)
        elif end.cut_by and end.compiling and end.probe in end.observations:
            traced = end.observations[end.probe]
            cut = {**traced.evidence, "cut": {"reason": str(reason), **_evidence_of(end, reason)}}
            seen.observations[end.probe] = replace(traced, evidence=cut, lasting=reason in _LIMITS and not end.starved)
        elif end.loaded and end.probe in left and reason is not Reason.MODULE_TIME:
            settle(reason, left & {end.probe}, **_evidence_of(end, reason))
        elif left:
            settle(reason, set(left), **_evidence_of(end, reason))


def _evidence_of(end: JobEnd, reason: Reason) -> dict[str, Any]:
    """Evidence on how a job was cut short."""
    evidence: dict[str, Any] = {}
    if reason in (Reason.CRASHED, Reason.EXITED):
        evidence["status"] = abs(end.status)
    if reason is Reason.CRASHED:
        evidence["signal"] = signal.strsignal(abs(end.status)) or "unknown"
    if reason is Reason.BROKEN:
        evidence["message"] = end.message
    if end.output and reason in (Reason.CRASHED, Reason.EXITED, Reason.BROKEN):
        evidence["output"] = end.output
    return evidence
