"""A filter of system calls (seccomp), which a program keeps for its life and passes on to all that it starts.

It refuses what lets code look into other processes, make namespaces and mounts, use the kernel's keys, or reach sockets
that namespaces do not hold, such as those between a virtual machine and its host. Any process may have one.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
import sys

from jitlint.verify.sandbox.libc import call, process_option

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _MODE_FILTER = 38, 22, 2

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NEW_NAMESPACES = 0x7E020000
"""The flags of `clone` that make namespaces."""

_INJECT_INPUT, _TERMINAL_MENU = 0x5412, 0x541C
_OTHER_ABI = 0x40000000
"""Where the numbers of x86-64's second set of system calls begin."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""What the kernel calls each processor, and its column below."""

_CALLS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "syslog": (103, 116),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "fanotify_init": (300, 262),
    "vhangup": (153, 58),
}
_CLONE, _CLONE_3, _SOCKET, _IOCTL, _LIMIT = (56, 220), (435, 435), (41, 198), (16, 29), (302, 261)


def restrict(*, network: bool) -> None:
    """Refuses system calls in this process from now on.

    Args:
        network: whether sockets of the Internet's protocols can be made; where they cannot, there is "no network".

    Raises:
        OSError: the system has no filters, or not for this processor.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "only Linux filters system calls", "seccomp")
    machine = os.uname().machine
    if machine not in _MACHINES or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, f"system calls of {machine} are not known", "seccomp")
    code = _program(machine, network=network)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    process_option(_NO_NEW_PRIVILEGES, 1)
    call("prctl", _SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), program, ctypes.c_ulong(0), ctypes.c_ulong(0))


def _program(machine: str, *, network: bool) -> bytes:
    """The filter's instructions, for the kernel's own small machine: each loads, compares and jumps, or returns."""
    kernels_name, column = _MACHINES[machine]
    code = [_step(_LOAD, _MACHINE), _step(_EQUAL, kernels_name, 1, 0), _refuse(errno.EPERM), _step(_LOAD, _NUMBER)]
    if machine == "x86_64":
        code += [_step(_AT_LEAST, _OTHER_ABI, 0, 1), _refuse(errno.EPERM)]
    for numbers in _CALLS.values():
        code += [_step(_EQUAL, numbers[column], 0, 1), _refuse(errno.EPERM)]
    code += [_step(_EQUAL, _CLONE_3[column], 0, 1), _refuse(errno.ENOSYS)]  # the C library then uses `clone`
    for numbers, body in (
        (_CLONE, [_step(_LOAD, _FIRST), _step(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)]),
        (_IOCTL, [_step(_LOAD, _SECOND), *_refused((_INJECT_INPUT, _TERMINAL_MENU))]),
        (_LIMIT, [_step(_LOAD, _FIRST), _step(_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]),  # limits of another process
        (_SOCKET, _sockets(network=network)),
    ):
        body.append(_step(_RETURN, _ALLOW))
        code += [_step(_EQUAL, numbers[column], 0, len(body)), *body]
    return b"".join((*code, _step(_RETURN, _ALLOW)))


def _sockets(*, network: bool) -> list[bytes]:
    of_network = (socket.AF_INET, socket.AF_INET6)
    allowed = [_step(_RETURN, _ALLOW) if network else _refuse(errno.ENETUNREACH)]
    known = [_step(_LOAD, _FIRST)]
    for family in of_network:
        known += [_step(_EQUAL, family, 0, 1), *allowed]
    for family in (socket.AF_UNIX, socket.AF_NETLINK):
        known += [_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    return [*known, _refuse(errno.EAFNOSUPPORT)]


def _refused(values: tuple[int, ...]) -> list[bytes]:
    return [step for value in values for step in (_step(_EQUAL, value, 0, 1), _refuse(errno.EPERM))]


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _REFUSE | number)


def _step(operation: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    """One instruction: an operation, its value, and how many instructions to skip by its outcome."""
    return struct.pack("HBBI", operation, if_so, if_not, value)
