"""The analyzer's one entry: source files in, events and errors out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jitlint.analysis.events import Event
from jitlint.analysis.program import Program
from jitlint.project.modules import Project
from jitlint.source.text import SourceFile


@dataclass(frozen=True, slots=True)
class Analysis:
    """Events in source order, and per file (its display path) what could not be analyzed and why."""

    events: tuple[Event, ...]
    errors: tuple[tuple[str, str], ...]


def analyze(sources: Sequence[SourceFile]) -> Analysis:
    """Interprets all files as one project, and gives the events predicted in them."""
    project = Project(sources)
    events = Program(project).run()
    return Analysis(events, tuple(project.errors))
