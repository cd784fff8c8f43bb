"""Donation (`donate_argnums`): the buffers that a jitted call gives away. `machine/buffers.py` sees later uses."""

from __future__ import annotations

from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.language.signatures import Signature, option_constants, parameter_index
from jitlint.analysis.machine.buffers import has_identity, is_first_use, note_donated, place_text
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.values import Array, Const, Instance, OneOfArguments, Transformed, Value, look
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, EventKind
from jitlint.source.places import Span


def donate(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    args: Args,
    result: Value,
    entry: Entry,
    span: Span,
) -> None:
    """Notes the buffers that a call of a jitted function donates. Inside of a trace donation has no effect.

    Args:
        interp: where it is called.
        transformed: the function; `target`: its signature.
        args: its arguments.
        result: what its body returns. JAX keeps a buffer for which the result has no place.
        entry: where the transform is applied.
        span: where the call is written.
    """
    if interp.trace is not None or not transformed.transform.cached:
        return
    numbers = option_constants(transformed.options.get("donate_argnums"), int) or []
    names = {str(name) for name in option_constants(transformed.options.get("donate_argnames"), str) or []}
    if not numbers and not names:
        return
    wanted = {parameter_index(number, target) if target else number for number in numbers if isinstance(number, int)}
    for i, value in enumerate(args.positional):
        parameter = target.positional(i) if target else None
        name = parameter.name if parameter else str(i)
        if i in wanted or name in names:
            place = args.spans[i] if i < len(args.spans) else span
            _check_twice(interp, value, i, name, args, entry, place)
            if _has_place(result, value):
                _note_each(interp, value, name, entry, place)
    for name, value in args.keywords.items():
        if name in names and _has_place(result, value):
            _note_each(interp, value, name, entry, args.keyword_spans.get(name, span))


def _note_each(interp: Interpreter, value: Value, name: str, entry: Entry, span: Span) -> None:
    """Notes that a value is donated, and with an instance of a pytree class all arrays in its fields.

    An instance that stands for any of its class is left out: what it holds belongs to many objects.
    """
    note_donated(interp, value, name, entry, span)
    if not isinstance(value, Instance) or value.several or interp.unit.assumed_instances.get(value.cls.serial) is value:
        return
    names = leaf_fields(interp, value.cls)
    if names is not None:
        look()
        for field, part in value.fields.items():
            if isinstance(part, Value) and (not names or field in names):
                _note_each(interp, part, name, entry, span)


def _has_place(result: Value, donated: Value) -> bool:
    """Whether a result may take the buffer of a donated value: numbers, such as a loss alone, take that of a number."""
    if isinstance(donated, Array) and donated.rank == 0:
        return True
    return not all(isinstance(leaf, Const) or (isinstance(leaf, Array) and leaf.rank == 0) for leaf in leaves(result))


def _check_twice(
    interp: Interpreter, value: Value, position: int, name: str, args: Args, entry: Entry, span: Span
) -> None:
    """Emits an event if a call gets the same buffer as a donated argument and as another one."""
    others = [part for i, other in enumerate(args.positional) if i != position for part in _objects(other)]
    twice = has_identity(value) and any(part is value for part in others)
    if twice and is_first_use(interp, (place_text(interp, span), id(value)), span):
        detail = {"parameter": name, "donated": place_text(interp, span)}
        sure = any(value in alternatives(other) for i, other in enumerate(args.positional) if i != position)
        assuming = None if sure else Assumption(AssumptionKind.PATH_TAKEN, "this path is taken")
        interp.emit(EventKind.DONATED, span, "twice", detail=detail, entry=entry, assuming=assuming)


def _objects(value: Value) -> tuple[Value, ...]:
    """The values that an argument may be."""
    return value.parts if isinstance(value, OneOfArguments) else alternatives(value)
