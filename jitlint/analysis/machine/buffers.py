"""Donated buffers, and their use afterwards: JAX deletes an array that was donated, so a later use fails.

An abstract array says nothing of which array of the program it is. But as long as code only passes a value on, it stays
the same Python object: that object is remembered as donated. The store holds the record, so that branches and loops
see donations in the order in which they happen.
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
"""The attributes that JAX still gives of a deleted array."""


@dataclass(frozen=True, slots=True)
class Donated:
    """The record of one donation."""

    value: Value
    """The donated value. While the record refers to it, no other object can get its `id`."""
    parameter: str
    """The parameter that it was passed to."""
    place: str
    """Where it was donated, as "path:line"."""
    flow: Flow
    """A flow that begins there."""
    entry: Entry
    """Where the transform that donates was applied."""


def is_first_use(interp: Interpreter, donation: tuple[object, ...], span: Span) -> bool:
    """Whether `span` is the first place where a donated buffer is used: that use fails, so later ones do not run."""
    return interp.unit.first_uses.setdefault(donation, (interp.module, span)) == (interp.module, span)


def place_text(interp: Interpreter, span: Span) -> str:
    """A place of the running module as "path:line"."""
    place = interp.module.place(span)
    return f"{place.path}:{place.line}"


def has_identity(value: Value) -> bool:
    """Whether a value object stands for one object of the program (instances are joined by class, so they do not)."""
    if isinstance(value, Unknown):
        return value is not UNKNOWN and not isinstance(value, OneOfArguments)
    return isinstance(value, (JaxArray, Dict, List)) or (isinstance(value, Tuple) and bool(value.elements))


def note_donated(interp: Interpreter, value: Value, parameter: str, entry: Entry, span: Span) -> None:
    """Records that a call donates a value, with all arrays in it."""
    flow = interp.source(span, f"donated here, as `{parameter}`", "")
    place = place_text(interp, span)
    for part in (value, *_parts(value)):
        if has_identity(part):
            interp.store.set(interp.world.buffers, id(part), Donated(part, parameter, place, flow, entry))


def _parts(value: Value) -> list[Value]:
    """What a tuple, list or dict holds, at any depth."""
    content = content_of(value)
    inner: list[Value] = []
    if isinstance(content, Tuple):
        inner = list(content.elements)
    elif isinstance(content, Dict):
        inner = list(content.entries.values())
    return [*inner, *(deeper for part in inner for deeper in _parts(part))]


def check_used(interp: Interpreter, value: Value, span: Span) -> None:
    """Predicts an event if a value whose array is used here was donated before, on every path."""
    if interp.trace is not None or not interp.world.buffers.fields:
        return
    parts = alternatives(value)
    record = interp.world.buffers.fields.get(id(parts[0]))
    if not isinstance(record, Donated) or not all(isinstance(part, (JaxArray, Unknown)) for part in parts):
        return
    if all(isinstance(interp.world.buffers.fields.get(id(part)), Donated) for part in parts):
        _report(interp, record, span)


def check_passed(interp: Interpreter, args: Args, span: Span) -> None:
    """Predicts an event for each argument of a call that was donated before; for functions that use their arrays."""
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


_READING_BUILTINS = frozenset(
    f"builtins.{name}" for name in ("float", "int", "bool", "complex", "print", "str", "repr", "abs", "sum", "round")
)

_SHAPE_ONLY = frozenset({"zeros_like", "ones_like", "full_like", "empty_like", "shape", "ndim", "size", "result_type"})
"""Functions of JAX and NumPy that ask an array for its shape or dtype only, which a deleted array still has."""


def reads_arrays(name: str) -> bool:
    """Whether a library function needs the values of its array arguments."""
    if name.startswith("builtins."):
        return name in _READING_BUILTINS
    return name.startswith(("jax.", "numpy.")) and name.rpartition(".")[2] not in _SHAPE_ONLY
