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
from jitlint.findings.finding import Finding
from jitlint.source.document import Document, in_words
from jitlint.source.notebook import FilePositions
from jitlint.source.places import Place, Step
from jitlint.source.text import SourceError, SourceFile, read_bytes

_T = TypeVar("_T")
_NEAR = re.compile(r"\b(in|the module's) line (\d+)\b")
"""How verdicts name a line: `in line 3` in the file of the finding, `the module's line 3` in the file that was run."""


def placed(result: _T, sources: Iterable[SourceFile]) -> _T:
    """Moves places, and lines that texts name, from programs into the documents that hold them.

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


class _Walk:
    """Copies a value with all records in it; subclasses change some of them."""

    def of(self, value: Any) -> Any:
        """The copy of a value."""
        match value:
            case enum.Enum():
                return value
            case Mapping():
                return {name: self.of(part) for name, part in value.items()}
            case list():
                return list(map(self.of, value))
            case tuple():
                return value._make(map(self.of, value)) if hasattr(value, "_make") else tuple(map(self.of, value))
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        changed = {field.name: self.of(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **changed)


class _Placing(_Walk):
    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        names = "|".join(map(re.escape, sorted(documents, key=len, reverse=True)))
        self._named = re.compile(rf"(?<![\w./-])({names}):(\d+)(:\d+)?\b")
        self._near: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        match value:
            case Place():
                return self._documents[value.path].place(value) if value.path in self._documents else value
            case str() if not isinstance(value, enum.Enum):
                value = self._named.sub(lambda found: f"{found[1]}:{self._colons(found[1], found[2], found[3])}", value)
                return _NEAR.sub(self._in_words, value) if self._near else value
            case Finding() | EntryReport():
                about = value.event if isinstance(value, Finding) else value.entry
                self._near = {"in": about.place.path, "the module's": about.root.path if about.root else ""}
                try:
                    return super().of(value)
                finally:
                    self._near = {}
        return super().of(value)

    def _colons(self, path: str, line: str, column: str | None) -> str:
        """A line of a program and, after a colon, a column, as they are in its document: `cell 2:3:5`."""
        at = int(column[1:]) if column else 1
        place = self._documents[path].place(Place(path, int(line), at, int(line), at))
        cell = f"cell {place.cell}:" if place.cell is not None else ""
        return f"{cell}{place.line}" + (f":{place.column}" if column else "")

    def _in_words(self, found: re.Match[str]) -> str:
        document = self._documents.get(self._near[found[1]])
        return f"{found[1]} {in_words(*document.position(int(found[2])))}" if document is not None else found[0]


class _InFiles(_Walk):
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
                self._positions[place.path] = FilePositions(read_bytes(self._paths[place.path]))
            known = self._positions[place.path]
            begin = known.position(place.cell, place.line, place.column)
            end = known.position(place.cell, place.end_line, place.end_column)
        except (SourceError, LookupError):  # the file has changed since it was read
            begin, end = (1, 1), (1, 2)
        return Place(place.path, *begin, *end)


def _which(place: Place) -> str:
    return f" ({in_words(place.cell, place.line)})"
