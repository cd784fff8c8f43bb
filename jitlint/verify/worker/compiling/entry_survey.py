"""Surveying an entry point: it is reached, traced, compiled for every device, and run eagerly and compiled."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax

from ..inputs import specs
from ..inputs.known_inputs import KnownInputs
from ..inside_jax import device_build, equations, notices
from ..inside_jax.device_build import DeviceBuild
from ..inside_jax.failures import Failure
from ..inside_jax.notices import Notice
from ..messages import JobRequest, SurveyRequest
from ..process.budget import Clock
from ..search.loading import Loaded
from ..search.target_finder import Finder
from ..user_code.originals import Originals
from ..user_code.probes import Probe
from ..user_code.sites import Site
from ..watching import cases
from ..watching.watch import Watcher
from . import builds, compare, proof
from .programs import Program
from .reaching import Survey

Send = Callable[[dict[str, Any]], None]


def survey(
    entry: Probe, job: JobRequest, loaded: Loaded, finder: Finder, watcher: Watcher, seconds: float, send: Send
) -> None:
    """Surveys an entry point; an exception of ours costs only this one.

    Args:
        entry: what to reach.
        job: the job.
        loaded: what came of loading its module.
        finder: finds what to run.
        watcher: runs it.
        seconds: how long to search.
        send: takes the messages: what is known after each device is sent at once.
    """
    assumed = entry.detail["origin"] != "transform"
    source = job.sources[job.file]
    try:
        search = Survey(entry, finder, watcher, KnownInputs(job.inputs), source, seconds, assumed=assumed)
        program = search.find(loaded.entered)
        if program is not None:
            _send_program(entry, program, job, watcher.clock, seconds, send)
        else:
            send(_without_program(entry, search, loaded, watcher.clock))
    except Exception as error:  # noqa: BLE001  the linter reports it
        at = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error}"[:400] + f" ({Path(at.filename).name}:{at.lineno})"
        send(_observation(entry, "unclear", "broken", None, message=message))


def _without_program(entry: Probe, search: Survey, loaded: Loaded, clock: Clock) -> dict[str, Any]:
    """The observation of an entry that does not trace, or was not reached."""
    if search.sure is not None:
        failure, failed = search.sure
        return {**_observation(entry, "failed", "traced", failed, failure=_failure(failure)), "lasting": True}
    code, why = search.why()
    if loaded.failure is not None and code == "no-target":
        code = "refused" if loaded.failure.refused else "import-failed"
        why = cases.failure_evidence(loaded.failure)
    lasting = not (clock.starved or code in ("import-failed", "refused"))
    return {**_observation(entry, "unclear", code, None, **why), "lasting": lasting}


def _send_program(entry: Probe, program: Program, job: JobRequest, clock: Clock, seconds: float, send: Send) -> None:
    """Builds and compares a program, and sends what is known after each device."""
    assert job.survey is not None
    send({"type": "compiling", "probe": entry.id})
    surveyed = _Surveyed(program, job.survey)

    def send_known() -> None:
        send(_observation(entry, "surveyed", "traced", program, **surveyed.evidence))

    jax.clear_caches()  # what was traced before is traced again: its warnings and its time are wanted
    send_known()
    with notices.noticed(surveyed.files) as seen:
        for done in surveyed.builds(job, seen):
            for text in done.text_messages(f"{job.module}.{program.label}"):
                send(text)
            send_known()
        if job.survey.originals:
            surveyed.prove(Originals(job.survey.originals, job.sources), clock, seconds / 2)
        else:
            surveyed.compare(clock, seconds / 2)
    send_known()
    lasting = surveyed.evidence["compared"] != "time" and all(map(builds.is_lasting, surveyed.evidence["builds"]))
    send({**_observation(entry, "surveyed", "traced", program, **surveyed.evidence), "lasting": lasting})


class _Surveyed:
    """What is known of a program that traces cleanly: `evidence` grows with each device."""

    def __init__(self, program: Program, request: SurveyRequest) -> None:
        self.files = frozenset(request.files)
        self.evidence: dict[str, Any] = {"builds": [], "notices": [], "constants": [], "compared": "", "difference": ""}
        self._program, self._large = program, request.large
        self._traced: Any = None

    def builds(self, job: JobRequest, seen: list[Notice]) -> Iterator[DeviceBuild]:
        """Takes the program through the stages of one device after the other."""
        program = self._program
        for done in device_build.build_each(
            self._trace, job.devices, self.files, program.compiled, guessed=not program.known
        ):
            self.evidence["builds"].append(_build(done))
            self.evidence["notices"] = [_notice(notice) for notice in seen]
            yield done

    def compare(self, clock: Clock, seconds: float) -> None:
        """Looks for large constants, and compares the program with an eager run."""
        traced = device_build.of_jax(self._traced)
        found = [_constant(*each) for each in equations.constants(traced.jaxpr, self.files)] if traced else []
        self.evidence["constants"] = [constant for constant in found if constant["elements"] >= self._large]
        if self._program.runs and not any(build.get("failed") for build in self.evidence["builds"]):
            compared = compare.eager_and_compiled(self._program, clock, seconds)
            self.evidence["compared"], self.evidence["difference"] = compared

    def prove(self, originals: Originals, clock: Clock, seconds: float) -> None:
        """Compares the program with the one before an edit."""
        if self._program.runs and not any(build.get("failed") for build in self.evidence["builds"]):
            self.evidence["proof"] = asdict(proof.prove(self._program, originals, clock, seconds))

    def _trace(self) -> Any:
        self._traced = self._program.trace()
        return self._traced


def _observation(entry: Probe, outcome: str, code: str, program: Program | None, **evidence: Any) -> dict[str, Any]:
    """What is known of an entry, as a message."""
    inputs, source = [], {}
    if program is not None:
        inputs = program.inputs[:12]
        source = {"source": program.source, "known": program.known, "target": program.label}
    return {
        "type": "observation",
        "probe": entry.id,
        "outcome": outcome,
        "code": code,
        "inputs": inputs,
        "evidence": {**source, **evidence},
    }


def _build(done: DeviceBuild) -> dict[str, Any]:
    failed = {"type": done.failure.type} if done.failure is not None else {}
    return {**done.evidence(), **failed, "device": done.device, "site": _site(done.site)}


def _failure(failure: Failure) -> dict[str, Any]:
    return {"type": failure.type, "message": failure.first_line, "site": _site(failure.site)}


def _site(site: Site | None) -> dict[str, Any] | None:
    """A place as a message holds it: lines from 1, columns in bytes from 0."""
    if site is None:
        return None
    return {name: getattr(site, name) for name in ("file", "line", "column", "end_line", "end_column")}


def _notice(notice: Notice) -> dict[str, Any]:
    return {"kind": notice.kind, "message": notice.message, "site": _site(notice.site)}


def _constant(value: Any, site: Site | None) -> dict[str, Any]:
    return {
        "type": specs.describe_value(value),
        "elements": int(getattr(value, "size", 0)),
        "bytes": int(getattr(value, "nbytes", 0)),
        "site": _site(site),
    }
