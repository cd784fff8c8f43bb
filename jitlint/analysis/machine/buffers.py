"""Donated buffers, and their use afterwards: JAX deletes an array that was donated, so a later use fails.

An abstract array says nothing of which array of the program it is. But as long as code only passes a value on, it stays
the same Python object: that object is remembered as donated. The store holds the record, so that branches and loops
see donations in the order in which they happen.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.store import Change, Deed
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Dict,
    Frame,
    Instance,
    Iterator,
    JaxArray,
    List,
    OneOfArguments,
    Parsed,
    Site,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, with_new_identity
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives, join
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, EventKind, Root
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class Donation:
    """What a call donates, and where."""

    parameter: str
    """The parameter that it is passed to."""
    entry: Entry
    """Where the transform that donates was applied."""
    span: Span
    """Where it is written."""
    taken: Assumption | Literal[False] | None
    """What it rests on that a result takes the buffer; False if none does, so that JAX keeps it."""


@dataclass(frozen=True, slots=True)
class Donated(Deed):
    """The record of one donation."""

    value: Value
    """The donated value. While the record refers to it, no other object can get its `id`."""
    content: tuple[object, ...]
    """What a list or dict held: if it holds something else by now, that was not donated."""
    donation: Donation
    """The call that donates it."""
    place: str
    """Where it was donated, as "path:line"."""
    flow: Flow
    """A flow that begins there."""
    root: Root | None
    """The root that ran: how runs of different roots follow each other is not known."""
    frame: int
    """The frame of the code that donates, by its serial."""
    symbol: str
    """The dotted name of its function."""
    doubt: Assumption | None = None
    """What it rests on that it was donated on the path to here; None if all paths donate it."""

    @property
    def sure(self) -> bool:
        return self.doubt is None

    def in_doubt(self) -> Donated:
        return self if self.doubt else replace(self, doubt=_PATH_DONATES)


_PATH_DONATES = Assumption(AssumptionKind.PATH_DONATES, "a path that donates it is taken")
_HAS_ROUNDS = Assumption(AssumptionKind.MANY_ROUNDS, "the loop has a round")
STILL_HELD = Assumption(AssumptionKind.STILL_HELD, "the path is taken on which it is not bound anew")


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
        return value is not UNKNOWN and not isinstance(value, (OneOfArguments, Parsed))
    if isinstance(value, (Dict, List)):
        return not value.several
    if isinstance(value, Union):  # whichever of them it is, a variable that holds it still holds the same one
        return all(isinstance(part, (Dict, List, JaxArray)) for part in value.alternatives)
    return isinstance(value, JaxArray) or (isinstance(value, Tuple) and bool(value.elements))


def is_one_object(value: Value) -> bool:
    """As `has_identity`, for instances, too: whether one was not joined with others."""
    return not value.several if isinstance(value, Instance) else has_identity(value)


def is_number(annotation: ir.Expr | None) -> bool:
    """Whether a field is declared to hold a Python number, which has no buffer that a call could take."""
    return isinstance(annotation, ir.Name) and annotation.name in ("bool", "int", "float")


def note_donated(
    interp: Interpreter, value: Value, donation: Donation, doubt: Assumption | None, *, whole: bool = False
) -> None:
    """Records that a call donates a value, with all arrays in it; what that rests on, `doubt` says.

    With `whole`, an object is recorded itself: its arrays may lie in a library's objects, as those of `eqx.nn.MLP` do.
    """
    flow = interp.source(donation.span, f"donated here, as `{donation.parameter}`", "")
    place = place_text(interp, donation.span)
    root, frame, symbol = interp.root_run.root, interp.frame.serial, interp.symbol()
    for part in (value, *parts_of(value)):
        if has_identity(part) or (whole and part is value and isinstance(part, Instance)):
            record = Donated(part, content_when_donated(part), donation, place, flow, root, frame, symbol, doubt)
            interp.store.set(interp.world.buffers, id(part), record)
            _note_holders(interp, record)


def _note_holders(interp: Interpreter, record: Donated) -> None:
    """Notes the lists of the running function, and of its objects, that hold what was donated: `states.append(state)`,
    `step(state)`.
    """
    variables = list(interp.frame.fields.values())
    for holder in (*variables, *(part for value in variables for part in _fields(value))):
        if isinstance(holder, List) and any(part is record.value for part in _elements(holder)):
            interp.store.set(interp.world.buffers, ("held", id(holder)), replace(record, value=holder, content=()))


def note_element(interp: Interpreter, holder: List, element: Value) -> None:
    """Notes that one of those that a list holds was donated: `element`, or what has its record."""
    records = [interp.world.buffers.fields.get(id(part)) for part in (element, *parts_of(element))]
    record = next((record for record in records if isinstance(record, Donated)), None)
    if record is not None:
        interp.store.set(interp.world.buffers, ("held", id(holder)), replace(record, value=holder, content=()))


def _elements(holder: List) -> tuple[Value, ...]:
    """What a list certainly holds."""
    content = holder.content
    return content.elements if isinstance(content, Tuple) else ()


def another(interp: Interpreter, value: Value) -> Value:
    """One more of the objects that a value stands for: nothing has donated it yet.

    Each `next` of an iterator gives another one, and so does each call of a function whose result is remembered.
    """
    fresh = with_new_identity(value)
    if interp.world.buffers.fields:
        _hand_on_holders(interp, value, fresh)
        for part in (fresh, *parts_of(fresh)):
            interp.store.remove(interp.world.buffers, id(part))
    return fresh


def _hand_on_holders(interp: Interpreter, value: Value, fresh: Value) -> None:
    """A list that a remembered call gives once more holds what that call has donated once more."""
    for old, new in zip((value, *parts_of(value)), (fresh, *parts_of(fresh)), strict=False):
        record = interp.world.buffers.fields.get(("held", id(old)))
        if isinstance(record, Donated) and isinstance(new, List) and new is not old:
            interp.store.set(interp.world.buffers, ("held", id(new)), replace(record, value=new))


def in_doubt(interp: Interpreter, value: Value) -> Value:
    """What was donated, as a place holds it that other paths bind anew."""
    fresh = with_new_identity(value)
    for old, new in zip((value, *parts_of(value)), (fresh, *parts_of(fresh)), strict=False):
        record = interp.world.buffers.fields.get(id(old))
        if isinstance(record, Donated) and new is not old:
            record = replace(record, value=new, content=content_when_donated(new), doubt=record.doubt or STILL_HELD)
            interp.store.set(interp.world.buffers, id(new), record)
    return fresh


def settle_donations(interp: Interpreter, changes: Collection[Change]) -> None:
    """Takes the donations of a loop's round for sure in what follows: a round that follows comes after this one.

    Args:
        changes: what the round has changed.
    """
    for target, key, record in changes:
        if target is interp.world.buffers and isinstance(record, Donated) and record.sure:
            interp.store.set(target, key, record)
    for target, key, value in changes:
        now = target.fields.get(key)
        record = interp.world.buffers.fields.get(id(value)) if isinstance(value, Value) else None
        if isinstance(now, Value) and now is not value and isinstance(record, Donated) and record.value is value:
            interp.store.set(target, key, _joined_with_donated(interp, now, record))


def suppose_taken(interp: Interpreter, changes: Collection[Change]) -> None:
    """Takes what some rounds of a loop donate for donated: one of them goes the way that does.

    Args:
        changes: what the loop has changed.
    """
    for target, key, record in changes:
        if target is interp.world.buffers and isinstance(record, Donated) and record.doubt is _PATH_DONATES:
            interp.store.set(target, key, replace(record, doubt=_HAS_ROUNDS))


def _joined_with_donated(interp: Interpreter, value: Value, record: Donated) -> Value:
    """What a variable holds after a loop whose rounds leave what they donated in it: `before = state`."""
    given = _unless_none(value)
    fresh = with_new_identity(given)
    if fresh is given or not has_identity(fresh):
        return value
    record = replace(record, value=fresh, content=content_when_donated(fresh), doubt=record.doubt or _HAS_ROUNDS)
    interp.store.set(interp.world.buffers, id(fresh), record)
    return fresh if given is value else join(NONE, fresh)


def one_of(interp: Interpreter, values: Sequence[Value], joined: Value) -> Value:
    """What code chooses of several values: donated if one of them was, and that one is chosen.

    Args:
        interp: where it is chosen.
        values: what each operand gives.
        joined: the join of them.
    """
    records = [record_of(interp, value) for value in values] if interp.world.buffers.fields else []
    known = next(filter(None, records), None)
    if known is None or all(records):
        return joined
    fresh = with_new_identity(joined) if joined is not UNKNOWN else Unknown()
    if has_identity(fresh):
        content = content_when_donated(fresh)
        record = replace(known, value=fresh, content=content, doubt=known.doubt or _PATH_DONATES)
        interp.store.set(interp.world.buffers, id(fresh), record)
    return fresh


def content_when_donated(value: Value) -> tuple[object, ...]:
    """What a list or dict holds now: as it is kept, so that it can be compared by identity."""
    return tuple(value.fields.values()) if isinstance(value, (Dict, List)) else ()


def record_of(interp: Interpreter, value: Value) -> Donated | None:
    """The donation of a value that the running code may come after; None if there was none.

    What may be None as well, as attributes are that get their value later, is no None where its arrays are used.
    """
    value = _unless_none(value)
    record = interp.world.buffers.fields.get(id(value))
    if not isinstance(record, Donated) or not (has_identity(value) or isinstance(value, Instance)):
        return None
    unchanged = all(then is now for then, now in zip(record.content, content_when_donated(value), strict=True))
    return record if unchanged and (of_this_run(interp, record) or _same_object(interp, record)) else None


def is_donated(interp: Interpreter, value: Value) -> bool:
    """Whether a value was donated, as far as it tells for itself, and not on some paths only."""
    record = record_of(interp, value)
    return record is not None and record.doubt is not _PATH_DONATES


def holds_donated(interp: Interpreter, value: Value) -> bool:
    """Whether a value or something in it was ever donated."""
    return any(id(part) in interp.world.buffers.fields for part in (value, *parts_of(value)))


def of_another(interp: Interpreter, value: Value) -> Value:
    """An attribute of an object that stands for several: it may be that of another one than was donated."""
    copy = another(interp, value)
    interp.root_run.copies[id(copy)] = copy, value
    return copy


def _unless_none(value: Value) -> Value:
    """What a value is if it is not None, where that leaves one possibility."""
    given = [part for part in alternatives(value) if not is_none(part)]
    return given[0] if len(given) == 1 else value


def record_of_part(interp: Interpreter, value: Value) -> Donated | None:
    """The donation of something that a list holds, whatever was added to it since; None if there was none."""
    record = interp.world.buffers.fields.get(("held", id(value)))
    if not isinstance(record, Donated) or not isinstance(value, List) or value.several:
        return None
    known = _elements(value)  # each of them tells for itself, unless it stands for several
    tell = bool(known) and not any(isinstance(part, Instance) and part.several for part in known)
    return record if not tell and of_this_run(interp, record) else None


def of_this_run(interp: Interpreter, record: Donated) -> bool:
    """Whether the running code comes after a donation: it is of the same root, or the module's top level donated."""
    return record.root == interp.root_run.root or record.root is None or not record.root.qualname


def _same_object(interp: Interpreter, record: Donated) -> bool:
    """Whether another method of the same class has donated, which may have been called before on the same object.

    Each test gets an object of its own.
    """
    root = interp.root_run.root
    if root is None or record.root is None or root.module != record.root.module:
        return False
    cls, _, method = root.qualname.rpartition(".")
    return cls != "" and cls == record.root.qualname.rpartition(".")[0] and not method.startswith("test")


def parts_of(value: Value) -> list[Value]:
    """What a tuple, list or dict holds, at any depth. A dict that stands for several holds other arrays elsewhere."""
    content = content_of(value)
    if isinstance(value, Dict) and value.several:
        return []
    inner: list[Value] = []
    if isinstance(content, Tuple):
        inner = list(content.elements)
    elif isinstance(content, Dict):
        inner = [*content.entries.values(), *([content.rest] if isinstance(content.rest, JaxArray) else ())]
    return [*inner, *(deeper for part in inner for deeper in parts_of(part))]


def _fields(value: Value) -> list[Value]:
    """What the attributes of one object hold; nothing if it stands for any of its class."""
    if not isinstance(value, Instance) or value.several:
        return []
    return [part for part in value.fields.values() if isinstance(part, Value)]


def check_used(interp: Interpreter, value: Value, span: Span) -> None:
    """Predicts an event if a value whose array is used here was donated before, whichever of its alternatives it is."""
    if interp.trace is not None or not interp.world.buffers.fields:
        return
    parts = alternatives(_unless_none(value))
    if not all(isinstance(part, (JaxArray, Unknown)) for part in parts):
        return
    records = [record_of(interp, part) for part in parts]
    known = [record for record in records if record is not None]
    if len(known) == len(records):
        _report(interp, next((record for record in known if not record.sure), known[0]), span)


def check_passed(interp: Interpreter, args: Args, span: Span) -> None:
    """Predicts an event for each argument of a call that was donated before; for functions that use their arrays."""
    if interp.trace is not None or not interp.world.buffers.fields:
        return
    placed = [(each, args.place(span, i)) for i, each in enumerate(args.positional)]
    for given, place in placed if args.rest is None else [*placed, (args.rest, args.rest_span or span)]:
        value = given.element if isinstance(given, Iterator) else given
        record = record_of(interp, value) or record_of_part(interp, value)
        if record is not None:
            _report(interp, record, place)
        else:
            held = [field for field in _fields(value) if _is_still_held(interp, field)]
            for part in (*parts_of(value), *held):
                check_used(interp, part, place)
                record = record_of(interp, part) if isinstance(part, Instance) else None
                if record is not None:  # an object that is recorded itself: its arrays may lie in a library's objects
                    _report(interp, record, place)


def _is_still_held(interp: Interpreter, value: Value) -> bool:
    """Whether a value is what a variable still holds on some paths.

    What other objects of a class hold may be the same value in the analysis, and another array in the program.
    """
    record = record_of(interp, value)
    return record is not None and record.doubt is not None and record.doubt.kind is AssumptionKind.STILL_HELD


def _report(interp: Interpreter, record: Donated, span: Span) -> None:
    if not is_first_use(interp, (record.place, record.donation.parameter), span):
        return
    flow, call = record.flow, _call_that_uses(interp, record)
    if call is not None:
        flow = flow.then(*call[0], "given to what uses it")
    flow = flow.then(interp.module, span, "used here")
    assuming = record.doubt
    if assuming is None and not of_this_run(interp, record) and record.root is not None:
        assuming = Assumption(AssumptionKind.CALLED_BEFORE, f"`{record.root.qualname}` is called before")
    if call is None:
        report(interp, record.donation, "read", record.place, interp.site(span), flow, assuming)
    else:
        site, symbol = call
        donated = record.flow.start.module.snippet(record.donation.span)
        report(interp, record.donation, "read", record.place, site, flow, assuming, donated, symbol)


def _call_that_uses(interp: Interpreter, record: Donated) -> tuple[Site, str] | None:
    """The call that gives the buffer to what uses it, and the function it stands in: the mistake is in no helper.

    That is the code that has donated; if it does not run any more, the code that calls a method of a donated
    NamedTuple. None if that code uses the buffer itself.
    """
    frames = interp.path.frames
    donating = next((at for at, frame in enumerate(frames) if frame.serial == record.frame), None)
    called = frames[0 if donating is None else donating + 1 :][:1]
    top = interp.world.frames.get(frames[0].called_at[0]) if frames and frames[0].called_at else None
    if donating is not None or (top is not None and top.serial == record.frame):
        symbol = record.symbol
    else:
        methods = itertools.takewhile(lambda frame: _is_method_of(frame, record.value), reversed(frames[1:]))
        called = list(methods)[-1:]
        symbol = interp.symbol(frames[frames.index(called[0]) - 1]) if called else ""
    if not called or called[0].called_at is None or not _is_given(interp, called[0], record.value):
        return None
    return called[0].called_at, symbol


def _is_method_of(frame: Frame, value: Value) -> bool:
    """Whether a running function is a method of a NamedTuple that holds a value."""
    receiver = next(iter(frame.given.values()), None)
    return (
        isinstance(receiver, Tuple) and receiver.cls is not None and any(part is value for part in parts_of(receiver))
    )


def _is_given(interp: Interpreter, frame: Frame, value: Value) -> bool:
    """Whether a running function has got a value as an argument, or in one: a container or a pytree."""
    for given in frame.given.values():
        known = interp.world.class_facts.get(given.cls) if isinstance(given, Instance) else None
        fields = _fields(given) if known is not None and known.pytree else []
        if any(part is value for part in (given, *parts_of(given), *fields)):
            return True
    return False


def report(
    interp: Interpreter,
    donation: Donation,
    construct: str,
    place: str,
    site: Site,
    flow: Flow | None,
    assuming: Assumption | None,
    subject: str | None = None,
    symbol: str | None = None,
    detail: Mapping[str, str] | None = None,
) -> None:
    """Predicts an event: a donated buffer is used again.

    Args:
        construct: how: it is "read" later, given "twice" in one call, or "shared" by two parts of what is donated.
        place: where it was donated, as "path:line"; `flow` begins there.
        site: where it is used.
        assuming: what that rests on, beside what the donation itself does.
        subject: what was donated, as it is written, and `symbol`: the function of `site`, if that is not what runs.
        detail: what else the message says.
    """
    detail = {"parameter": donation.parameter, "donated": place, **(detail or {})}
    taken = donation.taken
    module, span = site
    with interp.assuming(*taken) if taken else contextlib.nullcontext():
        interp.emit(
            EventKind.DONATED,
            span,
            construct,
            flow=flow,
            detail=detail,
            entry=donation.entry,
            assuming=assuming,
            module=module,
            subject=subject,
            symbol=symbol,
        )
