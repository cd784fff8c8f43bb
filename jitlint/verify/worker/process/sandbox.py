"""A sandbox for the worker: no network, and no place to write to but its scratch directory.

It is made of Linux namespaces, which any user may create. A user namespace gives the rights for the others; in a mount
namespace all file systems are read-only; a network namespace is empty; in a process namespace all processes end with
the first one, also daemons. Code inside holds no capability to undo any of this. Where the system refuses, `enter`
says why.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import struct
import sys
from pathlib import Path

from . import child_process

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
_PLAIN, _READ_ONLY, _BIND, _RECURSIVE, _PRIVATE = 2 | 4 | 8, 1, 1 << 12, 1 << 14, 1 << 18
_MOUNT_SETATTR, _HERE, _AT_RECURSIVE = 442, -100, 0x8000
_SET_FLAGS, _UP = 0x8914, 1
_DROP_BOUND, _NO_NEW_PRIVILEGES, _CAPABILITIES, _CAPABILITY_VERSION = 24, 38, 64, 0x20080522
_SHARED_MEMORY = "/dev/shm"
_MOST_TASKS = max(1024, 64 * (os.cpu_count() or 1))
"""The most processes and threads. The watch ends a job far earlier; this holds code that is faster than any watch."""


def enter(scratch: str, *, network: bool = False) -> str | None:
    """Continues in a new process inside a sandbox; this process waits for it.

    Args:
        scratch: the only directory that can be written there.
        network: whether it may use the machine's network.

    Returns:
        "" in the new process. In this process: why there is no sandbox, or None once all inside have ended.
    """
    if sys.platform != "linux":
        return "only Linux has one"
    read_end, write_end = os.pipe()
    outer = os.fork()
    if outer == 0:
        try:
            _leave(os.path.realpath(scratch), network)
            child_process.die_with_parent()
            if inner := os.fork():
                os.close(write_end)
                os.waitpid(inner, 0)
                os._exit(0)
            _arrive()
            child_process.die_with_parent()
        except OSError as error:
            os.write(write_end, f"{error.strerror} ({error.filename})".encode())
            os._exit(1)
        os.close(read_end)
        os.close(write_end)
        return ""
    os.close(write_end)
    with os.fdopen(read_end, "rb") as stream:
        problem = stream.read().decode()
    os.waitpid(outer, 0)
    return problem or None


def _leave(scratch: str, network: bool) -> None:
    """Makes the namespaces; the process namespace begins with the next fork."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_IPC | _NEW_PROCESSES | (0 if network else _NEW_NETWORK))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    writable = [scratch]
    _mount(scratch, scratch, None, _BIND)
    if Path(_SHARED_MEMORY).is_dir():
        writable.append(_SHARED_MEMORY)
        _mount("tmpfs", _SHARED_MEMORY, "tmpfs", _PLAIN)
    _set_read_only("/", True, _AT_RECURSIVE)
    for each in writable:
        _set_read_only(each, False)
    if network:
        return
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


def _arrive() -> None:
    """Finishes the sandbox in its first process: hides the processes outside, and drops all rights."""
    _mount("proc", "/proc", "proc", _PLAIN)
    _limit_tasks()
    _set_read_only("/proc", True)
    for capability in range(_CAPABILITIES):
        # A capability that the system does not know is refused, and not needed.
        child_process.process_option(_DROP_BOUND, capability)
    _call("capset", struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24))
    child_process.process_option(_NO_NEW_PRIVILEGES, 1)


def _limit_tasks() -> None:
    """Limits processes and threads: root by the numbers that they can have (since Linux 6.14), others by count."""
    resource.setrlimit(resource.RLIMIT_NPROC, (_MOST_TASKS, _MOST_TASKS))
    with contextlib.suppress(OSError):
        Path("/proc/sys/kernel/pid_max").write_text(str(_MOST_TASKS))


def _mount(source: str | None, target: str, kind: str | None, flags: int) -> None:
    _call("mount", _bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), None, named=target)


def _set_read_only(target: str, to: bool, flags: int = 0) -> None:
    attributes = struct.pack("4Q", _READ_ONLY * to, _READ_ONLY * (not to), 0, 0)  # to set, to clear, propagation, user
    _call(
        "syscall",
        ctypes.c_long(_MOUNT_SETATTR),
        _HERE,
        _bytes(target),
        flags,
        attributes,
        ctypes.c_size_t(len(attributes)),
        named=target,
    )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def _call(name: str, *arguments: object, named: str = "") -> None:
    """Calls a function of the C library.

    Raises:
        OSError: it failed; `filename` names the object that it failed for.
    """
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), named or name)
