"""Runs a job's programs as users do: as they are, then with the options that lead to the suspicions' places."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax

from ..inputs.known_inputs import Described
from ..inside_jax.failures import Failure
from ..messages import JobRequest, Line, ModuleRequest, Words
from ..process.budget import Budget
from ..user_code import programs
from ..user_code.probes import attributes_around, names_quoted, typed
from ..watching import branches, kinds
from ..watching.cases import Case
from ..watching.evidence import Evidence
from ..watching.watch import Run
from .command_lines import CommandLines
from .other_options import OtherOptions
from .settings import Setting, settings

_CHANGES = 32
"""So many changed options are tried with a program."""

_VALUES = 4
"""So many values of an option."""

_COMMANDS = 8
"""So many of a program's commands are run."""

_NUMBERS = (1, 1000)
"""Numbers that stand in for results where 0 may lead nowhere: what is true, and what is enough."""

_LONG = 3.0
"""A program that runs so many seconds is long."""

_NEAR = 0.5
"""A way to start a program is changed for a suspicion if it runs so much, of the files in question, as another does."""

_FIRST, _MOST = 3, 6
"""A program's first run may take so many times longer than one probe, and all runs of a job's programs. So much is
theirs only if they lead to several modules: the linter ends a process that takes half of its time to begin.
"""


@dataclass(eq=False)
class Start:
    """A way to start a program: where it begins and how, in words, and what its command line takes."""

    words: tuple[str | Line, ...]
    run: Callable[[], object]
    lines: CommandLines
    ran: Counter[str] = field(default_factory=Counter)
    """How many lines of each file it has run."""

    is_long: bool = False
    """Whether it takes so long that others are changed first."""

    number: int = 0
    """The number that stands in for results when it is rehearsed."""

    def lines_of(self, files: Collection[str]) -> int:
        """How many lines of some files it has run."""
        return sum(count for file, count in self.ran.items() if file in files)


Change = tuple[tuple[list[Setting], Any], ...]
"""Options, each as the settings that hold it, with other values."""


@dataclass
class _Wanted:
    """A change that suspicions ask for; `turn` says how early the first of them asks, among all that it asks for."""

    rank: int
    turn: int
    start: Start
    change: Change
    cases: list[Case] = field(default_factory=list)


@dataclass(frozen=True)
class Hidden:
    """A run of a program that ended in a failure which may hide others; `thunk` repeats it."""

    thunk: Callable[[], Any]
    inputs: Described
    failure: Failure


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
        self._uncompiled: list[tuple[Start, Change, Run]] = []

    def start(self, program: ModuleRequest) -> None:
        """Runs a program with each of its commands and with other options, then its tests, until nothing is open.

        All these are rehearsals; those that lack compilations are run for true after them.
        """
        text, watcher = self._job.sources[program.file], self._evidence.watcher
        ready = watcher.run("import", partial(programs.load, program), self._seconds)
        parts = programs.parts(program, text) if ready.clean else ()
        flags = programs.flags(text) if ready.clean else []
        starts = [
            start for part in parts for start in self._with_each_command(part, Line(program.file, part.line), flags)
        ]
        for start, change in self._changes(starts):
            if not self._is_over():
                self._run(start, change, self._seconds)
        listed = watcher.run("tests", partial(programs.tests, program, text), self._seconds) if ready.clean else ready
        for part in listed.value if listed.clean else ():
            if not self._is_over():
                self._run(Start((Line(program.file, part.line),), part.run, CommandLines()), (), _FIRST * self._seconds)
        while self._uncompiled:
            start, change, run = self._uncompiled.pop(0)
            if self._evidence.lacks_compilation(run) and not self._is_over():
                self._evidence.forget()
                self._run(start, change, _FIRST * self._seconds, for_true=True)

    def _with_each_command(self, part: programs.Part, place: Line, flags: Sequence[str]) -> Iterator[Start]:
        """Runs a program as it is, then with its other commands or flags, and returns these ways to start it."""
        lines = CommandLines()
        first = Start((place,), part.run, lines)
        self._begin(first, _FIRST * self._seconds)
        yield first
        for command in lines.commands[1:_COMMANDS]:
            if not self._is_over():
                other = Start((place, f" with the command {command}"), part.run, CommandLines(command))
                self._begin(other, self._seconds)
                yield other
        for flag in flags[:_COMMANDS]:
            if not self._is_over():
                other = Start((place, f" with {flag}"), partial(part.run, flag), CommandLines())
                self._begin(other, self._seconds)
                yield other

    def _begin(self, start: Start, seconds: float) -> None:
        """Runs a program as it is; one that decides by results gets the number with which it runs most lines."""
        done = self._run(start, (), seconds)
        lines = {start.number: len(done.lines)}
        for number in _NUMBERS if done.stand_ins.decided else ():
            if not self._is_over():
                start.number = number
                lines[number] = len(self._run(start, (), self._seconds).lines)
        start.number = max(lines, key=lines.__getitem__)

    def _run(self, start: Start, change: Change, seconds: float, *, for_true: bool = False) -> Run:
        said = " and ".join(f"{options[0].name}={value!r}" for options, value in change)
        doing = Words(("the program from ", *start.words, *([f" with {said}"] if said else [])))
        thunk = self._evidence.watcher.until_nothing_is_new(_with(change, start.lines.noting(start.run)))
        inputs = Described([said] if said else [], "program", options=[options[0].name for options, _ in change])
        without_jit = jax.config.jax_disable_jit
        done = self._evidence.run(
            doing,
            thunk,
            min(seconds, self._budget.left()),
            inputs,
            predicted=False,
            stand_in=None if for_true else start.number,
            compile_later=True,
        )
        if self._evidence.lacks_compilation(done):
            self._uncompiled.append((start, change, done))
        start.ran.update(file for file, _ in done.lines)
        start.is_long = start.is_long or done.seconds > _LONG
        jax.config.update("jax_disable_jit", without_jit)  # for this program only
        if done.failure is not None:
            self.hidden.append(Hidden(thunk, inputs, done.failure))
        return done

    def _is_over(self) -> bool:
        return self._budget.late() or all(case.is_seen for case in self._evidence.cases)

    def _changes(self, starts: Sequence[Start]) -> Iterator[tuple[Start, Change]]:
        """Options with other values, those that the open suspicions name first, then two of them at once.

        What an option is given in one place is passed on to the others.
        """
        known = [_alike(start.lines.settings(), settings(self._options.modules)) for start in starts]
        wanted: dict[tuple[int, str], _Wanted] = {}
        for case in self._evidence.cases:
            for start in _nearest(case, starts):
                at = starts.index(start)
                for turn, (rank, change) in enumerate(self._wanted(case, known[at])):
                    name = repr([(options[0].name, options[0].value, value) for options, value in change])
                    one = wanted.setdefault((at, name), _Wanted(rank, turn, start, change))
                    one.rank, one.turn = min((one.rank, one.turn), (rank, turn))
                    one.cases.append(case)
        tried = 0
        for one in sorted(wanted.values(), key=lambda one: (one.rank + one.start.is_long, one.turn, -len(one.cases))):
            if tried < _CHANGES and not all(case.is_seen for case in one.cases):
                tried += 1
                yield one.start, one.change

    def _wanted(self, case: Case, alike: Sequence[list[Setting]]) -> Iterator[tuple[int, Change]]:
        """Changes that may lead to a suspicion's place, with their ranks.

        The options that it rests on, or that keep the program from the place; those that choose a function from which
        calls lead there; what parsers offer; two at once.
        """
        site = case.probe.site
        options = typed(case.probe.assumed)
        given = [(one, options[one[0].name]) for one in alike if one[0].name in options]
        yield from _typed([(one, _a_number(one) if value is ... else value) for one, value in given])
        said = [*case.probe.assumed]
        if not case.is_reached:
            missed = branches.missed(site, self._job.sources[site.file], self._evidence.lines)
            said.append("".join(map(str, missed.parts)) if isinstance(missed, Words) else missed)
        named = names_quoted(said)
        around = names_quoted((f"`{case.probe.symbol}` `{case.probe.entry_function}`",)) - {"locals"}
        leading = list(self._leading(alike, self._options.leading_to(named), ()))
        first = [*leading, *self._leading(alike, (), named)]
        direct = list(self._leading(alike, self._options.leading_to(around), ()))
        yield from ((0, (change,)) for change in leading)
        yield from ((1, (change,)) for change in first if change not in leading)
        yield from ((2, (change,)) for change in direct if change not in first)
        if case.is_reached:
            if kinds.varies(case.probe):  # a number may say how much
                beside = attributes_around(site, self._job.sources[site.file])
                yield from ((3, (change,)) for change in self._leading(alike, (), beside) if change not in first)
            return
        further = list(self._leading(alike, self._options.leading_to(self._options.callers(around)), ()))
        yield from ((3, (change,)) for change in further if change not in first)
        yield from ((4, ((options, one),)) for options in alike for one in _choices(options))
        yield from ((5, (one, other)) for one in (*first, *direct) for other in further if one[0] is not other[0])

    def _leading(
        self, alike: Sequence[list[Setting]], words: Collection[str], named: Collection[str]
    ) -> Iterator[tuple[list[Setting], Any]]:
        """The options that lead to some words, or are named, each with another value."""
        for options in alike:
            name, value = options[0].name, options[0].value
            others = list(self._options.leading(name, value, words))
            others += [one for one in _choices(options) if name in named or name in words or _leads(one, words)]
            if name in named:
                others += itertools.islice(self._options.values(name, value), _VALUES)
            yield from ((options, other) for other in others if all(_takes(option, other) for option in options))


def _a_number(options: Sequence[Setting]) -> Any:
    """A number that an option may be, as far as its parser tells; None if it does not."""
    return next((choice for option in options for choice in option.choices if isinstance(choice, float)), None)


def _typed(given: Sequence[tuple[list[Setting], Any]]) -> Iterator[tuple[int, Change]]:
    """The options of a command line, all together; then its texts with one of the others, since all may be too much."""
    known = [(one, value) for one, value in given if value is not None]
    texts = [(one, value) for one, value in known if isinstance(value, str)]
    others = [each for each in known if each not in texts]
    if known:
        yield 0, tuple(known)
    if len(others) > 1:
        yield from ((0, (*texts, each)) for each in others)


def _nearest(case: Case, starts: Sequence[Start]) -> Iterator[Start]:
    """The ways to start a program that run most of the files that a suspicion is about, or else most of any."""
    about = {site.file for site in (case.probe.site, case.probe.entry_site) if site is not None}
    if not any(start.lines_of(about) for start in starts):
        about = {file for start in starts for file in start.ran}
    most = max((start.lines_of(about) for start in starts), default=0)
    yield from (start for start in starts if start.lines_of(about) >= _NEAR * most)


def _alike(given: Iterable[Setting], held: Iterable[Setting]) -> list[list[Setting]]:
    """Settings that are one option: those of one name and value.

    An argument of the command line that is None if nobody gives it has the value that another place of its name holds.

    Args:
        given: the arguments of a command line.
        held: what the program holds.
    """
    groups: dict[tuple[str, str], list[Setting]] = {}
    unset: list[Setting] = []
    for setting in given:
        if setting.value is None:
            unset.append(setting)
        else:
            groups.setdefault((setting.name, repr(setting.value)), []).append(setting)
    for setting in held:
        groups.setdefault((setting.name, repr(setting.value)), []).append(setting)
    for setting in unset:
        name = setting.name.rpartition("__")[2]
        others = [group for (other, _), group in groups.items() if other == name and _takes(setting, group[0].value)]
        for group in others or [groups.setdefault((setting.name, "None"), [])]:
            group.append(setting)
    return list(groups.values())


def _takes(setting: Setting, value: Any) -> bool:
    """Whether an argument of the command line may have a value."""
    return not setting.choices or type(value) is not type(setting.choices[0]) or value in setting.choices


def _choices(options: Sequence[Setting]) -> Iterator[Any]:
    """The values that a command line offers for an option, other than the one that it has."""
    for option in options:
        yield from (choice for choice in option.choices if choice != options[0].value)


def _leads(choice: Any, words: Collection[str]) -> bool:
    """Whether a choice is one of some words, or a list of one."""
    return any(part in words for part in (choice if isinstance(choice, list) else [choice]) if isinstance(part, str))


def _with(change: Change, run: Callable[[], object]) -> Callable[[], object]:
    def changed() -> object:
        with contextlib.ExitStack() as stack:
            for options, value in change:
                for option in options:
                    stack.enter_context(option.changed(value))
            return run()

    return changed
