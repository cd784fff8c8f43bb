"""What library functions and methods do with the functions that they are given: the words of `[calls]` tables."""

from __future__ import annotations

import functools
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A library function, or a method ("package.Class.method"), calls what it is given.

    `of`: the parameters ("fun@0") that bring the functions, themselves or in library objects that hold them; "self"
    is the object whose method it is. `method` is called on objects of the project or of a library instead of
    themselves. `arguments`: what the functions get: a parameter of the call, "*1" its positional arguments from 1 on,
    "**" its keywords but those that are its `own`, or a fresh float, int, array, key, tree or unknown; `cast`: those
    of them whose leaves it makes arrays of before. `tracing`: staged, eager (differentiation outside of jit), or
    none. `leaves`: which leaves of the arguments are traced: all, arrays, none. `result`: what the call gives (see
    `analysis/libraries/words.py`), "call" being what the function gives.
    """

    of: tuple[str, ...]
    arguments: tuple[str, ...] = ("*0", "**")
    method: str = ""
    own: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    tracing: str = "staged"
    leaves: str = "all"
    result: str = "unknown"


@dataclass(frozen=True, slots=True)
class Parameter:
    """`"name@2"`: a parameter that may be given by position 2; `"name"`: by keyword only."""

    name: str
    position: int | None


@functools.cache
def parameter(text: str) -> Parameter:
    """Reads `"name@2"` or `"name"`. Raises ValueError if that is no name, or what follows the `@` no number."""
    name, _, position = text.partition("@")
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name")
    return Parameter(name, int(position) if position else None)
