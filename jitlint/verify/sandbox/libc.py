"""Calls of the C library that Python has no functions for."""

from __future__ import annotations

import ctypes
import os

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def call(name: str, *arguments: object, named: str = "") -> int:
    """Calls a function of the C library, and returns what it does.

    Raises:
        OSError: it failed; `filename` names the object that it failed for.
    """
    result = int(getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), named or name)
    return result


def process_option(option: int, value: int) -> None:
    """Sets a process option.

    Raises:
        OSError: the system refuses.
    """
    call("prctl", option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))


def die_with_parent() -> None:
    """Makes this process end with its parent."""
    process_option(_PR_SET_PDEATHSIG, _SIGKILL)
