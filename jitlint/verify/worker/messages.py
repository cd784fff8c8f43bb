"""What the wire carries, as both sides know it: each is a frozen record that `wire` writes as a JSON object.

Only the standard library is imported: the worker runs this file in the user's interpreter, the linter in its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """A line of one of the user's files."""

    file: str
    line: int


@dataclass(frozen=True)
class Words:
    """A text that names lines: `Words(("branch on `x > 0` in ", Line("model.py", 12)))`.

    The worker leaves writing the lines to the linter, which knows the notebook's cell that a line comes from.
    """

    parts: tuple[str | Line, ...]


def read_evidence(value: Any) -> Any:
    """Evidence with the lines and words in it, from its JSON form."""
    match value:
        case {"file": str(file), "line": int(line), **rest} if not rest and not isinstance(line, bool):
            return Line(file, line)
        case {"parts": list(items), **rest} if not rest:
            parts = tuple(map(read_evidence, items))
            return Words(tuple(part if isinstance(part, Line) else str(part) for part in parts))
        case dict():
            return {name: read_evidence(part) for name, part in value.items()}
        case list():
            return list(map(read_evidence, value))
    return value
