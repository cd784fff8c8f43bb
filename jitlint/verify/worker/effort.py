"""How much work was done, so that a limit is the same on an idle machine and on a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable

_SLOWED = 10
"""Code that runs for less than one in so many seconds does not share its processor with others: it waits."""


class Effort:
    """The work that was done since a moment, in seconds.

    Work is processor time of all threads. Code that waits for something uses none, and would never come to a limit, so
    time in which it does not run is work, too, but for what others may have taken from it.

    Args:
        processor: returns the seconds of processor time that were used so far; the process's own if it is left out.
    """

    def __init__(self, processor: Callable[[], float] = time.process_time) -> None:
        self._processor = processor
        self._at_start, self._began = processor(), time.monotonic()
        self._used = 0.0

    def spent(self) -> float:
        """The work since the moment, in seconds."""
        used = self._processor_time()
        return used + max(time.monotonic() - self._began - _SLOWED * used, 0.0)

    def waited(self) -> bool:
        """Whether the code ran so little that it may be others who kept it from running."""
        return time.monotonic() - self._began > _SLOWED * self._processor_time()

    def _processor_time(self) -> float:
        """Never less than before: the system forgets a process that has ended until its parent has waited for it."""
        self._used = max(self._used, self._processor() - self._at_start)
        return self._used
