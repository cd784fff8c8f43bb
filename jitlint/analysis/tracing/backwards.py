"""Derivatives that go backwards (`jax.grad`) through loops whose number of rounds JAX does not know: it refuses them.

Going backwards needs what each round computed. `scan`, and `fori_loop` with constant bounds, keep it; `while_loop`, and
`fori_loop` with a traced bound, cannot.
"""

from __future__ import annotations

from typing import Any

from jitlint import ir
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.values import Traced, Value
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def note_open_loop(interp: Interpreter, init: Value, result: Value, span: Span) -> None:
    """Notes a loop of unknown length in the trace that goes backwards, if the loop computes with that trace's tracers.

    Args:
        init: the carry as it goes in; `result`: as the body returns it, still within the body's trace.
        span: where the loop is called.
    """
    trace = interp.trace
    while trace is not None and not interp.models.has_role(trace.transform, "backwards"):
        trace = trace.parent
    if trace is None or interp.path.own_rules:
        return
    depth = trace.depth
    used = any(_depends(leaf, depth) for value in (init, result) for leaf in leaves(value))
    if used and not any(_stops_gradients(interp, frame.function) for frame in interp.path.frames):
        trace.loops.append(interp.site(span))


def check_backwards(interp: Interpreter, trace: Trace, span: Span) -> None:
    """Emits an event if a derivative that is taken at `span` has to go backwards through a loop of unknown length."""
    for module, place in trace.loops[:1]:
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


def _stops_gradients(interp: Interpreter, code: ir.Function | None) -> bool:
    """Whether a function uses `stop_gradient`: the loop may be what it keeps derivatives out of."""
    return code is not None and _names(interp.project.body(code), "stop_gradient")


def _names(node: Any, name: str) -> bool:
    """Whether a body or expression has an attribute or a variable of that name."""
    if isinstance(node, (ir.Attribute, ir.Name)) and node.name == name:
        return True
    return isinstance(node, tuple) and not isinstance(node, Span) and any(_names(part, name) for part in node)
