"""Derivatives that go backwards (`jax.grad`) through loops whose number of rounds JAX does not know: it refuses them.

Going backwards needs what each round computed. `scan`, and `fori_loop` with constant bounds, keep it; `while_loop`, and
`fori_loop` with a traced bound, cannot.
"""

from __future__ import annotations

from collections.abc import Iterator

from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.values import Instance, Traced, Transformed, Value
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def note_open_loop(interp: Interpreter, init: Value, result: Value, span: Span) -> None:
    """Notes a loop of unknown length in the trace that goes backwards, if the loop computes with that trace's tracers.

    Args:
        init: the carry as it goes in; `result`: as the body returns it, still within the body's trace.
        span: where the loop is called.
    """
    trace = going_backwards(interp)
    if trace is None or interp.path.own_rules:
        return
    depth = trace.depth
    if any(_depends(leaf, depth) for value in (init, result) for leaf in _leaves_within(value)):
        trace.loops.append(interp.site(span))


def _leaves_within(value: Value, nesting: int = 3) -> Iterator[Value]:
    """The leaves of a carry, those in the fields of its objects among them."""
    for leaf in leaves(value):
        if not isinstance(leaf, Instance):
            yield leaf
        elif nesting:
            for field in leaf.fields.values():
                if isinstance(field, Value):
                    yield from _leaves_within(field, nesting - 1)


def note_stop(interp: Interpreter) -> None:
    """Notes that derivatives are stopped here: the loops around may be what they are kept out of."""
    trace = going_backwards(interp)
    if trace is not None:
        trace.stops.append(True)


def going_backwards(interp: Interpreter) -> Trace | None:
    """The innermost trace that goes backwards."""
    trace = interp.trace
    while trace is not None and not interp.models.has_role(trace.transform, "backwards"):
        trace = trace.parent
    return trace


def check_backwards(interp: Interpreter, transformed: Transformed, trace: Trace, span: Span) -> None:
    """Emits an event if a derivative that is taken at `span` has to go backwards through a loop of unknown length.

    A function in which derivatives were stopped once counts as one for good: what it calls is not always run again.
    """
    if not trace.loops and not trace.stops:
        return
    target = signature_of(interp, transformed.function)
    if target is None or id(target.code) in interp.unit.derivatives.stopping or trace.stops:
        interp.unit.derivatives.stopping.update({id(target.code)} if target is not None and trace.stops else ())
        return
    for module, place in trace.loops[:1]:
        first = interp.unit.derivatives.open_loops.setdefault((module, place, interp.symbol()), span)
        if first != span:
            continue  # one derivative in a function is enough to tell
        interp.emit(
            EventKind.OPEN_LOOP,
            span,
            trace.transform,
            flow=interp.source_at(module, place, "this loop has no known number of rounds"),
            subject=module.snippet(place),
            assuming=Assumption(AssumptionKind.LOOP_MATTERS, "the derivative depends on the loop's result"),
        )


def _depends(leaf: Value, depth: int) -> bool:
    """Whether a leaf of a carry is a number that depends on a tracer of the trace of that depth."""
    tracer = leaf if isinstance(leaf, Traced) and leaf.dtype not in ("int", "bool", "key") else None
    while tracer is not None and tracer.depth > depth:
        tracer = tracer.outer
    return tracer is not None and tracer.depth == depth
