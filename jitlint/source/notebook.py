"""Jupyter notebooks: the code cells of an `.ipynb` file, and their places in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from json import decoder, scanner
from typing import Any

from jitlint.source.places import LineTable
from jitlint.source.text import SourceError, normalize

_REMEDY = "repair the notebook, or exclude it"
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
"""A character as JSON writes it."""


def code_cells(data: bytes) -> dict[int, str]:
    """The texts of a notebook's cells of Python, by their numbers (from 1, all cells counted).

    A notebook of another language has none.

    Raises:
        SourceError: it is not a notebook, or has an unknown format.
    """
    notebook = _parsed(data)
    if not _is_python(notebook):
        return {}
    return {
        number: normalize("".join(_texts(cell, number)))
        for number, cell in enumerate(_cells(notebook), 1)
        if cell.get("cell_type") == "code" and _is_python_cell(cell)
    }


class FilePositions:
    """The places of a notebook's cells in its file, as text.

    Args:
        data: the file's content.

    Raises:
        SourceError: as for `code_cells`.
    """

    def __init__(self, data: bytes) -> None:
        notebook = _parsed(data, _Locating)
        self._text = data.decode(json.detect_encoding(data), "surrogatepass")
        self._lines = LineTable(self._text)
        self._starts = {
            number: [start for piece in _texts(cell, number) for start in _line_starts(piece)]
            for number, cell in enumerate(_cells(notebook), 1)
            if cell.get("cell_type") == "code"
        }

    def position(self, cell: int, line: int, column: int) -> tuple[int, int]:
        """The line and the column in the file of a line and a column in a cell."""
        begin, skipped = self._starts[cell][line - 1]
        for _ in range(skipped + column - 1):
            if self._text[begin] == '"':
                break
            character = _CHARACTER.match(self._text, begin)
            begin = character.end() if character else begin
        return self._lines.position(begin)


def with_cells(data: bytes, texts: Mapping[int, str]) -> bytes:
    """A notebook with other texts in some of its cells; nothing else of the file changes.

    Args:
        data: the file's content.
        texts: the new texts by the numbers of their cells.

    Raises:
        SourceError: as for `code_cells`.
    """
    notebook = _parsed(data, _Locating)
    encoding = json.detect_encoding(data)
    raw = data.decode(encoding, "surrogatepass")
    cells = {number: _texts(cell, number) for number, cell in enumerate(_cells(notebook), 1) if number in texts}
    for number, pieces in sorted(cells.items(), reverse=True):
        if not pieces:
            raise SourceError(f"cell {number} has no text to change")
        first, last = pieces[0], pieces[-1]
        assert isinstance(first, _Text) and isinstance(last, _Text)
        start, end = first.begin - 1, last.end
        between = raw[first.end : pieces[1].begin - 1] if len(pieces) > 1 else _between(raw, start)  # type: ignore[attr-defined]
        whole = raw[:start].rstrip()[-1:] != "["
        lines = [texts[number]] if whole else texts[number].splitlines(keepends=True)
        written = between.join(json.dumps(line, ensure_ascii=raw.isascii()) for line in lines)
        raw = raw[:start] + written + raw[end:]
    return raw.encode(encoding, "surrogatepass")


def _between(raw: str, start: int) -> str:
    """What separates the pieces of a list whose first begins there, on a line of its own or not."""
    before = raw[raw.rfind("\n", 0, start) + 1 : start]
    return f",\n{before}" if not before.strip() else ", "


def _parsed(data: bytes, reader: type[json.JSONDecoder] = json.JSONDecoder) -> Mapping[str, Any]:
    try:
        notebook = json.loads(data, cls=reader)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise SourceError(f"is not a notebook: not valid JSON ({where}: {error.msg}); {_REMEDY}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"is not a notebook: line {line} is not valid {error.encoding}; {_REMEDY}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"is not a notebook: its JSON cannot be read ({error}); {_REMEDY}") from error
    if not isinstance(notebook, dict):
        raise SourceError(f"is not a notebook: its JSON is not an object; {_REMEDY}")
    return notebook


def _cells(notebook: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cells of a notebook of format 4, or of the worksheets of format 3."""
    sheets = notebook.get("worksheets", [notebook])
    lists = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in _listed(sheets, "`worksheets`")]
    cells = [cell for cells in lists for cell in _listed(cells, "`cells`")]
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise SourceError(f"is not a notebook: cell {number} is not an object; {_REMEDY}")
    return cells


def _listed(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise SourceError(f"is not a notebook of format 3 or 4: {name} is missing or not a list; {_REMEDY}")
    return value


def _texts(cell: Mapping[str, Any], number: int) -> Sequence[str]:
    """A cell's source, in the pieces that the file has."""
    source = cell.get("source", cell.get("input"))
    pieces = [source] if isinstance(source, str) else source
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise SourceError(f"is not a notebook: the source of cell {number} is not text; {_REMEDY}")
    return pieces


def _is_python(notebook: Mapping[str, Any]) -> bool:
    metadata = _object(notebook.get("metadata"))
    kernel, info = _object(metadata.get("kernelspec")), _object(metadata.get("language_info"))
    return _names_python(info.get("name") or kernel.get("language"))


def _is_python_cell(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is Python; editors let a cell have another language than its notebook."""
    metadata = _object(cell.get("metadata"))
    return _names_python(cell.get("language") or _object(metadata.get("vscode")).get("languageId"))


def _names_python(language: Any) -> bool:
    return not isinstance(language, str) or not language or "python" in language.lower()


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# --- where texts stand -----------------------------------------------------------------------------------------------


class _Text(str):
    """A text in a JSON file: where it begins, behind its quote, and where what stands behind it begins."""

    begin = 0
    end = 0


def _line_starts(piece: str) -> Iterator[tuple[int, int]]:
    """For each line of a piece of a cell's source: where the piece begins, and how much of it precedes the line."""
    assert isinstance(piece, _Text)
    yield piece.begin, 0
    yield from ((piece.begin, at + 1) for at, character in enumerate(piece[:-1]) if character == "\n")


class _Locating(json.JSONDecoder):
    """Reads JSON, and remembers where its strings begin. It is slow, as it cannot use the scanner in C."""

    def decode(self, s: str, *args: Any) -> Any:
        def parse_string(text: str, begin: int, strict: bool = True) -> tuple[str, int]:
            value, end = decoder.scanstring(text, begin, strict)  # type: ignore[attr-defined]
            located = _Text(value)
            located.begin, located.end = begin, end
            return located, end

        self.parse_string = parse_string
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]
        return super().decode(s, *args)
