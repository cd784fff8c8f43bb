"""Runs roots again, the ways that the defaults of options rule out or join (machine/options.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from jitlint.analysis.machine.context import Start
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.limits import (
    CHOICES_FUEL,
    COMMAND_LINE_FUEL,
    MAX_ALIKE,
    MAX_CHOICES,
    OPEN_FUEL,
    OPEN_SHARE,
    shares,
)
from jitlint.analysis.machine.parts import TopChoice, Way
from jitlint.analysis.program.open_options import open_options
from jitlint.analysis.values import Const, Option
from jitlint.project.modules import Module


class Deciding(NamedTuple):
    """A root in which the defaults of options decide what runs."""

    fuel: int
    """How many statements it has run."""
    module: Module
    run: Callable[[], None]
    start: Start
    other_ways: dict[Way, Option]
    """The ways that it would go if an option had another value."""
    command_lines: int
    """How many command lines tell apart what it runs."""
    choices: list[tuple[Option, Const]]
    """The options whose defaults decide, each with another value that it may have."""


def unlike_choices(choices: Sequence[TopChoice]) -> list[TopChoice]:
    """The calls of module tops that are worth being made again: of those that leave out the same ways, the first few.

    The many examples of a library call the same code with the same options.
    """
    counts: Counter[object] = Counter()
    kept = []
    for each in choices:
        values = tuple((option, type(value.value), value.value) for option, value in each.choices)
        alike = (frozenset(each.other_ways), each.command_lines, values)
        counts[alike] += 1
        if counts[alike] <= MAX_ALIKE:
            kept.append(each)
    return kept


class OtherWays:
    """Runs the roots of a unit again.

    Args:
        interp: runs the code.
        spent: how many statements the roots of the unit have run.
        run_again: runs a root, and says which ways it would go with other options.
    """

    def __init__(
        self, interp: Interpreter, spent: Callable[[], int], run_again: Callable[[Deciding], dict[Way, Option]]
    ) -> None:
        self._interp = interp
        self._spent = spent
        self._run_again = run_again

    def run(self, deciding: Sequence[Deciding]) -> None:
        """Runs all with open options, then with one command line after the other, then with one choice."""
        for run, fuel in (
            (self._with_open_options, OPEN_FUEL),
            (self._with_command_lines, COMMAND_LINE_FUEL),
            (self._with_choices, CHOICES_FUEL),
        ):
            limit = self._spent() + max(self._spent() // OPEN_SHARE, fuel // shares(self._interp.world.units))
            for root in deciding:
                run(root, limit - root.fuel)

    def _with_open_options(self, root: Deciding, limit: int) -> None:
        """Runs one root with open options: with switches, texts, all, then with those that only these lead to.

        First with switches alone: an option that names what to take from a table leaves less known of what follows. And
        more is known of what a text decides (`metric="diag"`) while the switches (`resume=False`) have their defaults.

        Args:
            root: the root.
            limit: how many statements all roots of the unit may have run before it is run once more.
        """
        ways, opened, done = dict(root.other_ways), dict[Way, Option](), {frozenset[Way]()}

        def run(opened: Mapping[Way, Option]) -> None:
            if frozenset(opened) not in done and self._spent() <= limit:
                done.add(frozenset(opened))
                with open_options(self._interp, tuple((way[0], option) for way, option in opened.items())):
                    ways.update(self._run_again(root))

        for names in (False, True, True):
            wanted = {way: each for way, each in ways.items() if not self._is_seen(root, way, each)}
            opened |= {way: each for way, each in wanted.items() if names or not each.names}
            if names:
                run({way: each for way, each in opened.items() if each.names})
            run(opened)

    def _is_seen(self, root: Deciding, way: Way, option: Option) -> bool:
        """Whether code went a way already. With made-up values, that counts only for a root that has such, too, and for
        the defaults of parameters: a call in view that leaves them means them.
        """
        known = self._interp.unit.decisions
        guessed = root.start.identity is not None or option in self._interp.world.settings.written
        return way in known.ways or (guessed and way in known.ways_of_guesses)

    def _with_command_lines(self, root: Deciding, limit: int) -> None:
        """Runs one root with one command line after the other, so that what follows of each is not joined."""
        for number in range(root.command_lines):
            if self._spent() <= limit:
                with open_options(self._interp, command_line=number):
                    self._run_again(root)

    def _with_choices(self, root: Deciding, limit: int) -> None:
        """Runs one root with all its switches turned over, with one option after the other at another value, and then
        with one text after the other while the other texts are open: some ways take two of them.
        """
        switches = {option: value for option, value in root.choices if isinstance(value.value, bool)}
        together = [switches] if len(switches) > 1 else []
        for given in [*together, *({option: value} for option, value in root.choices)][:MAX_CHOICES]:
            if self._spent() <= limit:
                with open_options(self._interp, given=given):
                    self._run_again(root)
        named = {way: option for way, option in root.other_ways.items() if option.names}
        for option, value in root.choices[:MAX_CHOICES]:
            others = tuple((way[0], other) for way, other in named.items() if other != option)
            if option.names and others and self._spent() <= limit:
                with open_options(self._interp, others, given={option: value}):
                    self._run_again(root)
