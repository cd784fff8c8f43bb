"""The time that one probe may take."""

from __future__ import annotations

import time


class Budget:
    """Time that runs from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds

    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._deadline

    def for_try(self) -> float:
        """How many seconds one try may take: half of all, or what is left."""
        return min(self.seconds / 2, max(self._deadline - time.monotonic(), 0.1))
