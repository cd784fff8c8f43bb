"""Values that leave their trace: tracers that leak, and writes that happen only once, when the function is traced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from jitlint.analysis.machine.call_order import State
from jitlint.analysis.machine.context import Leak, Trace
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.later_reads import Stored, may_be_read
from jitlint.analysis.values import (
    Const,
    Dict,
    Frame,
    HeapObject,
    Instance,
    List,
    Sequence,
    Static,
    Traced,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.events.event import Event, EventKind
from jitlint.source.places import Span, Step

_OF_TRACES: Final = re.compile(r"(?:^|_|\b)(?:re)?(?:trace[sd]|tracings?|compile[sd]|compilations?)(?!\w)", re.I)
"""Names of numbers that count how often a function is traced."""


_READ_LATER: Final = "read here, after tracing"

_MOST_READS: Final = 3
"""So many places that read what has leaked are told."""


def check_escape(
    interp: Interpreter,
    target: Value,
    value: Value,
    span: Span,
    construct: str,
    name: str,
    *,
    field: str | None = None,
    attribute: State | None = None,
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
        field: the attribute or variable of the target that gets it, if that is known.
        attribute: its identity over all units, if it is an attribute of an instance.
        write: whether storing a value that is no tracer is an event, too: it happens at trace time only.
    """
    trace = interp.trace
    if trace is None or trace.assumption is not None:
        return
    depth = getattr(target, "depth", 0)
    tracer = find_tracer(value, depth)
    restores = tracer is None and _note_overwritten(interp, target, field, span, construct)
    if tracer is not None and tracer.depth <= interp.depth:
        passing = trace.concrete and "." in name  # an attribute, through which differentiated code passes values on
        pending: list[Event] = []
        interp.emit(
            EventKind.LEAK,
            span,
            construct,
            flow=tracer.flow,
            detail={"name": name},
            assuming=Assumption(AssumptionKind.READ_AFTERWARDS, "it is read after differentiating, not only in between")
            if passing
            else None,
            pending=pending,
        )
        holder = target if isinstance(target, HeapObject) else None
        stored, restoring = None, construct == "attribute" and interp.path.restoring > 0
        if isinstance(target, (List, Dict)):
            item = interp.module.snippet(span) if construct == "item" else ""
            stored = Stored(target, item, (*interp.path.frames, interp.frame), tracer.depth)
        _trace_of(trace, tracer).leaks.extend(
            [Leak(event, holder, field, value, stored, attribute, restoring) for event in pending]
        )
    elif write and not restores and depth < trace.stage and not interp.path.guards and not _counts_traces(name, value):
        interp.emit(EventKind.STATE_WRITE, span, construct, detail={"name": name})


def _counts_traces(name: str, value: Value) -> bool:
    """Whether a number is written to what counts traces: there a write for each trace is what is wanted."""
    whole = type(value.value) is int if isinstance(value, Const) else isinstance(value, Static) and value.kind == "int"
    return whole and _OF_TRACES.search(name) is not None


def _trace_of(trace: Trace, tracer: Traced) -> Trace:
    """The trace that a tracer belongs to, among those that run."""
    while trace.depth > tracer.depth and trace.parent is not None:
        trace = trace.parent
    return trace


def _note_overwritten(interp: Interpreter, target: Value, field: str | None, span: Span, construct: str) -> bool:
    """Notes which leaks so far something else may take the place of, now that it is stored; whether there are any.

    That is so where the same attribute gets it, and where the same code stores it, as a setter does that is called
    with the tracer first and with the old value later. An attribute whose name is computed may be any.
    """
    found = False
    trace = interp.trace
    while trace is not None:
        for leak in trace.leaks:
            known = leak.target is target and (leak.field == field if field is not None else construct == "attribute")
            if known or leak.event.place == interp.module.place(span):
                leak.overwritten = found = True
        trace = trace.parent
    return found


@contextmanager
def running(interp: Interpreter, trace: Trace, span: Span) -> Iterator[None]:
    """The code under it runs in a trace. At its end, tracers that objects from outside still hold have leaked.

    Args:
        interp: where the traced function is called.
        trace: the trace.
        span: where the call is written.
    """
    outer, interp.trace = interp.trace, trace
    try:
        yield
    finally:
        interp.trace = outer
        for leak in trace.leaks:
            if _is_kept(leak):
                if leak.attribute is not None:
                    interp.unit.state.attributes.uses.kept[leak.event.place] = leak.attribute
                in_doubt = leak.overwritten or _is_dead(interp, leak, span)
                interp.record(doubtful_leak(leak.event) if in_doubt else leak.event)
                _note_kept(interp, leak)


def _note_kept(interp: Interpreter, leak: Leak) -> None:
    """Notes what keeps a tracer, so that the first who read it afterwards are told."""
    leaks = interp.unit.state.attributes.leaks
    if leak.stored is not None:
        leaks[leak.stored.container.serial, ""] = leak.event.key
    elif isinstance(leak.target, Instance):
        cached = leak.event.detail["name"].rpartition(".")[2] if leak.event.construct == "cached_property" else None
        if (field := leak.field or cached) is not None:
            leaks[leak.target.serial, field] = leak.event.key


def note_leak_read(interp: Interpreter, holder: Instance, name: str, span: Span) -> None:
    """Adds to a leak's event the place that reads the attribute that keeps the tracer, after tracing: there JAX raises.

    Args:
        interp: where it is read, outside of all traces.
        holder: the object.
        name: the attribute.
        span: where that is written.
    """
    held = holder.fields.get(name)
    if isinstance(held, (List, Dict)):
        note_leaked_in(interp, held, span)
    else:
        _note_read(interp, (holder.serial, name), span)


def note_leaked_in(interp: Interpreter, held: List | Dict, span: Span) -> None:
    """The same, where a list or dict is read that keeps the tracer."""
    _note_read(interp, (held.serial, ""), span)


def _note_read(interp: Interpreter, kept: tuple[int, str], span: Span) -> None:
    key = interp.unit.state.attributes.leaks.get(kept)
    event = interp.unit.events.get(key) if key is not None else None
    if event is None:
        return
    step = Step(interp.module.place(span), _READ_LATER)
    known = [each for each in event.flow if each.note == _READ_LATER]
    if step not in known and len(known) < _MOST_READS:
        interp.unit.events[key] = replace(event, flow=(*event.flow, step))


def doubtful_leak(event: Event) -> Event:
    """A leak of which something else takes the place before anybody reads it, as far as one sees."""
    assumption = Assumption(AssumptionKind.READ_AFTERWARDS, "it is read after tracing, not only in between")
    return replace(event, assumptions=merged(event.assumptions, [assumption]))


def _is_dead(interp: Interpreter, leak: Leak, span: Span) -> bool:
    """Whether it is a list or dict that nobody reads any more, or not before the item is overwritten."""
    running = (*interp.path.frames, interp.frame)
    return leak.stored is not None and not may_be_read(leak.stored, running, span, interp.project.body)


def _is_kept(leak: Leak) -> bool:
    """Whether the object may still hold what was stored in it."""
    if leak.target is None or leak.field is None:
        return True
    held = leak.target.fields.get(leak.field)
    if not isinstance(held, Value):
        return False
    if isinstance(held, Unknown):  # what was stored on one way is joined with what was there before
        renamed = isinstance(leak.target, Instance) and leak.target.has_more
        return not leak.overwritten and not renamed
    depth = getattr(leak.target, "depth", 0)
    return any(part is leak.value or find_tracer(part, depth) is not None for part in alternatives(held))


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
