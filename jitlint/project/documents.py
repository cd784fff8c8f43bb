"""Reads notebooks and Markdown documents as programs. A cell that is not valid Python is left out, the others count."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from jitlint.project.files import NOTEBOOK
from jitlint.source.document import Cell, Document, Line, program
from jitlint.source.magics import python
from jitlint.source.markdown import code_blocks
from jitlint.source.notebook import code_cells
from jitlint.source.reading import DOCUMENT_BYTES
from jitlint.source.text import SourceError, SourceFile, normalize, read_bytes


class BrokenCell(NamedTuple):
    """A cell, or a block of a Markdown document (`cell` is None), that is no Python: where its error is, and which."""

    cell: int | None
    line: int
    column: int
    message: str


def read_document(path: Path, display: str) -> tuple[SourceFile, tuple[BrokenCell, ...]]:
    """Reads a document.

    Args:
        path: the file.
        display: its path as reports show it.

    Returns:
        The file, with a program made of all its valid cells; and its other cells.

    Raises:
        SourceError: the file cannot be read, or is not the notebook that its name says.
    """
    return document(path, display, read_bytes(path, DOCUMENT_BYTES))


def document(path: Path, display: str, data: bytes) -> tuple[SourceFile, tuple[BrokenCell, ...]]:
    """The same, of a document with this content, such as an editor shows.

    Raises:
        SourceError: the content is not that of the notebook that its name says.
    """
    if path.suffix.lower() == NOTEBOOK:
        return of_cells(path, display, code_cells(data))
    text = _text(data)
    blocks = code_blocks(text)
    cells = [Cell(None, tuple(_moved(python("\n".join(b.lines)), b.first, b.shifts))) for b in blocks]
    return _joined(path, display, cells, {None: tuple(text.split("\n"))})


def of_cells(path: Path, display: str, written: Mapping[int, str]) -> tuple[SourceFile, tuple[BrokenCell, ...]]:
    """The same, of a notebook's cells of code by their numbers."""
    cells = [Cell(number, python(text)) for number, text in written.items()]
    return _joined(path, display, cells, {number: tuple(text.split("\n")) for number, text in written.items()})


def _joined(
    path: Path, display: str, cells: Iterable[Cell], texts: Mapping[int | None, tuple[str, ...]]
) -> tuple[SourceFile, tuple[BrokenCell, ...]]:
    judged = [(cell, _problem(cell)) for cell in cells if cell.lines]
    origin = Document(tuple(cell for cell, problem in judged if problem is None), texts)
    return SourceFile(path, display, origin.program, origin), tuple(filter(None, (each for _, each in judged)))


def _text(data: bytes) -> str:
    try:
        return normalize(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"line {line} is not valid utf-8; save the file as UTF-8") from error


def _moved(lines: Iterable[Line], first: int, shifts: tuple[int, ...]) -> Iterable[Line]:
    """Lines of a block with their places in the file: the block's first line is the file's line `first`."""
    for text, number, shift in lines:
        yield Line(text, first + number - 1, shift + shifts[number - 1])


def _problem(cell: Cell) -> BrokenCell | None:
    """What is wrong with a cell; None if it is valid Python."""
    text = program(cell.lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        from jitlint.syntax import SyntaxProblem, lower  # start-up time: loads the front ends only for an invalid cell

        try:
            lower(text)
        except SyntaxProblem as problem:
            line = cell.lines[min(problem.line, len(cell.lines)) - 1]
            # Some of Python's messages name a line, counted within the cell's program.
            message = re.sub(
                r"(?<=on line )\d+", lambda number: str(cell.lines[int(number[0]) - 1].number), problem.message
            )
            return BrokenCell(cell.number, line.number, max(1, problem.column + line.shift), message)
    return None
