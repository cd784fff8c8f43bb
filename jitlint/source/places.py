"""Spans of text and the places that reports show."""

from __future__ import annotations

import bisect
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of characters in one file's text."""

    start: int
    end: int


class Place(NamedTuple):
    """A span as people read it: lines and columns count from 1, columns in characters, the end is exclusive.

    `path` is relative to the working directory, with `/`. `cell` is a notebook cell's number from 1 (lines then count
    within the cell), None elsewhere.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


class Step(NamedTuple):
    """One step of a flow: where a traced value begins, is passed on, or is needed concrete."""

    place: Place
    note: str


class LineTable:
    """Turns offsets in a text into lines and columns."""

    __slots__ = ("_starts", "_length")

    def __init__(self, text: str) -> None:
        starts = [0]
        find = text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        self._starts = starts
        self._length = len(text)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset (clamped to the text)."""
        offset = min(max(offset, 0), self._length)
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def place(self, path: str, span: Span) -> Place:
        """The place of a span in a file."""
        line, column = self.position(span.start)
        end_line, end_column = self.position(span.end)
        return Place(path, line, column, end_line, end_column)
