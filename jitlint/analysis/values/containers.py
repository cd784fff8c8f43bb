"""Tuples, lists, sets, dicts, slices and iterators.

Content is known in one of two forms: element by element (Tuple; the `entries` of a Dict), or, where the length or the
keys are not known, as one value that is the join of all elements (Sequence; the `rest` of a Dict).
"""

from __future__ import annotations

from typing import Any, Final, overload

from jitlint.analysis.values.base import INT, MAX_NESTING, NEVER, UNKNOWN, Const, Value, deepest_nesting
from jitlint.analysis.values.objects import Class, HeapObject, Site


def with_new_identity(value: Value) -> Value:
    """The result for a further call that is not run again: arrays are copied, so that each can be donated once."""
    if isinstance(value, Tuple):
        return Tuple(tuple(map(with_new_identity, value.elements)), value.cls)
    return value.with_new_identity()


class Tuple(Value):
    """A tuple of known length.

    Elements that are nested deeper than MAX_NESTING become Unknown. Without that limit, `x = (x, x)` in a loop would
    double the time to walk through `x` with each round.
    """

    __slots__ = ("elements", "cls", "nesting")

    def __init__(self, elements: tuple[Value, ...], cls: Class | None = None) -> None:
        self.nesting = 1 + deepest_nesting(elements)
        self.elements = elements if self.nesting <= MAX_NESTING else (UNKNOWN,) * len(elements)
        """The elements in their order."""
        self.cls = cls
        """Its class if that is a NamedTuple of the project."""

    def __repr__(self) -> str:
        return f"Tuple{self.elements}"


class DictView(Tuple):
    """What `items()`, `keys()` or `values()` of a dict gives, where the keys are known. Where not: Sequence("view", …).

    It has the elements of a tuple, but is no tuple: `isinstance` says so, and `jax.jit` refuses it as an argument.
    """

    __slots__ = ()


class Sequence(Value):
    """An immutable sequence of unknown length: `x.shape`, `range(n)`, or the content of a list that grows."""

    __slots__ = ("kind", "element")

    def __init__(self, kind: str, element: Value) -> None:
        self.kind = kind
        """ "tuple", "range", or "view" (of a dict)."""
        self.element = element
        """The join of all elements."""

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return 1 + self.element.nesting

    def __repr__(self) -> str:
        return f"{self.kind}[{self.element}…]"


SHAPE: Final = Sequence("tuple", INT)
"""The shape of an array whose rank is not known."""


class Slice(Value):
    """A slice in a subscript, `lower:upper:step`."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Value, ...]) -> None:
        self.bounds = bounds
        """Lower and upper bound and step; NONE where one is left out."""


class List(HeapObject):
    """A list, set, frozenset or deque. Its only field is "content"."""

    __slots__ = ("kind",)

    def __init__(
        self, kind: str, content: Tuple | Sequence, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        super().__init__({"content": content}, depth, loops, site)
        self.kind = kind
        """The name of its Python type."""

    @property
    def content(self) -> Value:
        """Its elements: a Tuple if their number is known, else a Sequence."""
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
    """A dict. Its fields are "entries", "rest" and "keys"; the properties below say what they hold."""

    __slots__ = ("nesting", "factory")

    def __init__(
        self, entries: dict[Any, Value], rest: Value, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        self.nesting = 1 + deepest_nesting(entries.values())
        if self.nesting > MAX_NESTING:
            entries = dict.fromkeys(entries, UNKNOWN)
        super().__init__({"entries": entries, "rest": rest, "keys": NEVER}, depth, loops, site)
        self.factory: Value | None = None
        """The callable that makes the value of a missing key (`collections.defaultdict`); None for a plain dict."""

    @property
    def entries(self) -> dict[Any, Value]:
        """The values under known keys, by the key of `keys.constant_key`: an object that can be hashed."""
        found: dict[Any, Value] = self.fields["entries"]
        return found

    @property
    def rest(self) -> Value:
        """The join of the values under further keys, which are not known; Never if there are none."""
        found: Value = self.fields["rest"]
        return found

    @property
    def unknown_keys(self) -> Value:
        """The join of these further keys; Never if there are none."""
        found: Value = self.fields["keys"]
        return found


class Iterator(HeapObject):
    """An iterator, which can be used up: a generator, a file, what `iter`, `zip` or `map` give.

    Its fields are "taken" (how many of `items` are used up) and "used" (whether anything is). Writing "used" marks the
    running call as one with an effect (`Store.oldest_written`), so that its result is not remembered for later calls.
    """

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
        """What it is: generator, iter, zip, map, filter, enumerate, reversed, file …"""
        self.element = element
        """The join of what it yields."""
        self.items = items
        """What it yields one by one, where that is known; else None."""
