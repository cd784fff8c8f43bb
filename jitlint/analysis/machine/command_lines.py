"""What users may type: the command lines of a parser, as its declarations and the code that asks tell.

A root runs with all command lines at once, then with some of them, one by one (program/other_ways.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import Any, Final

from jitlint.analysis.values import Const, Function, Option, Site, Value

MAX_COMMAND_LINES: Final = 64
"""How many command lines a program runs with, one by one."""

MAX_PAIRINGS: Final = 8
"""How many of them bring together what no other does: two choices that only together lead somewhere."""


Picks = int | Mapping[str, int]
"""Which of its choices each argument is: the same number for all, or one for each by its name."""


class CommandLines:
    """What the command lines of a parser may be. What is not here, has no choice or is not known."""

    def __init__(self) -> None:
        self.switches: dict[str, tuple[Value, Value]] = {}
        """The attributes that are there or not: what they are without, and with what a user may type."""
        self.numbers: dict[str, tuple[Value, Value]] = {}
        """The attributes that are numbers and turned off by default, and what turns them on."""
        self.choices: dict[str, tuple[Value, ...]] = {}
        """The attributes that are one of several things, their default first."""
        self.commands: dict[str, tuple[Value, ...]] = {}
        """The attributes that each command sets: its name (under `command`), and what runs it; in their order."""
        self.of_command: dict[str, int] = {}
        """For attributes that were declared after a command: which it is. Mostly they are its own."""
        self.texts: dict[str, tuple[Site, Value]] = {}
        """The attributes that may be any text, with the place that declares them, and their default or any text."""
        self.command = ""
        """The attribute that holds the name of the chosen command; "" if none does."""
        self.parsers = 0
        """How many commands have a parser of their own."""

    def take_over(self, parent: CommandLines) -> None:
        """Adds what the parser's parent (`ArgumentParser(parents=[common])`) says; what is known already stays."""
        self.switches = {**parent.switches, **self.switches}
        self.numbers = {**parent.numbers, **self.numbers}
        self.choices = {**parent.choices, **self.choices}
        self.commands = {**parent.commands, **self.commands}
        self.of_command = {**parent.of_command, **self.of_command}
        self.texts = {**parent.texts, **self.texts}

    def is_known(self, name: str) -> bool:
        """Whether it is noted what an attribute may be."""
        return any(name in some for some in (self.switches, self.numbers, self.choices, self.commands, self.texts))

    def runs_commands(self) -> bool:
        """Whether an attribute is what runs a command: which one, only a run with one command line knows."""
        return any(isinstance(part, Function) for some in self.commands.values() for part in some)

    def variants(self) -> list[dict[str, Value]]:
        """What some command lines give: with each command, all its switches, each of them, and each of the choices,
        with all switches and with none. With all switches, numbers are turned on, too. Then come further choices.

        The first of each command come first, since not all may run, and flags before numbers.
        """
        most = min(max(map(len, self.choices.values()), default=1), MAX_COMMAND_LINES)
        of_commands = []
        told_apart = len(set(self.of_command.values())) > 1  # not where all parsers are made before any argument is
        owners = self.of_command if told_apart else {}
        pairings = self._pairings(most)
        for command in range(max(map(len, self.commands.values()), default=1)):
            switches = [name for name in self.switches if owners.get(name, command) == command]
            switches.sort(key=lambda name: not isinstance(self.switches[name][1], Const))
            numbers = [name for name in self.numbers if owners.get(name, command) == command]
            own = [*switches, *numbers]
            alone: list[tuple[list[str], Picks]] = [([name], 0) for name in switches if len(own) > 1]
            some: list[list[str]] = [own, []] if own else [[]]
            chosen: list[tuple[list[str], Picks]] = [
                (on, choice) for choice in reversed(range(most)) for on in some if choice or not on
            ]
            chosen += [([], picks) for picks in pairings]
            pairs = itertools.zip_longest(alone, chosen)
            variants: list[tuple[list[str], Picks]] = [(own, 0)] if own else []
            variants += [each for pair in pairs for each in pair if each is not None]
            of_commands.append([self._given(command, on, choice) for on, choice in variants])
        return [each for together in itertools.zip_longest(*of_commands) for each in together if each is not None]

    def _pairings(self, most: int) -> list[dict[str, int]]:
        """Choices of which two come together that do not where all arguments have the same one of `most`."""
        counts = {name: len(some) for name, some in self.choices.items() if len(some) > 1}
        apart = {
            ((one, i), (other, j)): None
            for one, other in itertools.combinations(counts, 2)
            for i in range(min(counts[one], MAX_PAIRINGS))
            for j in range(min(counts[other], MAX_PAIRINGS))
            if not any((i, j) == (each % counts[one], each % counts[other]) for each in range(most))
        }
        pairings: list[dict[str, int]] = []
        while apart and len(pairings) < MAX_PAIRINGS:
            picks = dict(next(iter(apart)))
            for name in [name for name in counts if name not in picks]:
                held = list(picks.items())
                waiting = [
                    sum(((name, choice), pick) in apart or (pick, (name, choice)) in apart for pick in held)
                    for choice in range(min(counts[name], MAX_PAIRINGS))
                ]
                picks[name] = waiting.index(max(waiting))
            for pair in itertools.combinations([(name, picks[name]) for name in counts], 2):
                apart.pop(pair, None)
            pairings.append(picks)
        return pairings

    def _given(self, command: int, on: Collection[str], choice: Picks) -> dict[str, Value]:
        """What a command line gives.

        Args:
            command: which command it has.
            on: the switches that it has.
            choice: which of its choices each argument is, all or one by one; 0 for the default.
        """
        given: dict[str, Value] = {
            name: pair[name in on] for name, pair in (*self.switches.items(), *self.numbers.items())
        }
        picks = dict.fromkeys(self.choices, choice) if isinstance(choice, int) else choice
        given.update({name: some[picks.get(name, 0) % len(some)] for name, some in self.choices.items() if some})
        given.update({name: some[command % len(some)] for name, some in self.commands.items() if some and name})
        return given

    def in_words(self, given: dict[str, Value]) -> str:
        """What a command line gives beside the defaults, as `keep_best=True, method='beam'`."""
        others = {name: given[name] for name in self.commands if isinstance(given.get(name), Const)}
        pairs = (*self.switches.items(), *self.numbers.items())
        others.update({name: on for name, (_, on) in pairs if given[name] is on})
        others.update({name: given[name] for name, some in self.choices.items() if some and given[name] is not some[0]})
        shown = {name: repr(value.value) if isinstance(value, Const) else "…" for name, value in others.items()}
        return ", ".join(f"{name}={text}" for name, text in shown.items())


class TypedTexts:
    """The texts that a root's command line gives, and what code asks of them: the keys of tables, other texts."""

    def __init__(self) -> None:
        self._given: dict[int, tuple[Value, Option]] = {}
        self._lines: dict[Option, CommandLines] = {}

    def give(self, lines: CommandLines, name: str, value: Value) -> None:
        """Notes that an attribute has a value that stands for any text, and for no other attribute."""
        option = Option(name, "command line", names=True, declared=True)
        self._given[id(value)] = value, option
        self._lines[option] = lines

    def option_of(self, value: Value) -> Option | None:
        """The attribute that a value is; None if it is none."""
        known = self._given.get(id(value))
        return known[1] if known is not None else None

    def ask(self, option: Option, asked: dict[Any, Const], known: dict[Site, dict[Any, Const]]) -> int:
        """Notes what code asks whether an attribute is it: a text that a user may type.

        Args:
            option: the attribute.
            asked: all that was asked, by its value.
            known: the same of all roots, by the place that declares the attribute; it is brought up to date.

        Returns:
            how many command lines tell apart what runs; 0 if the option is no such attribute, or nothing is new.
        """
        lines = self._lines.get(option)
        if lines is None or option.name not in lines.texts:
            return 0
        place, default = lines.texts[option.name]
        learned = known.setdefault(place, {})
        if asked.keys() <= learned.keys() and option.name in lines.choices:
            return 0
        learned.update(asked)
        lines.choices[option.name] = as_choices(default, learned)
        return min(len(lines.variants()), MAX_COMMAND_LINES)


def as_choices(default: Value, asked: dict[Any, Const]) -> tuple[Value, ...]:
    """What an attribute may be that is any text: its default or any text, then what code asks for."""
    known = default.value if isinstance(default, Const) else None
    return (default, *(text for text in asked.values() if text.value != known))
