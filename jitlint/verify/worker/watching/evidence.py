"""The runs of one job: each is watched, and every case looks at what it saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from ..inputs.known_inputs import GUESSED, Described
from ..inside_jax import failures
from ..inside_jax.failures import Failure
from ..messages import Words
from . import cases, kinds
from .cases import Case
from .watch import Run, Watcher


class Evidence:
    """Runs user code for all cases of a job.

    Attributes:
        cases: what is to be decided.
        watcher: runs code; runs that it makes without `Evidence` reach no case.
        lines: the user's lines that were executed.
    """

    def __init__(self, job_cases: Sequence[Case], watcher: Watcher) -> None:
        self.cases, self.watcher = job_cases, watcher
        self.lines: set[tuple[str, int]] = set()

    def run(
        self,
        label: str | Words,
        thunk: Callable[[], Any],
        seconds: float,
        inputs: Described,
        *,
        own: Case | None = None,
        predicted: bool = True,
        stand_in: int | None = 0,
        compile_later: bool = False,
    ) -> Run:
        """Runs code and lets every case see it.

        Most of what can be seen comes from tracing, so the code is rehearsed: nothing is compiled, and a number stands
        in for results. It is run for true if that may show something else.

        Args:
            label: what the run does, for people.
            thunk: does it, anew each time.
            seconds: how long it may take.
            inputs: the inputs.
            own: the case that it runs for.
            predicted: whether it goes the way that the analyzer predicted.
            stand_in: the number; None if what the code leaves behind is needed later, so that it runs for true only.
            compile_later: whether the caller runs it for true itself where a case lacks a compilation.
        """
        if stand_in is not None:
            self._begin()
        run = self.watcher.run(label, thunk, seconds, stand_in=stand_in)
        if run.stand_ins.made and (
            self._is_doubtful(run, predicted=predicted) or (self.lacks_compilation(run) and not compile_later)
        ):
            self.forget()
            run = self.watcher.run(label, thunk, seconds)
        self.lines |= run.lines.keys()
        guessed = inputs.origin in GUESSED
        for case in self.cases:
            case.look(run, inputs, thunk, own=case is own, predicted=predicted, guessed=guessed)
        return run

    def forget(self) -> None:
        """Makes JAX forget what it has traced and compiled, so that the next run is like the first."""
        jax.clear_caches()
        self._begin()

    def _begin(self) -> None:
        if self.watcher.program_calls is not None:
            self.watcher.program_calls.begin()

    def lacks_compilation(self, run: Run) -> bool:
        """Whether an open case needs a run that compiles."""
        return any(not case.is_seen and case.lacks_compilation(run) for case in self.cases)

    def _is_doubtful(self, run: Run, *, predicted: bool) -> bool:
        """Whether a run for true may show something else of an open case.

        What fails under a trace for lack of values fails with any values. Whether code comes back, and how large its
        arrays are, may depend on them. A silent event is judged by further runs; another run of its code may find what
        the first one left behind.
        """
        failure = run.failure
        if failure is not None and (failures.misses_buffer(failure) or _is_of_values(run, failure)):
            return True
        for case in self.cases:
            if not case.is_seen and run.hit(case.probe).count:
                came_back = run.clean and predicted and not kinds.is_silent(case.probe)
                fails = failure is not None and cases.located(case.probe, failure)
                if came_back or (fails and case.probe.kind in kinds.OF_SIZES):
                    return True
        return False


def _is_of_values(run: Run, failure: Failure) -> bool:
    """Whether the values of what stood in for results may have caused a failure."""
    staged = failure.site is not None and (failure.site.file, failure.site.line) in run.raised_staged
    return not staged and _OF_TYPES.isdisjoint(failure.bases)


_OF_TYPES = frozenset(("TypeError", "AttributeError", "KeyError", "NameError", "ImportError"))
"""Exceptions that values of arrays hardly cause."""
