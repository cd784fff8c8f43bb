"""Forks children for work that would leave something behind in this process, such as poisoned caches."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_working = 0
"""The process that does the job's work; 0 before there is one."""


def claim() -> None:
    """Makes this process the one that does the job's work."""
    global _working
    _working = os.getpid()


def end_copy() -> None:
    """Ends this process if the user's code forked it: only one process does the job's work."""
    if _working not in (0, os.getpid()):
        os._exit(0)


def possible() -> bool:
    """Whether this process can be forked: it must have a single thread, since a child loses a backend's threads."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def run(work: Callable[[], None]) -> None:
    """Does some work in a child and waits for it; if the child fails, this process ends in the same way.

    An exception propagates in the child, up to the code that ends the job's process.
    """
    child = os.fork()
    if child == 0:
        die_with_parent()
        claim()
        work()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    elif code:
        os._exit(code)


def die_with_parent() -> None:
    """Makes this process end with its parent, on Linux; elsewhere the process group is killed instead."""
    process_option(_PR_SET_PDEATHSIG, signal.SIGKILL)


def process_option(option: int, value: int) -> None:
    """Sets a Linux process option."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
