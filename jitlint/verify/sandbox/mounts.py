"""Mounts in the sandbox's own view of the file system."""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

from jitlint.verify.sandbox.libc import call

READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
BIND, RECURSIVE, PRIVATE = 1 << 12, 1 << 14, 1 << 18
PLAIN = NO_SETUID | NO_DEVICES | NO_PROGRAMS
_MOUNT_SETATTR, _HERE, _AT_RECURSIVE = 442, -100, 0x8000


def mount(source: str | None, target: str | Path, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mounts something.

    Raises:
        OSError: the system refuses; `filename` is the target.
    """
    given = (_bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(options))
    call("mount", *given, named=str(target))


def memory(target: str | Path, options: str) -> None:
    """Mounts an empty file system in memory.

    Raises:
        OSError: the system refuses.
    """
    mount("tmpfs", target, "tmpfs", NO_SETUID | NO_DEVICES, options)


def set_read_only(target: str | Path, to: bool, *, recursive: bool = False) -> None:
    """Makes a mount read-only or writable, with those below it if `recursive`.

    Raises:
        OSError: the system refuses.
    """
    attributes = struct.pack("4Q", READ_ONLY * to, READ_ONLY * (not to), 0, 0)  # to set, to clear, propagation, user
    flags, size = _AT_RECURSIVE * recursive, ctypes.c_size_t(len(attributes))
    call("syscall", ctypes.c_long(_MOUNT_SETATTR), _HERE, _bytes(target), flags, attributes, size, named=str(target))


def _bytes(text: str | Path | None) -> bytes | None:
    return None if text is None else os.fsencode(text)
