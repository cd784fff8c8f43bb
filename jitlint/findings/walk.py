"""Copies results, and changes some of what is in them on the way."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, TypeVar

from jitlint.findings.finding import FileError
from jitlint.source.places import Place
from jitlint.source.printable import printable_line, printable_path

_T = TypeVar("_T")


def printable_result(result: _T) -> _T:
    """A copy of a result in which no text has control characters, so that it may be printed for people."""
    changed: _T = _Printable().of(result)
    return changed


class Walk:
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


class _Printable(Walk):
    def of(self, value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, enum.Enum):
            return printable_line(value)
        if isinstance(value, Place):
            return value._replace(path=printable_path(value.path))
        if isinstance(value, FileError):
            return dataclasses.replace(super().of(value), path=printable_path(value.path))
        return super().of(value)
