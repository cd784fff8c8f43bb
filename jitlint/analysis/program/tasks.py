"""What one process can do for another: lower some modules, or interpret some parts of a component."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from jitlint.analysis.program.components import Component
from jitlint.analysis.program.roots import LostRoot
from jitlint.analysis.program.units import UnitResult
from jitlint.project.modules import Module, Project
from jitlint.project.outline import Outline, Problem
from jitlint.source.defects import Defect, Defects
from jitlint.source.progress import INTERPRETING, PARSING


class Key(NamedTuple):
    """What a module is known by in all processes: the arguments of `Project.known`."""

    path: Path
    root: Path
    name: str


class Lowering(NamedTuple):
    """The task of lowering modules."""

    modules: tuple[Key, ...]

    def rest(self) -> Lowering | None:
        """What remains after the first answer."""
        return self._replace(modules=self.modules[1:]) if self.modules[1:] else None


class Interpreting(NamedTuple):
    """The task of interpreting parts of a component."""

    component: int
    modules: tuple[Key, ...]
    """All modules of the component."""
    whole: bool
    parts: tuple[int, ...]
    lost: tuple[LostRoot, ...] = ()
    """Roots to leave out."""

    def rest(self) -> Interpreting | None:
        """What remains after the first answer."""
        return self._replace(parts=self.parts[1:], lost=()) if self.parts[1:] else None


Task = Lowering | Interpreting


class Answer(NamedTuple):
    """What became of the first module or part that remained of a task, and what was met on the way."""

    found: Outline | UnitResult | None
    """None for a module that cannot be parsed."""
    errors: Sequence[tuple[str, Problem]]
    defects: Sequence[Defect]
    probed: Sequence[tuple[Path, str | None]]
    is_full: bool
    """Whether the process holds so much memory that another one should go on."""


def key(module: Module) -> Key:
    """What a module is known by."""
    return Key(module.source.path, module.root, module.name)


class Bench:
    """Does tasks, one after the other, in the process that it is in."""

    def __init__(self, project: Project, *, sound: bool) -> None:
        self._project = project
        self._sound = sound
        self._component: tuple[int, Component] | None = None
        """The component that was worked on last, and its number: only of this one is what the tops left kept."""
        self._told = self._met()

    def do(self, task: Task) -> Iterator[Answer]:
        """Gives an answer for each module or part of a task."""
        project = self._project
        project.lower_elsewhere = None
        for found in self._lower(task) if isinstance(task, Lowering) else self._interpret(task):
            errors, defects, probed = self._told
            yield Answer(
                found,
                project.errors[errors:],
                project.defects.found[defects:],
                list(islice(project.probed.items(), probed, None)),
                self._component is not None and self._component[1].is_full(),
            )
            self._told = self._met()

    def _met(self) -> tuple[int, int, int]:
        """How much the project has met until now: what the other process knows of it, or will be told."""
        return len(self._project.errors), len(self._project.defects.found), len(self._project.probed)

    def _lower(self, task: Lowering) -> Iterator[Outline | None]:
        for module in map(self._module, task.modules):
            outline = None
            with self._project.defects.contained(module.source.display, PARSING):
                outline = self._project.outline(module)
            yield outline

    def _interpret(self, task: Interpreting) -> Iterator[UnitResult]:
        for part in task.parts:
            component = self._component_of(task)
            try:
                result = component.result(part, task.lost)
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 - a defect of ours costs one part, not the run
                defects = Defects()
                for module in component.parts[part]:
                    defects.note(error, module.source.display, INTERPRETING)
                result = UnitResult.lost(defects.found)
                self._component = None
            yield result

    def _component_of(self, task: Interpreting) -> Component:
        if self._component is None or self._component[0] != task.component:
            self._component = None  # frees the memory first
            modules = list(map(self._module, task.modules))
            component = Component(self._project, modules, None, whole=task.whole, sound=self._sound)
            self._component = task.component, component
        return self._component[1]

    def _module(self, wanted: Key) -> Module:
        found = self._project.known(*wanted)
        assert found is not None
        return found
