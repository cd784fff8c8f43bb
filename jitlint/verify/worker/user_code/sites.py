"""Places in the user's code, as instructions name them."""

from __future__ import annotations

import types
from dataclasses import dataclass

from ..messages import Line


@dataclass(frozen=True)
class Site:
    """A place in the user's code: 1-based lines, 0-based byte columns as `co_positions` gives them."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str

    @property
    def first_line(self) -> Line:
        """The line on which the place begins, for reports."""
        return Line(self.file, self.line)

    def overlaps(self, other: Site) -> bool:
        """Whether two places share text: one may enclose the other, or they cross."""
        return (
            self.file == other.file
            and (self.line, self.column) < (other.end_line, other.end_column)
            and (other.line, other.column) < (self.end_line, self.end_column)
        )

    def within(self, other: Site) -> bool:
        """Whether this place is a proper part of the other."""
        begins = (other.line, other.column) <= (self.line, self.column)
        ends = (self.end_line, self.end_column) <= (other.end_line, other.end_column)
        same = self.line == other.line and self.column == other.column and self.end_column == other.end_column
        return self.file == other.file and begins and ends and not (same and self.end_line == other.end_line)


def site_of(code: types.CodeType, offset: int) -> Site:
    """The place of the instruction at a byte offset of a code object."""
    line, end_line, column, end_column = list(code.co_positions())[offset // 2]
    line = line or code.co_firstlineno
    return Site(code.co_filename, line, column or 0, end_line or line, end_column or 1000, code.co_name)
