"""Donation (`donate_argnums`): the buffers that a jitted call gives away. `machine/buffers.py` sees later uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from jitlint import ir
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.language.signatures import Signature, inspected_signature, option_constants, parameter_index
from jitlint.analysis.machine.buffers import (
    STILL_HELD,
    Donation,
    has_identity,
    is_first_use,
    is_number,
    is_one_object,
    note_donated,
    place_text,
    report,
)
from jitlint.analysis.machine.held_buffers import note_held, note_held_by_name, share
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.values import (
    Array,
    Const,
    Dict,
    ExternalInstance,
    Instance,
    JaxArray,
    Lead,
    OneOfArguments,
    Sequence,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
    as_one_object,
    is_none,
    look,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry
from jitlint.source.places import Span

DONATING: Final = ("donate_argnums", "donate_argnames", "donate")
"""The options that say what a call donates."""


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
    target = target and inspected_signature(interp, target)
    numbers, names = _listed(transformed, "donate_argnums", int), set(_listed(transformed, "donate_argnames", str))
    wanted = {parameter_index(number, target) if target else number for number in numbers if isinstance(number, int)}
    first = _first_of_all(transformed.options.get("donate"))
    if first is not None:
        wanted |= set(range(first, len(args.positional)))
        names |= set(args.keywords)
    returned = result if target else None
    if not wanted and not names:
        return
    for i, value in enumerate(args.positional):
        parameter = target.positional(i) if target else None
        name = parameter.name if parameter else str(i)
        if i in wanted or name in names:
            place = args.spans[i] if i < len(args.spans) else span
            taken = _taken(interp, returned, value, _lead_of(target, parameter), name)
            donation = Donation(name, entry, place, _if_chosen(transformed, taken))
            if _given_twice(interp, value, i, args, donation) or _holds_twice(interp, value, donation):
                _note_each(interp, value, donation)  # it fails: what variables hold afterwards is no further fault
            else:
                _note_all(interp, value, donation)
    for name, value in args.keywords.items():
        if name in names:
            lead = _lead_of(target, target.named(name) if target else None)
            place = args.keyword_spans.get(name, span)
            taken = _if_chosen(transformed, _taken(interp, returned, value, lead, name))
            _note_all(interp, value, Donation(name, entry, place, taken))


def _listed(transformed: Transformed, option: str, kind: type) -> list[object]:
    """What an option lists; where code chooses, as in `(0,) if donates else ()`, what is in any of the tuples."""
    given = transformed.options.get(option)
    parts = alternatives(given.element if isinstance(given, Sequence) else given) if given is not None else ()
    return [each for part in parts for each in option_constants(part, kind) or ()]


def _if_chosen(
    transformed: Transformed, taken: Assumption | Literal[False] | None
) -> Assumption | Literal[False] | None:
    """What it rests on that a buffer is gone: on the choice, too, where code chooses whether it is donated."""
    chosen = any(isinstance(transformed.options.get(option), (Sequence, Union)) for option in DONATING)
    return Assumption(AssumptionKind.OTHER_OPTION, "it is donated") if chosen and taken is None else taken


def _first_of_all(option: Value | None) -> int | None:
    """The position of the first argument that is donated with all that follow, as `donate="all-except-first"` says.

    None if the option is not given. Source: `equinox/_jit.py`, `filter_jit`.
    """
    chosen = option.value if isinstance(option, Const) else None
    return {"all": 0, "warn": 0, "all-except-first": 1, "warn-except-first": 1}.get(chosen) if chosen else None


def _note_all(interp: Interpreter, value: Value, donation: Donation) -> None:
    """Notes that a value is donated, and the variables that hold it."""
    if donation.taken is False:
        return
    _note_each(interp, value, donation)

    def record(held: Value, in_doubt: bool) -> Value:
        copy = _copied(held)
        _note_each(interp, copy, donation, STILL_HELD if in_doubt else None, whole=True)
        return copy

    if isinstance(value, (Dict, Instance, Tuple)) or has_identity(value):
        note_held(interp, value, record)
    elif isinstance(value, Unknown):  # as what a loop binds anew: the variable tells, not the value
        note_held_by_name(interp, interp.module.snippet(donation.span), value, record)


def _copied(value: Value, objects: int = 3) -> Value:
    """The same value, its arrays and containers with identities of their own.

    Args:
        objects: how deep objects within objects are copied; they may hold each other.
    """
    look()
    value = next((part for part in reversed(alternatives(value)) if not is_none(part)), value)  # whichever it is
    if isinstance(value, Tuple):
        return Tuple(tuple([_copied(part, objects) for part in value.elements]), value.cls)
    if isinstance(value, Dict):
        entries = {key: _copied(entry, objects) for key, entry in value.entries.items()}
        return Dict(entries, value.rest.with_new_identity(), value.depth, value.loops, None)
    if isinstance(value, Instance) and objects:
        copy = Instance(value.cls, value.depth, value.loops, value.site, value.guessed)
        for name, part in value.fields.items():
            copy.fields[name] = _copied(part, objects - 1) if isinstance(part, Value) else part
        return copy
    return value.with_new_identity()


def _note_each(
    interp: Interpreter, value: Value, donation: Donation, doubt: Assumption | None = None, *, whole: bool = False
) -> None:
    """Notes that a value is donated, and with an instance of a pytree class all arrays in its fields.

    An instance that stands for any of its class is left out: what it holds belongs to many objects. With `whole`, it
    stands for one object alone, and is noted itself.
    """
    note_donated(interp, value, donation, doubt, whole=whole)
    for view in interp.world.views.get(value.serial, ()) if isinstance(value, Instance) else ():
        note_donated(interp, view, donation, doubt, whole=True)
    if not isinstance(value, Instance) or value.several or interp.unit.assumed_instances.get(value.cls.serial) is value:
        return
    names = leaf_fields(interp, value.cls)
    if names is not None:
        look()
        numbers = {field.name for field in class_facts(interp, value.cls).fields if is_number(field.annotation)}
        for field, part in value.fields.items():
            if isinstance(part, Unknown) and field in numbers:
                continue
            if isinstance(part, Value) and (not names or field in names):
                held = as_one_object(part)
                if held is not part:
                    interp.store.narrow(value, field, held)
                _note_each(interp, held, donation, doubt, whole=whole)


def _lead_of(target: Signature | None, parameter: ir.Parameter | None) -> Lead | None:
    """The leading axis that the body sees of an argument of which nothing is known (`borders.to_traced`)."""
    if target is None or parameter is None:
        return None
    return (target.function.module.name, parameter.span, parameter.name), 0


def _taken(
    interp: Interpreter, result: Value | None, donated: Value, lead: Lead | None, name: str
) -> Assumption | Literal[False] | None:
    """Whether a result takes the buffer of a donated value: None if it does, an assumption if nothing tells.

    Args:
        result: what the function returns; None if it is not of the project.
    """
    fits = [None] if result is None else [_fits(leaf, donated, lead) for leaf in _arrays(interp, result)]
    alike = isinstance(donated, Instance) and result is not None and _holds_one_of(result, donated)
    if True in fits or alike:
        return None
    return Assumption(AssumptionKind.BUFFER_TAKEN, f"a result takes the buffer of `{name}`") if None in fits else False


def _holds_one_of(result: Value, donated: Instance) -> bool:
    """Whether a result is, or holds, an object of a donated object's class."""
    return any(isinstance(leaf, Instance) and leaf.cls is donated.cls for leaf in leaves(result))


def _arrays(interp: Interpreter, value: Value) -> list[Value]:
    """The leaves of a result; of an object of a pytree class, those of its fields."""
    found: list[Value] = []
    for leaf in leaves(value):
        fields = (
            list(leaf.fields.values())
            if isinstance(leaf, Instance) and leaf_fields(interp, leaf.cls) is not None
            else []
        )
        found += [part for field in fields if isinstance(field, Value) for part in leaves(field)] or [leaf]
    return found


def _fits(leaf: Value, donated: Value, lead: Lead | None) -> bool | None:
    """Whether a part of a result has the size of what is donated; None if nothing tells.

    Numbers, such as a loss alone, take the buffer of a number only.
    """
    if isinstance(donated, Array) and donated.rank == 0:
        return True
    if isinstance(leaf, Const) or (isinstance(leaf, Array) and leaf.rank == 0):
        return False
    if isinstance(leaf, Instance):
        return True if isinstance(donated, Instance) and donated.cls is leaf.cls else None
    if isinstance(donated, Instance) and isinstance(leaf, Traced) and (not leaf.tree or not _may_come_from(leaf, lead)):
        return None  # an array may have the size of one in the object
    if isinstance(donated, Instance) and isinstance(leaf, ExternalInstance):
        held = donated.fields.values()
        return True if any(isinstance(part, ExternalInstance) and part.of == leaf.of for part in held) else None
    if isinstance(leaf, Traced) and leaf.tree and isinstance(donated, Unknown) and leaf.lead not in (None, lead):
        return None
    if isinstance(donated, Unknown) and isinstance(leaf, Traced) and not leaf.tree and lead is not None:
        return True if _may_come_from(leaf, lead) else None  # what is computed of another argument has that one's size
    return None if isinstance(leaf, Unknown) else True


def _may_come_from(leaf: Traced, lead: Lead | None) -> bool:
    """Whether a part of a result is computed of the argument that has a leading axis, as far as is known."""
    of = lead[0] if lead is not None else None
    start = leaf.flow.start
    return not isinstance(of, tuple) or (start.module.name, start.span) == of[:2]


def _given_twice(interp: Interpreter, value: Value, position: int, args: Args, donation: Donation) -> bool:
    """Whether a call gets the same buffer as a donated argument and as another one, which is an event."""
    others = [part for i, other in enumerate(args.positional) if i != position for part in _objects(other)]
    twice = has_identity(value) and any(part is value for part in others)
    names = [interp.module.snippet(place) for place in args.spans[: len(args.positional)]]
    if not twice and position < len(names):
        twice = any(share(interp, names[position], name) for i, name in enumerate(names) if i != position)
    where = place_text(interp, donation.span)
    twice = twice and donation.taken is not False
    if twice and is_first_use(interp, (where, id(value)), donation.span):
        sure = any(value in alternatives(other) for i, other in enumerate(args.positional) if i != position)
        assuming = None if sure else Assumption(AssumptionKind.PATH_TAKEN, "this path is taken")
        report(interp, donation, "twice", where, interp.site(donation.span), None, assuming)
    return twice


def _holds_twice(interp: Interpreter, value: Value, donation: Donation) -> bool:
    """Whether a donated argument holds the same buffer in two places, which is an event: `State(params, params)`."""
    if donation.taken is False:
        return False
    seen: dict[int, str] = {}
    for path, part in _parts(interp, value, ""):
        first = seen.setdefault(id(part), path)
        if first != path:
            where = place_text(interp, donation.span)
            if is_first_use(interp, (where, id(part)), donation.span):
                array = isinstance(part, JaxArray) or not isinstance(part, Unknown)
                text = f"`{path}` is an array, or holds one"
                assuming = None if array else Assumption(AssumptionKind.IS_ARRAY, text)
                detail = {"places": f"`{first}` and `{path}`"}
                report(interp, donation, "shared", where, interp.site(donation.span), None, assuming, detail=detail)
            return True
    return False


def _parts(interp: Interpreter, value: Value, path: str, depth: int = 3) -> Iterator[tuple[str, Value]]:
    """The arrays in a pytree, and the containers that hold some, each with its path and before what it holds."""
    look()
    if isinstance(value, JaxArray) or (isinstance(value, Unknown) and has_identity(value)):
        yield path, value
    elif depth and isinstance(value, (Dict, Tuple, Instance)):
        held = [
            part
            for name, entry in _entries(interp, value)
            for part in _parts(interp, entry, f"{path}.{name}".removeprefix("."), depth - 1)
        ]
        if held and path and is_one_object(value):
            yield path, value
        yield from held


def _entries(interp: Interpreter, value: Dict | Tuple | Instance) -> list[tuple[str, Value]]:
    """What a pytree holds, by name."""
    if isinstance(value, Dict):
        return [(str(key), entry) for key, entry in value.entries.items()]
    if isinstance(value, Tuple):
        names = [field.name for field in class_facts(interp, value.cls).fields] if value.cls is not None else []
        return [(names[i] if i < len(names) else str(i), part) for i, part in enumerate(value.elements)]
    fields = leaf_fields(interp, value.cls)
    if fields is None or value.several:
        return []
    return [
        (name, part)
        for name, part in value.fields.items()
        if isinstance(part, Value) and (not fields or name in fields)
    ]


def _objects(value: Value) -> tuple[Value, ...]:
    """The values that an argument may be."""
    return value.parts if isinstance(value, OneOfArguments) else alternatives(value)
