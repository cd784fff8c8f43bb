"""The time that the user's code may take: one `Clock` per job, one `Budget` per probe."""

from __future__ import annotations

import contextlib
import signal
import time
import types
from collections.abc import Iterator


class Interrupted(BaseException):
    """The time for one piece of user code is over."""


class Clock:
    """Stops user code that takes too long.

    Args:
        patience: how many times longer things take now than on an idle machine.

    Attributes:
        patience: the same.
        interrupted: whether anything was stopped so far: what is seen from then on, another run might see differently.
    """

    def __init__(self, patience: float = 1.0) -> None:
        self.patience = patience
        self.interrupted = False

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Raises Interrupted in the code inside when the time is over, unless it never comes back to Python."""

        def interrupt(signum: int, frame: types.FrameType | None) -> None:
            self.interrupted = True
            raise Interrupted

        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01), 0.2)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def brief(self) -> contextlib.AbstractContextManager[None]:
        """Limits the evaluation of one of the user's expressions to a second, longer on a busy machine."""
        return self.limit(self.patience)


class Budget:
    """The time for one probe; it starts to run when the budget is made."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds

    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._deadline

    def for_try(self) -> float:
        """How many seconds one try may take: half of all, or what is left."""
        return min(self.seconds / 2, max(self._deadline - time.monotonic(), 0.1))
