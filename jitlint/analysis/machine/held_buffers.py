"""Places that hold what was donated: on paths that bind them anew they do not, on the others they still do.

A place is a variable, an attribute of an object, or what a list holds. Joining two paths makes one value of what a
place holds on each, so that values do not tell. What a place has held since it was donated is therefore noted for the
place; and which places hold the same object, from the moment when one of them gets it from the other:
`self.best = state.params`. buffers.py has the records of the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from jitlint.analysis.machine.buffers import has_identity, in_doubt, is_donated, is_one_object, note_element
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.store import Deed
from jitlint.analysis.values import (
    Dict,
    Frame,
    HeapObject,
    Instance,
    List,
    Tuple,
    Value,
    look,
)

Place = tuple[HeapObject, str]
"""A frame and a variable, an object and an attribute, or a list and "content"."""

_CONTENT: Final = "content"
"""What a list holds, as a place."""

_MANY: Final = 100
"""So many variables are those of a large module: each that is bound would be compared with all others."""

_PARTS: Final = 40
"""What has more parts is a table of constants, or the like."""

_DEPTH: Final = 2
"""So deep parts within parts are compared: `trainer.state.params`, where `trainer.state` is a place itself."""

_CALLERS: Final = 6
"""In so many of the functions that wait for the running one, variables are compared with what is bound."""


@dataclass(frozen=True, slots=True)
class Held(Deed):
    """What a place has held since it was donated: `best = state` still names it when `state` is bound anew."""

    value: Value | None
    """What was donated, each array of it in doubt (`AssumptionKind.STILL_HELD`); None if it is bound anew since."""
    on_some_paths: bool = False
    """Whether other paths bind it anew."""
    surely: Value | None = None
    """The same without doubt; None if other paths bind it anew."""

    @property
    def sure(self) -> bool:
        return not self.on_some_paths

    def in_doubt(self) -> Held:
        return self

    def joined(self, deeds: list[Deed], everywhere: bool) -> Held:
        held = [deed for deed in deeds if isinstance(deed, Held) and deed.value is not None]
        if not held or len(held) == len(deeds):
            return held[0] if held else self
        return Held(held[0].value, on_some_paths=True)


@dataclass(frozen=True, slots=True)
class Shared(Deed):
    """What a place shares with others on some path, since one of them was bound."""

    takes: frozenset[Place]
    """Those that hold the same object, or a part of it: they lose their arrays with it."""
    goes_with: frozenset[Place]
    """Those that hold the same object, or one that it is a part of."""

    @property
    def sure(self) -> bool:
        return True

    def in_doubt(self) -> Shared:
        return self

    def joined(self, deeds: list[Deed], everywhere: bool) -> Shared:
        shared = [deed for deed in deeds if isinstance(deed, Shared)]
        return Shared(
            frozenset().union(*(deed.takes for deed in shared)),
            frozenset().union(*(deed.goes_with for deed in shared)),
        )


_NOTHING = Shared(frozenset(), frozenset())


Recorder = Callable[[Value, bool], Value]
"""Makes a value with arrays of its own, which are noted as donated: in doubt, or for sure."""


def note_held(interp: Interpreter, value: Value, record: Recorder) -> None:
    """Notes the places that hold a value that a call donates.

    Args:
        interp: where it is called.
        value: what is donated.
        record: makes what the places hold.
    """
    _note_places(interp, [place for place, held in _places(interp, _CALLERS) if held is value], value, record)


def note_held_by_name(interp: Interpreter, name: str, value: Value, record: Recorder) -> None:
    """Notes the places that hold what a variable of the running function holds, which a call donates.

    Args:
        name: how the argument is written; nothing is noted if that is no variable.
        value: what it holds, which does not tell which object it is.
        record: as for `note_held`.
    """
    frame = interp.frame.home
    if frame.fields.get(name) is value:
        _note_places(interp, [(frame, name)], value, record)


def share(interp: Interpreter, name: str, other: str) -> bool:
    """Whether two variables of the running function hold the same, or one a part of the other's, on some path."""
    frame = interp.frame.home
    shared = _shared(interp, (frame, name))
    return (frame, other) in shared.takes | shared.goes_with


def _note_places(interp: Interpreter, places: list[Place], value: Value, record: Recorder) -> None:
    """Notes of places, and of all that share what they hold, that they hold what was donated."""
    buffers = interp.world.buffers
    donated = record(value, True)
    held_for_sure = Held(donated, surely=record(value, False) if _is_frozen(interp, value) else None)
    for holder, name in places:
        interp.store.set(buffers, (holder.serial, name), held_for_sure)
    taken = {other for place in places for other in _shared(interp, place).takes}
    for holder, name in sorted(taken.difference(places), key=lambda place: (place[0].serial, place[1])):
        held = holder.fields.get(name)
        if isinstance(holder, List):
            note_element(interp, holder, donated)
        elif isinstance(held, Value):
            interp.store.set(buffers, (holder.serial, name), Held(record(held, True), on_some_paths=True))


def note_bound(interp: Interpreter, holder: HeapObject, name: str, value: Value) -> None:
    """Notes that a place is bound anew: it does not hold what was donated any more, and shares what others hold.

    What a call gives is taken for a new object, unless it gives what the place holds already.
    """
    buffers, place = interp.world.buffers, (holder, name)
    same = holder.fields.get(name) is value
    if same and is_one_object(value):
        return
    if is_donated(interp, value):  # joined with what it is on another path, it would not tell any more
        interp.store.set(buffers, (holder.serial, name), Held(in_doubt(interp, value), on_some_paths=True))
    elif (holder.serial, name) in buffers.fields:
        interp.store.set(buffers, (holder.serial, name), Held(None))
    if same and isinstance(value, Instance):  # on one of several paths
        return
    if _is_changed_copy(interp, holder.fields.get(name), value):  # what it shares, it still does for the most part
        return
    shared = _shared(interp, place)
    if shared is not _NOTHING:
        for other in shared.takes:
            both = _shared(interp, other)
            _set_shared(interp, other, Shared(both.takes, both.goes_with - {place}))
        for other in shared.goes_with:
            both = _shared(interp, other)
            _set_shared(interp, other, Shared(both.takes - {place}, both.goes_with))
        interp.store.remove(interp.world.shares, (holder.serial, name))
    if interp.path.passes_on or isinstance(value, Instance):
        _share(interp, place, value)


def note_added(interp: Interpreter, holder: List, value: Value) -> None:
    """Notes that a list holds a further value. One that this round of a loop, or this run of a function, has made tells
    for itself.
    """
    if holder.serial < interp.frame.home.serial or len(holder.loops) < len(interp.loops):
        _share(interp, (holder, _CONTENT), value)


def still_held(interp: Interpreter, holder: HeapObject, name: str, value: Value) -> Value:
    """What a place holds; where it still holds what was donated and the value does not tell, that.

    An object that stands for several, as one that each round of a loop makes, is no one place.
    """
    if isinstance(holder, Instance) and holder.several:
        return value
    held = interp.world.buffers.fields.get((holder.serial, name))
    if not isinstance(held, Held) or held.value is None or is_donated(interp, value):
        return value
    if isinstance(value, Instance):
        return held.value if held.surely is None or value.several else held.surely
    return held.value if held.on_some_paths else value


def _is_frozen(interp: Interpreter, value: Value) -> bool:
    """Whether a value is an object that no code changes, so that a copy can stand for it."""
    known = interp.world.class_facts.get(value.cls) if isinstance(value, Instance) else None
    return known is not None and known.frozen


def _share(interp: Interpreter, place: Place, value: Value) -> None:
    """Notes the places that hold a value, or a part of it, or of what they hold a part."""
    if not _may_be_donated(interp, value):
        return
    origin = interp.root_run.copies.get(id(value), (value, value))[1]
    callers = 0 if isinstance(place[0], Frame) else _CALLERS  # a variable of a function ends with it
    for other, held in _places(interp, callers):
        if other == place:
            continue
        if held is value or (_may_be_donated(interp, held) and _holds(interp, value, held, held)):
            _link(interp, place, other)
        if held is value or _holds(interp, held, value, origin) or _holds_all(interp, held, value):
            _link(interp, other, place)


def _may_be_donated(interp: Interpreter, value: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is an array, or a pytree that holds one, as far as the analysis knows."""
    if not isinstance(value, (Dict, Instance, Tuple)):
        return has_identity(value)
    return depth > 0 and any(_may_be_donated(interp, part, depth - 1) for part in _parts(interp, value))


def _holds(interp: Interpreter, whole: Value, value: Value, origin: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is a part of a pytree: the value itself, or what it is a copy of."""
    for part in _parts(interp, whole):
        if part is value or part is origin or (depth > 1 and _holds(interp, part, value, origin, depth - 1)):
            return True
    return False


def _holds_all(interp: Interpreter, whole: Value, value: Value, depth: int = _DEPTH) -> bool:
    """Whether all arrays in a dict or tuple are parts of a pytree: `(score, {"params": state.params})`."""
    if depth == 0 or not isinstance(value, (Dict, Tuple)):
        return False
    copies = interp.root_run.copies
    parts = [part for part in _parts(interp, value) if _may_be_donated(interp, part)]
    return bool(parts) and all(
        part is whole
        or _holds(interp, whole, part, copies.get(id(part), (part, part))[1])
        or _holds_all(interp, whole, part, depth - 1)
        for part in parts
    )


def _is_changed_copy(interp: Interpreter, one: object, other: Value) -> bool:
    """Whether two objects of a class share most of what they hold, as `state.replace(step=0)` does with `state`."""
    if not isinstance(one, Instance) or not isinstance(other, Instance) or one.cls is not other.cls:
        return False
    parts = [part for part in _parts(interp, other) if _may_be_donated(interp, part)]
    held = {id(part) for part in _parts(interp, one)}
    return 2 * sum(id(part) in held for part in parts) > len(parts)


def _link(interp: Interpreter, whole: Place, part: Place) -> None:
    """Notes that the second place holds what the first one holds, or a part of it."""
    shared = _shared(interp, whole)
    _set_shared(interp, whole, Shared(shared.takes | {part}, shared.goes_with))
    shared = _shared(interp, part)
    _set_shared(interp, part, Shared(shared.takes, shared.goes_with | {whole}))


def _shared(interp: Interpreter, place: Place) -> Shared:
    """What a place shares with others."""
    shared = interp.world.shares.fields.get((place[0].serial, place[1]))
    return shared if isinstance(shared, Shared) else _NOTHING


def _set_shared(interp: Interpreter, place: Place, shared: Shared) -> None:
    """Writes what a place shares: no effect of the code, so that the results of calls are remembered all the same."""
    interp.store.narrow(interp.world.shares, (place[0].serial, place[1]), shared)


def _places(interp: Interpreter, callers: int) -> Iterator[tuple[Place, Value]]:
    """The variables of the running function and of some that wait for it, and the attributes of what they hold."""
    seen: set[int] = set()
    for frame in interp.path.frames[: -callers - 2 : -1]:
        frame = frame.home
        if frame.serial in seen or len(frame.fields) > _MANY:
            continue
        seen.add(frame.serial)
        for name, held in list(frame.fields.items()):
            if not isinstance(held, Value):
                continue
            yield (frame, name), held
            if isinstance(held, Instance) and not held.several and held.serial not in seen:
                seen.add(held.serial)
                look()
                for attribute, value in list(held.fields.items()):
                    if isinstance(value, Value):
                        yield (held, attribute), value


def _parts(interp: Interpreter, value: Value) -> Collection[Value]:
    """The elements of a tuple, the entries of a dict, the attributes of an object of a pytree class."""
    if isinstance(value, Tuple):
        return value.elements if len(value.elements) <= _PARTS else ()
    if isinstance(value, Dict):
        return value.entries.values() if len(value.entries) <= _PARTS else ()
    if not isinstance(value, Instance):
        return ()
    known = interp.world.class_facts.get(value.cls)
    if known is None or not known.pytree or len(value.fields) > _PARTS:
        return ()
    held = [part for name, part in value.fields.items() if name not in known.without_buffers]
    return [part for part in held if isinstance(part, Value)]
