"""The base class of all abstract values, and the simplest of them: unknown values, constants, and unions.

Next: containers.py, objects.py and arrays.py hold the values that have parts or facts of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar

MAX_NESTING: Final = 10
"""Containers that are nested deeper hold Unknown."""

MAX_SIZE: Final = 4096
"""The most parts of a value, with the parts of its parts. A list or dict within it counts as one part."""

MAX_ENTRIES: Final = 2 * MAX_SIZE
"""The most entries of a dict."""

MAX_LOOKS: Final = 50_000
"""How often one statement may look into lists, dicts and instances."""


_PARTS_PER_LOOK: Final = 16


class TooLargeError(Exception):
    """A value is larger than MAX_SIZE, or its parts cannot be visited within MAX_LOOKS: the statement is given up."""


class _Looks:
    """How often the running statement has looked into lists, dicts and instances."""

    def __init__(self) -> None:
        self.count = 0


_LOOKS: Final = _Looks()


def look(seen: int = 0, made: int = 0) -> None:
    """Counts one look into an object that can change.

    Only such objects can hold themselves, or each other so often that no walk through them comes to an end. All ways
    into a list or dict lead through here; a function that goes from instance to instance calls it for each.

    Args:
        seen: how many parts come into view; many cost as much as one look.
        made: how many parts are made anew; each costs as much as a look.

    Raises:
        TooLargeError: the statement has looked more than MAX_LOOKS times.
    """
    _LOOKS.count += 1 + seen // _PARTS_PER_LOOK + made
    if _LOOKS.count > MAX_LOOKS:
        raise TooLargeError


def restart_looks() -> int:
    """A new statement begins. Returns how many looks were counted since the one before began."""
    looks = _LOOKS.count
    _LOOKS.count = 0
    return looks


class Value:
    """The base of all abstract values. A value is immutable unless it is a HeapObject."""

    __slots__ = ()

    def nesting(self) -> int:
        """How deeply containers of known content are nested in it: 0 for a number, 1 for `(1, 2)`, 2 for `((1,), 2)`.

        This is no attribute: compiled code would not see that a subclass computes it.
        """
        return 0

    def with_new_identity(self) -> Value:
        """A copy with its own identity; the value itself if its identity is of no use.

        Donation tells arrays, and unknown values that may be arrays, apart by the identity of their value objects.
        """
        return self


Choice = TypeVar("Choice")
"""What a ByType table holds for each type."""


class ByType(dict[type, Choice]):
    """A table with an entry per type, in which a subclass without an entry gets that of its nearest base.

    A table whose keys are `Value` and `Array` gives the entry of `Array` for `Traced`, and that of `Value` for `Const`.
    """

    def __missing__(self, kind: type) -> Choice:
        inherited = self[kind] = next(self[base] for base in kind.__mro__[1:] if base in self)
        return inherited


class Unknown(Value):
    """A value that may be anything: the analysis cannot tell. No event is predicted from it.

    `UNKNOWN` is the one to use, unless it matters which unknown object it is: a subclass or another instance then
    stands for one object.
    """

    __slots__ = ()

    def with_new_identity(self) -> Value:
        return Unknown()

    def __repr__(self) -> str:
        return "Unknown"


class Present(Unknown):
    """An unknown value that is not None, as the code has asked. `PRESENT` is the one to use."""

    __slots__ = ()


class Parsed(Unknown):
    """What JSON, TOML or YAML holds, or a part of it. `PARSED` is the one to use.

    It is a dict, list, text, number, bool or None, and never a tuple: `Settings(**json.load(file))` has lists.
    """

    __slots__ = ("sections",)

    def __init__(self, sections: tuple[Value, ...] = ()) -> None:
        self.sections = sections
        """The objects of frozen dataclasses that code may have made of it: `merge(old, value) if … else value`."""

    def with_new_identity(self) -> Value:
        return self


class UnknownArgument(Unknown):
    """An argument whose callers are not in view, or a part of one. It may be an instance of a project class.

    The `state` in a public `def step(state)` that nothing calls is one, and so is `state.params`.
    """

    __slots__ = ("used", "present")

    def __init__(self, used: frozenset[str] = frozenset(), present: bool = False) -> None:
        self.used = used
        """The attributes that the function reads from its parameter, from which its class may be guessed."""
        self.present = present
        """Whether it is not None, as the code has asked."""

    def with_new_identity(self) -> Value:
        return UnknownArgument(self.used, self.present)


def may_be_none(value: Value) -> bool:
    """Whether a value is unknown, and nothing says that it is not None."""
    if isinstance(value, (UnknownArgument, OneOfArguments)):
        return not value.present
    return isinstance(value, Unknown) and not isinstance(value, Present)


class OneOfArguments(Unknown):
    """An unknown value that may be one of several UnknownArguments: `a if flag else b` with two parameters.

    It remembers them because it is one of these objects: donating `a` may donate it.
    """

    __slots__ = ("parts", "present")

    def __init__(self, parts: tuple[Value, ...], present: bool = False) -> None:
        self.parts = parts
        """The UnknownArguments that it may be."""
        self.present = present
        """Whether it is not None, as the code has asked."""

    def with_new_identity(self) -> Value:
        return OneOfArguments(self.parts, self.present)


class Never(Value):
    """No value at all: joining it with any value gives that value.

    It is the result so far of a call that has not returned yet (a recursive call gets it in its first round), the
    element of an empty list, the rest of a dict whose keys are all known, and what a variable holds after `del`.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Never"


UNKNOWN: Final = Unknown()
PRESENT: Final = Present()
PARSED: Final = Parsed()
NEVER: Final = Never()


def part_of_unknown(value: Value) -> Value:
    """What an unknown value holds, such as an element: a part of an argument, or of what was parsed; else Unknown."""
    if isinstance(value, UnknownArgument):
        return UnknownArgument()
    return PARSED if value is PARSED else UNKNOWN


def as_one_object(value: Value) -> Value:
    """What an expression gives is one object, even if nothing is known of it; any other value stays as it is."""
    return Unknown() if value is UNKNOWN else value


class Option(NamedTuple):
    """A choice that the code offers: a parameter or field with a default that a user may replace."""

    name: str
    """The name of the parameter or field."""
    owner: str
    """The dotted name of the function or class that it belongs to."""
    names: bool
    """Whether it is text, which names one of several things: any other is a switch."""
    declared: bool
    """Whether it is a parameter with an annotation, so that its name does not tell the class of what is given."""


class Const(Value):
    """A Python constant that is known: None, a bool, a number, text, bytes, a range …"""

    __slots__ = ("value", "option")

    def __init__(self, value: Any, option: Option | None = None) -> None:
        self.value = value
        self.option = option
        """The option whose default this is, or whose default decided it; None for all other constants."""

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


def is_none(value: Value | None) -> bool:
    """Whether a value is None for sure."""
    return isinstance(value, Const) and value.value is None


class Static(Value):
    """A host value whose Python type is known and whose content is not: `len(x)` of an array is `Static("int")`."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind
        """The name of the type: "int", "str", "dtype" …; "number" for an int, float or bool, "object" for any type."""

    def __repr__(self) -> str:
        return f"Static({self.kind})"


INT: Final = Static("int")
FLOAT: Final = Static("float")
BOOL: Final = Static("bool")
STR: Final = Static("str")
OBJECT: Final = Static("object")


class Compound(Value):
    """An immutable value with parts, whose size is bounded when it is made: any walk through it ends soon."""

    __slots__ = ("size",)

    size: int
    """How many values it consists of: itself, its parts, and theirs; at most MAX_SIZE."""

    def fits(self, parts: Iterable[Value], count: int) -> bool:
        """Sets `size`. Returns whether the value may hold these parts; if not, each of the `count` must be UNKNOWN."""
        size = size_of(parts) + 1
        self.size = size if size <= MAX_SIZE else count + 1
        return size <= MAX_SIZE


def size_of(values: Iterable[Value]) -> int:
    """How many values some values consist of together, with their parts."""
    size = 0
    for value in values:
        size += value.size if isinstance(value, Compound) else 1
    return size


def deepest_nesting(values: Iterable[Value]) -> int:
    """The largest `nesting` among values; 0 if there are none."""
    deepest = 0
    for value in values:
        deepest = max(deepest, value.nesting())
    return deepest


class Union(Compound):
    """One of several values, depending on the path: `1 if flag else "a"` is a Union of two constants.

    No alternative is a Union itself, nor Unknown or Never: `joins.join`, which makes Unions, absorbs these.
    """

    __slots__ = ("alternatives", "offered", "_nesting")

    def __init__(self, alternatives: tuple[Value, ...], offered: bool = False) -> None:
        if not self.fits(alternatives, 0):
            raise TooLargeError
        self._nesting = deepest_nesting(alternatives)
        self.alternatives = alternatives
        self.offered = offered
        """Whether the code offers all of them in one place, for a key or an option to choose from."""

    def nesting(self) -> int:
        return self._nesting

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.alternatives))
