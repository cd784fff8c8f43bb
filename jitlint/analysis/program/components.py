"""The components of a project and their results: from the cache where its inputs are unchanged, else computed.

A component is a group of modules that import each other or share a package; no code of one can reach another. Its
results have parts: part 0 is that of the module tops, and each unit (a few files, `project.grouping`) has one more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from jitlint.analysis.libraries.modelled import ModelledLibraries
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.reveal import REVEAL, Reveals, Watch
from jitlint.analysis.machine.sound import SoundInterpreter
from jitlint.analysis.machine.stages import FileReveals, StagesInterpreter
from jitlint.analysis.program.program import Program
from jitlint.analysis.program.results_cache import ResultsCache
from jitlint.analysis.program.roots import LostRoot
from jitlint.analysis.program.units import UnitResult
from jitlint.models.loading import models
from jitlint.project import grouping
from jitlint.project.modules import Module, Project

_REVEAL = REVEAL.rpartition(".")[2]


class Component:
    """One component: hands out the results of its parts, and interprets only what the cache does not have."""

    def __init__(
        self, project: Project, modules: Sequence[Module], watch: Watch | None, *, whole: bool, sound: bool
    ) -> None:
        """Divides the modules into parts; nothing is interpreted yet.

        Args:
            project: the project that the modules belong to.
            modules: the component, with the modules outside of the given files that it imports.
            watch: the line whose variables are to be revealed, if any.
            whole: whether all given modules make one unit.
            sound: whether unknown values count as traced, too.
        """
        given = tuple(module for module in modules if module.given)
        self.modules = tuple(modules)
        """All modules, with those outside of the given files."""
        self.whole = whole
        """Whether the given ones make one unit."""
        self.parts: list[tuple[Module, ...]] = [(), *([given] if whole else grouping.units(given))]
        """The modules of each part: none for part 0, the module tops, then those of each unit."""
        self._units = len(self.parts) - 1
        self.given = given
        """The given modules."""
        self._project = project
        self._new_interpreter = partial(
            SoundInterpreter if sound else Interpreter, project, models(), ModelledLibraries(), Reveals(watch)
        )
        self._cache = ResultsCache(project, modules, self._units, sound=sound)
        self._program: Program | None = None
        self._results: dict[int, UnitResult] = {}

    def missing_parts(self) -> list[int]:
        """The numbers of the parts whose result is neither computed nor cached."""
        return [number for number in range(len(self.parts)) if not self._has_result(number)]

    def result(self, number: int, lost: Sequence[LostRoot] = ()) -> UnitResult:
        """The result of a part, by its number. The tops are interpreted first if any part has to be.

        `lost` are roots to leave out.
        """
        if not self._has_result(number):
            if self._program is None:
                self._program = Program(self._new_interpreter(), self._units)
                self._results[0] = self._program.tops(self.given)
                self._cache.put_tops(self._results[0])
            if number:
                result = self._results[number] = self._program.unit(self.parts[number], lost)
                self._cache.put_unit(self.parts[number], self._results[0], result)
        return self._results[number]

    def is_full(self) -> bool:
        """Whether its units have left this process so much memory that another one should go on."""
        return self._program is not None and self._program.is_full()

    def take(self, number: int, result: UnitResult) -> bool:
        """Takes the result of a part from another process. Returns False if it was known already."""
        return self._results.setdefault(number, result) is result

    def stages(self, files: frozenset[Module]) -> UnitResult:
        """The result of one unit made of files and all units that run code of them, with their expressions' stages.

        This is for what shows a stage at each name: editors, and the report as a page. It is never cached.
        """
        running = {
            module
            for number in range(1, len(self.parts))
            if any(self._runs(number, file) for file in files)
            for module in self.parts[number]
        }
        interp = StagesInterpreter(self._project, models(), ModelledLibraries(), FileReveals(files))
        program = Program(interp, self._units)
        tops = program.tops(self.given)
        unit = program.unit([module for module in self.given if module in running or module in files])
        return replace(unit, revealed=(*tops.revealed, *unit.revealed))

    def _runs(self, number: int, file: Module) -> bool:
        """Whether a part runs code of a file, or may, since it has no result yet."""
        return not self._has_result(number) or file.source.display in self._results[number].files_looked_into

    def _has_result(self, number: int) -> bool:
        """Whether the result of a part is computed, or else found in the cache now."""
        if number not in self._results:
            tops = self._results.get(0) or self._cache.get_tops()
            found = self._cache.get_unit(self.parts[number], tops) if number and tops is not None else tops
            if found is not None:
                self._results[number] = found
        return number in self._results


def modules_touching_jax(project: Project) -> list[Module]:
    """The modules that import JAX or a library built on it, or a module that does, ordered by path.

    Only these are interpreted: others can neither trace nor be traced.
    """
    given = sorted(project.given, key=lambda module: module.source.path)
    return grouping.touching(given, models().roots, (_REVEAL,))


def components_of(project: Project, files: frozenset[Module]) -> Iterator[tuple[Component, frozenset[Module]]]:
    """The components of modules, whether or not they touch JAX, each with those of the modules that belong to it."""
    asked_for = sorted(files, key=lambda module: module.source.display)
    for group in grouping.groups(project, [*modules_touching_jax(project), *asked_for]):
        if here := files & set(group):
            yield Component(project, group, None, whole=False, sound=False), here


def components(project: Project, watch: Watch | None = None, *, sound: bool = False) -> list[Component]:
    """A project's components.

    Where values are to be revealed (`reveal_stage`, or a `watch`), a component is a single unit: what is shown of a
    value is joined over all its callers, wherever they are.

    Args:
        project: the files.
        watch: the line whose variables are to be revealed, if any.
        sound: whether unknown values count as traced, too.
    """
    modules = modules_touching_jax(project)
    if watch is not None and watch.module not in modules:
        modules.append(watch.module)
    whole = watch is not None or any(_REVEAL in module.source.text for module in modules)
    groups = grouping.groups(project, modules)
    return [Component(project, group, watch, whole=whole, sound=sound) for group in groups]
