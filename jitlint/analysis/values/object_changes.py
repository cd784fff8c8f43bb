"""What code does to objects of which traces have copies, such as modules of Flax NNX."""

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
    """What code does to the objects that traces have copies of."""

    def __init__(self) -> None:
        self.variables: dict[int, ObjectWrite] = {}
        """The variables of objects that were written to, by their identity."""
        self.counted: dict[tuple[int, str], ObjectWrite] = {}
        """The attributes that are numbers and were counted on while tracing, by their object's serial."""
        self.counted_outside: dict[tuple[int, str], tuple[ObjectWrite, int]] = {}
        """Those that were counted on outside of any trace: where, and how often so far."""
        self.seen: dict[tuple[int, int, str], int] = {}
        """How often that had been when a function, by identity, last got the object."""
        self.updated: set[int] = set()
        """The objects, by serial, of which a library gave all variables new values."""
        self.merged: list[tuple[Instance, Site]] = []
        """The objects that were made anew of a definition and arrays, as `nnx.merge` does, and where."""
        self.read_out: set[int] = set()
        """The objects, by serial, whose state was taken out of them."""

    def clear(self) -> None:
        """Forgets all."""
        of_traces = (self.variables, self.counted, self.updated, self.merged, self.read_out)
        for part in (*of_traces, self.counted_outside, self.seen):
            part.clear()
