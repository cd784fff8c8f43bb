"""Judges leaks: after tracing, does the object that the place stores into hold a tracer, or does JAX find one?"""

from __future__ import annotations

import ast
import gc
import re
from typing import Any

import jax
from jax import make_jaxpr  # as it is before user code replaces it

from ..inside_jax import tracers
from ..inside_jax.failures import Failure
from ..watching import slots
from ..watching.cases import Case, Witness, failure_evidence
from ..watching.scopes import Scope, item, value_of
from ..watching.watch import Hit, Runner
from .replay import Replay


def judge(case: Case, witness: Witness, run: Runner, replay: Replay) -> None:
    """Decides a leak.

    Args:
        case: the case.
        witness: a run that executed its place.
        run: runs code under watch.
        replay: what was traced in that run.
    """
    hit, name = witness.run.hit(case.probe), case.probe.detail.get("name", "")
    leaked = _left_tracer(case, hit)
    if leaked is not None:
        case.confirm(witness.inputs, left_in=name, tracer=str(leaked)[:100])
        return
    if (failure := witness.run.failure) is not None and _is_of_place(case, failure):
        case.confirm(witness.inputs, **failure_evidence(failure))
        return
    jax.clear_caches()
    again = run("trace", lambda: make_jaxpr(replay.fresh())(*replay.arrays))
    hit, failure = again.hit(case.probe), again.failure or witness.run.failure
    leaked, holder = _left_tracer(case, hit), _holder(case, hit)
    if leaked is None and case.probe.construct in _CACHES:
        case.unclear("not-attributed")  # an earlier run may have filled it without a trace
        return
    if leaked is not None:
        case.confirm(replay.described, left_in=name, tracer=str(leaked)[:100])
    elif failure is not None and hit.staged and holder is None and "UnexpectedTracerError" in failure.bases:
        case.confirm(replay.described, **failure_evidence(failure))
    elif again.failure is not None:
        case.unclear("failed", **failure_evidence(again.failure))
    elif not hit.staged:
        case.unclear("not-reached-again")
    elif holder is not None:
        case.refute(replay.described, held_after_tracing=False)
    else:
        del again, hit
        _ask_leak_checker(case, run, replay, name)


def _is_of_place(case: Case, failure: Failure) -> bool:
    """Whether code failed since it used a tracer after its trace, and JAX says that it was made at the place."""
    site = case.probe.site
    places = (f"{site.file}:{line}:" for line in range(site.line, site.end_line + 1))
    return "UnexpectedTracerError" in failure.bases and any(place in failure.message for place in places)


def _ask_leak_checker(case: Case, run: Runner, replay: Replay, name: str) -> None:
    def trace() -> None:
        with jax.checking_leaks():
            make_jaxpr(replay.fresh())(*replay.arrays)

    gc.collect()
    jax.clear_caches()
    failure = run("trace", trace, keep=False).failure
    if failure is None:
        case.refute(replay.described, held_after_tracing=False)
    elif "Leaked trace" in failure.message:
        lines = [line.strip() for line in failure.message.splitlines() if "referred to" in line]
        held_by = re.sub(r" ?\b(0x)?[0-9a-f]{8,}\b", "", " ".join(lines))[:300]
        if name.rpartition(".")[2] in held_by:
            case.confirm(replay.described, left_in=name, held_by=held_by)
        else:
            case.unclear("not-attributed", held_by=held_by)
    else:
        case.unclear("failed", **failure_evidence(failure))


_CACHES = frozenset(("lru_cache", "cached_property", "setdefault"))
"""Caches: where an earlier call has filled one, nothing is stored any more."""


def _expression(case: Case) -> ast.expr | None:
    """The expression that is stored into, also where the place is a statement."""
    if case.probe.expression is not None:
        return case.probe.expression
    try:
        return ast.parse(case.probe.detail.get("name", ""), mode="eval").body
    except SyntaxError:
        return None


def _holder(case: Case, hit: Hit) -> Any:
    expression = _expression(case)
    if expression is None or not hit.scopes:
        return None
    return slots.holder(expression, hit.scopes[0])


def _left_tracer(case: Case, hit: Hit) -> Any:
    """A tracer in the object that the place stores into, if anything but us still refers to that object."""
    expression = _expression(case)
    if expression is None or not hit.scopes:
        return None
    scope = hit.scopes[0]
    if case.probe.construct == "lru_cache" and isinstance(expression, ast.Call):
        return tracers.find(_results(value_of(expression.func, scope)))
    holder = slots.holder(expression, scope)
    if holder is None:
        return None
    if holder is scope.globals and isinstance(expression, ast.Name):
        return tracers.find(holder.get(expression.id))
    if hasattr(holder, "cell_contents"):
        return tracers.find(holder.cell_contents)
    if not (_is_argument(holder, hit) or _is_referred_to(holder)):
        return None
    if isinstance(expression, ast.Attribute):
        return tracers.find(getattr(holder, "__dict__", {}).get(expression.attr))
    if isinstance(expression, ast.Subscript) and (key := value_of(expression.slice, scope, ...)) is not ...:
        return tracers.find(item(holder, key))
    if isinstance(expression, ast.Call) and not any(_may_hold(argument, scope) for argument in _given(expression)):
        return None
    return tracers.find(holder)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _may_hold(argument: ast.expr, scope: Scope) -> bool:
    """Whether an argument is, or may contain, a tracer, judged by the names in it."""
    if isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript)):
        return tracers.find(value_of(argument, scope)) is not None
    return not isinstance(argument, (ast.Constant, ast.JoinedStr))


def _results(function: Any) -> list[Any]:
    """The results in a `functools.lru_cache`, which the garbage collector finds."""
    known = gc.get_referents(function)
    return [*known, *(result for one in known if isinstance(one, dict) for result in one.values())]


def _is_argument(holder: Any, hit: Hit) -> bool:
    return any(holder is value for capture in hit.captures for value in capture.arguments.values())


def _is_referred_to(holder: Any) -> bool:
    """Whether anything but frames and our notes refers to an object. (No closure of ours may hold it here.)"""
    gc.collect()
    return any(not isinstance(other, tracers.Names) and not _is_frame(other) for other in gc.get_referrers(holder))


def _is_frame(value: Any) -> bool:
    return type(value).__name__ in ("frame", "list_iterator", "generator", "traceback")
