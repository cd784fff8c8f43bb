"""Runs a job's programs as users do: as they are, with the options that suspicions name, with each command line."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..inputs.known_inputs import Described
from ..messages import JobRequest, Line, ModuleRequest, Words
from ..process.budget import Budget
from ..user_code import programs
from ..watching.cases import Case
from ..watching.evidence import Evidence
from ..watching.watch import Capture, Run
from .other_options import OtherOptions
from .settings import CommandLines, Setting, settings

_CHANGES = 24
"""So many changed options are tried with a program."""

_VALUES = 4
"""So many values of an option."""

_TIMES = 4
"""The programs of a job may take so many times longer than one probe."""


@dataclass(frozen=True)
class Hidden:
    """A run of a program that ended in a failure which may hide others; `thunk` repeats it."""

    thunk: Callable[[], Any]
    inputs: Described


class Starting:
    """The runs of a job's programs.

    Args:
        job: the job.
        evidence: runs code, and holds the job's cases.
        options: other values of options.
        seconds: how long a run may take.

    Attributes:
        entered: the traced calls of the functions that a survey asks for.
        hidden: runs that ended in a failure.
    """

    def __init__(self, job: JobRequest, evidence: Evidence, options: OtherOptions, seconds: float) -> None:
        self._job, self._evidence, self._options, self._seconds = job, evidence, options, seconds
        self._budget = Budget(_TIMES * seconds)
        self.entered: list[Capture] = []
        self.hidden: list[Hidden] = []

    def start(self, program: ModuleRequest) -> None:
        """Runs a program until it shows nothing new of any case."""
        ready = self._evidence.watcher.run("import", partial(programs.load, program), self._seconds)
        for line, part in programs.parts(program, self._job.sources[program.file]) if ready.clean else ():
            lines, place = CommandLines(), Line(program.file, line)
            self._run(place, lines.noting(part), "")
            for setting, value in self._changes(lines):
                if self._is_over():
                    return
                self._run(place, _with(setting, value, lines.noting(part)), f"{setting.name}={value!r}")
            for arguments in lines.options:
                if self._is_over():
                    return
                self._run(place, partial(part, *arguments), " ".join(arguments))

    def _run(self, place: Line, thunk: Callable[[], Any], change: str) -> Run:
        doing = Words(("the program from ", place, *([f" with {change}"] if change else [])))
        thunk = self._evidence.watcher.until_nothing_is_new(thunk)
        inputs = Described([change] if change else [], "program")
        done = self._evidence.run(doing, thunk, self._seconds, inputs, predicted=False)
        if done.failure is not None:
            self.hidden.append(Hidden(thunk, inputs))
        return done

    def _is_over(self) -> bool:
        return self._budget.late() or all(case.is_seen for case in self._evidence.cases)

    def _changes(self, lines: CommandLines) -> Iterator[tuple[Setting, Any]]:
        """Options with other values, those that most of the open suspicions name first."""
        found = [*lines.settings(), *settings(self._options.modules)]
        wanted: Counter[tuple[int, str]] = Counter()
        values: dict[tuple[int, str], Any] = {}
        for case in self._evidence.cases:
            for at, value in self._wanted(case, found) if not case.is_seen else ():
                wanted[at, repr(value)] += 1
                values[at, repr(value)] = value
        for key, _ in wanted.most_common(_CHANGES):
            yield found[key[0]], values[key]

    def _wanted(self, case: Case, found: list[Setting]) -> Iterator[tuple[int, Any]]:
        """The settings that a suspicion rests on, by number, each with another value."""
        named = {name for text in case.probe.assumed for name in re.findall(r"`([\w.]+)`", text)}
        words = self._options.leading_to({part for name in named for part in name.split(".")})
        for at, setting in enumerate(found):
            others = list(self._options.leading(setting.name, setting.value, words))
            if setting.name in named:
                others += itertools.islice(self._options.values(setting.name, setting.value), _VALUES)
            yield from ((at, other) for other in others)


def _with(setting: Setting, value: Any, run: Callable[[], object]) -> Callable[[], object]:
    def changed() -> object:
        with setting.changed(value):
            return run()

    return changed
