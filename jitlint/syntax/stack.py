"""Running deep recursion where there is room for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")

_LEAST = 64 << 20
_MOST = 2 << 30
_PER_CHARACTER = 512  # a level takes the parser up to 2 kB; those of one or two characters take it hours first

_DEPTH = 20_000
"""The recursion limit while a text is read, whoever asks for it."""

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
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
            self.error = error


def with_large_stack(work: Callable[[str], _T], text: str) -> _T:
    """`work(text)` in a thread of its own, whose stack grows with the text and whose recursion starts from zero.

    LibCST's parser recurses in native code and takes the process down where the stack ends. The memory is reserved,
    not used. Raises what `work` raises.
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
