"""What code in the sandbox may have at most."""

from __future__ import annotations

import os
import resource
from pathlib import Path

TASKS = max(1024, 64 * (os.cpu_count() or 1))
"""Processes and threads. The watch ends a job far earlier; this holds code that is faster than any watch."""

SCRATCH_BYTES = 1 << 30
"""What the scratch directory holds; the same for shared memory, and for a file where there is no sandbox."""

SCRATCH_FILES = 100_000

_NO_CORE = 1
"""A limit for core dumps that also holds where the system hands them to a program, which 0 does not."""


def keep_core() -> None:
    """Lets no crash leave its memory with the system."""
    resource.setrlimit(resource.RLIMIT_CORE, (_NO_CORE, _NO_CORE))


def without_namespaces() -> None:
    """Limits the size of files and, beyond what the user runs already, the number of processes and threads."""
    _lower(resource.RLIMIT_FSIZE, SCRATCH_BYTES)
    _lower(resource.RLIMIT_NPROC, _own_tasks() + TASKS)


def _lower(limit: int, most: int) -> None:
    hard = resource.getrlimit(limit)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(limit, (most, most))


def _own_tasks() -> int:
    """How many processes and threads this user has; the system counts them all together."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == os.getuid():
                count += process.joinpath("task").stat().st_nlink - 2
        except OSError:
            continue  # it has ended
    return count
