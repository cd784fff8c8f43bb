"""Runs a job's programs as users do: as they are, then with the options that lead to the suspicions' places."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax

from ..inputs.known_inputs import Described
from ..messages import JobRequest, Line, ModuleRequest, Words
from ..process.budget import Budget
from ..user_code import programs
from ..user_code.probes import names_quoted
from ..watching import branches
from ..watching.cases import Case
from ..watching.evidence import Evidence
from .other_options import OtherOptions
from .settings import CommandLines, Setting, settings

_CHANGES = 24
"""So many changed options are tried with a program."""

_VALUES = 4
"""So many values of an option."""

_FIRST, _MOST = 3, 6
"""A program's first run may take so many times longer than one probe, and all runs of a job's programs. So much is
theirs only if they lead to several modules: the linter ends a process that takes half of its time to begin.
"""


Change = tuple[tuple[list[Setting], Any], ...]
"""Options, each as the settings that hold it, with other values."""


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
        hidden: runs that ended in a failure.
    """

    def __init__(self, job: JobRequest, evidence: Evidence, options: OtherOptions, seconds: float) -> None:
        self._job, self._evidence, self._options, self._seconds = job, evidence, options, seconds
        modules = {case.probe.site.file for case in evidence.cases}
        self._budget = Budget(min(_FIRST + len(modules) - 1, _MOST) * seconds)
        self.hidden: list[Hidden] = []

    def start(self, program: ModuleRequest) -> None:
        """Runs a program until it shows nothing new of any case."""
        ready = self._evidence.watcher.run("import", partial(programs.load, program), self._seconds)
        for part in programs.parts(program, self._job.sources[program.file]) if ready.clean else ():
            lines, place = CommandLines(), Line(program.file, part.line)
            run = lines.noting(part.run)
            self._run(place, run, (), _FIRST * self._seconds)
            for change in self._changes(lines) if part.is_main else ():
                if self._is_over():
                    return
                self._run(place, _with(change, run), change, self._seconds)

    def _run(self, place: Line, thunk: Callable[[], Any], change: Change, seconds: float) -> None:
        said = " and ".join(f"{options[0].name}={value!r}" for options, value in change)
        doing = Words(("the program from ", place, *([f" with {said}"] if said else [])))
        thunk = self._evidence.watcher.until_nothing_is_new(thunk)
        inputs = Described([said] if said else [], "program", options=[options[0].name for options, _ in change])
        without_jit = jax.config.jax_disable_jit
        done = self._evidence.run(doing, thunk, min(seconds, self._budget.left()), inputs, predicted=False)
        jax.config.update("jax_disable_jit", without_jit)  # for this program only
        if done.failure is not None:
            self.hidden.append(Hidden(thunk, inputs))

    def _is_over(self) -> bool:
        return self._budget.late() or all(case.is_seen for case in self._evidence.cases)

    def _changes(self, lines: CommandLines) -> Iterator[Change]:
        """Options with other values, those that most of the open suspicions name first, then two of them at once.

        Settings of one name and value are one option: what it is given in one place is passed on to the others.
        """
        alike: dict[str, list[Setting]] = {}
        for setting in (*lines.settings(), *settings(self._options.modules)):
            alike.setdefault(f"{setting.name}={setting.value!r}", []).append(setting)
        wanted: dict[str, tuple[int, Change, list[Case]]] = {}
        for case in self._evidence.cases:
            for rank, change in self._wanted(case, alike):
                known = repr([(options[0].name, options[0].value, value) for options, value in change])
                wanted.setdefault(known, (rank, change, []))[2].append(case)
        tried = 0
        for _, change, cases in sorted(wanted.values(), key=lambda one: (one[0], -len(one[2]))):
            if tried < _CHANGES and not all(case.is_seen for case in cases):
                tried += 1
                yield change

    def _wanted(self, case: Case, alike: Mapping[str, list[Setting]]) -> Iterator[tuple[int, Change]]:
        """Changes that may lead to a suspicion's place, with their ranks.

        The options that it rests on, or that keep the program from the place; those that choose a function from which
        calls lead there; one of each.
        """
        site = case.probe.site
        said = [*case.probe.assumed]
        if not case.is_reached:
            missed = branches.missed(site, self._job.sources[site.file], self._evidence.lines)
            said.append("".join(map(str, missed.parts)) if isinstance(missed, Words) else missed)
        named = names_quoted(said)
        around = names_quoted((f"`{case.probe.symbol}` `{case.probe.entry_function}`",)) - {"locals"}
        direct = list(self._leading(alike, self._options.leading_to(named | around), named))
        yield from ((0, (change,)) for change in direct)
        if case.is_reached:
            return
        further = list(self._leading(alike, self._options.leading_to(self._options.callers(around)), ()))
        yield from ((1, (change,)) for change in further if change not in direct)
        yield from ((2, (one, other)) for one in direct for other in further if one[0] is not other[0])

    def _leading(
        self, alike: Mapping[str, list[Setting]], words: Collection[str], named: Collection[str]
    ) -> Iterator[tuple[list[Setting], Any]]:
        """The options that lead to some words, or are named, each with another value."""
        for options in alike.values():
            name, value = options[0].name, options[0].value
            others = list(self._options.leading(name, value, words))
            if name in named:
                others += itertools.islice(self._options.values(name, value), _VALUES)
            yield from ((options, other) for other in others)


def _with(change: Change, run: Callable[[], object]) -> Callable[[], object]:
    def changed() -> object:
        with contextlib.ExitStack() as stack:
            for options, value in change:
                for option in options:
                    stack.enter_context(option.changed(value))
            return run()

    return changed
