"""Runs the front ends, which recurse as deep as code is nested, in a thread with a stack that is large enough."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")

_LEAST = 64 << 20
_MOST = 2 << 30
_PER_CHARACTER = 512  # one level of nesting takes the parser up to 2 kB of stack, and at least a few characters of text

_DEPTH = 20_000
"""The least recursion limit while a text is read."""

_reading = threading.Lock()


class _Task(threading.Thread, Generic[_T]):
    def __init__(self, work: Callable[[str], _T], text: str) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._text = text
        self.result: _T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work(self._text)
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it again
            self.error = error


def with_large_stack(work: Callable[[str], _T], text: str) -> _T:
    """Returns `work(text)`, computed in a thread whose stack grows with the length of the text.

    The thread's recursion starts from zero, however deep the caller is. LibCST's parser recurses in native code and
    crashes the process where the stack ends. The stack's memory is reserved, but only used as far as it is needed.

    Raises:
        BaseException: whatever `work` raises.
    """
    task = _Task(work, text)
    with _reading:
        limit = sys.getrecursionlimit()
        before = threading.stack_size(min(max(_LEAST, _PER_CHARACTER * len(text)), _MOST))
        sys.setrecursionlimit(max(limit, _DEPTH))
        try:
            task.start()
            task.join()
        finally:
            threading.stack_size(before)
            sys.setrecursionlimit(limit)
    if task.error is not None:
        raise task.error
    return task.result  # type: ignore[return-value]
