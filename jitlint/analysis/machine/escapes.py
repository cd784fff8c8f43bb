"""Values that leave the trace they belong to: leaks of tracers, and writes that happen once only."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Dict, Frame, List, Sequence, Traced, Tuple, Value
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_escape(
    interp: Interpreter,
    target: Value,
    value: Value,
    span: Span,
    construct: str,
    name: str,
    *,
    write: bool = False,
) -> None:
    """A value is stored in an object: a leak if it is traced deeper than the object, else (`write`) a lost write."""
    if interp.trace is not None and interp.trace.guess:
        return
    depth = getattr(target, "depth", 0)
    tracer = find_tracer(value, depth)
    if tracer is not None and tracer.depth <= interp.depth:
        interp.emit(EventKind.LEAK, span, construct, flow=tracer.flow, detail={"name": name})
    elif write and interp.trace is not None and depth < interp.trace.stage and not interp.path.guards:
        interp.emit(EventKind.STATE_WRITE, span, construct, detail={"name": name})


def is_outer(interp: Interpreter, name: str) -> bool:
    """Whether a variable belongs to code outside of the trace that runs, so that a change of its value is lost."""
    trace = interp.trace
    if trace is None or trace.guess or interp.path.guards:
        return False
    frame: Frame | None = interp.frame
    while frame is not None and name not in frame.fields:
        frame = frame.parent
    return frame is not None and frame.depth < trace.stage


def find_tracer(value: Value, depth: int) -> Traced | None:
    """A tracer of a deeper trace than `depth` in a value or in the tuples and lists that it is made of."""
    if isinstance(value, Traced):
        return value if value.depth > depth else None
    parts: tuple[Value, ...] = ()
    if isinstance(value, Tuple):
        parts = value.elements
    elif isinstance(value, Sequence):
        parts = (value.element,)
    elif isinstance(value, List) and value.depth > depth:
        parts = (value.content,)
    elif isinstance(value, Dict) and value.depth > depth:
        parts = (*value.entries.values(), value.rest)
    else:
        parts = tuple(part for part in alternatives(value) if part is not value)
    for part in parts:
        found = find_tracer(part, depth)
        if found is not None:
            return found
    return None
