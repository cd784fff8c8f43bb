"""Donated buffers, and their use afterwards.

Arrays have no identity among abstract values, but the value objects themselves do as long as they are only passed on;
what is donated is remembered by its value object, in the store, so that branches and loops see it in their order.
"""

from __future__ import annotations

from dataclasses import dataclass

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, Dict, JaxArray, List, OneOfArguments, Tuple, Unknown, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import Entry, EventKind
from jitlint.source.places import Span

DESCRIPTIVE = frozenset({"shape", "ndim", "dtype", "size", "is_deleted", "sharding", "nbytes"})
"""What a deleted array still tells."""


@dataclass(frozen=True, slots=True)
class Donated:
    """A value that was donated: kept so that no other object gets its identity."""

    value: Value
    parameter: str
    place: str
    flow: Flow
    entry: Entry


def is_first_use(interp: Interpreter, donation: tuple[object, ...], span: Span) -> bool:
    """Whether no other place was reported for a donation: the first use fails, and later ones do not run."""
    return interp.unit.first_uses.setdefault(donation, (interp.module, span)) == (interp.module, span)


def place_text(interp: Interpreter, span: Span) -> str:
    place = interp.module.place(span)
    return f"{place.path}:{place.line}"


def has_identity(value: Value) -> bool:
    """Whether a value object stands for one object of the program (instances are joined by class, so they do not)."""
    if isinstance(value, Unknown):
        return value is not UNKNOWN and not isinstance(value, OneOfArguments)
    return isinstance(value, (JaxArray, Dict, List)) or (isinstance(value, Tuple) and bool(value.elements))


def note_donated(interp: Interpreter, value: Value, parameter: str, entry: Entry, span: Span) -> None:
    flow = interp.source(span, f"donated here, as `{parameter}`", "")
    record = Donated(value, parameter, place_text(interp, span), flow, entry)
    for part in (value, *_parts(value)):
        if has_identity(part):
            kept = Donated(part, record.parameter, record.place, record.flow, record.entry)
            interp.store.set(interp.world.buffers, id(part), kept)


def _parts(value: Value) -> list[Value]:
    content = content_of(value)
    inner: list[Value] = []
    if isinstance(content, Tuple):
        inner = list(content.elements)
    elif isinstance(content, Dict):
        inner = list(content.entries.values())
    return [*inner, *(deeper for part in inner for deeper in _parts(part))]


def check_used(interp: Interpreter, value: Value, span: Span) -> None:
    """An array is used (or something of unknown structure is looked into): an event if it was donated before."""
    if interp.trace is not None or not interp.world.buffers.fields:
        return
    parts = alternatives(value)
    record = interp.world.buffers.fields.get(id(parts[0]))
    if not isinstance(record, Donated) or not all(isinstance(part, (JaxArray, Unknown)) for part in parts):
        return
    if all(isinstance(interp.world.buffers.fields.get(id(part)), Donated) for part in parts):
        _report(interp, record, span)


def check_passed(interp: Interpreter, args: Args, span: Span) -> None:
    """Arguments of a function that needs their arrays: an event if any of them was donated before."""
    if interp.trace is not None or not interp.world.buffers.fields:
        return
    for i, value in enumerate(args.positional):
        place = args.spans[i] if i < len(args.spans) else span
        record = interp.world.buffers.fields.get(id(value))
        if isinstance(record, Donated):
            _report(interp, record, place)
        else:
            for part in _parts(value):
                check_used(interp, part, place)


def _report(interp: Interpreter, record: Donated, span: Span) -> None:
    if not is_first_use(interp, (record.place, record.parameter), span):
        return
    flow = record.flow.then(interp.module, span, "used here")
    detail = {"parameter": record.parameter, "donated": record.place}
    interp.emit(EventKind.DONATED, span, "read", flow=flow, detail=detail, entry=record.entry)


_READERS = frozenset(
    f"builtins.{name}" for name in ("float", "int", "bool", "complex", "print", "str", "repr", "abs", "sum", "round")
)

_DESCRIBERS = frozenset({"zeros_like", "ones_like", "full_like", "empty_like", "shape", "ndim", "size", "result_type"})


def reads_arrays(name: str) -> bool:
    """Whether a library function needs the values of its array arguments."""
    if name.startswith("builtins."):
        return name in _READERS
    return name.startswith(("jax.", "numpy.")) and name.rpartition(".")[2] not in _DESCRIBERS
