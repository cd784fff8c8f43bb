"""The analyzer's one entry: source files in, events and errors out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jitlint.analysis.events import Event


@dataclass(frozen=True, slots=True)
class Analysis:
    """Events in source order and, per file, what could not be analyzed and why."""

    events: tuple[Event, ...]
    errors: tuple[tuple[str, str], ...]


def analyze(files: Sequence[Path]) -> Analysis:
    """Interprets all files as one project, and gives the events predicted in them."""
    return Analysis((), ())
