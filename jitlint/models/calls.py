"""The `[calls]` tables: library functions and methods that call the functions they are given.

Example: `simulator.run(…)` calls the function that the simulator holds, with a time and with the state that it gets:

    [calls."tidal.Simulator.run"]
    of = ["self"]
    arguments = ["float", "state@0"]
    result = "tidal.Run"
"""

from __future__ import annotations

import functools
from dataclasses import MISSING, dataclass

from jitlint.models.keys import key


@dataclass(frozen=True, slots=True)
class Call:
    """A library function, or a method ("package.Class.method"), that calls functions."""

    of: tuple[str, ...] = key(
        MISSING,
        'Where the functions come from: parameters ("fun@0") that are functions or library objects which hold some, '
        '"self" for all that the method\'s object holds, or "self.fun@0" for one parameter of the call that made it; '
        'of a class that the project\'s inherit from, "self.fun@" for an attribute.',
    )
    arguments: tuple[str, ...] = key(
        ("*0", "**"),
        'What the functions are called with: a parameter of this call ("state@0"; by keyword only: "state@"), one of '
        'the call that made the object given there ("root@2.embedding@0"), "*1" (its positional arguments from 1 on), '
        '"**" (its keywords except `own`), or a new value: float, int, bool, array, key, unknown, or tree, which '
        "is always traced.",
    )
    method: str = key("", "The method to call on the objects, instead of calling the objects themselves.")
    own: tuple[str, ...] = key((), 'Keywords of the call that "**" does not pass on.')
    cast: tuple[str, ...] = key(
        (),
        'Which of `arguments` become tracers though others do not: with `leaves = "none"`, the carry of a loop is '
        "traced, and the parameters that it gets are passed as they are.",
    )
    tracing: str = key(
        "staged",
        "The trace under which the functions run.",
        staged="as under jit",
        eager="differentiation outside of jit: tracers keep their values",
        none="no trace",
    )
    leaves: str = key(
        "all",
        "Which leaves of the arguments become tracers.",
        all="all of them",
        arrays="arrays; the rest is static",
        none="none but those in `cast`",
    )
    result: str = key(
        "unknown",
        'What the call returns, as a result word or phrase; "call" is what the function returned. Of several tables '
        "for one name, the first one's holds.",
    )


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as a model file writes it: "name@2" may be given by position 2, too, "name@" by keyword only."""

    name: str
    """Its name."""
    position: int | None
    """Its position; None if it can be given by keyword only."""


@functools.cache
def parameter(text: str) -> Parameter:
    """Reads "name@2", "name@" or "name".

    Raises:
        ValueError: the text before the @ is no name, or the text after it no number.
    """
    name, _, position = text.partition("@")
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name")
    return Parameter(name, int(position) if position else None)
