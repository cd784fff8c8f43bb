"""Suspicions of leaks: does what the place stores into still hold a tracer, or does JAX say so?"""

from __future__ import annotations

import ast
import gc
from typing import Any

import jax

from . import slots, tracers
from .cases import Case, Witness, told
from .replay import Replay
from .watch import Hit, Runner


def judge(case: Case, witness: Witness, run: Runner, replay: Replay) -> None:
    """Decides a leak.

    Args:
        case: the case.
        witness: a run that executed its place.
        run: runs code under watch.
        replay: what was traced in that run.
    """
    hit, name = witness.run.hit(case.probe), case.probe.detail.get("name", "")
    held = _still_held(case, hit)
    if held is not None:
        case.confirm(witness.inputs, left_in=name, tracer=str(held)[:100])
        return
    jax.clear_caches()
    again = run("trace", lambda: jax.make_jaxpr(replay.fresh())(*replay.arrays))
    hit, failure = again.hit(case.probe), again.failure or witness.run.failure
    held, holder = _still_held(case, hit), _holder(case, hit)
    if held is not None:
        case.confirm(replay.described, left_in=name, tracer=str(held)[:100])
    elif failure is not None and hit.staged and holder is None and "UnexpectedTracerError" in failure.bases:
        case.confirm(replay.described, **told(failure))
    elif again.failure is not None:
        case.unclear("failed", **told(again.failure))
    elif not hit.staged:
        case.unclear("not-reached-again")
    elif holder is not None:
        case.refute(replay.described, held_after_tracing=False)
    else:
        del again, hit
        _ask_leak_checker(case, run, replay, name)


def _ask_leak_checker(case: Case, run: Runner, replay: Replay, name: str) -> None:
    def trace() -> None:
        with jax.checking_leaks():
            jax.make_jaxpr(replay.fresh())(*replay.arrays)

    gc.collect()
    jax.clear_caches()
    failure = run("trace", trace, keep=False).failure
    if failure is None:
        case.refute(replay.described, held_after_tracing=False)
    elif "Leaked trace" in failure.message:
        lines = [line.strip() for line in failure.message.splitlines() if "referred to" in line]
        if case.probe.construct in _CACHES or name.rpartition(".")[2] in " ".join(lines):
            case.confirm(replay.described, left_in=name, held_by=" ".join(lines)[:300])
        else:
            case.unclear("not-attributed", held_by=" ".join(lines)[:300])
    else:
        case.unclear("failed", **told(failure))


_CACHES = frozenset(("lru_cache", "cached_property"))
"""What holds a leaked tracer without a name in the program."""


def _holder(case: Case, hit: Hit) -> Any:
    expression = case.probe.expression
    if expression is None or not hit.scopes or case.probe.construct in _CACHES:
        return None
    return slots.holder(expression, hit.scopes[0])


def _still_held(case: Case, hit: Hit) -> Any:
    """A tracer in the object that the place stores into, if something besides us still refers to that object."""
    expression, holder = case.probe.expression, _holder(case, hit)
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
