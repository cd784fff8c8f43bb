"""The analyzer's one entry: source files in, events and errors out."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jitlint.analysis.events import Event
from jitlint.analysis.program import Program
from jitlint.project.modules import Project
from jitlint.source.text import SourceFile

RECURSION_LIMIT = 20_000
STACK_BYTES = 512 << 20
"""Reserved, not used."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Events in source order, and per file (its display path) what could not be analyzed and why."""

    events: tuple[Event, ...]
    errors: tuple[tuple[str, str], ...]


def analyze(sources: Sequence[SourceFile]) -> Analysis:
    """Interprets all files as one project, and gives the events predicted in them."""
    return _with_deep_recursion(lambda: _analyze(sources))


def _analyze(sources: Sequence[SourceFile]) -> Analysis:
    project = Project(sources)
    program = Program(project)
    events = program.run()
    return Analysis(events, (*project.errors, *dict.fromkeys(program.errors)))


def _with_deep_recursion(work: Callable[[], Analysis]) -> Analysis:
    """Runs the analysis in a thread whose stack has room: calls of the program nest as calls of the interpreter."""
    outcome: list[Analysis] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
            errors.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(STACK_BYTES)
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return outcome[0]
