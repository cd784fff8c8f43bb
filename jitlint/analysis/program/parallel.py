"""Several processes at a time: they leave in the store what one process would have to compute, and it finds it there.

Files are lowered first, by whoever is free; then units are interpreted. Nothing else goes from process to process, and
what a process does not get done is simply not there.
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
"""Fewer lines than this are not worth another process."""

_PATIENCE = 10.0
"""Seconds."""

Task = tuple[int, ...]
"""Numbers of modules to lower, or that of a component and of one of its parts."""


class Processes:
    """This process and others, so many, that share a project's store; they are started when there is much to do."""

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
        """Lowers the files of which nothing is kept, if they are many."""
        if self._jobs < 2:
            return
        project = self._own.project
        numbers = {module: at for at, module in enumerate(project.given)}
        waiting = [module for module in modules_touching_jax(project) if not project.is_outlined(module)]
        self._do(_Worker.lower, {tuple(numbers[module] for module in unit): _lines(unit) for unit in units(waiting)})

    def interpret(self) -> None:
        """Interprets the units without a result, if they are many."""
        if self._jobs < 2:
            return
        missing = [(at, number) for at, one in enumerate(self.components) for number in one.missing() if number]
        self._do(_Worker.interpret, {(at, part): _lines(self.components[at].parts[part]) for at, part in missing})

    def _do(self, work: Work, tasks: Mapping[Task, int]) -> None:
        """Does tasks, given with what they weigh, if they are worth other processes."""
        if sum(tasks.values()) < LEAST_LINES:
            return
        self._start()
        shares = _shares(tasks, self._jobs)
        self._own.claims.begin(shares)
        futures: list[Future[None]] = []
        with contextlib.suppress(BrokenProcessPool):  # what is not done is done when it is asked for
            for at, executor in enumerate(self._others, 1):
                futures.append(executor.submit(_in_other_process, work, shares, at))
        self._own.do(work, shares, 0)
        for future in futures:
            with contextlib.suppress(BrokenProcessPool):
                future.result()

    def _start(self) -> None:
        if self._others:
            return
        own = self._own
        own.project.cache.share()
        # Where processes are cloned safely, the sources need not be sent.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        own.claims = _Claims(context, self._jobs)
        given = ([module.source for module in own.project.given], own.project.cache, own.sound, own.claims)
        for _ in range(self._jobs - 1):
            self._others.append(ProcessPoolExecutor(1, context, initializer=_begin, initargs=given))


class _Claims:
    """Which tasks nobody has begun, in memory that all processes share: each takes its own from the first on, then the
    last ones of the others. (Compiled code that runs lets no other thread hand out work.)"""

    def __init__(self, context: multiprocessing.context.BaseContext, count: int) -> None:
        self._first = context.Array("i", count)
        self._end = context.Array("i", count, lock=False)

    def begin(self, shares: Sequence[Sequence[Task]]) -> None:
        for at, share in enumerate(shares):
            self._first[at], self._end[at] = 0, len(share)

    def take(self, shares: Sequence[Sequence[Task]], own: int) -> Iterator[Task]:
        """What the process of a share does, one after the other."""
        while True:
            if not self._first.get_lock().acquire(timeout=_PATIENCE):
                return  # its owner was killed
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
    """What each process does, and knows between two tasks."""

    claims: _Claims

    def __init__(self, project: Project, sound: bool) -> None:
        self.project = project
        self.sound = sound

    @cached_property
    def components(self) -> list[Component]:
        return with_deep_recursion(lambda: components(self.project, sound=self.sound))

    def do(self, work: Work, shares: Sequence[Sequence[Task]], own: int) -> None:
        for task in self.claims.take(shares, own):
            work(self, task)

    def lower(self, task: Task) -> None:
        given = self.project.given
        with_deep_recursion(lambda: [self.project.outline(given[number]) for number in task])

    def interpret(self, task: Task) -> None:
        component, number = task
        known = self.components[component]
        with_deep_recursion(lambda: known.result(number))


Work = Callable[[_Worker, Task], None]


def _shares(tasks: Mapping[Task, int], count: int) -> list[list[Task]]:
    """The tasks in so many pieces of about equal weight: what a process has lowered it can interpret, and neighbours
    have much in common that is done once."""
    shares: list[list[Task]] = [[] for _ in range(count)]
    total = sum(tasks.values()) + 1
    before = 0
    for task, weight in tasks.items():
        shares[before * count // total].append(task)
        before += weight
    return shares


def _lines(modules: Iterable[Module]) -> int:
    return sum(module.source.text.count("\n") for module in modules)


# --- in the other processes -------------------------------------------------------------------------------------------

_worker: _Worker


def _begin(sources: Sequence[SourceFile], store: Cache, sound: bool, claims: _Claims) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process sees to it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = _Worker(Project(sources, store), sound)
    _worker.claims = claims


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _in_other_process(work: Work, shares: Sequence[Sequence[Task]], own: int) -> None:
    _worker.do(work, shares, own)
