"""The runs of one job: each is watched, and every case looks at what it saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..inputs.known_inputs import GUESSED, Described
from ..messages import Words
from .cases import Case
from .watch import Run, Watcher


class Evidence:
    """Runs user code for all cases of a job.

    Attributes:
        cases: what is to be decided.
        watcher: runs code; runs that it makes without `Evidence` reach no case.
        lines: the user's lines that were executed.
    """

    def __init__(self, cases: Sequence[Case], watcher: Watcher) -> None:
        self.cases, self.watcher = cases, watcher
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
    ) -> Run:
        """Runs code and lets every case see it.

        Args:
            label: what the run does, for people.
            thunk: does it, anew each time.
            seconds: how long it may take.
            inputs: the inputs.
            own: the case that it runs for.
            predicted: whether it goes the way that the analyzer predicted.
        """
        run = self.watcher.run(label, thunk, seconds)
        self.lines |= run.lines.keys()
        guessed = inputs.origin in GUESSED
        for case in self.cases:
            case.look(run, inputs, thunk, own=case is own, predicted=predicted, guessed=guessed)
        return run
