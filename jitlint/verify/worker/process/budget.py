"""The work that the user's code may do: one `Clock` per job, one `Budget` per probe."""

from __future__ import annotations

import contextlib
import os
import signal
import types
from collections.abc import Iterator

from ..effort import Effort


class Interrupted(BaseException):
    """The limit for one piece of user code is reached."""


class Clock:
    """Stops user code that takes too long.

    Attributes:
        starved: whether code was stopped that hardly ran: another run might come further.
    """

    def __init__(self) -> None:
        self.starved = False

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Raises Interrupted in the code inside after so many seconds of work, unless it never comes back to Python."""
        effort = Effort()

        def check(signum: int, frame: types.FrameType | None) -> None:
            left = seconds - effort.spent()
            _ask_again(left)
            if left <= 0:
                self.starved = self.starved or effort.waited()
                raise Interrupted

        before = signal.signal(signal.SIGALRM, check)
        _ask_again(seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def brief(self) -> contextlib.AbstractContextManager[None]:
        """Limits the evaluation of one of the user's expressions."""
        return self.limit(1.0)


def _ask_again(left: float) -> None:
    """Sets the alarm before so many seconds of work can be over; it repeats, since code may catch what it raises."""
    signal.setitimer(signal.ITIMER_REAL, max(left / (os.cpu_count() or 1), 0.01 if left > 0 else 0.2), 0.2)


class Budget:
    """The work for one probe; it counts from when the budget is made.

    Args:
        seconds: how much.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._effort = Effort()

    def late(self) -> bool:
        """Whether nothing is left."""
        return self.left() <= 0

    def left(self) -> float:
        """How many seconds of work are left."""
        return self.seconds - self._effort.spent()

    def for_try(self) -> float:
        """How many seconds one try may take: half of all, or what is left."""
        return min(self.seconds / 2, max(self.left(), 0.1))
