"""Several processes: they fill the cache, and the main process then works as if alone and finds the results there.

First they lower files to IR, then they interpret units. Nothing but the cache passes results between processes, so that
a task that a process does not finish costs only time: the main process does it itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing.context
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property

from jitlint.analysis.machine.recursion import with_deep_recursion
from jitlint.analysis.program.components import Component, components, modules_touching_jax
from jitlint.project.cache import Cache
from jitlint.project.grouping import units
from jitlint.project.modules import Module, Project
from jitlint.source.text import SourceFile

LEAST_LINES = 10_000
"""With fewer lines to do than this, starting processes costs more than they save."""

_LOCK_SECONDS = 10.0
"""How long to wait for the lock of the claims: a process that was killed may hold it for ever."""

Task = tuple[int, ...]
"""Work for one process: the numbers of the modules to lower, or the numbers of a component and of one of its parts."""


class Processes:
    """This process and `jobs` - 1 others that share a project's cache. The others start only for much work."""

    def __init__(self, project: Project, jobs: int, *, sound: bool) -> None:
        self._own = _Worker(project, sound)
        self._jobs = jobs
        self._others: list[ProcessPoolExecutor] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for process in multiprocessing.active_children():
                process.kill()
        for executor in self._others:
            executor.shutdown()
        self._own.project.cache.end_sharing()

    @property
    def components(self) -> list[Component]:
        """The project's components."""
        return self._own.components

    def lower(self) -> None:
        """Lowers the files whose IR is not in the cache, if they are many."""
        if self._jobs < 2:
            return
        project = self._own.project
        numbers = {module: at for at, module in enumerate(project.given)}
        waiting = [module for module in modules_touching_jax(project) if not project.is_outlined(module)]
        self._do(_Worker.lower, {tuple(numbers[module] for module in unit): _lines(unit) for unit in units(waiting)})

    def interpret(self) -> None:
        """Interprets the units whose result is not in the cache, if they are many."""
        if self._jobs < 2:
            return
        missing = [(at, number) for at, one in enumerate(self.components) for number in one.missing_parts() if number]
        self._do(_Worker.interpret, {(at, part): _lines(self.components[at].parts[part]) for at, part in missing})

    def _do(self, work: Work, tasks: Mapping[Task, int]) -> None:
        """Does the tasks, whose sizes are given in lines, if together they are worth starting processes."""
        if sum(tasks.values()) < LEAST_LINES:
            return
        self._start()
        shares = _shares(tasks, self._jobs)
        self._own.claims.begin(shares)
        futures: list[Future[None]] = []
        with contextlib.suppress(
            BrokenProcessPool
        ):  # a process was killed: its results are computed when they are asked for
            for at, executor in enumerate(self._others, 1):
                futures.append(executor.submit(_in_other_process, work, shares, at))
        self._own.do(work, shares, 0)
        for future in futures:
            with contextlib.suppress(BrokenProcessPool):
                future.result()

    def _start(self) -> None:
        """Starts the other processes, and gives the cache a folder that all share."""
        if self._others:
            return
        own = self._own
        own.project.cache.share()
        # A forked process has the sources already; elsewhere they are sent. Only on Linux is forking safe.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        own.claims = _Claims(context, self._jobs)
        given = ([module.source for module in own.project.given], own.project.cache, own.sound, own.claims)
        for _ in range(self._jobs - 1):
            self._others.append(ProcessPoolExecutor(1, context, initializer=_begin, initargs=given))


class _Claims:
    """Which tasks are still free, in memory that all processes share.

    Each process has a share of the tasks. It takes its own from the front; when they are done, it takes the last ones
    of whoever has most left. A queue fed by a thread would not do: compiled code gives other threads no time.
    """

    def __init__(self, context: multiprocessing.context.BaseContext, count: int) -> None:
        self._first = context.Array("i", count)
        self._end = context.Array("i", count, lock=False)

    def begin(self, shares: Sequence[Sequence[Task]]) -> None:
        """Declares all tasks of the shares free."""
        for at, share in enumerate(shares):
            self._first[at], self._end[at] = 0, len(share)

    def take(self, shares: Sequence[Sequence[Task]], own: int) -> Iterator[Task]:
        """Claims tasks one after the other for the process with the share number `own`, until none is left."""
        while True:
            if not self._first.get_lock().acquire(timeout=_LOCK_SECONDS):
                return  # the process that holds the lock was killed
            try:
                left = [self._end[at] - self._first[at] for at in range(len(shares))]
                at = own if left[own] else left.index(max(left))
                if not left[at]:
                    return
                self._first[own] += at == own
                self._end[at] -= at != own
                number = self._first[own] - 1 if at == own else self._end[at]
            finally:
                self._first.get_lock().release()
            yield shares[at][number]


class _Worker:
    """The work of one process, and the project as it knows it."""

    claims: _Claims

    def __init__(self, project: Project, sound: bool) -> None:
        self.project = project
        self.sound = sound

    @cached_property
    def components(self) -> list[Component]:
        """The project's components, divided when they are first needed."""
        return with_deep_recursion(lambda: components(self.project, sound=self.sound))

    def do(self, work: Work, shares: Sequence[Sequence[Task]], own: int) -> None:
        """Does one kind of work on the tasks that this process can claim."""
        for task in self.claims.take(shares, own):
            work(self, task)

    def lower(self, task: Task) -> None:
        """Lowers modules; their IR goes to the cache."""
        given = self.project.given
        with_deep_recursion(lambda: [self.project.outline(given[number]) for number in task])

    def interpret(self, task: Task) -> None:
        """Interprets one part of a component; its result goes to the cache."""
        component_number, part = task
        component = self.components[component_number]
        with_deep_recursion(lambda: component.result(part))


Work = Callable[[_Worker, Task], None]


def _shares(tasks: Mapping[Task, int], count: int) -> list[list[Task]]:
    """The tasks in `count` shares of about equal size, each of neighbours.

    Neighbours import the same modules, which a process then lowers and runs once; and a process that has lowered files
    gets about the same ones to interpret.
    """
    shares: list[list[Task]] = [[] for _ in range(count)]
    total = sum(tasks.values()) + 1
    before = 0
    for task, weight in tasks.items():
        shares[before * count // total].append(task)
        before += weight
    return shares


def _lines(modules: Iterable[Module]) -> int:
    """How many lines modules have together: the size of a task."""
    return sum(module.source.text.count("\n") for module in modules)


# --- in the other processes -------------------------------------------------------------------------------------------

_worker: _Worker


def _begin(sources: Sequence[SourceFile], cache: Cache, sound: bool, claims: _Claims) -> None:
    """Prepares a new process for its tasks."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C: the main process ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = _Worker(Project(sources, cache), sound)
    _worker.claims = claims


def _end_with_parent() -> None:
    """Ends this process when the main process has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _in_other_process(work: Work, shares: Sequence[Sequence[Task]], own: int) -> None:
    """The one function that the main process calls in the others."""
    _worker.do(work, shares, own)
