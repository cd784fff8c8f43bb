"""The components of a project, and their results: what is kept of them, and the rest computed when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from jitlint.analysis.libraries.modelled import ModelledLibraries
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.reveal import REVEAL, Reveals, Watch
from jitlint.analysis.machine.sound import SoundInterpreter
from jitlint.analysis.machine.stages import FileReveals, StagesInterpreter
from jitlint.analysis.program.program import Program
from jitlint.analysis.program.results_cache import ResultsCache
from jitlint.analysis.program.units import UnitResult
from jitlint.models.loading import models
from jitlint.project import grouping
from jitlint.project.modules import Module, Project

_REVEAL = REVEAL.rpartition(".")[2]


class Component:
    """Modules that import each other. Part 0 of its results is that of the module tops, then each unit has one."""

    def __init__(
        self, project: Project, modules: Sequence[Module], watch: Watch | None, *, whole: bool, sound: bool
    ) -> None:
        given = tuple(module for module in modules if module.given)
        self.parts: list[tuple[Module, ...]] = [(), *([given] if whole else grouping.units(given))]
        self._given = given
        self._project = project
        self._interpreter = partial(
            SoundInterpreter if sound else Interpreter, project, models(), ModelledLibraries(), Reveals(watch)
        )
        self._cache = ResultsCache(project, modules, sound=sound)
        self._program: Program | None = None
        self._results: dict[int, UnitResult] = {}

    def missing(self) -> list[int]:
        """The parts of which nothing is known."""
        return [number for number in range(len(self.parts)) if not self._recall(number)]

    def result(self, number: int) -> UnitResult:
        """The result of a part."""
        if not self._recall(number):
            if self._program is None:
                self._program = Program(self._interpreter())
                self._results[0] = self._program.tops(self._given)
                self._cache.put_tops(self._results[0])
            if number:
                result = self._results[number] = self._program.unit(self.parts[number])
                self._cache.put_unit(self.parts[number], self._results[0], result)
        return self._results[number]

    def stages(self, file: Module) -> UnitResult:
        """What the expressions of a file are, wherever the component's units run it."""
        running = {
            module for number in range(1, len(self.parts)) if self._runs(number, file) for module in self.parts[number]
        }
        program = Program(StagesInterpreter(self._project, models(), ModelledLibraries(), FileReveals(file)))
        tops = program.tops(self._given)
        unit = program.unit([module for module in self._given if module in running or module is file])
        return replace(unit, revealed=(*tops.revealed, *unit.revealed))

    def _runs(self, number: int, file: Module) -> bool:
        """Whether a part may run code of a file."""
        return not self._recall(number) or file.source.display in self._results[number].files_looked_into

    def _recall(self, number: int) -> bool:
        if number not in self._results:
            tops = self._results.get(0) or self._cache.tops()
            known = self._cache.unit(self.parts[number], tops) if number and tops is not None else tops
            if known is not None:
                self._results[number] = known
        return number in self._results


def modules_touching_jax(project: Project) -> list[Module]:
    """The modules that name JAX or a library built on it, or import one that does, by their paths."""
    given = sorted(project.given, key=lambda module: module.source.path)
    return grouping.touching(given, (*models().roots, _REVEAL))


def component_of(project: Project, file: Module) -> Component:
    """The component of a module, whether or not it touches JAX."""
    modules = [*modules_touching_jax(project), file]
    group = next(group for group in grouping.groups(project, modules) if file in group)
    return Component(project, group, None, whole=False, sound=False)


def components(project: Project, watch: Watch | None = None, *, sound: bool = False) -> list[Component]:
    """A project's components. What is revealed of a value is joined over all callers, so that it takes one unit."""
    modules = modules_touching_jax(project)
    if watch is not None and watch.module not in modules:
        modules.append(watch.module)
    whole = watch is not None or any(_REVEAL in module.source.text for module in modules)
    groups = grouping.groups(project, modules)
    return [Component(project, group, watch, whole=whole, sound=sound) for group in groups]
