"""Which names of a file are static and which are traced, for what colours source text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jitlint.events.revealed import NOT_TRACED, Revealed


class Name(NamedTuple):
    """A name in a line (from 1), from a column (from 1) to another, and its stage, as `Revealed` has it."""

    line: int
    column: int
    end: int
    stage: str


def names(revealed: Iterable[Revealed]) -> Iterator[Name]:
    """The names in code that a transform runs, in their order; what differs between contexts is mixed."""
    stages: dict[tuple[int, int, int], set[str]] = {}
    for each in revealed:
        place = each.place
        if each.expression.isidentifier() and place.line == place.end_line and each.context != NOT_TRACED:
            stages.setdefault((place.line, place.column, place.end_column), set()).add(each.stage)
    for at, known in sorted(stages.items()):
        yield Name(*at, min(known) if len(known) == 1 else "mixed")
