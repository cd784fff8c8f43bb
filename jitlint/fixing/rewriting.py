"""Fixed texts as the files that users have: in their encoding, with their newlines, in the cells of notebooks."""

from __future__ import annotations

import codecs
import difflib
import io
import re
import tokenize
from collections.abc import Iterator, Sequence

from jitlint.fixes.changes import whole_lines
from jitlint.source.document import Document, Line
from jitlint.source.notebook import with_cells
from jitlint.source.reading import DOCUMENT_BYTES, SOURCE_BYTES
from jitlint.source.text import SourceError, SourceFile, decode, normalize, read_bytes

_NEWLINE = re.compile(r"(\r\n|\r|\n)")
_BOM = "\ufeff"
_BY_HAND = "the fix would change lines of several cells, or magics; edit it by hand"


def rewritten(source: SourceFile, fixed: str) -> bytes:
    """A file's new content.

    Args:
        source: the file as it was read.
        fixed: its new text; of a notebook or another document, the new text of its program.

    Raises:
        SourceError: the file has changed since it was read, or the new text cannot be written into it.
    """
    if source.document is None:
        data = read_bytes(source.path, SOURCE_BYTES)
        if decode(data) != source.text:
            raise SourceError("the file has changed since it was read; run jitlint again")
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return _encoded(_replaced(data.decode(encoding), _changes(source.text, fixed)), encoding)
    data = read_bytes(source.path, DOCUMENT_BYTES)
    cells = _document_lines(source.document, source.text, fixed)
    if None not in cells:
        return with_cells(data, {cell: "\n".join(lines) for cell, lines in cells.items() if cell is not None})
    text = data.decode()
    changes = _changes(normalize(text), "\n".join(cells[None]))
    return _replaced(text, changes).encode()


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise SourceError(f"the fixed text cannot be written as {encoding}") from error


def _changes(before: str, after: str) -> list[tuple[int, int, list[str]]]:
    """Which lines (from 0, the end is exclusive) are replaced by which."""
    old, new = before.split("\n"), after.split("\n")
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(first, last, new[start:end]) for kind, first, last, start, end in codes if kind != "equal"]


def _replaced(raw: str, changes: Sequence[tuple[int, int, list[str]]]) -> str:
    """A text with newlines of any kind, with other lines in the place of some; the others stay as they are."""
    parts = _NEWLINE.split(raw.removeprefix(_BOM))
    lines = [[text, end] for text, end in zip(parts[::2], [*parts[1::2], ""], strict=True)]
    usual = parts[1] if len(parts) > 1 else "\n"
    for first, last, new in reversed(changes):
        lines[first:last] = [[text, usual] for text in new]
    for line in lines[:-1]:
        line[1] = line[1] or usual
    lines[-1][1] = ""
    return (_BOM if raw.startswith(_BOM) else "") + "".join(text + end for text, end in lines)


def _document_lines(document: Document, before: str, after: str) -> dict[int | None, list[str]]:
    """The new lines of each cell that changes (None: of a document without cells)."""
    changed: dict[int | None, list[str]] = {}
    lines = [(cell.number, line) for cell in document.cells for line in cell.lines]
    for first, last, new in reversed(_changes(before, after)):
        cell, at, end, shift = _written(document, lines, first, last)
        texts = changed.setdefault(cell, list(document.texts[cell]))
        indentation = texts[at][:shift] if at < len(texts) else ""
        if indentation.strip() and len(new) != end - at:
            raise SourceError(_BY_HAND)
        texts[at:end] = [f"{indentation}{line}" if line else "" for line in new]
    return changed


def _written(
    document: Document, lines: Sequence[tuple[int | None, Line]], first: int, last: int
) -> tuple[int | None, int, int, int]:
    """The cell, and the lines in it from 0, in which lines of a program were written, and how far they are indented.

    Raises:
        SourceError: the lines are of several cells, or were not written as they stand in the program.
    """
    touched = lines[first:last] or lines[max(first - 1, 0) : max(first, 1)]
    cell = touched[0][0]
    if any(number != cell for number, _ in touched) or any(_differ(document, each) for each in touched):
        raise SourceError(_BY_HAND)
    numbers = [line.number for _, line in touched]
    shift = touched[0][1].shift
    if last > first:
        return cell, numbers[0] - 1, numbers[-1], shift
    at = numbers[0] if first else numbers[0] - 1
    return cell, at, at, shift


def _differ(document: Document, line: tuple[int | None, Line]) -> bool:
    """Whether a line of a program was not written so, since it stands for a magic."""
    cell, (text, number, shift) = line
    return document.texts[cell][number - 1][max(shift, 0) :] != text


def _mark(source: SourceFile) -> str:
    """The byte order mark that a file begins with, which its text lacks; "" if there is none."""
    if source.document is not None:
        return ""
    try:
        return _BOM if read_bytes(source.path, SOURCE_BYTES).startswith(codecs.BOM_UTF8) else ""
    except SourceError:  # standard input stands for a file that may not be there
        return ""


def diff(source: SourceFile, fixed: str) -> Iterator[str]:
    """The lines of a unified diff, with which `patch` makes the fixed text; of a notebook, that of its program."""
    mark = _mark(source)
    before, after = whole_lines(mark + source.text), whole_lines(mark + fixed)
    for line in difflib.unified_diff(before, after, f"a/{source.display}", f"b/{source.display}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
