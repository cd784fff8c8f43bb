"""A file as text."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jitlint.source.document import Document
from jitlint.source.places import Place
from jitlint.source.reading import SOURCE_BYTES, read_file, reason

_ENCODING_REMEDY = "save the file as UTF-8 or declare its encoding"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that is analyzed.

    Attributes:
        path: where it is.
        display: its path as reports show it.
        text: its text, without a BOM and with `\\n` for all newlines. For a notebook or another document this is the
            text of its program.
        document: for a notebook or another document, where each line of its program was written.
    """

    path: Path
    display: str
    text: str
    document: Document | None = None

    def written(self, cell: int | None) -> Sequence[str]:
        """The lines of a cell (None: of a file without cells) as they were written."""
        return self.text.split("\n") if self.document is None else self.document.texts.get(cell, ())

    def line_of(self, cell: int | None, line: int) -> int | None:
        """The line of `text` for a line of the file or of one of its cells, None if that line is not Python."""
        if self.document is not None:
            return self.document.line_of(cell, line)
        return line if cell is None else None

    def position(self, line: int, column: int = 1) -> tuple[int | None, int, int]:
        """The cell (None: of a file without cells), line and column where a position in `text` was written."""
        if self.document is None:
            return None, line, column
        place = self.document.place(Place(self.display, line, column, line, column))
        return place.cell, place.line, place.column

    def at(self, line: int) -> str:
        """A line of `text` in the form that places have: `7`, or `cell 3:2`."""
        if self.document is None:
            return str(line)
        cell, number = self.document.position(line)
        return f"cell {cell}:{number}" if cell is not None else str(number)


class SourceError(Exception):
    """A file that cannot be read as text; the message says why and what to do."""


def read_source(path: Path, display: str) -> SourceFile:
    """Reads a Python file as Python itself would.

    Args:
        path: the file.
        display: its path as reports show it.

    Raises:
        SourceError: the file cannot be read, or is not text in the encoding that it declares.
    """
    return SourceFile(path, display, decode(read_bytes(path)))


def read_bytes(path: Path, most: int = SOURCE_BYTES) -> bytes:
    """The content of a file of at most so many bytes.

    Raises:
        SourceError: the file cannot be read.
    """
    try:
        return read_file(path, most)
    except OSError as error:
        raise SourceError(f"cannot read the file: {reason(error)}") from error


def decode(data: bytes) -> str:
    """A Python file's bytes as text, by its BOM or encoding declaration, else UTF-8.

    Raises:
        SourceError: not text in that encoding, or it contains NUL bytes.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise SourceError(f"{error.msg}; {_ENCODING_REMEDY}") from error
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"line {line} is not valid {encoding}; {_ENCODING_REMEDY}") from error
    except (UnicodeError, LookupError) as error:  # the codec is not for text
        raise SourceError(f"cannot decode the file as {encoding}: {error}; {_ENCODING_REMEDY}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(
            f"line {line} contains a NUL byte, so this is not Python source; remove it or exclude the file"
        )
    return normalize(text)


def normalize(text: str) -> str:
    """The text with `\\n` for every newline and without a BOM."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
