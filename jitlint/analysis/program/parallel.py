"""Has files lowered and components interpreted in other processes, one or several, which may die of it.

Where processes can be forked, the main process does neither itself: it hands out tasks and collects what they give, so
that what kills a process costs one file or one root. A run that finds everything in the cache starts no process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from multiprocessing.connection import wait

from jitlint.analysis.machine.recursion import with_deep_recursion
from jitlint.analysis.program.components import Component, components, modules_touching_jax
from jitlint.analysis.program.roots import LostRoot
from jitlint.analysis.program.tasks import Answer, Bench, Interpreting, Key, Lowering, Task, key
from jitlint.analysis.program.units import UnitResult
from jitlint.analysis.program.worker import CAN_FORK, OUT_OF_MEMORY, Death, LostError, Worker
from jitlint.project.grouping import units
from jitlint.project.modules import Module, Project
from jitlint.source import progress
from jitlint.source.progress import INTERPRETING, PARSING, TOP_LEVEL

LEAST_LINES = 10_000
"""With fewer lines to do than this, a second process costs more than it saves."""

MANY_LINES = 200_000
"""With more lines to do than this, processes may become full; those that replace them should not lower all again."""

MAX_LOST_ROOTS = 3
"""If more roots of a unit kill their process, the unit is left alone."""


class Processes:
    """The processes of a run, and the components with the results that are known so far."""

    def __init__(self, project: Project, jobs: int, *, sound: bool) -> None:
        self._project = project
        self._sound = sound
        self._jobs = jobs
        self._workers: dict[int, Worker] = {}
        self._mothers: dict[int, Worker] = {}
        """By component: the process that has run its module tops. Those that interpret its units are made of it."""
        self._outdated: set[int] = set()
        """The workers to replace: they do not know that a module was given up since they began, or hold much memory."""
        self._retired: list[Worker] = []
        """Former mothers, which must end after what was made of them."""
        self._last: dict[int, int] = {}
        """The component that each worker was last at."""
        self._given_up: set[Module] = set()
        self._killed: set[Task] = set()
        """Tasks in which a process was killed, perhaps from outside: each gets one more try."""

    def __enter__(self) -> Processes:
        self._project.lower_elsewhere = self._lower_one
        return self

    def __exit__(self, *_: object) -> None:
        for worker in (*self._workers.values(), *self._mothers.values(), *self._retired):
            worker.end()
        self._project.lower_elsewhere = None
        self._project.cache.end_sharing()

    @cached_property
    def components(self) -> list[Component]:
        """The project's components, divided when they are first needed."""
        return components(self._project, sound=self._sound)

    def lower(self) -> None:
        """Lowers the files whose IR is not in the cache."""
        project = self._project
        waiting = [module for module in modules_touching_jax(project) if not project.is_outlined(module)]
        waiting = [module for module in waiting if not project.is_lowered(module)]
        self._do([(Lowering(tuple(map(key, unit))), _lines(unit)) for unit in units(waiting)])

    def interpret(self) -> None:
        """Interprets the parts whose result is not in the cache."""
        self._do([task for number in range(len(self.components)) for task in self._missing(number)])

    def _lower_one(self, module: Module) -> None:
        """Lowers a module that is found only because another one imports it."""
        self._do([(Lowering((key(module),)), 0)])

    def _missing(self, number: int) -> Iterator[tuple[Interpreting, int]]:
        """The tasks that remain of a component, each with its size in lines.

        The module tops come first: they decide which results of units are in the cache.
        """
        component = self.components[number]
        missing = component.missing_parts()
        small = len(component.parts) == 2
        for part in missing[:1] if missing[:1] == [0] else missing:
            modules = component.given if part == 0 else component.parts[part]
            parts = (0, 1) if part == 0 and small else (part,)
            yield Interpreting(number, tuple(map(key, component.modules)), component.whole, parts), _lines(modules)

    # --- handing out --------------------------------------------------------------------------------------------------

    def _do(self, tasks: Sequence[tuple[Task, int]]) -> None:
        """Does tasks, whose sizes are given in lines: in several processes if together they are worth it."""
        if not CAN_FORK:
            with_deep_recursion(lambda: self._do_here([task for task, _ in tasks]))
            return
        lines = sum(size for _, size in tasks)
        jobs = self._jobs if lines >= LEAST_LINES else 1
        if jobs > 1 or lines >= MANY_LINES:
            self._project.cache.share()
        shares = _shares(tasks, jobs)
        running: dict[int, Task] = {}
        while any(shares) or running:
            for own in range(jobs):
                task = None if own in running else self._next(shares, own)
                if task is not None:
                    running[own] = task
                    self._worker(own, task).ask(task)
            at = {self._workers[own].connection: own for own in running}
            for ready in wait(list(at)):
                own = at[ready]  # type: ignore[index]
                task = running.pop(own)
                rest, more = self._receive(own, task)
                if jobs > 1 and len(more) > 1 and own in self._workers:
                    self._mothers[_component(task)] = self._workers.pop(own)
                shares[own] = [*more, *shares[own]]
                if rest is not None:
                    running[own] = rest
            self._end_mothers({_component(task) for task in chain(running.values(), *shares)})

    def _next(self, shares: Sequence[list[Task]], own: int) -> Task | None:
        """The next task of a worker: the first of its own share, else the last one of whoever has most left."""
        share = shares[own] or max(shares, key=len)
        return share.pop(0 if share is shares[own] else -1) if share else None

    def _worker(self, number: int, task: Task) -> Worker:
        """A worker that knows all that it must for a task."""
        component = _component(task)
        if number in self._outdated or (component in self._mothers and self._last.get(number) != component):
            self._end(number)
        if number not in self._workers:
            self._workers[number] = self._new_worker(number, component)
        self._last[number] = component
        return self._workers[number]

    def _new_worker(self, number: int, component: int) -> Worker:
        """A new worker; it has run the module tops of a component if there is one to make it of."""
        if component in self._mothers:
            try:
                return self._mothers[component].split(number)
            except LostError:
                self._retired.append(self._mothers.pop(component))
        do = Bench(self._project, sound=self._sound).do
        others = (*self._workers.values(), *self._mothers.values(), *self._retired)
        return Worker(do, others, splits=self._jobs)

    def _end_mothers(self, needed: Collection[int]) -> None:
        """Ends the mothers of the components of which nothing remains, and what was made of them."""
        for component in self._mothers.keys() - needed:
            for number in [number for number, last in self._last.items() if last == component]:
                self._end(number)
            self._mothers.pop(component).end()

    def _end(self, number: int) -> None:
        """Ends a worker, if there is one of that number."""
        self._outdated.discard(number)
        if number in self._workers:
            self._workers.pop(number).end()

    def _receive(self, number: int, task: Task) -> tuple[Task | None, list[Task]]:
        """Takes an answer of a worker: gives what it still does of its task, and the tasks that come up."""
        try:
            answer = self._workers[number].receive()
        except LostError as lost:
            del self._workers[number]
            self._outdated.discard(number)
            return None, self._bury(task, lost.death)
        rest = task.rest()
        if answer.is_full:
            self._outdated.add(number)
            return None, [*([rest] if rest is not None else []), *self._take(task, answer)]
        return rest, self._take(task, answer)

    def _do_here(self, tasks: list[Task]) -> None:
        """Does tasks in this process, where there can be no other."""
        bench = Bench(self._project, sound=self._sound)
        while tasks:
            task = tasks.pop(0)
            try:
                for answer in bench.do(task):
                    tasks[:0] = self._take(task, answer)
                    task = task.rest() or task
            except MemoryError:
                tasks[:0] = self._bury(task, Death(OUT_OF_MEMORY, False, progress.now(), ""))
                bench = Bench(self._project, sound=self._sound)

    def _take(self, task: Task, answer: Answer) -> list[Task]:
        """Takes what became of the first piece of a task; gives the tasks that come up."""
        project = self._project
        project.errors += [error for error in answer.errors if error not in project.errors]
        project.probed.update(answer.probed)
        for defect in answer.defects:
            project.defects.add(defect)
        if isinstance(answer.found, UnitResult):
            assert isinstance(task, Interpreting)
            is_new = self.components[task.component].take(task.parts[0], answer.found)
            return [more for more, _ in self._missing(task.component)] if is_new and task.parts == (0,) else []
        assert isinstance(task, Lowering)
        project.take_outline(self._module(task.modules[0]), answer.found)
        return []

    # --- what a process died of ---------------------------------------------------------------------------------------

    def _bury(self, task: Task, death: Death) -> list[Task]:
        """Notes what a process died of; gives the tasks that remain: without it, if that can be left out."""
        rest: Task | None = task.rest()
        if death.from_outside and task not in self._killed:
            self._killed.add(task)
            return [task]
        if isinstance(task, Lowering):
            self._give_up(self._module(task.modules[0]), death)
            return [rest] if rest is not None else []
        modules = {module.source.display: module for module in map(self._module, task.modules)}
        if death.at.work in (PARSING, TOP_LEVEL) and death.at.path in modules:
            self._give_up(modules[death.at.path], death)
            return [task]
        component, part = self.components[task.component], task.parts[0]
        if part and death.at.work == INTERPRETING and death.at.symbol and len(task.lost) < MAX_LOST_ROOTS:
            root = LostRoot(death.at.path, death.at.symbol, death.defect(death.at.path))
            return [task._replace(lost=(*task.lost, root))]
        for number, lost in enumerate(component.parts):
            if part in (0, number):
                component.take(number, UnitResult.lost(death.defect(module.source.display) for module in lost))
        return [rest] if part and rest is not None else []

    def _give_up(self, module: Module, death: Death) -> None:
        """Goes on without a module that processes die of as a whole."""
        if module not in self._given_up:
            self._given_up.add(module)
            self._project.give_up(module)
            self._project.defects.add(death.defect(module.source.display))
            self._outdated = set(self._workers)
            self._retired += self._mothers.values()
            self._mothers.clear()

    def _module(self, wanted: Key) -> Module:
        found = self._project.known(*wanted)
        assert found is not None
        return found


def _component(task: Task) -> int:
    """The component of a task; -1 if it has none."""
    return task.component if isinstance(task, Interpreting) else -1


def _shares(tasks: Iterable[tuple[Task, int]], count: int) -> list[list[Task]]:
    """The tasks in `count` shares of about equal size, each of neighbours.

    Neighbours import the same modules, which a process then lowers and runs once; and a process that has lowered files
    gets about the same ones to interpret.
    """
    shares: list[list[Task]] = [[] for _ in range(count)]
    tasks = list(tasks)
    total = sum(size for _, size in tasks) + 1
    before = 0
    for task, size in tasks:
        shares[before * count // total].append(task)
        before += size
    return shares


def _lines(modules: Iterable[Module]) -> int:
    """How many lines modules have together: the size of a task."""
    return sum(module.source.text.count("\n") for module in modules)
