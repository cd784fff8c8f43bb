"""Runs work in a thread with a large stack: nested calls in a program are nested calls of the interpreter."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

RECURSION_LIMIT = 20_000
"""Nested Python calls that the thread may make."""

STACK_BYTES = 512 << 20
"""The size of its stack. The system reserves the address space, and takes memory only for what is used."""

_T = TypeVar("_T")


def with_deep_recursion(work: Callable[[], _T]) -> _T:
    """Returns the result of `work()`, run in a thread with a large stack. Raises what `work` raises."""
    outcome: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
            errors.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(STACK_BYTES)
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return outcome[0]
