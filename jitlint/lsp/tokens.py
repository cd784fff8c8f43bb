"""Semantic tokens: which names of a file are static and which are traced, for editors to colour."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from jitlint.lsp.positions import Lines
from jitlint.report.stages import Name

STAGES = ("static", "traced")
LEGEND = types.SemanticTokensLegend(token_types=["variable"], token_modifiers=list(STAGES))
"""The tokens: variables, with their stage as the modifier."""


def encoded(found: Iterable[Name], lines: Lines) -> list[int]:
    """Names as the protocol writes them: five numbers each, places relative to the token before."""
    data: list[int] = []
    before = types.Position(0, 0)
    for token in found:
        if token.stage not in STAGES:
            continue
        start, end = lines.position(token.line, token.column), lines.position(token.line, token.end)
        down = start.line - before.line
        along = start.character if down else start.character - before.character
        data += [down, along, end.character - start.character, 0, 1 << STAGES.index(token.stage)]
        before = start
    return data
