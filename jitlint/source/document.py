"""Documents that hold Python: notebooks, and Markdown with blocks of code.

The Python of a document is one program, read from top to bottom, and is analyzed like the text of any other file. A
`Document` says where in the document each line of the program was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jitlint.source.places import Place


class Line(NamedTuple):
    """A line of a program, its line number in the document, and how many columns further right it stands there."""

    text: str
    number: int
    shift: int = 0


class Cell(NamedTuple):
    """A piece of a document's Python: the cell's number (None in Markdown, which has no cells), and its lines."""

    number: int | None
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Where a program was written.

    Attributes:
        cells: the pieces of the program, in their order.
        texts: the lines of the document as they were written, by cell.
    """

    cells: tuple[Cell, ...]
    texts: Mapping[int | None, tuple[str, ...]]

    @property
    def program(self) -> str:
        """The program's text."""
        return program(line for cell in self.cells for line in cell.lines)

    def place(self, place: Place) -> Place:
        """The place in the document of a place in the program."""
        cell, first = self._at(place.line)
        other, last = self._at(place.end_line)
        if other is not cell:  # the place ends where the next cell begins
            last, place = first, place._replace(end_column=len(first.text) + 1)
        return Place(
            place.path,
            first.number,
            max(1, place.column + first.shift),
            last.number,
            max(1, place.end_column + last.shift),
            cell.number,
        )

    def position(self, line: int) -> tuple[int | None, int]:
        """The cell and the line in it from which a line of the program comes."""
        cell, found = self._at(line)
        return cell.number, found.number

    def line_of(self, cell: int | None, number: int) -> int | None:
        """The line of the program for a line of the document, None if that line is not Python."""
        lines = [(piece.number, line.number) for piece in self.cells for line in piece.lines]
        # The last of several: a magic such as `%timeit f(x)` becomes a loop, and below it the code that it runs.
        return next((at for at in range(len(lines), 0, -1) if lines[at - 1] == (cell, number)), None)

    def _at(self, line: int) -> tuple[Cell, Line]:
        for cell in self.cells:
            if line <= len(cell.lines):
                return cell, cell.lines[max(line, 1) - 1]
            line -= len(cell.lines)
        return self.cells[-1], self.cells[-1].lines[-1]


def program(lines: Iterable[Line]) -> str:
    """The text of a program's lines."""
    return "".join(f"{line.text}\n" for line in lines)


def in_words(cell: int | None, line: int) -> str:
    """A line of a document in words: `line 3`, `cell 2, line 3`."""
    return f"line {line}" if cell is None else f"cell {cell}, line {line}"
