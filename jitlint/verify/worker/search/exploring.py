"""Explores a case: runs what leads to its place with known inputs, then with inputs that a search finds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..inputs.known_inputs import Described, KnownInputs
from ..inputs.targets import Inputs, Target
from ..process.budget import Budget
from ..user_code import texts
from ..watching import kinds
from ..watching.cases import Case
from ..watching.evidence import Evidence
from ..watching.watch import Run
from .attempts import Attempts
from .input_search import Limits, leading, search, variants
from .seen_inputs import SeenInputs
from .target_finder import Finder

_LEADING = 6
"""How many other inputs a function that returns functions is called with, if the first ones lead nowhere."""

_FACTORIES = 3
"""How many calls deep functions that functions return are followed."""

_AFTER_TRUE = 10
"""How many made-up inputs are tried after true ones have run."""

_HIDDEN = 4
"""After so many runs in which another failure comes first, true inputs lead no further: that one is forced past."""

_VARIANTS = 8
"""How many variants of the best inputs are tried before a suspicion is refuted."""

_WAYS, _ON_OTHER_WAYS = 3, Limits(40, 20)
"""So many options that lead to the place are tried where no inputs came to an end, and how long each is searched."""


@dataclass(frozen=True)
class CleanTrace:
    """A function that reaches a case's place and traces cleanly, with its inputs: for compiling."""

    label: str
    inputs: tuple[str, ...]
    trace: Callable[[], Any]
    execute: Callable[[], Any]
    guessed: bool = False


class Exploration:
    """The search for runs that decide one case.

    Args:
        case: the case.
        evidence: runs code.
        finder: finds what to run.
        known: recorded and declared inputs.
        seen: inputs that programs had.
        budget: the time for the case.

    Attributes:
        case: the case.
        budget: the time for it.
        trace: the clean trace that can be compiled, None until one was found.
        interrupted: whether a run took too long and was stopped.
    """

    def __init__(
        self, case: Case, evidence: Evidence, finder: Finder, known: KnownInputs, seen: SeenInputs, budget: Budget
    ) -> None:
        self.case, self.budget = case, budget
        self.trace: CleanTrace | None = None
        self.interrupted = False
        self._evidence, self._finder, self._known, self._seen = evidence, finder, known, seen
        self._execute = kinds.is_silent(case.probe)

    def targets(self) -> Iterator[tuple[Target, KnownInputs]]:
        """The targets, each with the known inputs to try; functions that a recording holds whole come first."""
        for maker, function, known in self._known.functions(self.case.probe):
            for target in self._finder.returned(maker, function, self.case.probe):
                yield replace(self._with_source(target), predicted=True), known
        for target in self._finder.targets(self.case.probe):
            yield self._with_source(target), self._known

    def _with_source(self, target: Target) -> Target:
        """The target; the parameter that the suspicion is about is not left at its default."""
        function, parameter = self.case.probe.source or ("", "")
        if getattr(texts.unwrapped(target.function), "__name__", "") != function:
            return target
        parts = [replace(part, optional=False) if part.name == parameter else part for part in target.parameters]
        return replace(target, parameters=tuple(parts))

    def watched(self, label: str, thunk: Callable[[], Any], *, keep: bool = True, stand_in: int | None = None) -> Run:
        """Runs code for this case alone (a `Runner`)."""
        return self._evidence.watcher.run(label, thunk, self.budget.seconds, keep=keep, stand_in=stand_in)

    def explore(self, target: Target, known: KnownInputs) -> None:
        """Runs a target until the case is decided or nothing is left to try; then runs the functions that it returned.

        Args:
            target: what to run.
            known: recorded and declared inputs.
        """
        attempts = Attempts(target, self.case, self._evidence, self.budget, execute=self._execute)
        if self._with_known(attempts, known) or self._with_calls(attempts) or self._with_seen(attempts):
            return
        limits = Limits() if target.traced else Limits(80, 40)
        if attempts.clean:
            limits = Limits(_AFTER_TRUE, _AFTER_TRUE)
        best = search(attempts.target, attempts.run, self._reached, lambda: self._is_done(attempts), limits)
        self.interrupted = self.interrupted or attempts.interrupted
        if attempts.lacking is not None and not self.case.decided:
            label = attempts.lacking.title.format(target.label)
            self.explore(replace(attempts.target.within(attempts.lacking), label=label), known)
        if attempts.clean and not self.case.reached and not self.case.decided:
            self._with_made(attempts)
        if best is not None and attempts.clean:
            self._vary(attempts, best)
            self._choose_otherwise(attempts, best)
        elif best is not None:
            self._search_on_other_ways(attempts, best)

    def _with_known(self, attempts: Attempts, known: KnownInputs) -> bool:
        """Runs a target with known inputs. Returns whether that was enough."""
        case, refuting = self.case, len(self.case.clean)
        for each in known.of(attempts.target):
            if not each.whole:
                case.evidence[f"not_{each.origin}"] = list(each.missing)
                attempts.target = attempts.target.beginning_with(each.inputs)
                continue
            attempts.run(each.inputs, each.origin)
            if len(case.clean) > refuting and attempts.target.traced:
                self._found(attempts.target, each.inputs, guessed=False)
            if self._is_done(attempts):
                return True
        if len(case.clean) > refuting and not self._execute:
            case.settled = True
            return True
        return False

    def _with_calls(self, attempts: Attempts) -> bool:
        """Repeats the project's calls of a target. Returns whether that was enough."""
        target = attempts.target
        for call in self._finder.calls(target):
            thunk = target.given_thunk(call, execute=self._execute)
            run = attempts.call(Described([call.text], "call site"), thunk)
            if target.traced and run.clean and run.hit(self.case.probe).staged and not self._execute:
                execute = target.given_thunk(call, execute=True)
                self.trace = self.trace or CleanTrace(target.label, (call.text,), thunk, execute)
            if self._is_done(attempts):
                return True
        return False

    def _with_seen(self, attempts: Attempts, *, others: bool = True) -> bool:
        """Runs a target with inputs that programs had, and with other options. Returns whether that was enough.

        If the suspicion rests on assumptions, the program's own inputs need not be those that were assumed, and a clean
        run does not speak against it.
        """
        target = attempts.target
        attempts.target = replace(target, predicted=target.predicted and not self.case.probe.assumed)
        try:
            return self._with_each_seen(attempts, others)
        finally:
            attempts.target = target

    def _with_each_seen(self, attempts: Attempts, others: bool) -> bool:
        hidden = 0
        for seen in self._seen.of(attempts.target, self.case.probe, others=others):
            run = attempts.run(seen.inputs, seen.origin)
            if run.clean and not self.case.is_reached and self._gives_functions(attempts.target, run.value):
                for made in self._finder.returned(attempts.target.label, run.value, self.case.probe):
                    inner = Attempts(made, self.case, self._evidence, self.budget, execute=self._execute)
                    if self._with_seen(inner, others=False):
                        return True
            hidden = hidden + 1 if self.case.is_hidden_by(run.failure) else 0
            if self.case.is_seen or self.budget.late() or hidden == _HIDDEN:
                return True
        return False

    def _with_made(self, attempts: Attempts) -> None:
        """Runs the functions that a target returned, then those that it returns for other inputs."""
        self._explore_made(attempts.target, attempts.value)
        for inputs in leading(attempts.target)[:_LEADING]:
            if not self._is_over() and (run := attempts.run(inputs)).clean:
                self._explore_made(attempts.target, run.value)

    def _gives_functions(self, maker: Target, value: Any) -> bool:
        """Whether what a target has returned holds functions to follow: what they return may hold more, endlessly."""
        return maker.label.count("(…)") < _FACTORIES and self._finder.has_functions(value)

    def _explore_made(self, maker: Target, value: Any) -> None:
        if not self._gives_functions(maker, value):
            return
        for made in self._finder.returned(maker.label, value, self.case.probe):
            self.explore(made, self._known)
            if self._is_over():
                return

    def _vary(self, attempts: Attempts, best: Inputs) -> None:
        """Runs variants of the best inputs if those speak against the suspicion."""
        case = self.case
        if not case.is_reached or case.decided or self._execute:
            return
        for inputs in itertools.islice(variants(attempts.target, best), _VARIANTS):
            if not self.budget.late():
                attempts.run(inputs)
        if attempts.target.traced:
            self._found(attempts.target, best, guessed=True)

    def _choose_otherwise(self, attempts: Attempts, best: Inputs) -> None:
        """Runs the best inputs with other options if those do not lead to the place."""
        for inputs in self._seen.with_other_options(attempts.target, self.case.probe, best):
            if self.case.is_reached or self.case.decided or self.budget.late():
                return
            attempts.run(inputs)

    def _search_on_other_ways(self, attempts: Attempts, best: Inputs) -> None:
        """Searches from the best inputs on with options that lead to the place, if nothing has led there."""
        for inputs in itertools.islice(self._seen.leading(self.case.probe, best), _WAYS):
            if self.case.is_reached or self.case.decided or self.budget.late():
                return
            target = attempts.target.beginning_with(inputs)
            search(target, attempts.run, self._reached, lambda: self._is_done(attempts), _ON_OTHER_WAYS)

    def _found(self, target: Target, inputs: Inputs, *, guessed: bool) -> None:
        if self.trace is None:
            trace, execute = (target.thunk(inputs, execute=way) for way in (False, True))
            self.trace = CleanTrace(target.label, tuple(target.describe(inputs)), trace, execute, guessed)

    def _reached(self, run: Run) -> int:
        """How near a run came to the goal: 1 if it executed the place, 2 if under a trace too."""
        hit = run.hit(self.case.probe)
        if not kinds.needs_trace(self.case.probe):
            return 2 * int(bool(hit.count))
        return int(bool(hit.count)) + int(bool(hit.staged))

    def _is_over(self) -> bool:
        return bool(self.case.decided or self.case.reached or self.budget.late())

    def _is_done(self, attempts: Attempts) -> bool:
        """Whether more runs of the target would add nothing."""
        case = self.case
        if attempts.lacking is not None or attempts.interrupted:
            return True
        if attempts.clean and not case.reached and self._finder.has_functions(attempts.value):
            return True
        seen = self._execute and case.witness is not None and case.witness.run.clean
        return case.decided or self.budget.late() or seen
