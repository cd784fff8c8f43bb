"""Surveying an entry point: it is reached, traced, compiled for every device, and run with and without."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax

from ..inputs import specs
from ..inputs.known_inputs import KnownInputs
from ..inside_jax import device_build, equations, notices
from ..inside_jax.failures import Failure
from ..inside_jax.notices import Notice
from ..search.loading import Loaded
from ..search.target_finder import Finder
from ..user_code.probes import Probe
from ..user_code.sites import Site
from ..watching import cases, watch
from ..watching.watch import Watcher
from . import builds, compare
from .programs import Program
from .reaching import Survey

Send = Callable[[dict[str, Any]], None]
Tell = Callable[[dict[str, Any], device_build.Stages | None], None]


def survey(
    entry: Probe, job: Mapping[str, Any], loaded: Loaded, finder: Finder, watcher: Watcher, seconds: float, send: Send
) -> None:
    """Surveys an entry point; an exception of ours costs only this one.

    Args:
        entry: what to reach.
        job: as it comes over the wire.
        loaded: what came of loading its module.
        finder: finds what to run.
        watcher: runs it.
        seconds: how long to search.
        send: takes the messages: what is known after each device is told at once.
    """
    assumed = entry.detail["origin"] != "transform"
    source = job["sources"][job["file"]]
    try:
        search = Survey(entry, finder, watcher, KnownInputs(job["inputs"]), source, seconds, assumed=assumed)
        program = search.find(loaded.entered)
        if program is not None:
            _tell_program(entry, program, job, seconds, send)
        else:
            send(_without_program(entry, search, loaded))
    except Exception as error:  # noqa: BLE001  it is told
        at = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error}"[:400] + f" ({Path(at.filename).name}:{at.lineno})"
        send(_observation(entry, "unclear", "broken", None, message=message))


def _without_program(entry: Probe, search: Survey, loaded: Loaded) -> dict[str, Any]:
    """What is known of an entry that does not trace, or was not reached."""
    if search.sure is not None:
        failure, failed = search.sure
        return {**_observation(entry, "failed", "traced", failed, failure=_failure(failure)), "lasting": True}
    code, why = search.why()
    if loaded.failure is not None and code == "no-target":
        code = "refused" if loaded.failure.refused else "import-failed"
        why = cases.told(loaded.failure)
    lasting = not (search.late or watch.interrupted or code in ("import-failed", "refused"))
    return {**_observation(entry, "unclear", code, None, **why), "lasting": lasting}


def _tell_program(entry: Probe, program: Program, job: Mapping[str, Any], seconds: float, send: Send) -> None:
    """Takes a program through every device's stages, and tells what is known after each."""
    told: dict[str, Any] = {}

    def tell(evidence: dict[str, Any], done: device_build.Stages | None) -> None:
        told.update(evidence)
        for text in done.text_messages(f"{job['module']}.{program.label}") if done is not None else ():
            send(text)
        send(_observation(entry, "surveyed", "traced", program, **evidence))

    send({"type": "compiling", "probe": entry.id})
    files, large = frozenset(job["survey"]["files"]), job["survey"]["large"]
    _take_through(program, job["devices"], files, large, tell, seconds / 2)
    lasting = told["compared"] != "time" and all(map(builds.is_lasting, told["builds"]))
    send({**_observation(entry, "surveyed", "traced", program, **told), "lasting": lasting})


def _observation(entry: Probe, outcome: str, code: str, program: Program | None, **evidence: Any) -> dict[str, Any]:
    """What is known of an entry, as it goes over the wire."""
    inputs = program.inputs[:12] if program is not None else []
    source = {}
    if program is not None:
        source = {"source": program.source, "known": program.known, "target": program.label}
    return {
        "type": "observation",
        "probe": entry.id,
        "outcome": outcome,
        "code": code,
        "inputs": inputs,
        "evidence": {**source, **evidence},
    }


def _take_through(
    program: Program,
    devices: Sequence[dict[str, Any]],
    files: Collection[str],
    large: int,
    tell: Tell,
    seconds: float,
) -> None:
    """Takes a program through the stages of each device and compares it with an eager run, telling each result.

    Args:
        program: traces cleanly.
        devices: as they come over the wire.
        files: the project's files.
        large: how many elements make a constant large.
        tell: takes what is known so far, the parts of an observation's evidence, and the stages just done.
        seconds: how long the comparison may take.
    """
    told: dict[str, Any] = {"builds": [], "notices": [], "constants": [], "compared": "", "difference": ""}
    jax.clear_caches()  # what was traced before is traced again: its warnings and its time are wanted
    tell(told, None)
    traced: list[Any] = []

    def trace() -> Any:
        traced[:] = [program.trace()]
        return traced[0]

    with notices.noticed(files) as seen:
        for done in device_build.build(trace, devices, files, program.compiled, guessed=not program.known):
            told["builds"].append(_build(done))
            told["notices"] = [_notice(notice) for notice in seen]
            tell(told, done)
        inner = device_build.of_jax(traced[0]) if traced else None
        held = [_constant(*each) for each in equations.constants(inner.jaxpr, files)] if inner is not None else []
        told["constants"] = [constant for constant in held if constant["elements"] >= large]
        if program.runs and not any(build.get("failed") for build in told["builds"]):
            told["compared"], told["difference"] = compare.eager_and_compiled(program, seconds)
    tell(told, None)


def _build(done: device_build.Stages) -> dict[str, Any]:
    """What became of one device's build, as it goes over the wire."""
    failed = {"type": done.failure.type} if done.failure is not None else {}
    return {**done.told(), **failed, "device": done.device, "site": _site(done.site)}


def _failure(failure: Failure) -> dict[str, Any]:
    """An exception as it goes over the wire."""
    return {"type": failure.type, "message": failure.first_line, "site": _site(failure.site)}


def _site(site: Site | None) -> dict[str, Any] | None:
    """A place as it goes over the wire: lines from 1, columns in bytes from 0."""
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
