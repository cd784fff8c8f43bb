"""What library functions and methods do with the functions that they are given: the words of `[calls]` tables."""

from __future__ import annotations

import functools
from dataclasses import MISSING, dataclass

from jitlint.models.keys import key


@dataclass(frozen=True, slots=True)
class Call:
    """A library function, or a method ("package.Class.method"), that calls what it is given."""

    of: tuple[str, ...] = key(
        MISSING,
        'The parameters ("fun@0") that bring the functions, themselves or in library objects that hold them; "self" is '
        "the object whose method it is.",
    )
    arguments: tuple[str, ...] = key(
        ("*0", "**"),
        'What the functions get: a parameter of the call, "*1" (its positional arguments from 1 on), "**" (its '
        "keywords without its `own`), or a new float, int, array, key, tree or unknown.",
    )
    method: str = key("", "The method that is called of objects of the project or of a library, instead of themselves.")
    own: tuple[str, ...] = key((), 'Keywords of the call that "**" does not pass on.')
    cast: tuple[str, ...] = key((), "Those of the arguments whose leaves are made arrays before.")
    tracing: str = key(
        "staged",
        "The trace under which the functions run.",
        staged="as under jit",
        eager="differentiation outside of jit: tracers keep their values",
        none="no trace of its own",
    )
    leaves: str = key(
        "all",
        "Which leaves of the arguments become tracers.",
        all="all of them",
        arrays="arrays; the rest is static",
        none="none",
    )
    result: str = key("unknown", 'What the call returns, as a result word; "call" is what the function returns.')


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
