"""Judges suspicions that raise nothing by their effect, never by how the code looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
from jax import eval_shape, jit, make_jaxpr  # as they are before user code replaces them

from ..inside_jax import failures
from ..watching import kinds, slots
from ..watching.cases import Case, Witness, failure_evidence, located
from ..watching.watch import Run, Runner
from . import compile_cache, leaks, replay, state_reads
from .replay import Replay


def judge(case: Case, run: Runner, source: str) -> None:
    """Decides a silent case by the run that executed its place.

    Args:
        case: a case with a witness.
        run: runs code under watch.
        source: the text of the file of the case's place.
    """
    witness = case.witness
    if witness is None:
        return
    kind = case.probe.kind
    if kinds.varies(case.probe):
        compile_cache.rounds(case, witness, run, source)
    elif kind in ("jit-created", "static-value"):
        compile_cache.compilations(case, witness, run, source)
    elif kind == "kept-compiled":
        case.unclear("not-shown")  # what shows it is seen as the run is looked at
    elif kind == "swallowed":
        _swallowed(case, witness)
    elif kind == "unrolled":
        _unrolled(case, witness)
    elif kind == "discarded":
        _discarded(case, witness)
    elif kind == "identity":
        _identity(case, witness)
    elif kind == "key-reused" and not witness.run.hit(case.probe).captures:
        _reused_key_outside(case, witness, run)
    elif (again := replay.of(case, witness)) is None:
        return
    elif kind == "constant":
        _constants(case, run, again)
    elif kind == "key-reused":
        _reused_key(case, run, again)
    elif kind == "no-result":
        _without_result(case, run, again)
    elif kind == "leak":
        leaks.judge(case, witness, run, again)
    elif kind == "state-read":
        state_reads.judge(case, witness, run, again, source)
        _take_back_if(case, case.calls.never_stale)
    elif kind == "iterator-next":
        _consumed(case, witness, run, again)
    elif kind == "effect" and case.probe.detail.get("category") == "random":
        _drawn(case, run, again)
        _take_back_if(case, case.calls.never_reused)
    else:
        _twice(case, run, again)
        _take_back_if(case, case.calls.never_reused)


def _take_back_if(case: Case, shown_otherwise: bool) -> None:
    """Takes a confirmation back if the calls of the user's programs show that none goes wrong."""
    if case.outcome == "confirmed" and shown_otherwise:
        case.reopen()
        case.unclear("traced-anew", traces=len(case.calls.states))


def _unrolled(case: Case, witness: Witness) -> None:
    """Decides whether a loop unrolls, by how often its body ran in one trace."""
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
    """Decides whether the code swallows a tracer's error that was raised at the place."""
    site, run = case.probe.site, witness.run
    bases = run.raised_staged.get((site.file, site.line), frozenset())
    if not run.hit(case.probe).staged:
        case.unclear("not-traced")
    elif raised := sorted(bases & set(failures.TRACER)):
        if run.failure is None:
            case.confirm(witness.inputs, swallowed=raised[0])
        elif failures.is_concretization(run.failure) and located(case.probe, run.failure):
            case.refute(witness.inputs, raised_again=raised[0])
        else:
            case.unclear("failed", **failure_evidence(run.failure))
    elif run.clean:
        case.refute(witness.inputs)
    else:
        case.unclear("not-attributed")


def _discarded(case: Case, witness: Witness) -> None:
    """Decides whether a statement computes something of JAX values: what it computes is lost then."""
    expression, scopes = case.probe.expression, witness.run.hit(case.probe).scopes
    values = slots.values_in(expression, scopes[0]) if expression is not None and scopes else []
    if not witness.run.clean:
        case.unclear("not-attributed")
    elif any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves(values)):
        case.confirm(witness.inputs, discarded=True)
    else:
        case.unclear("not-attributed")


def _identity(case: Case, witness: Witness) -> None:
    """Decides whether a tracer is asked whether it is True or False."""
    expression, scopes = case.probe.expression, witness.run.hit(case.probe).scopes
    if expression is None or not scopes:
        case.unclear("not-attributed")
    elif slots.holds_tracer(expression, scopes[0]):
        case.confirm(witness.inputs, tracer_is_neither=True)
    elif witness.run.clean:
        case.refute(witness.inputs)
    else:
        case.unclear("not-attributed")


def _constants(case: Case, run: Runner, again: Replay) -> None:
    """Decides whether the traced program has a constant as large as predicted."""
    traced = run("trace", lambda: _sizes(make_jaxpr(again.fresh())(*again.arrays)))
    if traced.failure is not None:
        case.unclear("failed", **failure_evidence(traced.failure))
        return
    evidence = {"constants": len(traced.value), "largest": max(traced.value, default=0)}
    if evidence["largest"] >= int(case.probe.detail.get("elements", "0").replace(",", "")):
        case.confirm(again.described, **evidence)
    else:
        case.refute(again.described, **evidence)


def _reused_key(case: Case, run: Runner, again: Replay) -> None:
    """Decides whether JAX's own checker finds that a traced function uses a key twice. It knows typed keys only."""
    with jax.debug_key_reuse(True):
        checked = run("another trace", lambda: jit(again.fresh()).lower(*again.arrays))
    found = failure_evidence(checked.failure).get("exception") if checked.failure is not None else None
    if found == "KeyReuseError":
        case.confirm(again.described, exception=found, where="tracing with jax.debug_key_reuse(True)")
    else:
        case.unclear("not-shown")


def _reused_key_outside(case: Case, witness: Witness, run: Runner) -> None:
    """Decides the same of code that nothing traces: what is called there checks its keys."""
    with jax.debug_key_reuse(True):
        checked = run("again", witness.thunk)
    failure = checked.failure
    if failure is not None and failure.type == "KeyReuseError" and located(case.probe, failure):
        case.confirm(witness.inputs, exception=failure.type, where="running with jax.debug_key_reuse(True)")
    else:
        case.unclear("not-shown")


def _without_result(case: Case, run: Runner, again: Replay) -> None:
    """Decides whether a traced function gives nothing."""
    traced = run("another trace", lambda: eval_shape(again.fresh(), *again.arrays))
    if traced.failure is not None:
        case.unclear("failed", **failure_evidence(traced.failure))
    elif traced.value:
        case.refute(again.described, results=len(traced.value))
    else:
        case.confirm(again.described, results=0)


def _sizes(program: Any) -> list[int]:
    """The sizes, in elements, of the constants of a program and its inner programs."""
    inner = [value for equation in program.eqns for value in equation.params.values() if hasattr(value, "consts")]
    own = [int(getattr(constant, "size", 1)) for constant in program.consts]
    return own + [size for part in inner for size in _sizes(part)]


def _twice(case: Case, run: Runner, again: Replay) -> None:
    """Calls the traced function twice with the same shapes: what only the first call does happens while tracing."""
    jitted = jit(again.fresh())
    first = run("first call", lambda: jitted(*again.arrays), stand_in=0)
    second = run("second call", lambda: jitted(*again.arrays), stand_in=0)
    before, after = first.hit(case.probe).count, second.hit(case.probe).count
    evidence = {"first_call": before, "second_call": after}
    if before and not after and first.failure is None:
        case.confirm(again.described, **evidence)
    elif before and first.failure is not None and "UnexpectedTracerError" in first.failure.bases:
        case.confirm(again.described, **failure_evidence(first.failure))
    elif before and after and first.clean and second.clean:
        case.refute(again.described, **evidence)
    elif first.failure is not None:
        case.unclear("failed", **failure_evidence(first.failure))
    else:
        case.unclear("not-reached-again")


def _drawn(case: Case, run: Runner, again: Replay) -> None:
    """Decides about random numbers drawn while tracing: harmless if each trace makes its own generator anew."""
    _twice(case, run, again)
    if case.outcome != "confirmed":
        return
    first, second = run("trace", again.program), run("another trace", again.program)
    before, after = _generators(case, first), _generators(case, second)
    shared = any(one is other for one in before for other in after)
    made = case.probe.construct.rpartition(".")[2] in _GENERATORS
    if first.clean and second.clean and first.value == second.value and (made or (before and not shared)):
        case.evidence.clear()
        case.refute(again.described, drawn_again=True)


_GENERATORS = frozenset(("default_rng", "RandomState", "Generator", "Random", "PCG64", "SeedSequence"))
"""The types of random number generators, and the functions that make them."""


def _generators(case: Case, run: Run) -> list[Any]:
    expression, scopes = case.probe.expression, run.hit(case.probe).scopes
    found = slots.values_in(expression, scopes[0]) if expression is not None and scopes else []
    return [value for value in found if type(value).__name__ in _GENERATORS]


def _consumed(case: Case, witness: Witness, run: Runner, again: Replay) -> None:
    """Decides about iterators: harmful if a second trace goes on with the same one, harmless if it makes its own."""
    traced = run("another trace", lambda: make_jaxpr(again.fresh())(*again.arrays))
    before, after = _iterators(case, witness.run), _iterators(case, traced)
    failure = traced.failure or witness.run.failure
    if failure is not None and traced.hit(case.probe).count and "UnexpectedTracerError" in failure.bases:
        case.confirm(again.described, **failure_evidence(failure))
    elif any(one is other for one in before for other in after):
        _twice(case, run, again)
    elif before and after:
        case.refute(again.described, made_anew=True)
    else:
        case.unclear("not-attributed")


def _iterators(case: Case, run: Run) -> list[Any]:
    expression, scopes = case.probe.expression, run.hit(case.probe).scopes
    found = slots.values_in(expression, scopes[0]) if expression is not None and scopes else []
    return [value for value in found if isinstance(value, Iterator)]
