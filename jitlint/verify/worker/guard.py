"""User code that is run to prove something must change nothing: it writes files in the scratch directory only."""

from __future__ import annotations

import os
import sys
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"),
        *("os.chmod", "os.chown", "shutil.rmtree", "shutil.move"),
    )
)


class WriteRefusedError(PermissionError):
    """The code wanted to change a file outside the scratch directory."""


def install(scratch: str) -> None:
    """From now on, changes to files outside `scratch` raise WriteRefusedError; there is no way back."""
    home = os.path.realpath(scratch)

    def inside(path: Any) -> bool:
        if isinstance(path, int):
            return True
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return True
        return real == home or real.startswith((home + os.sep, "/dev/", "/proc/"))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = (*arguments, None, None)[:3]
            by_flags = isinstance(flags, int) and flags & _WRITING
            writes = by_flags or (isinstance(mode, str) and set(mode) & set("wax+"))
            if writes and not inside(path):
                raise WriteRefusedError(f"jitlint lets the code that it verifies write no files: {path}")
        elif event in _CHANGES and arguments and not inside(arguments[0]):
            raise WriteRefusedError(f"jitlint lets the code that it verifies change no files: {event} {arguments[0]}")

    sys.addaudithook(hook)
