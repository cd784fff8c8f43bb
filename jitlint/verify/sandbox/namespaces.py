"""Linux namespaces, which any user may create: no network, no other processes, and no place to write to but a scratch.

A user namespace gives the rights for the others; in a mount namespace all file systems are read-only, and what
`view.py` hides is not there; a network namespace is empty; in a process namespace all processes end with the first one,
also daemons. Code inside holds no capability to undo any of this. Where the system refuses, `enter` says why.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import shutil
import socket
import struct
import sys
from pathlib import Path

from jitlint.verify.sandbox import limits, mounts, view
from jitlint.verify.sandbox.libc import call, die_with_parent, process_option
from jitlint.verify.sandbox.wish import Wish

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
_SET_FLAGS, _UP = 0x8914, 1
_DROP_BOUND, _CAPABILITIES, _CAPABILITY_VERSION = 24, 64, 0x20080522


def enter(wish: Wish) -> str:
    """Continues in a new process inside the namespaces; this process waits for it, and ends as it does.

    Returns:
        "" in the new process; why there are no namespaces in this one.
    """
    if sys.platform != "linux":
        return "only Linux has one"
    read_end, write_end = os.pipe()
    outer = os.fork()
    if outer == 0:
        try:
            _leave(wish)
            die_with_parent()
            if inner := os.fork():
                os.close(write_end)
                os._exit(_status_of(inner))
            _arrive(wish)
            die_with_parent()
        except OSError as error:
            os.write(write_end, f"{error.strerror} ({error.filename})".encode())
            os._exit(1)
        os.close(read_end)
        os.close(write_end)
        os.chdir(wish.scratch)  # as it is in here
        return ""
    os.close(write_end)
    with os.fdopen(read_end, "rb") as stream:
        problem = stream.read().decode()
    status = _status_of(outer)
    if not problem:
        shutil.rmtree(wish.scratch, ignore_errors=True)  # the linter may be gone by now
        os._exit(status)
    return problem


def _status_of(process: int) -> int:
    """Waits for a process. Returns its exit code, as a shell would for one that a signal ended."""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code if code >= 0 else 128 - code


def _leave(wish: Wish) -> None:
    """Makes the namespaces; the process namespace begins with the next fork."""
    user, group = os.geteuid(), os.getegid()
    call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_IPC | _NEW_PROCESSES | (0 if wish.network else _NEW_NETWORK))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    writable = view.compose(wish)
    mounts.set_read_only("/", True, recursive=True)
    for each in writable:
        mounts.set_read_only(each, False)
    if wish.network:
        return
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


def _arrive(wish: Wish) -> None:
    """Finishes the sandbox in its first process: hides the others, limits how many there may be, drops all rights."""
    mounts.mount("proc", "/proc", "proc", mounts.PLAIN)
    # Limits by count do not bind root; the numbers that processes can have do, where they are limited (Linux 6.14).
    resource.setrlimit(resource.RLIMIT_NPROC, (limits.TASKS, limits.TASKS))
    with contextlib.suppress(OSError):
        Path("/proc/sys/kernel/pid_max").write_text(str(limits.TASKS))
    if wish.nodes:
        _keep_system()
    else:
        mounts.set_read_only("/proc", True)
    for capability in range(_CAPABILITIES):
        with contextlib.suppress(OSError):  # a capability that the system does not know is not needed
            process_option(_DROP_BOUND, capability)
    call("capset", struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24))


def _keep_system() -> None:
    """Makes all of /proc read-only but for what it has of processes: CUDA gives its threads names there, or fails."""
    for path in Path("/proc").iterdir():
        if not (path.name.isdecimal() or path.is_symlink()):
            mounts.mount(str(path), path, None, mounts.BIND | mounts.RECURSIVE)
            mounts.set_read_only(path, True)
