"""Tuples, lists, dicts, slices and iterators."""

from __future__ import annotations

from typing import Any, Final, overload

from jitlint.analysis.values.base import INT, MAX_NESTING, NEVER, UNKNOWN, Const, Value, deepest_nesting
from jitlint.analysis.values.objects import Class, HeapObject, Site


def with_new_identity(value: Value) -> Value:
    """What another call gives: the same in kind, but arrays of its own (which can be donated once each)."""
    if isinstance(value, Tuple):
        return Tuple(tuple(map(with_new_identity, value.elements)), value.cls)
    return value.with_new_identity()


class Tuple(Value):
    """A tuple of known length; `cls` is its NamedTuple class, if it has one.

    `nesting` counts the tuples in tuples. Parts may be shared, so that walking them as trees grows with its power:
    what is nested deeper than MAX_NESTING is not known.
    """

    __slots__ = ("elements", "cls", "nesting")

    def __init__(self, elements: tuple[Value, ...], cls: Class | None = None) -> None:
        self.nesting = 1 + deepest_nesting(elements)
        self.elements = elements if self.nesting <= MAX_NESTING else (UNKNOWN,) * len(elements)
        self.cls = cls

    def __repr__(self) -> str:
        return f"Tuple{self.elements}"


class DictView(Tuple):
    """A dict's items, keys or values, of known length."""

    __slots__ = ()


class Sequence(Value):
    """An immutable sequence of unknown length: `kind` is tuple, range, or a view; `element` is the join of all."""

    __slots__ = ("kind", "element")

    def __init__(self, kind: str, element: Value) -> None:
        self.kind = kind
        self.element = element

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return 1 + self.element.nesting

    def __repr__(self) -> str:
        return f"{self.kind}[{self.element}…]"


SHAPE: Final = Sequence("tuple", INT)


class Slice(Value):
    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Value, ...]) -> None:
        self.bounds = bounds


class List(HeapObject):
    """A list, set or deque (`kind`). fields: `content` is a Tuple (length known) or a Sequence (unknown)."""

    __slots__ = ("kind",)

    def __init__(
        self, kind: str, content: Tuple | Sequence, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        super().__init__({"content": content}, depth, loops, site)
        self.kind = kind

    @property
    def content(self) -> Value:
        value: Value = self.fields["content"]
        return value

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return 1 + self.content.nesting


@overload
def content_of(value: Value) -> Value: ...


@overload
def content_of(value: Value | None) -> Value | None: ...


def content_of(value: Value | None) -> Value | None:
    """The elements of a list; of any other value, the value itself."""
    return value.content if isinstance(value, List) else value


class Dict(HeapObject):
    """A dict. `factory` makes the values of missing keys, if any."""

    __slots__ = ("nesting", "factory")

    def __init__(
        self, entries: dict[Any, Value], rest: Value, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        self.nesting = 1 + deepest_nesting(entries.values())
        if self.nesting > MAX_NESTING:
            entries = dict.fromkeys(entries, UNKNOWN)
        super().__init__({"entries": entries, "rest": rest, "keys": NEVER}, depth, loops, site)
        self.factory: Value | None = None

    @property
    def entries(self) -> dict[Any, Value]:
        """The values of known keys."""
        found: dict[Any, Value] = self.fields["entries"]
        return found

    @property
    def rest(self) -> Value:
        """The join of the values under keys that are not known; Never if there are none."""
        found: Value = self.fields["rest"]
        return found

    @property
    def unknown_keys(self) -> Value:
        """The join of those keys."""
        found: Value = self.fields["keys"]
        return found


class Iterator(HeapObject):
    """An iterator: `kind` is generator, iter, zip, map, filter, enumerate, reversed, file …; `element` what it yields.
    fields: `used` once something took from it, `taken` how many of `items` are gone."""

    __slots__ = ("kind", "element", "items")

    def __init__(
        self,
        kind: str,
        element: Value,
        depth: int,
        loops: tuple[int, ...],
        site: Site,
        items: tuple[Value, ...] | None = None,
    ) -> None:
        super().__init__({"used": False, "taken": Const(0)}, depth, loops, site)
        self.kind = kind
        self.element = element
        self.items = items
