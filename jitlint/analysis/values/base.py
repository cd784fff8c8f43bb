"""The base of all abstract values, and those without parts: what is unknown, constants, host values of a known type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar


class Value:
    """Base of all abstract values. Immutable unless it is a HeapObject.

    `nesting` is how many containers of known content are in each other.
    """

    __slots__ = ()

    nesting = 0

    def with_new_identity(self) -> Value:
        """The same in kind, but with an identity of its own, if that matters."""
        return self


Choice = TypeVar("Choice")


class ByType(dict[type, Choice]):
    """What to do with a value, by its type or the nearest of its bases that is among the keys."""

    def __missing__(self, kind: type) -> Choice:
        found = self[kind] = next(self[base] for base in kind.__mro__[1:] if base in self)
        return found


class Unknown(Value):
    """Anything: we cannot tell."""

    __slots__ = ()

    def with_new_identity(self) -> Value:
        return self if self is UNKNOWN else Unknown()

    def __repr__(self) -> str:
        return "Unknown"


class UnknownArgument(Unknown):
    """Something unknown that callers out of view bring, or a part of it: it may be an object of the project.

    `used` are the attributes that the function which gets it asks of it.
    """

    __slots__ = ("used",)

    def __init__(self, used: frozenset[str] = frozenset()) -> None:
        self.used = used

    def with_new_identity(self) -> Value:
        return UnknownArgument(self.used)


class OneOfArguments(Unknown):
    """Something unknown that may be one of some objects whose identity matters (`parts`)."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Value, ...]) -> None:
        self.parts = parts

    def with_new_identity(self) -> Value:
        return OneOfArguments(self.parts)


class Never(Value):
    """No value: the result of a call that does not return (yet)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Never"


UNKNOWN: Final = Unknown()
NEVER: Final = Never()


class Const(Value):
    """A known Python constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


class Static(Value):
    """A host value of a known Python type ("int", "str", "dtype", "object" …) and unknown content."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"Static({self.kind})"


INT: Final = Static("int")
FLOAT: Final = Static("float")
BOOL: Final = Static("bool")
STR: Final = Static("str")
OBJECT: Final = Static("object")
MAX_NESTING: Final = 10


def deepest_nesting(values: Iterable[Value]) -> int:
    deepest = 0
    for value in values:
        deepest = max(deepest, value.nesting)
    return deepest


class Union(Value):
    """One of several values, none of them a Union."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: tuple[Value, ...]) -> None:
        self.alternatives = alternatives

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return deepest_nesting(self.alternatives)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.alternatives))
