"""A file as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file's text (newlines are all `\\n`, no BOM). `display` is its path as reports show it."""

    path: Path
    display: str
    text: str
