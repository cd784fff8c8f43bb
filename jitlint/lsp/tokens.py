"""Semantic tokens: which names of a file are static and which are traced, for editors to colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lsprotocol import types

from jitlint.events.revealed import Revealed
from jitlint.lsp.hovers import NOT_TRACED
from jitlint.lsp.positions import Lines

STAGES = ("static", "traced")
LEGEND = types.SemanticTokensLegend(token_types=["variable"], token_modifiers=list(STAGES))
"""The tokens: variables, with their stage as the modifier."""


class Token(NamedTuple):
    """A name in a line (from 1), from a column (from 1) to another, and its stage."""

    line: int
    column: int
    end: int
    stage: str


def tokens(revealed: Iterable[Revealed]) -> Iterator[Token]:
    """The names with one stage in all contexts that trace them, in their order."""
    stages: dict[tuple[int, int, int], set[str]] = {}
    for each in revealed:
        place = each.place
        if each.expression.isidentifier() and place.line == place.end_line and each.context != NOT_TRACED:
            stages.setdefault((place.line, place.column, place.end_column), set()).add(each.stage)
    for at, known in sorted(stages.items()):
        if len(known) == 1 and (stage := min(known)) in STAGES:
            yield Token(*at, stage)


def encoded(found: Iterable[Token], lines: Lines) -> list[int]:
    """Tokens as the protocol writes them: five numbers each, places relative to the token before."""
    data: list[int] = []
    before = types.Position(0, 0)
    for token in found:
        start, end = lines.position(token.line, token.column), lines.position(token.line, token.end)
        down = start.line - before.line
        along = start.character if down else start.character - before.character
        data += [down, along, end.character - start.character, 0, 1 << STAGES.index(token.stage)]
        before = start
    return data
