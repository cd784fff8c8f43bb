"""A time limit on code that runs in this process."""

from __future__ import annotations

import contextlib
import signal
import types
from collections.abc import Iterator


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Interrupts the body with a TimeoutError. Main thread only."""

    def expire(_number: int, _frame: types.FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
