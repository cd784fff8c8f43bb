"""Values that leave their trace: tracers that leak, and writes that happen only once, when the function is traced."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Dict, Frame, HeapObject, List, Sequence, Traced, Tuple, Value
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
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
    """Predicts an event if an object from outside the trace gets a tracer (a leak) or, with `write`, any other value.

    Args:
        interp: where the value is stored.
        target: the object that gets it: an instance, container or frame.
        value: the value.
        span: where it is stored.
        construct: the kind of store: "attribute", "global" …
        name: how the code writes the target.
        write: whether storing a value that is no tracer is an event, too: it happens at trace time only.
    """
    if interp.trace is not None and interp.trace.assumption is not None:
        return
    depth = getattr(target, "depth", 0)
    tracer = find_tracer(value, depth)
    if tracer is not None and tracer.depth <= interp.depth:
        eager = interp.trace is not None and interp.trace.concrete
        passing = eager and "." in name  # an attribute, through which differentiated code passes values to methods
        interp.emit(
            EventKind.LEAK,
            span,
            construct,
            flow=tracer.flow,
            detail={"name": name},
            assuming=Assumption(AssumptionKind.READ_AFTERWARDS, "it is read after differentiating, not only in between")
            if passing
            else None,
        )
    elif write and interp.trace is not None and depth < interp.trace.stage and not interp.path.guards:
        interp.emit(EventKind.STATE_WRITE, span, construct, detail={"name": name})


def check_counted(interp: Interpreter, target: Value, span: Span, construct: str, name: str) -> None:
    """Predicts an event if a mapped function counts in an object from outside: it runs once for all examples together.

    Args:
        target: the object that holds the number: an instance, container or frame.
        span: where it is counted up; `construct` and `name` are those of `check_escape`.
    """
    trace = interp.trace
    if trace is None or interp.staging or trace.assumption is not None or interp.path.guards:
        return
    if trace.transform.endswith("vmap") and isinstance(target, HeapObject) and target.depth < trace.depth:
        each = Assumption(AssumptionKind.COUNTS_EXAMPLES, "each example is to count")
        interp.emit(EventKind.STATE_WRITE, span, construct, detail={"name": name, "mapped": "yes"}, assuming=each)


def is_outer(interp: Interpreter, name: str) -> bool:
    """Whether a variable belongs to code outside of the trace that runs, so that later calls do not change it."""
    trace = interp.trace
    if trace is None or trace.assumption is not None or interp.path.guards:
        return False
    frame: Frame | None = interp.frame
    while frame is not None and name not in frame.fields:
        frame = frame.parent
    return frame is not None and frame.depth < trace.stage


def find_tracer(value: Value, depth: int) -> Traced | None:
    """The first tracer of a trace deeper than `depth` that a value is, or that is in its tuples, lists and dicts.

    Lists and dicts are searched only if they were made in such a trace themselves: they escape together with it.
    """
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
