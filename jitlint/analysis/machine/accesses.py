"""Reads and writes of state that outlives a trace: variables, attributes, and the items of dicts."""

from __future__ import annotations

from collections.abc import Iterable

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state import StateRead, StateWrite
from jitlint.analysis.values import Dict, Frame
from jitlint.source.places import Span


def record_item_read(interp: Interpreter, base: Dict, key: object, name: str, span: Span) -> None:
    """An item of a dict is read; `name` is how the code writes it."""
    trace = interp.trace
    if base.site is not None and trace is not None and trace.cached and base.depth < trace.stage:
        record_read(interp, _record(base, key), "item", name, span)


def record_items_changed(interp: Interpreter, base: Dict, keys: Iterable[object], span: Span) -> None:
    """Items of a dict get other values, or go."""
    if base.site is not None:
        for key in keys:
            record_write(interp, _record(base, key), span, ordered=False, initial=False)


def _record(base: Dict, key: object) -> tuple[object, ...]:
    assert base.site is not None
    return ("object", str(base.site[0].source.path), base.site[1], key)


def state_key(frame: Frame, name: str) -> tuple[object, ...]:
    """The identity of a variable over all runs of the code that owns it."""
    if frame.parent is None:
        return ("global", frame.module.name, str(frame.module.root), name)
    code = frame.function
    return ("closure", str(frame.module.source.path), code.span if code else None, frame.serial, name)


def record_read(
    interp: Interpreter,
    key: tuple[object, ...],
    construct: str,
    name: str,
    span: Span,
    owner: Frame | None = None,
    holder: int = 0,
) -> None:
    """A cached trace reads state made outside of it."""
    trace = interp.trace
    assert trace is not None
    state = interp.unit.state
    identity = (key, interp.module, span, holder)
    reported = interp.module.given  # not in a file that is not linted
    if key in state.known and (not reported or identity in state.reads):
        return
    read = StateRead(
        key=key,
        construct=construct,
        name=name,
        place=interp.module.place(span),
        symbol=interp.symbol(),
        entry=trace.entry,
        root=interp.root_run.root,
        reader=_code_key(interp, interp.frame.home.function),
        fresh=trace.fresh,
        made_in=_made_in(interp.frame, owner) if owner is not None else (),
        holder=holder,
        branches=tuple(interp.store.branches),
    )
    if reported:
        state.reads.setdefault(identity, read)
    state.known.setdefault(key, read)


def _made_in(frame: Frame, owner: Frame) -> tuple[int, ...]:
    """The loops of `owner` in which the closure that reads from it is made anew."""
    current: Frame | None = frame
    while current is not None and current.parent is not owner:
        current = current.parent
    return current.made_in[len(owner.loops) :] if current is not None else ()


def _code_key(interp: Interpreter, code: ir.Function | None) -> object:
    return (str(interp.module.source.path), code.span if code else None)


def record_write(
    interp: Interpreter, key: tuple[object, ...], span: Span, *, ordered: bool, initial: bool, holder: int = 0
) -> None:
    """Something changes state that a trace may have read. What is set where it was found missing is its first value."""
    state = interp.unit.state
    ordered = ordered or (interp.root_run.root is not None and not interp.root_run.root.qualname)
    if ordered and not state.counts(key, interp.loops, interp.store.branches):
        return
    identity = (key, interp.module, span, holder, interp.staging)
    if identity not in state.writes:
        state.writes[identity] = StateWrite(
            key=key,
            place=interp.module.place(span),
            ordered=ordered,
            traced=interp.staging,
            initial=initial or interp.path.guards > 0,
            writer=_code_key(interp, interp.frame.home.function),
            holder=holder,
        )
