"""Work that leaves something behind in its process runs in a child of its own."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_working = 0


def claim() -> None:
    """Says that this process does the job's work from now on."""
    global _working
    _working = os.getpid()


def end_copy() -> None:
    """Ends this process if the user's code forked it off: the job's work is done once."""
    if _working not in (0, os.getpid()):
        os._exit(0)


def possible() -> bool:
    """Whether this process can be forked: as long as it has one thread, and so no backend's threads to lose."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def run(work: Callable[[], None]) -> None:
    """Does some work in a child; what the child ends with that is no success, this process ends with too.

    An exception goes on in the child, to whoever ends the process that was forked.
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
    """Lets this process end when its parent does; where the system has no such thing, process groups must do."""
    process_option(_PR_SET_PDEATHSIG, signal.SIGKILL)


def process_option(option: int, value: int) -> None:
    """Sets a Linux process option."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
