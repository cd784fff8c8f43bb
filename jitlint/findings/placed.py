"""Moves the places of results from the program of a document, which is what is analyzed, into the document itself.

For tools that show findings beside lines of files, places in a notebook's cells can become places in its `.ipynb` file.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from jitlint.events.event import Event
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import Finding, Verdict
from jitlint.findings.walk import Walk
from jitlint.source.document import Document, in_words
from jitlint.source.notebook import FilePositions
from jitlint.source.places import Place, Step
from jitlint.source.reading import DOCUMENT_BYTES
from jitlint.source.text import SourceError, SourceFile, read_bytes

_T = TypeVar("_T")


def placed(result: _T, sources: Iterable[SourceFile]) -> _T:
    """Moves places, and lines that texts name, from programs into the documents that hold them.

    Verdicts and what reports say of entry points are written for the documents already (`ProgramLines`).

    Args:
        result: a dataclass, a tuple or another value with records in it.
        sources: the files that were analyzed.
    """
    documents = {source.display: source.document for source in sources if source.document is not None}
    changed: _T = _Placing(documents).of(result) if documents else result
    return changed


def in_files(result: _T, sources: Iterable[SourceFile]) -> _T:
    """Moves places from a notebook's cells into its file; messages then say which cell it was.

    Args:
        result: what `placed` returned.
        sources: the files that were analyzed.
    """
    documents = {source.display: source.path for source in sources if source.document is not None}
    changed: _T = _InFiles(documents).of(result) if documents else result
    return changed


class ProgramLines:
    """Writes lines of programs as they stand in the user's documents; lines of plain files stay as they are.

    Args:
        documents: the documents by the paths of their programs.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        names = "|".join(map(re.escape, sorted(documents, key=len, reverse=True)))
        self._named = re.compile(rf"(?<![\w./-])({names}):(\d+)(:\d+)?\b")

    @classmethod
    def of(cls, sources: Iterable[SourceFile]) -> ProgramLines:
        """Those of the documents among some files."""
        return cls({source.display: source.document for source in sources if source.document is not None})

    def at(self, path: str, line: int, column: int | None = None) -> str:
        """A line behind its path, and a column: `model.py:12`, `book.ipynb:cell 2:3:7`."""
        if (document := self._documents.get(path)) is None:
            return f"{path}:{line}" + (f":{column}" if column is not None else "")
        place = document.place(Place(path, line, column or 1, line, column or 1))
        cell = f"cell {place.cell}:" if place.cell is not None else ""
        return f"{path}:{cell}{place.line}" + (f":{place.column}" if column is not None else "")

    def in_words(self, path: str, line: int) -> str:
        """A line of a file that the reader knows: `line 12`, `cell 2, line 3`."""
        document = self._documents.get(path)
        return in_words(*document.position(line)) if document is not None else in_words(None, line)

    def in_text(self, text: str) -> str:
        """A text in which paths of documents are followed by lines of their programs, as in messages of JAX."""
        return self._named.sub(self._of_match, text) if self._documents else text

    def _of_match(self, found: re.Match[str]) -> str:
        return self.at(found[1], int(found[2]), int(found[3][1:]) if found[3] else None)


class _Placing(Walk):
    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._lines = ProgramLines(documents)

    def of(self, value: Any) -> Any:
        match value:
            case Place():
                return self._documents[value.path].place(value) if value.path in self._documents else value
            case str() if not isinstance(value, enum.Enum):
                return self._lines.in_text(value)
            case Verdict():
                return value  # its texts are made from places, for the documents
            case EntryReport():
                return dataclasses.replace(value, entry=self.of(value.entry))
        return super().of(value)


class _InFiles(Walk):
    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths
        self._positions: dict[str, FilePositions] = {}

    def of(self, value: Any) -> Any:
        match value:
            case Place(cell=int()):
                return self._place(value)
            case Step(place=Place(cell=int())):
                return Step(self._place(value.place), value.note + _which(value.place))
            case Finding(event=Event(place=Place(cell=int()))):
                return dataclasses.replace(super().of(value), message=value.message + _which(value.event.place))
        return super().of(value)

    def _place(self, place: Place) -> Place:
        assert place.cell is not None
        try:
            if place.path not in self._positions:
                self._positions[place.path] = FilePositions(read_bytes(self._paths[place.path], DOCUMENT_BYTES))
            known = self._positions[place.path]
            begin = known.position(place.cell, place.line, place.column)
            end = known.position(place.cell, place.end_line, place.end_column)
        except (SourceError, LookupError):  # the file has changed since it was read
            begin, end = (1, 1), (1, 2)
        return Place(place.path, *begin, *end)


def _which(place: Place) -> str:
    return f" ({in_words(place.cell, place.line)})"
