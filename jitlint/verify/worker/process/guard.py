"""Keeps user code from changing files outside its scratch directory, and notes the files that it looks at.

As long as those files stay as they are, the cache may reuse the results.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    **dict.fromkeys(("os.remove", "os.rmdir", "shutil.rmtree"), ((0, 1),)),
    **dict.fromkeys(("os.rename", "os.link"), ((0, 2), (1, 3))),
    "os.mkdir": ((0, 2),),
    "os.symlink": ((1, 2),),
    "shutil.move": ((0, None), (1, None)),
}
"""What changes a folder: the arguments that are names in it, each with that of the folder from which it counts."""

_TOUCHES: dict[str, tuple[int, int | None]] = {
    "os.chmod": (0, 2),
    "os.chown": (0, 3),
    "os.utime": (0, 3),
    **dict.fromkeys(("os.truncate", "os.setxattr", "os.removexattr"), (0, None)),
}
"""What changes a file, also one that a link leads to."""

_SOCKETS = frozenset(("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"))
_BEYOND = frozenset(
    ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile", "socket.connect", "urllib.Request")
)
_NOTED = _BEYOND.union(_SOCKETS, _TOUCHES, _CHANGES, ("open", "os.listdir", "os.scandir", "sqlite3.connect"))
_MANY = 20_000
_HARMLESS = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/pts/",
    "/proc/self/",
    "/dev/tty",
)
_SYSTEM = (os.sep + "dev" + os.sep, os.sep + "proc" + os.sep, os.sep + "sys" + os.sep)


_REFUSED = re.compile(
    r"jitlint lets the code that it verifies|Read-only file system|Network is unreachable|[Nn]ame resolution|"
    r"unable to open database file|readonly database"
)
_refusing = False


class WriteRefusedError(PermissionError):
    """The code tried to change a file outside its scratch directory."""


@dataclass
class Footprint:
    """What this process looked at.

    Attributes:
        paths: the files that it opened and the folders that it listed, existing or not.
        beyond: whether it also used other programs or the network, which cannot be compared later, or opened too many
            files to compare.
    """

    paths: set[str] = field(default_factory=set)
    beyond: bool = False


def install(scratch: str, *, refusing: bool) -> Footprint:
    """Starts noting what this process looks at, for the rest of its life.

    Args:
        scratch: the directory that the code may write to.
        refusing: whether changes to files outside of it raise WriteRefusedError.

    Returns:
        What the process looks at outside of `scratch`; grows as it goes.
    """
    global _refusing
    _refusing = refusing
    home = os.path.realpath(scratch)
    seen = Footprint()

    def note(path: Any) -> None:
        if isinstance(path, (str, bytes)):
            with contextlib.suppress(OSError, ValueError):  # the working directory may be gone
                whole = os.path.abspath(os.fsdecode(path))
                if not whole.startswith((home, *_SYSTEM)):
                    seen.paths.add(whole)
            seen.beyond = seen.beyond or len(seen.paths) > _MANY

    def refuse(event: str, place: str | None) -> None:
        if _refusing and place is not None and not _may_change(place, home):
            raise WriteRefusedError(f"jitlint lets the code that it verifies change no files: {event} {place}")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _NOTED:  # most are: Python tells of each look at a frame
            return
        if event == "open":
            path, mode, flags = (*arguments, None, None)[:3]
            by_flags = isinstance(flags, int) and flags & _WRITING
            writes = by_flags or (isinstance(mode, str) and set(mode) & set("wax+"))
            if _refusing and writes and not isinstance(path, int) and not _may_change(_place(path), home):
                raise WriteRefusedError(f"jitlint lets the code that it verifies write no files: {path}")
            note(path)
        elif event in ("os.listdir", "os.scandir"):
            note("." if arguments[0] is None else arguments[0])
        elif event in _CHANGES:
            for name, folder in _CHANGES[event]:
                refuse(event, _place(*_with_folder(arguments, name, folder), followed=False))
        elif event in _TOUCHES:
            refuse(event, _place(*_with_folder(arguments, *_TOUCHES[event])))
        elif event == "sqlite3.connect":
            refuse(event, _database(arguments[0]))
        elif event in _SOCKETS and isinstance(arguments[1], (str, bytes)):
            refuse(event, _place(arguments[1]))
        seen.beyond = seen.beyond or event in _BEYOND

    if refusing:
        _check_what_python_does_not_tell(refuse)
    sys.addaudithook(hook)
    return seen


def _may_change(place: str | None, home: str) -> bool:
    """Whether a place is one that code may change: its scratch directory, what leads nowhere, and its own process."""
    return place is None or place == home or place.startswith((home + os.sep, *_HARMLESS))


def _place(path: Any, folder: Any = None, *, followed: bool = True) -> str | None:
    """Where a path leads, past links; None if it is no path, which the function itself will say.

    Args:
        path: a path, or the number of an open file.
        folder: the number of an open folder from which the path counts, if it is not the working directory.
        followed: whether a link at its end is followed, too.
    """
    if isinstance(path, int):
        return _open_as(path)
    try:
        text = os.fsdecode(path)
        base = _open_as(folder) if isinstance(folder, int) and folder >= 0 else str(Path.cwd())
    except (TypeError, ValueError, OSError):
        return None
    whole = Path(base or os.sep, text)
    return os.path.realpath(whole) if followed else str(Path(os.path.realpath(whole.parent), whole.name))


def _open_as(number: int) -> str | None:
    """Where an open file or folder is; None if the system does not tell, or it is none of these."""
    try:
        target = str(Path(f"/proc/self/fd/{number}").readlink())
    except OSError:
        return None
    return target if target.startswith(os.sep) else None


def _with_folder(arguments: tuple[Any, ...], name: int, folder: int | None) -> tuple[Any, Any]:
    return arguments[name], arguments[folder] if folder is not None and folder < len(arguments) else None


def _database(name: Any) -> str | None:
    """The file of a database; None for one in memory, or one that is only read."""
    text = os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else ""
    if not text or text == ":memory:":
        return None
    if text.startswith("file:"):
        path, _, query = text.removeprefix("file:").partition("?")
        if path == ":memory:" or {"mode=memory", "mode=ro", "immutable=1"} & set(query.split("&")):
            return None
        text = "/" + path.lstrip("/") if path.startswith("/") else path
    return _place(text)


def _check_what_python_does_not_tell(refuse: Callable[[str, str | None], None]) -> None:
    """Checks the functions whose audit events name no place, or that have none."""
    opening, fifo, node = os.open, os.mkfifo, os.mknod

    def checked_open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is not None and flags & _WRITING:
            refuse("os.open", _place(path, dir_fd))
        return opening(path, flags, mode, dir_fd=dir_fd)

    def checked_fifo(path: Any, mode: int = 0o666, *, dir_fd: int | None = None) -> None:
        refuse("os.mkfifo", _place(path, dir_fd, followed=False))
        fifo(path, mode, dir_fd=dir_fd)

    def checked_node(path: Any, mode: int = 0o600, device: int = 0, *, dir_fd: int | None = None) -> None:
        refuse("os.mknod", _place(path, dir_fd, followed=False))
        node(path, mode, device, dir_fd=dir_fd)

    for original, checked in ((opening, checked_open), (fifo, checked_fifo), (node, checked_node)):
        functools.update_wrapper(checked, original)
        setattr(os, original.__name__, checked)
        os.supports_dir_fd.add(checked)


def is_refusal(message: str) -> bool:
    """Whether an exception's message says that the guard or the sandbox refused something."""
    return _refusing and _REFUSED.search(message) is not None
