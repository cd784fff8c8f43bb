"""Tuples, lists, sets, dicts, slices and iterators.

Content is known in one of two forms: element by element (Tuple; the `entries` of a Dict), or, where the length or the
keys are not known, as one value that is the join of all elements (Sequence; the `rest` of a Dict).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, overload

from jitlint.analysis.values.base import (
    INT,
    MAX_ENTRIES,
    MAX_NESTING,
    MAX_SIZE,
    NEVER,
    UNKNOWN,
    Compound,
    Const,
    TooLargeError,
    Union,
    Value,
    deepest_nesting,
    look,
    size_of,
)
from jitlint.analysis.values.objects import Class, HeapObject, Site


def with_new_identity(value: Value) -> Value:
    """The result for a further call that is not run again: arrays are copied, so that each can be donated once."""
    if isinstance(value, Tuple):
        return Tuple(tuple(map(with_new_identity, value.elements)), value.cls)
    return value.with_new_identity()


class Tuple(Compound):
    """A tuple of known length, at most MAX_SIZE; `joins.tuple_of` makes one of elements that may be more.

    Elements that are nested deeper than MAX_NESTING, or too large together, become Unknown. Without these limits,
    `x = (x, x)` in a loop would double the time to walk through `x` with each round.
    """

    __slots__ = ("elements", "cls", "_nesting")

    def __init__(self, elements: tuple[Value, ...], cls: Class | None = None) -> None:
        count = len(elements)
        if count >= MAX_SIZE:
            raise TooLargeError
        self._nesting = 1 + deepest_nesting(elements)
        if not self.fits(elements, count) or self._nesting > MAX_NESTING:
            elements = (UNKNOWN,) * count
            self._nesting, self.size = 1, count + 1
        self.elements = elements
        """The elements in their order."""
        self.cls = cls
        """Its class if that is a NamedTuple of the project."""

    def nesting(self) -> int:
        return self._nesting

    def __repr__(self) -> str:
        return f"Tuple{self.elements}"


class DictView(Tuple):
    """What `items()`, `keys()` or `values()` of a dict gives, where the keys are known. Where not: Sequence("view", …).

    It has the elements of a tuple, but is no tuple: `isinstance` says so, and `jax.jit` refuses it as an argument.
    """

    __slots__ = ()


class Sequence(Compound):
    """An immutable sequence of unknown length: `x.shape`, `range(n)`, or the content of a list that grows."""

    __slots__ = ("kind", "element", "least", "_nesting")

    def __init__(self, kind: str, element: Value, least: int = 0) -> None:
        self.kind = kind
        """ "tuple", "range", or "view" (of a dict)."""
        self.least = least
        """A number of elements that it has at least."""
        self._nesting = 1 + element.nesting()
        if not self.fits((element,), 1) or self._nesting > MAX_NESTING:
            element = UNKNOWN
            self._nesting, self.size = 1, 2
        self.element = element
        """The join of all elements."""

    def nesting(self) -> int:
        return self._nesting

    def __repr__(self) -> str:
        return f"{self.kind}[{self.element}…]"


class GrowingSequence(Sequence):
    """What a list or tuple holds that each round of a loop makes longer: `losses.append(loss)`."""

    __slots__ = ("loop",)

    def __init__(self, element: Value, loop: int) -> None:
        super().__init__("tuple", element)
        self.loop = loop
        """The loop's identity."""


SHAPE: Final = Sequence("tuple", INT)
"""The shape of an array whose rank is not known."""


class Slice(Compound):
    """A slice in a subscript, `lower:upper:step`."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Value, ...]) -> None:
        self.bounds = bounds if self.fits(bounds, len(bounds)) else (UNKNOWN,) * len(bounds)
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
        look(value.size if isinstance(value, Compound) else 0)
        return value

    def nesting(self) -> int:
        content: Value = self.fields["content"]
        return 1 + content.nesting()


@overload
def content_of(value: Value) -> Value: ...


@overload
def content_of(value: Value | None) -> Value | None: ...


def content_of(value: Value | None) -> Value | None:
    """The elements of a list; of any other value, the value itself."""
    return value.content if isinstance(value, List) else value


class Dict(HeapObject):
    """A dict. Its fields are "entries", "rest", "keys" and, where needed, "unsure"; properties say what they hold."""

    __slots__ = ("_nesting", "factory", "maybe", "owner", "grows")

    def __init__(
        self, entries: dict[Any, Value], rest: Value, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        self._nesting = 1 + deepest_nesting(entries.values())
        if self._nesting > MAX_NESTING:
            entries = dict.fromkeys(entries, UNKNOWN)
            self._nesting = 1
        entries = _bounded_entries(entries)
        super().__init__({"entries": entries, "rest": rest, "keys": NEVER}, depth, loops, site)
        self.factory: Value | None = None
        """The callable that makes the value of a missing key (`collections.defaultdict`); None for a plain dict."""
        self.maybe: Mapping[str, Value] | None = None
        """The values under further keys by key, where these are texts and known: each may be there or not. They are as
        the dict was made with: what is written to it since is in `entries` or `rest`."""
        self.owner: HeapObject | None = None
        """The object whose attributes it holds (`x.__dict__`), which the store writes, too; None for other dicts."""
        self.grows: int | None = None
        """The loop each of whose rounds adds a key, by its identity; None if none does."""

    def nesting(self) -> int:
        return self._nesting

    @property
    def entries(self) -> dict[Any, Value]:
        """The values under known keys, by the key of `keys.constant_key`: an object that can be hashed."""
        found: dict[Any, Value] = self.fields["entries"]
        look(len(found))
        return found

    @property
    def unsure(self) -> frozenset[Any]:
        """The keys of `entries` that only some of the ways here have written: each may be missing."""
        found: frozenset[Any] = self.fields.get("unsure", frozenset())
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

    def with_values(self, entries: dict[Any, Value], rest: Value) -> Dict:
        """Another dict like it, with other values under the same keys."""
        like = Dict(entries, rest, self.depth, self.loops, self.site)
        like.fields["keys"], like.fields["unsure"], like.maybe = self.unknown_keys, self.unsure, self.maybe
        return like


def _bounded_entries(entries: dict[Any, Value]) -> dict[Any, Value]:
    """The entries of a dict; Unknown ones if they are too large together.

    Raises:
        TooLargeError: there are more than MAX_ENTRIES.
    """
    if len(entries) > MAX_ENTRIES:
        raise TooLargeError
    return entries if size_of(entries.values()) <= MAX_SIZE else dict.fromkeys(entries, UNKNOWN)


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
        bounded = items is not None and len(items) < MAX_SIZE and size_of(items) <= MAX_SIZE
        self.items = items if bounded else None
        """What it yields one by one, where that is known; else None."""


# --- what a list or dict may hold -------------------------------------------------------------------------------------


def known_constants(content: Value) -> list[Any] | None:
    """The constants that a container's content consists of; None if not all are known, or an option decides one."""
    elements = content.elements if isinstance(content, Tuple) else (content,)
    known = [each.value for each in elements if isinstance(each, Const) and each.option is None]
    return known if len(known) == len(elements) else None


def storable(target: HeapObject, name: object, value: Any) -> Any:
    """What a field of an object may get in place of `value`: a list or dict holds Unknown where it would hold itself.

    So no walk through containers goes in circles. Instances may refer to each other in a circle, as a parent and its
    child do: whoever walks from instance to instance keeps in mind where it has been.

    Args:
        target: the object; any may be given, but only lists and dicts are limited.
        name: the field.
        value: what the field should get.
    """
    if isinstance(target, List):
        return _content_without(target, value)
    if isinstance(target, Dict):
        if name == "entries":
            entries = _bounded_entries(value)
            if any(_holds(entry, target) for entry in entries.values()):
                return {key: UNKNOWN if _holds(entry, target) else entry for key, entry in entries.items()}
            return entries
        if name == "rest" and _holds(value, target):
            return UNKNOWN
    return value


def _content_without(target: List, content: Value) -> Value:
    """The content of a list, with Unknown for each element that holds the list itself."""
    if isinstance(content, Tuple) and any(_holds(element, target) for element in content.elements):
        return Tuple(tuple([UNKNOWN if _holds(element, target) else element for element in content.elements]))
    if isinstance(content, Sequence) and _holds(content.element, target):
        return Sequence(content.kind, UNKNOWN)
    return content


def _holds(value: Value, target: HeapObject) -> bool:
    """Whether a value is the list or dict `target`, or holds it."""
    if not isinstance(value, (Compound, HeapObject)):
        return False
    seen: set[int] = set()
    left: list[Value] = [value]
    while left:
        part = left.pop()
        if part is target:
            return True
        if isinstance(part, (List, Dict, Iterator)):
            if part.serial in seen:
                continue
            seen.add(part.serial)
        left += parts_of(part)
    return False


def parts_of(value: Value) -> Iterable[Value]:
    """What a container holds directly; nothing of any other value, instances included.

    A Union counts as a container of its alternatives, and a list as one of its content.
    """
    if isinstance(value, Tuple):
        return value.elements
    if isinstance(value, Sequence):
        return (value.element,)
    if isinstance(value, List):
        return (value.content,)
    if isinstance(value, Dict):
        return (*value.entries.values(), value.rest)
    if isinstance(value, Union):
        return value.alternatives
    if isinstance(value, Iterator):
        return (value.element, *(value.items or ()))
    return ()
