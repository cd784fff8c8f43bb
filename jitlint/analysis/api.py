"""The analyzer's one door: source files in, events and errors out. Nothing outside imports another part of `analysis`.

`program/README.md` has the order of things behind `analyze`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from jitlint.analysis.machine.reveal import watch
from jitlint.analysis.program.components import Component, components, components_of
from jitlint.analysis.program.later_calls import LaterCalls
from jitlint.analysis.program.parallel import Processes
from jitlint.analysis.program.units import UnitResult, combine
from jitlint.analysis.program.worker import LostError, alone
from jitlint.events.entry_point import EntryPoint, distinct
from jitlint.events.event import Event, Incomplete
from jitlint.events.revealed import NoStatementError, Revealed
from jitlint.project.cache import Cache
from jitlint.project.modules import Project
from jitlint.project.outline import Problem
from jitlint.source.defects import Defect
from jitlint.source.text import SourceFile


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the analyzer has found in a project."""

    events: tuple[Event, ...]
    """The predicted events, in the order of the source."""
    errors: tuple[tuple[str, Problem], ...]
    """The files that cannot be analyzed, by displayed path, and why."""
    revealed: tuple[Revealed, ...] = ()
    """The stages of values that `reveal_stage` or an editor asked for."""
    entries: tuple[EntryPoint, ...] = ()
    """The functions that are compiled as a whole, for `--verify`."""
    defects: tuple[Defect, ...] = ()
    """Where jitlint itself failed."""
    incomplete: tuple[Incomplete, ...] = ()
    """What was not followed to its end, because it was too long or too deep."""


def analyze(project: Project, *, sound: bool = False, jobs: int = 1) -> Analysis:
    """Interprets the files of a project.

    Args:
        project: the files, and the cache for their results.
        sound: whether unknown values count as traced, too; events that rest on this are at most possible.
        jobs: how many processes may work at a time.
    """
    with Processes(project, jobs, sound=sound) as processes:
        processes.lower()
        processes.interpret()
        return _analyze(project, processes.components)


def reveal(sources: Sequence[SourceFile], file: SourceFile, line: int, name: str = "") -> Analysis:
    """Interprets all files as one project and reveals the variables of one line: the command `jitlint stage`.

    Args:
        sources: the project's files.
        file: one of them.
        line: a line of it, from 1.
        name: the only variable to reveal; all of the line if empty.

    Raises:
        NoStatementError: there is no statement on that line.
    """
    project = Project(sources, Cache(None))
    module = next(module for module in project.given if module.source is file)

    def work() -> Analysis | tuple[int, ...]:
        tree = project.tree(module)
        try:
            watched = watch(module, tree, line, name) if tree is not None else None
        except NoStatementError as error:
            return error.nearest  # no exception: what the process raises counts as a defect of jitlint
        return _analyze(project, components(project, watched))

    try:
        found = alone(work)
    except LostError as lost:
        return Analysis((), (), defects=(lost.death.defect(file.display),))
    if isinstance(found, tuple):
        raise NoStatementError(found)
    return found


def stages(project: Project, files: Collection[SourceFile]) -> tuple[Revealed, ...]:
    """The stages of files' expressions in each context in which the project's code runs them.

    Args:
        project: all files, and the cache for their results.
        files: some of them.
    """
    wanted = {id(file) for file in files}
    modules = frozenset(module for module in project.given if id(module.source) in wanted)
    found: list[Revealed] = []
    for component, here in components_of(project, modules):
        with contextlib.suppress(LostError):  # a run over the project reports it
            found += alone(lambda component=component, here=here: component.stages(here).revealed)  # type: ignore[misc]
    return tuple(found)


def _analyze(project: Project, found: Iterable[Component]) -> Analysis:
    """The results of all components together."""
    events: list[Event] = []
    results: list[UnitResult] = []
    later_calls = LaterCalls(module.source for module in project.given)
    for component in found:
        of_component = [component.result(number) for number in range(len(component.parts))]
        events += combine(of_component, later_calls.may_follow)
        results += of_component
    return Analysis(
        tuple(sorted(events, key=lambda e: (e.place.path, e.place.line, e.place.column, e.kind, e.construct))),
        tuple(sorted(project.errors, key=lambda error: error[0])),
        tuple(seen for result in results for seen in result.revealed),
        distinct(entry for result in results for entry in result.entries),
        (*project.defects.found, *(defect for result in results for defect in result.defects)),
        tuple(sorted({each for result in results for each in result.incomplete})),
    )
