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
    clock = Clock()
    seconds = _SHARE * job.probe_seconds
    send_noted = _noting_reads(send, _settle(job))
    sources = job.sources
    probes = [probe_of(request, sources) for request in job.probes]
    surveyed = [probe.detail["name"] for probe in probes] if job.survey is not None else []
    device_build.optimise(job.survey is not None)  # what runs to be watched need not run fast
    watcher = Watcher(probes, sources, surveyed, clock)
    evidence = Evidence([Case(probe) for probe in probes], watcher)
    loaded = loading.load(job, evidence, seconds)
    finder, known = loading.finder(job, clock), KnownInputs(job.inputs)
    seen = SeenInputs(loaded.harvest, loaded.options)
    builds = Builds(job.devices, sources, watcher, job.compile_seconds)

    def examine(case: Case) -> None:
        """Runs what a case needs, sends what was seen, then compiles what was traced."""
        if job.survey is not None:
            entry_survey.survey(case.probe, job, loaded, finder, watcher, seconds, send_noted)
            return
        shown = case.decided
        exploration = Exploration(case, evidence, finder, known, seen, Budget(seconds))
        examining.examine(exploration, sources)
        examining.explain(exploration, loaded, evidence.lines, sources)
        if not shown:
            examining.withdraw_without_jit(case)
        again = _is_seen_again(case, clock) and not case.is_hidden
        trace = exploration.trace if case.outcome == "refuted" else None
        send_noted({**_observation(case), "lasting": again and trace is None})
        if trace is not None:
            send({"type": "compiling", "probe": case.probe.id})
            for built in builds.compile(case, trace):
                for text in built.text_messages(f"{job.module}.{trace.label}"):
                    send(text)
                send_noted(_observation(case))  # now, since the next device's compiler may end the process
            send_noted({**_observation(case), "lasting": builds.lasting(case)})

    def look_behind(hidden: Case) -> None:
        """Runs what a case needs again, with the failures that hide it forced past; keeps what was seen otherwise."""
        case = Case(hidden.probe, calls=hidden.calls)
        exploration = Exploration(case, evidence, finder, known, seen, Budget(limits.FORCED * seconds))
        late = exploration.budget.late
        nearest = sorted(
            loaded.hidden, key=lambda run: hidden.blocked is None or run.failure.site != hidden.blocked.site
        )
        forcing.examine(case, exploration.targets(), nearest, seen, finder, exploration.watched, late, sources)
        examining.withdraw_without_jit(case)
        told = case if case.outcome == "confirmed" else hidden
        send_noted({**_observation(told), "lasting": _is_seen_again(told, clock)})

    send_noted({"type": "loaded", "absent": placement.absent(job.devices)})
    for case in sorted(evidence.cases, key=lambda case: not case.is_seen):  # what programs have shown takes no search
        send({"type": "probing", "probe": case.probe.id})
        examine(case)
    for case in [
        case for case in evidence.cases if case.is_hidden
    ]:  # last: forced values may stay in the user's objects
        send({"type": "forcing", "probe": case.probe.id})
        if child_process.possible():
            child_process.run(partial(look_behind, case))
        else:
            look_behind(case)


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
