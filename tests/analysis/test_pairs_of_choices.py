"""Which choices of a command line come together."""

from __future__ import annotations

import itertools

from jitlint.analysis.machine.command_lines import MAX_COMMAND_LINES, MAX_PAIRINGS, CommandLines
from jitlint.analysis.values import Const


def choosing(**counts: int) -> CommandLines:
    lines = CommandLines()
    for name, count in counts.items():
        lines.choices[name] = tuple(Const(f"{name}{number}") for number in range(count))
    return lines


def test_each_two_choices_come_together() -> None:
    lines = choosing(method=3, thinning=2, loop=2, rule=2)
    given = lines.variants()
    for one, other in itertools.combinations(lines.choices, 2):
        together = {(each[one], each[other]) for each in given}
        assert together == set(itertools.product(lines.choices[one], lines.choices[other]))


def test_the_same_choice_of_all_comes_first() -> None:
    lines = choosing(method=3, thinning=2)
    methods = [each["method"] for each in lines.variants()[:3]]
    assert set(methods) == set(lines.choices["method"])


def test_many_choices_have_few_command_lines() -> None:
    many = choosing(**{f"option{number}": 9 for number in range(12)})
    assert len(many.variants()) <= 9 + MAX_PAIRINGS < MAX_COMMAND_LINES
