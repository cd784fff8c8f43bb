"""The memory of this process, and the limit beyond which it gives up what it is at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

LEAST_LIMIT = 1 << 30
"""Bytes that a process may hold in any case. This and the next are not Final, since tests set them lower."""

ALLOWANCE = 384 << 20
"""Bytes that the interpretation of a component may take beside what the process held when it began."""

_CHECKED_EVERY: Final = 5_000
"""Statements after which the memory is looked at again."""

_STATM: Final = Path("/proc/self/statm")


def resident() -> int:
    """How many bytes of memory this process holds."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux
        import psutil  # slow to import

        return int(psutil.Process().memory_info().rss)


class MemoryWatch:
    """Watches the memory of this process from now on."""

    def __init__(self) -> None:
        self._limit = max(LEAST_LIMIT, resident() + ALLOWANCE)
        self._left = _CHECKED_EVERY

    def is_full(self) -> bool:
        """Whether the process holds more than it should."""
        return resident() > self._limit

    def spend(self, statements: int) -> bool:
        """Counts statements; returns whether it has looked now, and found the process full."""
        self._left -= statements
        if self._left >= 0:
            return False
        self._left = _CHECKED_EVERY
        return self.is_full()
