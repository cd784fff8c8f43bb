"""Running the interpreter where there is room: calls of the program nest as calls of the interpreter."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

RECURSION_LIMIT = 20_000

STACK_BYTES = 512 << 20
"""Reserved, not used."""

_T = TypeVar("_T")


def with_deep_recursion(work: Callable[[], _T]) -> _T:
    """`work()` in a thread whose stack has room. Raises what it raises."""
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
