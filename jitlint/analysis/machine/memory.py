"""The memory of this process, and the limit beyond which the running root is given up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

MAX_RESIDENT = 1 << 30
"""Bytes that the process may hold. Not Final, since tests set it lower."""

_CHECKED_EVERY: Final = 2_000
"""Statements after which the memory is looked at again."""

_STATM: Final = Path("/proc/self/statm")


def resident() -> int:
    """How many bytes of memory this process holds."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux
        import psutil  # slow to import

        return int(psutil.Process().memory_info().rss)


def is_full() -> bool:
    """Whether this process holds more memory than it should."""
    return resident() > MAX_RESIDENT


class MemoryWatch:
    """Looks at the memory now and then, as statements run."""

    def __init__(self) -> None:
        self._left = _CHECKED_EVERY

    def spend(self, statements: int) -> bool:
        """Counts statements; returns whether it has looked now, and found too little memory left."""
        self._left -= statements
        if self._left >= 0:
            return False
        self._left = _CHECKED_EVERY
        return is_full()
