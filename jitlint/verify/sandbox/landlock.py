"""Keeps a process from changing files outside of a folder, and from other programs' abstract sockets: Linux's Landlock.

Any process may ask for this, also where it may make no namespaces, and all that it starts is kept in the same way.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from jitlint.verify.sandbox.libc import call

_CREATE, _ADD_RULE, _RESTRICT = (ctypes.c_long(number) for number in (444, 445, 446))
_VERSION, _BENEATH = 1, 1
_WRITE = 1 << 1
_CHANGES = _WRITE | sum(1 << bit for bit in range(4, 13))
"""Writing to files; removing and making files, folders, devices, sockets, pipes and links."""

_REFER, _TRUNCATE = 1 << 13, 1 << 14
_SCOPES = 0b11
"""Abstract sockets, and signals, of processes that are not kept by the same rules."""


def restrict(folders: Iterable[Path], devices: Iterable[Path]) -> None:
    """Lets this process change nothing but what is in these folders from now on, and write to these devices.

    Raises:
        OSError: the system does not have this, or has it switched off.
    """
    version = _call(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    handled = _CHANGES | _REFER * (version >= 2) | _TRUNCATE * (version >= 3)
    wanted = struct.pack("3Q", handled, 0, _SCOPES)
    size = 24 if version >= 6 else 8  # earlier versions know only the first field, or the first two
    rules = _call(_CREATE, wanted, ctypes.c_size_t(size), 0)
    try:
        for path, allowed in (*((path, handled) for path in folders), *((path, _WRITE) for path in devices)):
            _allow(rules, path, allowed)
        _call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, allowed: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it is not there, so that nothing needs to be let do
    try:
        _call(_ADD_RULE, rules, _BENEATH, struct.pack("=Qi", allowed, handle), 0)
    finally:
        os.close(handle)


def _call(*arguments: object) -> int:
    return call("syscall", *arguments, named="Landlock")
