"""One job: load a module, run what its probes need, and report what was seen of each probe."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from . import limits
from .compiling import entry_survey
from .compiling.builds import Builds
from .inputs.known_inputs import KnownInputs
from .inside_jax import device_build, environment, placement
from .judging import examining, forcing
from .messages import JobRequest
from .process import child_process, guard
from .process.budget import Budget, Clock
from .search import loading
from .search.exploring import Exploration
from .search.seen_inputs import SeenInputs
from .user_code import importing
from .user_code.probes import probe_of
from .watching.cases import Case
from .watching.evidence import Evidence
from .watching.watch import Watcher

Send = Callable[[dict[str, Any]], None]

_SHARE = 0.8
"""The part of a probe's work that is done; after the whole of it the linter ends the process."""


def run(job: JobRequest, send: Send) -> None:
    """Does a job and sends one `observation` for each of its probes.

    Args:
        job: the job, as the linter asks for it.
        send: takes the messages.
    """
    examination = _Examination(job, send)
    examination.send_noted({"type": "loaded", "absent": placement.absent(job.devices)})
    cases = examination.evidence.cases
    for case in sorted(cases, key=lambda case: not case.is_seen):  # what programs have shown takes no search
        send({"type": "probing", "probe": case.probe.id})
        examination.examine(case)
    for case in filter(_is_hidden, cases):  # last: forced values may stay in the user's objects
        send({"type": "forcing", "probe": case.probe.id})
        if child_process.possible():
            child_process.run(partial(examination.look_behind, case))
        else:
            examination.look_behind(case)


class _Examination:
    """The examination of a job's cases, once its modules are loaded and its programs have run.

    Attributes:
        evidence: runs code, and holds the job's cases.
        send_noted: sends a message, after one with the files that were read for it.
    """

    def __init__(self, job: JobRequest, send: Send) -> None:
        self._job, self._send = job, send
        self._clock, self._seconds = Clock(), _SHARE * job.probe_seconds
        self.send_noted = _noting_reads(send, _settle(job))
        probes = [probe_of(request, job.sources) for request in job.probes]
        surveyed = [probe.detail["name"] for probe in probes] if job.survey is not None else []
        device_build.optimise(job.survey is not None)  # what runs to be watched need not run fast
        self._watcher = Watcher(probes, job.sources, surveyed, self._clock)
        self.evidence = Evidence([Case(probe) for probe in probes], self._watcher)
        self._loaded = loading.load(job, self.evidence, self._seconds)
        self._finder, self._known = loading.finder(job, self._clock), KnownInputs(job.inputs)
        self._seen = SeenInputs(self._loaded.harvest, self._loaded.options)
        self._builds = Builds(job.devices, job.sources, self._watcher, job.compile_seconds)

    def examine(self, case: Case) -> None:
        """Runs what a case needs, sends what was seen, then compiles what was traced."""
        job, sources = self._job, self._job.sources
        if job.survey is not None:
            entry_survey.survey(
                case.probe, job, self._loaded, self._finder, self._watcher, self._seconds, self.send_noted
            )
            return
        shown = case.decided
        exploration = self._exploration(case, self._seconds)
        examining.examine(exploration, sources, self.evidence.lines)
        examining.explain(exploration, self._loaded, self.evidence.lines, sources)
        if not shown:
            examining.withdraw_without_jit(case)
        again = _is_seen_again(case, self._clock) and not _is_hidden(case)
        trace = exploration.trace if case.outcome == "refuted" else None
        self.send_noted({**_observation(case), "lasting": again and trace is None})
        if trace is not None:
            self._send({"type": "compiling", "probe": case.probe.id})
            for built in self._builds.compile(case, trace):
                for text in built.text_messages(f"{job.module}.{trace.label}"):
                    self._send(text)
                self.send_noted(_observation(case))  # now, since the next device's compiler may end the process
            self.send_noted({**_observation(case), "lasting": self._builds.lasting(case)})

    def look_behind(self, hidden: Case) -> None:
        """Runs what a case needs again, past the failures that hide it; what was seen before stays if that fails."""
        case = Case(hidden.probe, calls=hidden.calls)
        exploration = self._exploration(case, limits.FORCED * self._seconds)
        before = hidden.blocked.site if hidden.blocked is not None else None
        runs = sorted(self._loaded.hidden, key=lambda run: run.failure.site != before)
        late, sources = exploration.budget.late, self._job.sources
        forcing.examine(case, exploration.targets(), runs, self._seen, self._finder, exploration.watched, late, sources)
        examining.withdraw_without_jit(case)
        told = case if case.outcome == "confirmed" else hidden
        self.send_noted({**_observation(told), "lasting": _is_seen_again(told, self._clock)})

    def _exploration(self, case: Case, seconds: float) -> Exploration:
        return Exploration(case, self.evidence, self._finder, self._known, self._seen, Budget(seconds))


def _is_hidden(case: Case) -> bool:
    """Whether a case stays open since a failure at another place comes first."""
    return case.code == "other-failure"


def _noting_reads(send: Send, footprint: guard.Footprint) -> Send:
    """Returns a function that sends a message, after one with the files that were read for it."""
    sent: set[str] = set()

    def send_noted(message: dict[str, Any]) -> None:
        paths = sorted(footprint.paths - sent)
        sent.update(paths)
        if paths:
            send({"type": "read", "paths": paths})
        if footprint.beyond:
            message["lasting"] = False
        send(message)

    return send_noted


def _settle(job: JobRequest) -> guard.Footprint:
    """Prepares this process for user code: scratch directory, import path, compiled programs, guard.

    Returns:
        The files that the user's code looks at; grows as it goes.
    """
    os.chdir(job.scratch)
    os.environ["TMPDIR"] = job.scratch
    sys.path[:0] = job.paths
    sys.argv = [job.file]
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(3000)
    random.seed(0)
    placement.start(job.devices[0].mesh)
    device_build.keep_compiled(str(Path(job.scratch).with_name("compiled")))
    footprint = guard.install(str(Path(job.scratch).parent), refusing=job.sandbox)
    if not job.full_import:
        importing.install(job.paths, job.sources)
    environment.follow()
    return footprint


def _is_seen_again(case: Case, clock: Clock) -> bool:
    """Whether another run would see the same."""
    return case.decided or not (clock.starved or case.code in ("import-failed", "missing-package", "refused"))


def _observation(case: Case) -> dict[str, Any]:
    return {
        "type": "observation",
        "probe": case.probe.id,
        "outcome": case.outcome or "unclear",
        "code": case.code or "not-reached",
        "inputs": case.inputs[:12],
        "evidence": {
            **case.evidence,
            **({"inputs_from": case.origin} if case.decided else {}),
        },
    }
