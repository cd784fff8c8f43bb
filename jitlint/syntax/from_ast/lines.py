"""Converts the places of `ast` nodes, which are lines and UTF-8 bytes, to character offsets."""

from __future__ import annotations

from typing import Any

from jitlint.source.places import Span


class Lines:
    """The lines of a text."""

    __slots__ = ("_starts", "_wide", "_columns")

    def __init__(self, text: str, start: int = 0) -> None:
        """`start` is added to all offsets: it is where the text begins if it is a part of a larger one."""
        starts = [0, start]  # lines count from 1
        find = text.find
        at = find("\n")
        while at >= 0:
            starts.append(start + at + 1)
            at = find("\n", at + 1)
        self._starts = starts
        self._wide: dict[int, str] = {}  # lines in which some character has several bytes
        if not text.isascii():
            self._wide = {n: line for n, line in enumerate(text.split("\n"), 1) if not line.isascii()}
        self._columns: dict[int, list[int]] = {}

    def span(self, node: Any) -> Span:
        """The span of a node with a position."""
        first: int = node.lineno
        last: int = node.end_lineno
        start: int = node.col_offset
        end: int = node.end_col_offset
        if self._wide:
            start = self._column(first, start)
            end = self._column(last, end)
        starts = self._starts
        return Span(starts[first] + start, starts[last] + end)

    def _column(self, line: int, column: int) -> int:
        """The column in characters for a column in bytes."""
        if line not in self._wide:
            return column
        if line not in self._columns:
            text = self._wide[line]
            self._columns[line] = [at for at, character in enumerate(text) for _ in character.encode()] + [len(text)]
        return self._columns[line][column]
