"""Turns what a worker saw into the verdict that people read."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jitlint.findings.finding import Verdict
from jitlint.findings.placed import ProgramLines
from jitlint.verify.protocol import Observation
from jitlint.verify.worker.messages import Line, Words


class Reason(enum.StrEnum):
    """Why a verdict is inconclusive. The value is the code that workers send; `sentence` says what to do."""

    NOT_REACHED = "not-reached"
    NOT_REACHED_AGAIN = "not-reached-again"
    NOT_TRACED = "not-traced"
    NOT_SHOWN = "not-shown"
    NOT_ATTRIBUTED = "not-attributed"
    ONE_VALUE = "one-value"
    OTHER_CALL = "other-call"
    TRACED_ANEW = "traced-anew"
    JIT_DISABLED = "jit-disabled"
    NO_TARGET = "no-target"
    NO_PROGRAM = "no-program"
    NO_INPUTS = "no-inputs"
    NO_REPLAY = "no-replay"
    IMPORT_FAILED = "import-failed"
    MISSING_PACKAGE = "missing-package"
    OTHER_FAILURE = "other-failure"
    FAILED = "failed"
    CANNOT_CHANGE = "cannot-change"
    SEARCH_TIME = "search-time"
    PROBE_TIME = "probe-time"
    MODULE_TIME = "module-time"
    MEMORY = "memory"
    PROCESSES = "processes"
    REFUSED = "refused"
    EXITED = "exited"
    CRASHED = "crashed"
    BROKEN = "broken"
    UNUSABLE = "unusable"
    NOT_STAGED = "not-staged"
    NO_DEVICE = "no-device"
    ONLY_LOWERED = "only-lowered"
    NO_COMPILER = "no-compiler"
    NEEDS_DEVICE = "needs-device"
    COMPILER_FAILED = "compiler-failed"
    KERNEL_INPUTS = "kernel-inputs"
    INCOMPLETE = "incomplete"
    ENVIRONMENT = "environment"
    INTERRUPTED = "interrupted"

    @property
    def sentence(self) -> str:
        """One line for the user, with `{name}` where evidence is filled in."""
        return _SENTENCES[self]


_SENTENCES: Mapping[Reason, str] = {
    Reason.NOT_REACHED: "line not reached: {branch}; declare inputs that lead there, or name a driver",
    Reason.NOT_REACHED_AGAIN: "the line was reached once but not when the code was run again with the same arguments",
    Reason.NOT_TRACED: "the line ran, but never while JAX was tracing; name a driver that calls it transformed",
    Reason.NOT_SHOWN: "the line ran with inputs made up for it and did not fail; declare real ones, or name a driver",
    Reason.NOT_ATTRIBUTED: "something was observed that cannot be laid to this line alone",
    Reason.ONE_VALUE: "in the programs here it is the same in each round; name a driver in which it differs",
    Reason.OTHER_CALL: "nothing fails here for the calls that ran, but `{call}` at {place} did not run; "
    "name a driver that leads there",
    Reason.NO_TARGET: "nothing to run leads to this line; name a driver that calls the function around it",
    Reason.NO_PROGRAM: "{target} gives back no array: there is nothing to compile",
    Reason.NO_INPUTS: "no inputs found take {target} here ({exception}: {message}); declare inputs, or name a driver",
    Reason.NO_REPLAY: "the traced function's arguments cannot be rebuilt ({error})",
    Reason.IMPORT_FAILED: "the module does not load ({exception}: {message}); mend that first",
    Reason.MISSING_PACKAGE: "`{package}`, which it imports, is not installed for the Python that verifies; pip install "
    "what provides it, or choose another with --python",
    Reason.OTHER_FAILURE: "another failure comes first ({exception} at {place}); mend that one and verify again",
    Reason.FAILED: "the code fails before the effect can be seen ({exception}: {message})",
    Reason.CANNOT_CHANGE: "the state cannot be given another value to compare with",
    Reason.TRACED_ANEW: "a second call would show it, but the programs here trace anew each time ({traces} times); "
    "name a driver that makes such a call",
    Reason.JIT_DISABLED: "it is so under jit, but the programs here disable jit there; name a driver that does not",
    Reason.SEARCH_TIME: "the time for one finding was over before inputs were found; "
    "declare inputs, or allow more with `--budget thorough` or `probe-timeout`",
    Reason.PROBE_TIME: "the code did not come back in the time for one finding; "
    "allow more with `--budget thorough` or `probe-timeout`",
    Reason.MODULE_TIME: "the time for one module was over; allow more with `--budget thorough` or `module-timeout`",
    Reason.MEMORY: "the code used more memory than verifying may; allow more with `process-memory`",
    Reason.PROCESSES: "the code started more processes than verifying may",
    Reason.REFUSED: "it writes a file or uses the network, which it may not do here ({exception}: {message}); "
    "`--sandbox off` lets it",
    Reason.EXITED: "the code ended its process (exit code {status})",
    Reason.CRASHED: "the code crashed its process (signal {status}, {signal})",
    Reason.BROKEN: "the worker failed ({message}); please report this",
    Reason.NOT_STAGED: "nothing was lowered: the transformation does not hand out what it traced ({message})",
    Reason.NO_DEVICE: "{checked}: {device} is not in this machine ({message})",
    Reason.ONLY_LOWERED: "{checked}: compiling for {device} needs jitlint's extra "
    "`tpu` or `cuda12` in the interpreter that verifies ({message})",
    Reason.NO_COMPILER: "{checked}: the compiler for {device} is not complete here ({message})",
    Reason.NEEDS_DEVICE: "{checked}: this cannot be compiled where there is no {device} ({message})",
    Reason.ENVIRONMENT: "this machine lacks what it takes to trace this ({exception}: {message})",
    Reason.INCOMPLETE: "alone it cannot be compiled: a transformation around it completes it ({message})",
    Reason.KERNEL_INPUTS: "a kernel does not take inputs that were made up ({message}); declare the function's inputs",
    Reason.COMPILER_FAILED: "the compiler for {device} failed in itself ({message})",
    Reason.UNUSABLE: "no worker can run: {message}; choose another interpreter with --python",
    Reason.INTERRUPTED: "the run was interrupted before this was verified; run it again",
}


PLAIN = ProgramLines({})
"""Writes lines where no file is a document."""


class _Known(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def interrupted() -> Verdict:
    """The verdict on a finding that an interrupted run did not reach."""
    return Verdict("not-run", Reason.INTERRUPTED.sentence, evidence={"reason": str(Reason.INTERRUPTED)})


def inconclusive(reason: Reason, jax: str = "", **evidence: Any) -> Verdict:
    """A verdict for a reason of the closed list, with evidence that is `written` already."""
    text = _worded(reason, evidence)
    if "drivers_failed" in evidence:
        text += f"; drivers failed: {_one_line(evidence['drivers_failed'])}"
    return Verdict("inconclusive", text, evidence={"reason": str(reason), **evidence}, jax=jax)


def _worded(reason: Reason, evidence: Mapping[str, Any]) -> str:
    return reason.sentence.format_map(_Known({name: _one_line(value) for name, value in evidence.items()}))


def judge(seen: Observation, jax: str, lines: ProgramLines = PLAIN) -> Verdict:
    """The verdict that an observation gives, on the CPU.

    Args:
        seen: what the worker saw.
        jax: the version of jax that ran.
        lines: writes the lines in the evidence.
    """
    evidence = _Known(written(seen.evidence, lines))
    if seen.outcome == "unclear":
        open_for = Reason(seen.code) if seen.code in set(Reason) else Reason.BROKEN
        if open_for is Reason.BROKEN:
            evidence.setdefault("message", f"unknown reason {seen.code!r}")
        return inconclusive(open_for, jax, **evidence)
    reason = _confirmed(seen, evidence) if seen.outcome == "confirmed" else _refuted(seen, evidence)
    if (origin := evidence.get("inputs_from")) in ("recorded", "declared"):
        reason += f", with {origin} inputs"
    return Verdict(seen.outcome, reason, inputs=seen.inputs, evidence=evidence, jax=jax)


def on_device(verdict: Verdict, device: str) -> Verdict:
    """A verdict for one device: the trace's verdict, the same for all, with this device's compiler's result."""
    evidence = dict(verdict.evidence)
    builds, cut = evidence.pop("devices", {}), evidence.pop("cut", None)
    build = builds.get(device, cut)
    if not isinstance(build, dict):
        return replace(verdict, device=device, evidence=evidence)
    words = stages_in_words(build, device)
    return replace(
        verdict,
        device=device,
        reason=f"{verdict.reason}; {words}" if words else verdict.reason,
        evidence={**evidence, "build": build},
    )


def stages_in_words(build: Mapping[str, Any], device: str) -> str:
    """Says what stopped a function on its way through a device's stages; "" if it compiles."""
    failed, reason = build.get("failed"), build.get("reason")
    if failed == "fit":
        memory = build.get("memory")
        needed = (
            f" ({_size(memory['total'])} of {_size(build['capacity'])})" if memory else f" ({build.get('message')})"
        )
        return f"but it does not fit into the memory of {device}{needed}"
    if failed:
        place = f" at {build['place']}" if build.get("place") else ""
        return f"but it fails to {failed} for {device}{place} ({_one_line(build.get('message', ''))})"
    if reason:
        known = Reason(reason) if reason in set(Reason) else Reason.BROKEN
        lowered = isinstance(build.get("seconds"), Mapping) and "lower" in build["seconds"]
        checked = "only lowering was checked" if lowered else "not even lowering could be checked"
        said = _worded(known, {"message": build.get("note", ""), **build, "device": device, "checked": checked})
        return said if "seconds" in build else f"compiling for {device}: {said}"
    return ""


def _size(count: int) -> str:
    """Bytes as people read them."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024  # type: ignore[assignment]
    return f"{count:.4g} GiB"


def _confirmed(seen: Observation, evidence: Mapping[str, Any]) -> str:
    if "exception" in evidence:
        begin = "when running" if isinstance(seen.evidence.get("where"), Words) else "while"
        where = f" {begin} {evidence['where']}" if "where" in evidence else ""
        forced = ", with the other failures forced past" if evidence.get("others_forced") else ""
        return f"{evidence['exception']} here{where}{forced}"
    if "swallowed" in evidence:
        return f"{evidence['swallowed']} is raised here while tracing and swallowed: every call takes the fallback"
    if "results" in evidence:
        return "traced through this line, and the function gives no array"
    if "tracer_is_neither" in evidence:
        return "a tracer came here, which is neither True nor False"
    if "discarded" in evidence:
        return "this ran on JAX values, of which it changed none, and its result was dropped"
    if "kept_for" in evidence:
        return f"a call with {evidence['given_to']} gets what was compiled for {evidence['kept_for']}"
    if "compilations" in evidence:
        return (
            f"run again with the same arguments, this ran {evidence['executions']} times and "
            f"compiled {evidence['compilations']} times"
        )
    if "program_changes" in evidence:
        return (
            f"with `{evidence['state']}` changed from {evidence['value']} to {evidence['changed_to']} it traces to "
            "another program, and the compiled one keeps the old value"
        )
    if "first_call" in evidence:
        return f"ran {evidence['first_call']} times in the first call and not in the second: only while tracing"
    if "left_in" in evidence:
        holder = f" in `{evidence['left_in']}`" if evidence["left_in"] else ""
        return f"a tracer is left{holder} after tracing"
    return "observed"


def _refuted(seen: Observation, evidence: Mapping[str, Any]) -> str:
    inputs = f" with {', '.join(seen.inputs)}" if seen.inputs else ""
    if "compilations" in evidence:
        return f"ran again{inputs} and compiled nothing new"
    if "program_changes" in evidence:
        return f"with `{evidence['state']}` changed to {evidence['changed_to']} it traces to the same program"
    if "first_call" in evidence:
        return f"happens at each call{inputs}, not only while tracing"
    if "raised_again" in evidence:
        return f"{evidence['raised_again']} is raised here and nothing swallows it{inputs}"
    if "made_anew" in evidence:
        return f"each trace makes an iterator of its own{inputs}"
    if "drawn_again" in evidence:
        return f"each trace draws the same numbers again{inputs}"
    if "held_after_tracing" in evidence:
        return f"no tracer is left after tracing{inputs}"
    return f"traced through this line{inputs} and nothing failed here"


def written(value: Any, lines: ProgramLines) -> Any:
    """Evidence as people read it: lines as they stand in the user's documents, paths as the user writes them.

    Addresses of objects go, since they differ from run to run.
    """
    match value:
        case Line(file, line):
            return lines.at(_shown(file), line)
        case Words(parts):
            return "".join(
                lines.in_words(_shown(part.file), part.line) if isinstance(part, Line) else written(part, lines)
                for part in parts
            )
        case str():
            return lines.in_text(re.sub(r" at 0x[0-9a-fA-F]+", "", _shown(value)))
        case Mapping():
            return {name: written(part, lines) for name, part in value.items()}
        case list():
            return [written(part, lines) for part in value]
    return value


def _shown(text: str) -> str:
    return text.replace(f"{Path.cwd()}/", "")


def _one_line(value: Any) -> str:
    text = " ".join(str(value).split())[:160]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
