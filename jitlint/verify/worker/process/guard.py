"""Keeps user code from changing files outside its scratch directory, and notes the files that it looks at.

As long as those files stay as they are, the cache may reuse the results.
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
            with contextlib.suppress(OSError, ValueError):  # the working directory may be gone
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
    """Whether an exception's message says that the guard or the sandbox refused something."""
    return _refusing and _REFUSED.search(message) is not None
