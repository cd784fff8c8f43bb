"""Flows: why a value is traced, and the steps on which it came here. Findings show them.

A flow is a linked list from the latest step back to the source, so that values which come from one source share it.
"""

from __future__ import annotations

from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.project.modules import Module
from jitlint.source.places import Span, Step

RECENT_STEPS = 8
"""A step is not added again if it is among this many latest ones: loops pass the same places many times."""


class Flow:
    """The latest step of a flow, linked to the steps before it."""

    __slots__ = ("module", "span", "note", "parent", "origin", "assumptions")

    def __init__(self, module: Module, span: Span, note: str, parent: Flow | None, origin: str) -> None:
        self.module = module
        """The module that the step lies in."""
        self.span = span
        """Where in the module."""
        self.note = note
        """What happens there: "assigned to `y`"."""
        self.parent = parent
        """The flow up to the step before; None at the source."""
        self.origin = origin
        """Where the value was born, in words: "argument `x` of `step`"."""
        self.assumptions: tuple[Assumption, ...] = parent.assumptions if parent is not None else ()
        """What was assumed on the way: that "`self.model` is a `Model`" is one such. Events rest on it."""

    @property
    def is_suspected(self) -> bool:
        """Whether the value may not be traced at all, as only the sound mode (`machine/sound.py`) assumes it to be."""
        return bool(self.assumptions) and self.assumptions[0].kind is AssumptionKind.UNKNOWN_IS_TRACED

    def then(self, module: Module, span: Span, note: str) -> Flow:
        """This flow with one more step; the flow itself if that step is among the latest ones."""
        step: Flow | None = self
        for _ in range(RECENT_STEPS):
            if step is None:
                break
            if step.span == span and step.module is module:
                return self
            step = step.parent
        return Flow(module, span, note, self, self.origin)

    def assuming(self, assumption: Assumption) -> Flow:
        """This flow with an assumption that holds from here on. The first one of each kind stays."""
        copy = Flow(self.module, self.span, self.note, self.parent, self.origin)
        copy.assumptions = merged(self.assumptions, [assumption])
        return copy

    @property
    def start(self) -> Flow:
        """The first step."""
        step = self
        while step.parent is not None:
            step = step.parent
        return step

    def steps(self) -> tuple[Step, ...]:
        """All steps, the source first."""
        found = []
        step: Flow | None = self
        while step is not None:
            found.append(Step(step.module.place(step.span), step.note))
            step = step.parent
        return tuple(reversed(found))


def source(module: Module, span: Span, note: str, origin: str) -> Flow:
    """A new flow: its first step is where a traced value is born."""
    return Flow(module, span, note, None, origin)
