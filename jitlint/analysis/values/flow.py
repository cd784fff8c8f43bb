"""Flows: why a value is traced, and how it came here."""

from __future__ import annotations

from jitlint.project.modules import Module
from jitlint.source.places import Span, Step

RECENT_STEPS = 8
"""How far back a step is looked for before it is added again (loops pass the same places many times)."""


class Flow:
    """One step, and the steps before it. `origin` says in words where the first one began; `guess` what it rests on,
    if the value may not be traced at all; `assumed` what else was likely on the way, in words."""

    __slots__ = ("module", "span", "note", "parent", "origin", "guess", "assumed")

    def __init__(self, module: Module, span: Span, note: str, parent: Flow | None, origin: str) -> None:
        self.module = module
        self.span = span
        self.note = note
        self.parent = parent
        self.origin = origin
        self.guess: str = parent.guess if parent is not None else ""
        self.assumed: str = parent.assumed if parent is not None else ""

    def then(self, module: Module, span: Span, note: str) -> Flow:
        """This flow and one step more, unless the step is among the latest ones."""
        step: Flow | None = self
        for _ in range(RECENT_STEPS):
            if step is None:
                break
            if step.span == span and step.module is module:
                return self
            step = step.parent
        return Flow(module, span, note, self, self.origin)

    def assuming(self, text: str) -> Flow:
        """This flow, with what goes on from here resting on something likely."""
        copy = Flow(self.module, self.span, self.note, self.parent, self.origin)
        copy.guess, copy.assumed = self.guess, self.assumed or text
        return copy

    def steps(self) -> tuple[Step, ...]:
        """All steps, source first."""
        found = []
        step: Flow | None = self
        while step is not None:
            found.append(Step(step.module.place(step.span), step.note))
            step = step.parent
        return tuple(reversed(found))


def source(module: Module, span: Span, note: str, origin: str) -> Flow:
    """The first step of a flow."""
    return Flow(module, span, note, None, origin)
