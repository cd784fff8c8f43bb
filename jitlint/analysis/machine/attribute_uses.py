"""How attributes of objects are used over a component: whether what a trace leaves in one is read at all.

A method may store a tracer in an attribute only to pass it on to other methods: `self.rows = …` in one, `self.rows` in
the next, both in each trace. Nobody sees what stays there, since whoever reads it has written it before.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from jitlint.analysis.machine.call_order import State
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.values import Frame, Instance
from jitlint.source.places import Place


class AttributeUses(NamedTuple):
    """What a unit does with attributes."""

    kept: dict[Place, State]
    """Where a tracer stays in an attribute when its trace ends."""
    passed_on: dict[State, None]
    """What a function reads after another one has written it in the same trace, or both outside of traces."""
    read: dict[State, None]
    """What is read in any other way: it may be what an earlier trace has left."""


class AttributeUse:
    """Follows the reads and writes of attributes through the run of one root."""

    def __init__(self) -> None:
        self.uses = AttributeUses({}, {}, {})
        self.leaks: dict[tuple[int, str], Hashable] = {}
        """The attributes, lists and dicts ("" for an attribute) that a tracer has stayed in, by their serial, with the
        key of the event."""
        self._written: dict[tuple[int, str], tuple[Frame, Trace | None]] = {}
        """The frame and the trace in which an attribute of an instance was written last in this root."""

    def begin(self) -> None:
        """A root begins: what was written before it has no known order with it."""
        self._written.clear()
        self.leaks.clear()

    def wrote(self, instance: Instance, name: str, frame: Frame, trace: Trace | None) -> None:
        """An attribute is written by the code of a frame, in a trace or outside of all."""
        self._written[instance.serial, name] = frame, trace

    def has_read(self, instance: Instance, name: str, attribute: State, frame: Frame, trace: Trace | None) -> None:
        """An attribute is read by the code of a frame, in a trace or outside of all.

        Who reads what it has just written itself does not need the attribute for that: it is there for others.
        """
        writer, written = self._written.get((instance.serial, name), (None, None))
        if writer is None or not _runs(written, trace):
            self.uses.read[attribute] = None
        elif writer.function is not frame.function:
            self.uses.passed_on[attribute] = None


def _runs(written: Trace | None, trace: Trace | None) -> bool:
    """Whether the trace of a write is one of those that run at a read, or neither is in a trace."""
    if written is None:
        return trace is None
    while trace is not None and trace is not written:
        trace = trace.parent
    return trace is written
