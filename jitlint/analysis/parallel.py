"""Several processes at a time: they leave in the store what one process would have to compute, and it finds it there.

Files are lowered first, by whoever is free; then units are interpreted. Nothing else goes from process to process, and
what a process does not get done is simply not there.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from jitlint.analysis.components import Component, components, touching
from jitlint.analysis.recursion import with_deep_recursion
from jitlint.project.modules import Module, Project
from jitlint.project.store import Store
from jitlint.source.text import SourceFile

LEAST_LINES = 10_000
"""Fewer lines than this are not worth another process."""

_SHARES = 4
"""The work is cut into so many pieces per process."""


class Processes:
    """So many processes that share a project's store; they are started when there is much to do."""

    def __init__(self, project: Project, jobs: int, *, sound: bool) -> None:
        self._project = project
        self._sound = sound
        self._jobs = jobs
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._executor is not None:
            if kind is not None:
                for process in multiprocessing.active_children():
                    process.kill()
            self._executor.shutdown(cancel_futures=True)
            self._project.store.end_sharing()

    def lower(self) -> None:
        """Lowers the files of which nothing is kept, if they are many."""
        if self._jobs < 2:
            return
        waiting = [module for module in touching(self._project) if not self._project.is_outlined(module)]
        if _lines(waiting) >= LEAST_LINES:
            self._do(_lower, [(share,) for share in _shares(waiting, self._jobs)])

    def interpret(self, found: Sequence[Component]) -> None:
        """Interprets the units without a result, if they are many."""
        if self._jobs < 2:
            return
        missing = {at: [number for number in one.missing() if number] for at, one in enumerate(found)}
        if sum(_lines(found[at].parts[n]) for at, numbers in missing.items() for n in numbers) >= LEAST_LINES:
            self._do(_interpret, list(_units(found, missing, self._jobs)))

    def _do(self, work: Callable[..., None], tasks: Iterable[tuple[Any, ...]]) -> None:
        if self._executor is None:
            self._project.store.share()
            # Where processes are cloned safely, the sources need not be sent.
            context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
            given = ([module.source for module in self._project.given], self._project.store, self._sound)
            self._executor = ProcessPoolExecutor(self._jobs, context, initializer=_begin, initargs=given)
        with contextlib.suppress(BrokenProcessPool):  # what is not done is done by this process
            for done in [self._executor.submit(work, *task) for task in tasks]:
                done.result()


def _shares(modules: Sequence[Module], jobs: int) -> Iterator[list[str]]:
    """The paths of the modules, in pieces of about equal length."""
    most = _lines(modules) // (jobs * _SHARES) + 1
    share: list[str] = []
    lines = 0
    for module in modules:
        share.append(str(module.source.path))
        lines += _lines([module])
        if lines >= most:
            yield share
            share, lines = [], 0
    yield share


def _units(
    found: Sequence[Component], missing: Mapping[int, Sequence[int]], jobs: int
) -> Iterator[tuple[int, list[int]]]:
    """The units without a result, neighbours together: by component, so many lines at a time."""
    total = sum(_lines(found[at].parts[number]) for at, numbers in missing.items() for number in numbers)
    for at, numbers in missing.items():
        share: list[int] = []
        for number in numbers:
            share.append(number)
            if sum(_lines(found[at].parts[one]) for one in share) >= total // (jobs * _SHARES):
                yield at, share
                share = []
        if share:
            yield at, share


def _lines(modules: Iterable[Module]) -> int:
    return sum(module.source.text.count("\n") for module in modules)


# --- in the other processes -------------------------------------------------------------------------------------------


class _Work:
    """What a process knows between two tasks."""

    project: Project
    sound: bool
    found: Sequence[Component] = ()


def _begin(sources: Sequence[SourceFile], store: Store, sound: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process sees to it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Work.project = Project(sources, store)
    _Work.sound = sound


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _lower(paths: Sequence[str]) -> None:
    wanted = set(paths)

    def work() -> None:
        for module in _Work.project.given:
            if str(module.source.path) in wanted:
                _Work.project.outline(module)

    with_deep_recursion(work)


def _interpret(component: int, numbers: Sequence[int]) -> None:
    def work() -> None:
        _Work.found = _Work.found or components(_Work.project, sound=_Work.sound)
        for number in numbers:
            _Work.found[component].result(number)

    with_deep_recursion(work)
