"""The analyzer's one entry: source files in, events and errors out."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jitlint.analysis.entry_points import EntryPoint, distinct
from jitlint.analysis.events import Event
from jitlint.analysis.kept import KeptResults
from jitlint.analysis.program import Program
from jitlint.analysis.reveal import REVEAL, Watch, watch
from jitlint.analysis.revealed import Revealed
from jitlint.analysis.units import UnitResult, combine
from jitlint.models.loading import models
from jitlint.project.components import components, touching, units
from jitlint.project.modules import Module, Project
from jitlint.project.store import Store
from jitlint.source.defects import Defect
from jitlint.source.text import SourceFile

_REVEAL = REVEAL.rpartition(".")[2]

RECURSION_LIMIT = 20_000
STACK_BYTES = 512 << 20
"""Reserved, not used."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Events in source order, per file (its display path) what could not be analyzed and why, what was revealed, the
    functions that are compiled as a whole, and where jitlint itself failed."""

    events: tuple[Event, ...]
    errors: tuple[tuple[str, str], ...]
    revealed: tuple[Revealed, ...] = ()
    entries: tuple[EntryPoint, ...] = ()
    defects: tuple[Defect, ...] = ()


def analyze(project: Project, *, sound: bool = False) -> Analysis:
    """Interprets the files of a project, and gives the events predicted in them.

    Args:
        project: the files, and where results are kept.
        sound: whether what nothing is known of counts as traced, too; what rests on that is only possible.
    """
    return _with_deep_recursion(lambda: _analyze(project, sound=sound))


def reveal(sources: Sequence[SourceFile], file: SourceFile, line: int, name: str = "") -> Analysis:
    """Interprets all files as one project, and reveals the variables of one line instead of what the files ask for.

    Args:
        sources: the project's files.
        file: one of them.
        line: a line of it, from 1.
        name: the only variable that is wanted.

    Raises:
        NoStatementError: there is none on that line.
    """
    project = Project(sources, Store(None))
    module = next(module for module in project.given if module.source is file)

    def work() -> Analysis:
        tree = project.tree(module)
        return _analyze(project, watch(module, tree, line, name) if tree is not None else None)

    return _with_deep_recursion(work)


def _analyze(project: Project, watched: Watch | None = None, *, sound: bool = False) -> Analysis:
    given = sorted(project.given, key=lambda module: module.source.path)
    modules = touching(given, (*models().roots, _REVEAL))
    asked = watched is not None or any(_REVEAL in module.source.text for module in given)
    if watched is not None and watched.module not in modules:
        modules.append(watched.module)
    results: list[UnitResult] = []
    events: list[Event] = []
    for component in components(project, modules):
        whole = tuple(module for module in component if module.given)
        parts = [whole] if asked else units(component)  # what is revealed of a value is joined as a whole
        of_component = _interpret(project, component, parts, watched, sound=sound)
        events += combine(of_component)
        results += of_component
    project.store.prune()
    return Analysis(
        tuple(sorted(events, key=lambda e: (e.place.path, e.place.line, e.place.column, e.kind, e.construct))),
        tuple(project.errors),
        tuple(seen for result in results for seen in result.revealed),
        distinct(entry for result in results for entry in result.entries),
        (*project.defects.found, *(defect for result in results for defect in result.defects)),
    )


def _interpret(
    project: Project,
    component: Sequence[Module],
    parts: Sequence[tuple[Module, ...]],
    watched: Watch | None,
    *,
    sound: bool,
) -> list[UnitResult]:
    """The results of a component's tops and units: those that are kept, and the others anew."""
    kept = KeptResults(project, component, sound=sound)
    results = [kept.get(part) for part in ((), *parts)]
    if None in results:
        program = Program(project, watched, sound=sound)
        tops = program.tops([module for module in component if module.given])
        for at, part in enumerate(((), *parts)):
            if results[at] is None:
                results[at] = result = program.unit(part) if part else tops
                kept.put(part, result)
    return [result for result in results if result is not None]


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
