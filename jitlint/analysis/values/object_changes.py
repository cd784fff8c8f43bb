"""What traced code does to objects of which its trace has copies, such as modules of Flax NNX."""

from __future__ import annotations

from typing import NamedTuple

from jitlint.analysis.values.base import Value
from jitlint.analysis.values.objects import Frame, Instance, Site
from jitlint.source.places import Span


class ObjectWrite(NamedTuple):
    """A write to a variable that an object holds, or to a number that is one of its attributes."""

    target: Value
    """What is written to, the variable or the object; held here so that no other value gets its identity."""
    frames: tuple[Frame, ...]
    """The functions that run, the outermost first."""
    span: Span
    """Where it is written, in the last of them."""


class ObjectChanges:
    """What traced code does to the objects that its trace has copies of."""

    def __init__(self) -> None:
        self.variables: dict[int, ObjectWrite] = {}
        """The variables of objects that were written to, by their identity."""
        self.counted: dict[tuple[int, str], ObjectWrite] = {}
        """The attributes that are numbers and were counted on, by their object's serial."""
        self.updated: set[int] = set()
        """The objects, by serial, of which a library gave all variables new values."""
        self.merged: list[tuple[Instance, Site]] = []
        """The objects that were made anew of a definition and arrays, as `nnx.merge` does, and where."""
        self.read_out: set[int] = set()
        """The objects, by serial, whose state was taken out of them."""

    def clear(self) -> None:
        """Forgets all."""
        for part in (self.variables, self.counted, self.updated, self.merged, self.read_out):
            part.clear()
