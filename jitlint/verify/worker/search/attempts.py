"""The runs of one target for one case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..inputs.frameworks import Stage
from ..inputs.known_inputs import GUESSED, Described
from ..inputs.targets import Inputs, Target
from ..process.budget import Budget
from ..watching import kinds
from ..watching.cases import Case
from ..watching.evidence import Evidence
from ..watching.watch import Run
from .guidance import has_placeholder
from .input_search import with_numbers


class Attempts:
    """The runs of one target.

    Args:
        target: what is run.
        case: the case that it runs for.
        evidence: runs it.
        budget: the time for the case.
        execute: whether a jitted function is called, not only traced.

    Attributes:
        target: the same, with the inputs to begin with.
        clean: whether a run came to its end.
        value: what the last such run returned.
        lacking: the stage that a library's code asked for, None if none did.
        interrupted: whether a run took too long.
    """

    def __init__(self, target: Target, case: Case, evidence: Evidence, budget: Budget, *, execute: bool) -> None:
        self._case, self._evidence, self._budget, self._execute = case, evidence, budget, execute
        self.target = target
        self.clean = False
        self.value: Any = None
        self.lacking: Stage | None = None
        self.interrupted = False

    def run(self, inputs: Inputs, origin: str = "") -> Run:
        """Runs the target with inputs.

        An event that only tracers cause may come from a scalar array that we made up where the user passes a number.
        So a confirmation with made-up scalars is tried again with numbers.

        Args:
            inputs: the inputs.
            origin: where they come from; "" for the target's own account of it.
        """
        target = self.target
        thunk = target.thunk(inputs, execute=self._execute)
        if has_placeholder(inputs):  # the run only asks for the placeholder's value, and is no evidence
            return self._evidence.watcher.run("ask", thunk, self._budget.seconds / 2)
        described = Described(target.describe(inputs), origin or target.origin_of(inputs))
        open_before = [case for case in self._evidence.cases if not case.decided]
        numbers = with_numbers(target, inputs) if described.origin in GUESSED else inputs
        run = self.call(described, thunk, typical=numbers == inputs)
        doubtful = [case for case in open_before if case.outcome == "confirmed" and kinds.is_of_tracers(case.probe)]
        if doubtful and numbers != inputs:
            for each in doubtful:
                each.reopen()
            again = target.thunk(numbers, execute=self._execute)
            self.call(Described(target.describe(numbers), described.origin), again)
        return run

    def call(self, inputs: Described, thunk: Callable[[], Any], *, typical: bool = True) -> Run:
        """Runs a call of the target; one that is not `typical` says nothing about what blocks the case."""
        target = self.target
        doing = "calling" if self._execute or not target.traced else "tracing"
        run = self._evidence.run(
            f"{doing} {target.label}{inputs.arguments}",
            thunk,
            self._budget.for_try(),
            inputs,
            own=self._case if typical else None,
            predicted=target.predicted,
        )
        if run.clean:
            self.clean, self.value = True, run.value
        self.interrupted = self.interrupted or run.interrupted
        if run.stuck.stage is not None and target.stage is None:
            self.lacking = run.stuck.stage
        return run
