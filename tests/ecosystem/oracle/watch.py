"""Watches code that runs under JAX: what its variables hold while it is traced, and where tracing fails.

Runs in a worker.
"""

from __future__ import annotations

import types
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from jax._src import core
from jax._src.interpreters.batching import BatchTrace
from jax._src.interpreters.partial_eval import DynamicJaxprTrace

from tests.ecosystem.oracle.watched import Failure, File
from tests.mutants.failures import FAILURES
from tests.mutants.observe import Locals

VISITS = 40
"""How often a line is looked at: what it holds seldom changes later."""

_SEEN = "_failure_seen_by_the_watch"


class Watch:
    """A `sys.settrace` function that watches some files.

    Args:
        files: for each file, by the path with which Python loads it, the names that its lines read.
    """

    def __init__(self, files: Mapping[str, Mapping[int, frozenset[str]]]) -> None:
        self._files = files
        self._locals: dict[str, Locals] = defaultdict(Locals)
        self._visits: Counter[tuple[str, int]] = Counter()
        self._eager: dict[str, set[int]] = defaultdict(set)
        self._failures: list[Failure] = []

    def __call__(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        return self._in_trace if _abstract() else self._outside

    def _in_trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            path, line = frame.f_code.co_filename, frame.f_lineno
            self._visits[path, line] += 1
            if self._visits[path, line] <= VISITS:
                self._locals[path].see(frame, self._files[path].get(line, ()))
        elif event == "exception":
            self._raised(frame, argument[1])
        return self._in_trace

    def _outside(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._eager[frame.f_code.co_filename].add(frame.f_lineno)
        elif event == "exception":
            self._raised(frame, argument[1])
        return self._outside

    def _raised(self, frame: types.FrameType, error: BaseException) -> None:
        """Notes an error where it is first seen, then which frames it leaves."""
        number = getattr(error, "__dict__", {}).get(_SEEN)
        if number is not None:
            self._failures[number]["left"] = frame.f_code.co_filename
        elif isinstance(error, Exception) and FAILURES.search(text := f"{type(error).__name__}: {error}"):
            error.__dict__[_SEEN] = len(self._failures)
            path = frame.f_code.co_filename
            short = text.partition("\n")[0][:200]
            callers = self._callers(frame)
            self._failures.append(Failure(path=path, line=frame.f_lineno, error=short, left=path, callers=callers))

    def _callers(self, frame: types.FrameType) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        caller = frame.f_back
        while caller is not None:
            if caller.f_code.co_filename in self._files:
                found.append((caller.f_code.co_filename, caller.f_lineno))
            caller = caller.f_back
        return found

    def files(self) -> dict[str, File]:
        """What was seen, by file."""
        return {
            path: File(
                lines={str(number): line for number, line in self._locals[path].lines().items()},
                eager=sorted(self._eager[path]),
            )
            for path in sorted({*self._locals, *self._eager})
        }

    def failures(self) -> list[Failure]:
        """The errors of tracing, each place and caller once."""
        return list({str({**failure, "error": ""}): failure for failure in self._failures}.values())


def _abstract() -> bool:
    """Whether what runs is traced such that tracers have no value: `grad` alone leaves them theirs."""
    trace = core.trace_ctx.trace
    while trace is not None:
        if isinstance(trace, DynamicJaxprTrace | BatchTrace):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False
