"""The entry points of a project: the functions that are traced and compiled as a whole.

Importing this brings nothing of the analyzer along; `entry_search` finds them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from jitlint.events.event import Root
from jitlint.source.places import Place


class Origin(enum.StrEnum):
    """How it is known that a function is compiled."""

    TRANSFORM = "transform"
    """The project applies a transform that compiles: jit, pmap, filter_jit, nnx.jit …, or a shard_map of its own."""
    METHOD = "method"
    """A method that a framework's users run under jit: `__call__` of its modules."""
    EXPORT = "export"
    """A function that a package offers in its `__init__.py`: its users may jit it, the project does not."""


class EntryPoint(NamedTuple):
    """A function that is traced and compiled as a whole.

    `place` is where the transform is applied, or the function's name where none is; `transform` its qualified name;
    `function` the function as "module:qualname", "" if it has no such name; `name` its qualified name, which is what
    people call it; `home` the file that defines it, "" if that is not known; `root` what to run to come there.
    """

    place: Place
    transform: str
    function: str
    name: str
    home: str
    root: Root
    origin: Origin


def distinct(entries: Iterable[EntryPoint]) -> tuple[EntryPoint, ...]:
    """Entry points in the order of their places, each once; a function that is transformed is listed as such only."""
    found: dict[tuple[Place, str], EntryPoint] = {}
    listed = tuple(entries)
    transformed = {entry.function for entry in listed if entry.origin is Origin.TRANSFORM}
    for entry in sorted(listed, key=lambda entry: entry.origin is not Origin.TRANSFORM):
        if entry.origin is Origin.TRANSFORM or entry.function not in transformed:
            found.setdefault((entry.place, entry.name), entry)
    return tuple(sorted(found.values(), key=lambda e: (e.place.path, e.place.line, e.place.column, e.name)))
