"""What library functions and methods do with the functions that they are given: the words of `[calls]` tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A library function, or a method ("package.Class.method"), calls what it is given.

    `of`: the parameters ("fun@0") that bring the functions, themselves or in library objects that hold them; "self" is
    the object whose method it is. `method` is called on objects of the project or of a library instead of themselves.
    `arguments`: what the functions get: a parameter of the call, "*1" its positional arguments from 1 on, "**" its
    keywords but those that are its `own`, or a fresh float, int, array, key, tree or unknown. `tracing`: staged, eager
    (differentiation outside of jit), or none. `leaves`: which leaves of the arguments are traced: all, arrays, none.
    `result`: what the call gives (see `analysis/results.py`), "call" being what the function gives.
    """

    of: tuple[str, ...]
    arguments: tuple[str, ...] = ("*0", "**")
    method: str = ""
    own: frozenset[str] = frozenset()
    tracing: str = "staged"
    leaves: str = "all"
    result: str = "unknown"


@dataclass(frozen=True, slots=True)
class Parameter:
    """`"name@2"`: a parameter that may be given by position 2; `"name"`: by keyword only."""

    name: str
    position: int | None


def parameter(text: str) -> Parameter:
    """Reads `"name@2"` or `"name"`. Raises ValueError if what follows the `@` is no number."""
    name, _, position = text.partition("@")
    return Parameter(name, int(position) if position else None)
