"""User code that is run to prove something must change nothing, and what it looked at is noted.

It writes files in the scratch directory only. What it reads tells for how long its results hold.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dataclasses import dataclass, field
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"),
        *("os.chmod", "os.chown", "shutil.rmtree", "shutil.move"),
    )
)
_BEYOND = frozenset(
    ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile", "socket.connect", "urllib.Request")
)
_MANY = 20_000
_SYSTEM = (os.sep + "dev" + os.sep, os.sep + "proc" + os.sep, os.sep + "sys" + os.sep)


_REFUSED = re.compile(
    r"jitlint lets the code that it verifies|Read-only file system|Network is unreachable|[Nn]ame resolution|"
    r"unable to open database file|readonly database"
)
_refusing = False


class WriteRefusedError(PermissionError):
    """The code wanted to change a file outside the scratch directory."""


@dataclass
class Footprint:
    """What this process looked at.

    Attributes:
        paths: the files that it opened and the folders that it listed, whether or not they were there.
        beyond: whether it also asked other programs or the network, of which nothing is known (or so many files that
            nobody wants to look through them again).
    """

    paths: set[str] = field(default_factory=set)
    beyond: bool = False


def install(scratch: str, *, refusing: bool) -> Footprint:
    """From now on, what is looked at is noted; there is no way back.

    Args:
        scratch: the directory that the code has to itself.
        refusing: whether changes to files outside of it raise WriteRefusedError.

    Returns:
        What the process looks at from now on, outside of `scratch`.
    """
    global _refusing
    _refusing = refusing
    home = os.path.realpath(scratch)
    seen = Footprint()

    def inside(path: Any) -> bool:
        if isinstance(path, int):
            return True
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return True
        return real == home or real.startswith((home + os.sep, "/dev/", "/proc/"))

    def note(path: Any) -> None:
        if isinstance(path, (str, bytes)):
            with contextlib.suppress(OSError, ValueError):  # as when the working directory is gone
                whole = os.path.abspath(os.fsdecode(path))
                if not whole.startswith((home, *_SYSTEM)):
                    seen.paths.add(whole)
            seen.beyond = seen.beyond or len(seen.paths) > _MANY

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = (*arguments, None, None)[:3]
            by_flags = isinstance(flags, int) and flags & _WRITING
            writes = by_flags or (isinstance(mode, str) and set(mode) & set("wax+"))
            if _refusing and writes and not inside(path):
                raise WriteRefusedError(f"jitlint lets the code that it verifies write no files: {path}")
            note(path)
        elif event in ("os.listdir", "os.scandir"):
            note("." if arguments[0] is None else arguments[0])
        elif event in _BEYOND:
            seen.beyond = True
        elif _refusing and event in _CHANGES and arguments and not inside(arguments[0]):
            raise WriteRefusedError(f"jitlint lets the code that it verifies change no files: {event} {arguments[0]}")

    sys.addaudithook(hook)
    return seen


def is_refusal(message: str) -> bool:
    """Whether an exception's words say that it comes of what code may not do here."""
    return _refusing and _REFUSED.search(message) is not None
