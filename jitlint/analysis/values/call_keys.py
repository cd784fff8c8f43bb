"""Keys of values: calls are remembered by the keys of their arguments, and loops end when no key changes any more.

Two values with the same key give the same result when they are passed to a function. An object that can change has its
present content for a key. So that keys take little memory, each content gets a number when it is first seen, and what
holds it refers to it by that number: arguments share most of their content from call to call.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from jitlint.analysis.values.arrays import (
    Array,
    Dtype,
    HostArray,
    JaxArray,
    LoopCounter,
    ResizedInLoop,
    Rounds,
    Traced,
    TracerText,
    TreeStructure,
)
from jitlint.analysis.values.base import (
    Const,
    OneOfArguments,
    Parsed,
    Present,
    Static,
    Union,
    Unknown,
    UnknownArgument,
    Value,
)
from jitlint.analysis.values.callables import BoundMethod, Function, Partial, Transformed
from jitlint.analysis.values.containers import Dict, DictView, GrowingSequence, Iterator, List, Sequence, Slice, Tuple
from jitlint.analysis.values.objects import Class, Frame, Instance, object_writes
from jitlint.analysis.values.outside import AtIndexer, External, ExternalInstance, Member, Method, ModuleValue

KEY_DEPTH: Final = 6
"""Lists, dicts and instances that are nested deeper have their identity for a key, not their content."""

MAX_KEY_PARTS: Final = 1_000
"""Once a key has this many parts, further objects in it have their identity for a key, too."""


class CallKeys:
    """Makes the keys of one unit."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        """The number of each content."""
        self._parts = 0
        """How many parts the key that is being made has so far."""
        self._known: dict[tuple[int, int], tuple[Hashable, int, Instance]] = {}
        """By the identity of an instance and the depth: its key, how many parts that has, and the instance."""
        self._known_at = -1
        """How many writes there were when they were made (`object_writes`)."""

    def of(self, value: Value) -> Hashable:
        """The key of a value."""
        self._parts = 0
        return self.part(value, KEY_DEPTH)

    def part(self, value: Value, depth: int) -> Hashable:
        """The key of a part of the value; `depth` says how deep objects within are still told apart by content."""
        make_key = KEY_MAKERS.get(type(value))
        return type(value).__name__ if make_key is None else make_key(value, depth, self)

    def parts(self, values: Iterable[Value], depth: int) -> tuple[Hashable, ...]:
        """The keys of several parts."""
        return tuple([self.part(value, depth) for value in values])

    def goes_into(self, count: int, depth: int) -> bool:
        """Whether an object with `count` parts has its content for a key; counts them."""
        if depth <= 0 or self._parts > MAX_KEY_PARTS:
            return False
        self._parts += count + 1
        return True

    def of_instance(self, value: Instance, depth: int) -> Hashable:
        """The key of an instance by its fields. It is made once, as long as no object changes."""
        if self._known_at != object_writes[0]:
            self._known.clear()
            self._known_at = object_writes[0]
        known = self._known.get((id(value), depth))
        if known is not None and self._parts + known[1] <= MAX_KEY_PARTS:
            self._parts += known[1]
            return known[0]
        before, fields = self._parts, value.fields
        if not self.goes_into(len(fields), depth):
            return ("instance", value.serial)
        names = self.number(("names", *fields))
        key = self.number(("instance", value.cls.serial, value.depth, names, *self.parts(fields.values(), depth - 1)))
        if self._parts <= MAX_KEY_PARTS:
            self._known[id(value), depth] = (key, self._parts - before, value)
        return key

    def number(self, content: Hashable) -> int:
        """The number that stands for a content. Only numbers are ints: the keys of leaves are text and tuples."""
        return self._numbers.setdefault(content, len(self._numbers))


def _of_const(value: Const, depth: int, keys: CallKeys) -> Hashable:
    constant = value.value
    kind = type(constant)
    return (kind.__name__, constant if kind.__hash__ is not None else id(constant), value.option)


def _of_traced(value: Traced, depth: int, keys: CallKeys) -> Hashable:
    """The flow is left out, so that a body runs once for tracers from many places: findings show the first one's."""
    outer = value.outer
    return (
        "traced",
        value.depth,
        value.tree,
        value.container,
        value.rank,
        value.lead,
        None if value.whole is None else value.whole[1],
        value.dtype,
        value.mixed,
        value.concrete,
        value.from_shape,
        value.weak,
        value.exact,
        value.axes,
        bool(value.param),
        (outer.depth, outer.concrete) if outer is not None else None,
    )


def _joined(array: JaxArray) -> Hashable:
    """Another shape in each round of a loop, or how often an array was joined with others."""
    if array.whole is None:
        return None
    symbol, times = array.whole
    return symbol if isinstance(symbol, Rounds) else times


def _of_elements(kind: str) -> Callable[[Any, int, CallKeys], Hashable]:
    """Makes the keys of tuples, or of views of dicts."""

    def of_elements(value: Tuple, depth: int, keys: CallKeys) -> Hashable:
        return keys.number((kind, *keys.parts(value.elements, depth - 1)))

    return of_elements


def _of_list(value: List, depth: int, keys: CallKeys) -> Hashable:
    content = value.content
    if not keys.goes_into(len(content.elements) if isinstance(content, Tuple) else 1, depth):
        return ("list", value.serial)
    return keys.number(("list", value.kind, value.depth, keys.part(content, depth - 1)))


def _of_dict(value: Dict, depth: int, keys: CallKeys) -> Hashable:
    entries = value.entries
    if not keys.goes_into(len(entries) + len(value.maybe or ()), depth):
        return ("dict", value.serial)
    unsure = [name for name in entries if name in value.unsure]
    names = keys.number(("names", *entries, *([("unsure", *unsure)] if unsure else ())))
    rest = keys.part(value.rest, depth - 1)
    maybe = value.maybe or {}
    further = keys.number(("maybe", *maybe)), *keys.parts(maybe.values(), depth - 1)
    return keys.number(("dict", value.depth, names, *keys.parts(entries.values(), depth - 1), rest, further))


def _of_instance(value: Instance, depth: int, keys: CallKeys) -> Hashable:
    if value.guessed:
        following = [(name, keys.part(each, 0)) for name, each in value.fields.items() if _follows_loop(each)]
        return ("instance", value.cls.serial, value.depth, *following)
    return keys.of_instance(value, depth)


def _follows_loop(value: object) -> bool:
    """Whether a value is a number, or an array of a length, that differs from round to round of a loop."""
    lead = value.lead if isinstance(value, Array) else None
    return isinstance(value, LoopCounter) or (lead is not None and isinstance(lead[0], Rounds))


def _of_library_object(value: ExternalInstance, depth: int, keys: CallKeys) -> Hashable:
    held: tuple[Hashable, ...] = ()
    if keys.goes_into(len(value.arguments) + len(value.keywords), depth):
        put_in = () if value.attributes is None else (value.attributes,)
        held = keys.parts((*value.arguments, *value.keywords.values(), *put_in), depth - 1)
    return keys.number(("external-instance", value.of, value.depth, *held))


def _of_function(value: Function, depth: int, keys: CallKeys) -> Hashable:
    defaults = keys.parts(value.defaults.values(), depth - 1) if depth > 0 else ()
    return ("function", id(value.code), value.closure.serial, defaults, bool(value.loops))


def _of_partial(value: Partial, depth: int, keys: CallKeys) -> Hashable:
    names = tuple(value.keywords)
    bound = keys.parts((*value.positional, *value.keywords.values()), depth - 1) if depth > 0 else ()
    return keys.number(("partial", keys.part(value.function, depth), names, *bound))


def _of_iterator(value: Iterator, depth: int, keys: CallKeys) -> Hashable:
    if not keys.goes_into(1, depth):
        return ("iterator", value.serial)
    return ("iterator", value.kind, value.depth, keys.part(value.element, depth - 1))


KEY_MAKERS: Final[dict[type, Callable[[Any, int, CallKeys], Hashable]]] = {
    Unknown: lambda value, depth, keys: "unknown",
    Present: lambda value, depth, keys: "present",
    Parsed: lambda value, depth, keys: ("parsed", keys.parts(value.sections, depth - 1)),
    OneOfArguments: lambda value, depth, keys: "present" if value.present else "unknown",
    UnknownArgument: lambda value, depth, keys: ("outside", value.used, value.present),
    Const: _of_const,
    Static: lambda value, depth, keys: ("static", value.kind),
    Dtype: lambda value, depth, keys: ("dtype", value.dtype, value.exact),
    TreeStructure: lambda value, depth, keys: ("structure", keys.part(value.tree, depth - 1)),
    TracerText: lambda value, depth, keys: ("static", "str", "traced"),
    LoopCounter: lambda value, depth, keys: ("counter", value.rounds, value.kind),
    ResizedInLoop: lambda value, depth, keys: ("resized", value.rounds),
    Traced: _of_traced,
    JaxArray: lambda value, depth, keys: (
        "jax",
        value.dtype,
        value.rank,
        value.weak,
        value.lead,
        value.exact,
        value.mixed,
        value.least,
        _joined(value),
    ),
    HostArray: lambda value, depth, keys: (
        "host",
        value.dtype,
        value.rank,
        value.lead,
        value.exact,
        value.mixed,
        value.series,
    ),
    DictView: _of_elements("view"),
    Tuple: _of_elements("tuple"),
    Sequence: lambda value, depth, keys: ("sequence", value.kind, value.least, keys.part(value.element, depth - 1)),
    GrowingSequence: lambda value, depth, keys: ("growing", value.loop, keys.part(value.element, depth - 1)),
    Slice: lambda value, depth, keys: ("slice", keys.parts(value.bounds, depth - 1)),
    Union: lambda value, depth, keys: ("union", keys.parts(value.alternatives, depth)),
    External: lambda value, depth, keys: ("external", value.name),
    ExternalInstance: _of_library_object,
    Member: lambda value, depth, keys: ("member", value.cls.serial, value.name),
    ModuleValue: lambda value, depth, keys: ("module", value.module.name),
    Function: _of_function,
    BoundMethod: lambda value, depth, keys: (
        "bound",
        keys.part(value.function, depth),
        keys.part(value.receiver, depth - 1),
    ),
    Partial: _of_partial,
    Transformed: lambda value, depth, keys: (
        "transformed",
        value.transform.name,
        keys.part(value.function, depth),
        value.site,
    ),
    Method: lambda value, depth, keys: ("method", value.name, keys.part(value.receiver, depth - 1)),
    AtIndexer: lambda value, depth, keys: ("at", value.indexed, keys.part(value.array, depth - 1)),
    List: _of_list,
    Dict: _of_dict,
    Instance: _of_instance,
    Iterator: _of_iterator,
    Frame: lambda value, depth, keys: ("frame", value.serial),
    Class: lambda value, depth, keys: ("class", value.serial),
}
"""The key of a value of exactly this type. Without an entry, the type's name is the key, so that all are the same."""
