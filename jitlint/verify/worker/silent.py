"""Suspicions that raise nothing: judged by their effect, never by their pattern."""

from __future__ import annotations

import ast
import contextlib
import gc
from collections.abc import Callable
from typing import Any

import jax

from . import failures, slots, tracers, values
from .cases import Case, Witness, told
from .probes import expression_at
from .replay import Replay
from .watch import Capture, Hit, Run

Runner = Callable[[str, Callable[[], Any]], Run]
"""Runs a piece of user code under watch."""


def judge(case: Case, run: Runner, source: str) -> None:
    """Decides a silent case from the run in which its place was executed.

    Args:
        case: it has a witness.
        run: runs code under watch.
        source: the text of the file of the case's place.
    """
    witness = case.witness
    if witness is None:
        return
    if case.probe.kind == "varying-shape" or case.probe.construct == "loop variable":
        _rounds(case, witness, run)
    elif case.probe.kind in ("jit-created", "static-value"):
        _compilations(case, witness, run, source)
    elif case.probe.kind == "swallowed":
        _swallowed(case, witness)
    elif case.probe.kind == "unrolled":
        _unrolled(case, witness)
    elif case.probe.kind == "constant":
        _with_replay(case, witness, lambda capture, replay: _constants(case, run, replay))
    elif case.probe.kind == "leak":
        _leak(case, witness, run, source)
    elif case.probe.kind == "state-read":
        _with_replay(case, witness, lambda capture, replay: _state(case, witness, run, source, capture, replay))
    else:
        _with_replay(case, witness, lambda capture, replay: _twice(case, run, replay))


def _with_replay(case: Case, witness: Witness, then: Callable[[Capture, Replay], None]) -> None:
    captures = witness.run.hit(case.probe).captures
    if not captures:
        case.unclear("not-traced")
        return
    try:
        replay = Replay(captures[0])
    except Exception as error:  # noqa: BLE001  a user's pytree class may raise anything
        case.unclear("no-replay", error=f"{type(error).__name__}: {error}"[:200])
        return
    then(captures[0], replay)


def _compilations(case: Case, witness: Witness, run: Runner, source: str) -> None:
    """The same code once more, with the same inputs: whatever it compiles again was not found in the cache."""
    again = run("again", witness.thunk)
    if again.failure is not None:
        case.unclear("failed", **told(again.failure))
        return
    hit, name = again.hit(case.probe), _jitted_name(case, source)
    by_name = sum(1 for compiled in again.compiled if name and name in compiled)
    compiled = max(hit.compiled, by_name)
    executed = hit.count
    before = witness.run.hit(case.probe)
    compiled_before = before.compiled or any(name and name in compiled for compiled in witness.run.compiled)
    evidence: dict[str, Any] = {"executions": executed, "compilations": compiled}
    if executed and compiled:
        case.confirm(witness.inputs, **evidence)
    elif executed and executed + before.count >= 2 and not again.compiled and compiled_before:
        case.refute(witness.inputs, **evidence)
    elif not executed:
        case.unclear("not-reached-again")
    else:
        case.unclear("not-attributed", compiled=again.compiled[:5])


def _rounds(case: Case, witness: Witness, run: Runner) -> None:
    """The same loop from an empty cache: how often the function is compiled for its rounds."""
    jax.clear_caches()
    again = run("again", witness.thunk)
    name = case.probe.entry_function.rpartition(":")[2].rpartition(".")[2]
    compiled, executed = again.compiled.count(f"jit({name})"), again.hit(case.probe).count
    evidence = {"executions": executed, "compilations": compiled}
    if executed < 2:
        case.unclear("not-reached-again", **evidence)
    elif compiled > 1:
        case.confirm(witness.inputs, **evidence)
    elif compiled and again.clean:
        case.refute(witness.inputs, **evidence)
    else:
        case.unclear("not-attributed", compiled=again.compiled[:5])


def _jitted_name(case: Case, source: str) -> str:
    """The name under which JAX compiles the function that is jitted at the place."""
    node = expression_at(case.probe.site, source)
    if case.probe.kind != "jit-created":
        return ""
    if decorated := _decorated(case.probe.site.line, source):
        return decorated
    if not isinstance(node, ast.Call):
        return case.probe.entry_function.rpartition(":")[2].rpartition(".")[2]
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.Lambda):
        return "lambda"
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _decorated(line: int, source: str) -> str:
    """The name of the function that a decorator on this line is applied to."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                if decorator.lineno <= line <= (decorator.end_lineno or line):
                    return node.name
    return ""


def _unrolled(case: Case, witness: Witness) -> None:
    """How often the loop's body ran in one trace."""
    hit = witness.run.hit(case.probe)
    rounds = witness.run.lines[case.probe.site.file, int(case.probe.detail["body"])]
    evidence = {"loops": hit.count, "rounds": rounds}
    if not hit.staged:
        case.unclear("not-traced")
    elif rounds > hit.count + (case.probe.construct == "comprehension"):
        case.confirm(witness.inputs, **evidence)
    else:
        case.unclear("not-attributed", **evidence)


def _swallowed(case: Case, witness: Witness) -> None:
    """A tracer's error raised at the place, of which the run shows nothing."""
    site, run = case.probe.site, witness.run
    bases = run.raised_staged.get((site.file, site.line), frozenset())
    if not run.hit(case.probe).staged:
        case.unclear("not-traced")
    elif raised := sorted(bases & set(failures.TRACER)):
        case.confirm(witness.inputs, exception=raised[0])
    elif run.clean:
        case.refute(witness.inputs)
    else:
        case.unclear("not-attributed")


def _constants(case: Case, run: Runner, replay: Replay) -> None:
    """The constants of the traced program: is one of them as large as was predicted?"""
    traced = run("trace", lambda: _sizes(jax.make_jaxpr(replay.fresh())(*replay.arrays)))
    if traced.failure is not None:
        case.unclear("failed", **told(traced.failure))
        return
    evidence = {"constants": len(traced.value), "largest": max(traced.value, default=0)}
    if evidence["largest"] >= int(case.probe.detail.get("elements", "0").replace(",", "")):
        case.confirm(replay.described, **evidence)
    else:
        case.refute(replay.described, **evidence)


def _sizes(program: Any) -> list[int]:
    """How many elements the constants of a program and of those within it have."""
    inner = [value for equation in program.eqns for value in equation.params.values() if hasattr(value, "consts")]
    own = [int(getattr(constant, "size", 1)) for constant in program.consts]
    return own + [size for part in inner for size in _sizes(part)]


def _twice(case: Case, run: Runner, replay: Replay) -> None:
    """The traced function called twice with the same shapes: what only the first call does happens while tracing."""
    jitted = jax.jit(replay.fresh())
    first = run("first call", lambda: jax.block_until_ready(jitted(*replay.arrays)))
    second = run("second call", lambda: jax.block_until_ready(jitted(*replay.arrays)))
    before, after = first.hit(case.probe).count, second.hit(case.probe).count
    evidence = {"first_call": before, "second_call": after}
    if before and not after and first.failure is None:
        case.confirm(replay.described, **evidence)
    elif before and first.failure is not None and "UnexpectedTracerError" in first.failure.bases:
        case.confirm(replay.described, **told(first.failure))
    elif before and after and first.clean and second.clean:
        case.refute(replay.described, **evidence)
    elif first.failure is not None:
        case.unclear("failed", **told(first.failure))
    else:
        case.unclear("not-reached-again")


def _state(case: Case, witness: Witness, run: Runner, source: str, capture: Capture, replay: Replay) -> None:
    """Another value of the state: does the program change, while the compiled one goes on with the old value?"""
    expression = expression_at(case.probe.site, source)
    scopes = witness.run.hit(case.probe).scopes
    found = list(slots.slots(expression, scopes[0])) if expression is not None and scopes else []
    if not found:
        case.unclear("cannot-change", state=case.probe.detail.get("name", ""))
        return
    jitted = jax.jit(replay.fresh())
    for slot in found:
        new = slots.changed(slot.value)
        before = run("trace", replay.program)
        first = run("first call", lambda: jitted(*replay.arrays))
        try:
            slot.put(new)
            second = run("second call", lambda: jitted(*replay.arrays))
            after = run("trace with another value", replay.program)
        except Exception as error:  # noqa: BLE001  the user's class decides what setting an attribute does
            case.unclear("cannot-change", state=slot.name, error=f"{type(error).__name__}: {error}"[:200])
            continue
        finally:
            _restore(slot)
        _compare(case, slot, new, replay, before, after, [first, second])
        if case.decided:
            return


def _restore(slot: slots.Slot) -> None:
    with contextlib.suppress(Exception):  # what could not be changed need not be put back
        slot.put(slot.value)


def _compare(case: Case, slot: slots.Slot, new: Any, replay: Replay, before: Run, after: Run, calls: list[Run]) -> None:
    failed = next((one.failure for one in (before, after, *calls) if one.failure is not None), None)
    if failed is not None:
        case.unclear("failed", **told(failed))
        return
    seen_again = calls[1].hit(case.probe).count
    evidence = {
        "state": slot.name,
        "value": values.describe_value(slot.value),
        "changed_to": values.describe_value(new),
        "program_changes": before.value != after.value,
        "read_again": seen_again,
    }
    if before.value != after.value and not seen_again:
        case.confirm(replay.described, **evidence)
    elif before.value == after.value and after.hit(case.probe).count:
        case.refute(replay.described, **evidence)
    else:
        case.unclear("not-attributed", **evidence)


def _leak(case: Case, witness: Witness, run: Runner, source: str) -> None:
    """A tracer still held after tracing, by the object that the place stores into; or JAX's own word for it."""
    hit = witness.run.hit(case.probe)
    failure = witness.run.failure
    if failure is not None and hit.staged and "UnexpectedTracerError" in failure.bases:
        case.confirm(witness.inputs, **told(failure))
        return
    if not hit.captures:
        case.unclear("not-traced")
        return
    if (held := _still_held(case, hit, source)) is not None:
        case.confirm(witness.inputs, left_in=case.probe.detail.get("name", ""), tracer=str(held)[:100])
        return
    _with_replay(case, witness, lambda capture, replay: _leak_checked(case, run, replay, source))


def _leak_checked(case: Case, run: Runner, replay: Replay, source: str) -> None:
    def trace() -> Any:
        with jax.checking_leaks():
            return jax.make_jaxpr(replay.fresh())(*replay.arrays)

    jax.clear_caches()
    checked = run("trace", trace)
    leaked = checked.failure is not None and "Leaked trace" in checked.failure.message
    hit = checked.hit(case.probe)
    if _still_held(case, hit, source) is not None:
        case.confirm(replay.described, left_in=case.probe.detail.get("name", ""))
    elif checked.failure is not None and hit.staged and "UnexpectedTracerError" in checked.failure.bases:
        case.confirm(replay.described, **told(checked.failure))
    elif checked.failure is not None and not leaked:
        case.unclear("failed", **told(checked.failure))
    elif not hit.staged:
        case.unclear("not-reached-again")
    elif _holder(case, hit, source) is not None:
        case.refute(replay.described, held_after_tracing=False)
    elif leaked and checked.failure is not None:
        lines = [line for line in checked.failure.message.splitlines() if "referred to" in line]
        case.confirm(replay.described, left_in=case.probe.detail.get("name", ""), message=" ".join(lines)[:300])
    else:
        case.refute(replay.described, held_after_tracing=False)


_CACHES = frozenset(("lru_cache", "cached_property"))
"""What holds a leaked tracer without a name in the program."""


def _holder(case: Case, hit: Hit, source: str) -> Any:
    expression = expression_at(case.probe.site, source)
    if expression is None or not hit.scopes or case.probe.construct in _CACHES:
        return None
    return slots.holder(expression, hit.scopes[0])


def _still_held(case: Case, hit: Hit, source: str) -> Any:
    """A tracer in the object that the place stores into, if something besides us still refers to that object."""
    expression, holder = expression_at(case.probe.site, source), _holder(case, hit, source)
    if isinstance(holder, dict) and holder is hit.scopes[0].globals and isinstance(expression, ast.Name):
        return tracers.find(holder.get(expression.id))
    if holder is None:
        return None
    if hasattr(holder, "cell_contents"):
        return tracers.find(holder.cell_contents)
    return tracers.find(holder) if _is_argument(holder, hit) or _is_referred_to(holder) else None


def _is_argument(holder: Any, hit: Hit) -> bool:
    return any(holder is value for capture in hit.captures for value in capture.arguments.values())


def _is_referred_to(holder: Any) -> bool:
    """Whether anything but a frame or our own notes refers to an object (no closure of ours may hold it here)."""
    gc.collect()
    return any(not isinstance(other, tracers.Names) and not _is_frame(other) for other in gc.get_referrers(holder))


def _is_frame(value: Any) -> bool:
    return type(value).__name__ in ("frame", "list_iterator", "generator", "traceback")
