"""The one door through which jitlint reads files.

Which files are read is decided by what is linted, so that a name may stand for anything: a pipe that nobody writes to,
a device that never ends, a file of many gigabytes. Only regular files are opened, and only so much of them is read as
is good for their kind.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

SOURCE_BYTES = 16 << 20
"""The most that is read of a Python file."""

DOCUMENT_BYTES = 128 << 20
"""The most that is read of a notebook or another document: these hold pictures, too."""

SETTINGS_BYTES = 1 << 20
"""The most that is read of what people write for tools: settings, patterns, model files."""

RECORDS_BYTES = 128 << 20
"""The most that is read of what jitlint wrote itself: baselines, recorded signatures, cached values."""


_FLAGS = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"))
"""How files are opened, of what this system has: opening waits for nobody, and no other program gets the file."""


def read_file(path: Path, most: int) -> bytes:
    """The content of a regular file.

    What a file says to hold when it is opened is read, and no more. So files of the kernel, which claim no size, give
    nothing: reading some of them takes what others wait for, or does not end.

    Args:
        path: the file.
        most: the size above which it is refused, one of the constants above.

    Raises:
        OSError: it cannot be read, is no regular file, or is too large; `reason` has the words for it.
    """
    try:
        _check(path.stat(), most)  # before it is opened: opening alone makes some devices act
        handle = os.open(path, os.O_RDONLY | _FLAGS)
    except ValueError as error:  # the path holds NUL, or characters that no name can hold
        raise OSError(errno.EINVAL, f"no possible path ({error})") from error
    with os.fdopen(handle, "rb") as stream:
        size = _check(os.fstat(handle), most)  # it may be another file by now
        return stream.read(size) or b""


def _check(status: os.stat_result, most: int) -> int:
    """The size of a file that may be read."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB")
    return status.st_size


def reason(error: OSError) -> str:
    """An operating system's error in words, with the remedy where one is known."""
    words = error.strerror or str(error)
    words = words[:1].lower() + words[1:]
    match error:
        case FileNotFoundError():
            return f"{words}; check the spelling and the working directory"
        case PermissionError():
            return f"{words}; make it readable or exclude it"
        case OSError(errno=errno.EFBIG):
            return f"{words}; make it smaller or exclude it"
        case _:
            return f"{words}; repair or exclude it"
