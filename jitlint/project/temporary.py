"""Temporary folders and files, named by the process that makes them: a later run removes what a killed one left.

A process is killed without a chance to clean up, so that only others can.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

_PREFIX = "jitlint-scratch-"
_FOLDER = re.compile(rf"{_PREFIX}([0-9]{{1,9}})-[a-z0-9_]{{8}}")
_CLOCK_SECONDS = 2.0
"""How far the time of a file and the start of the process that made it may lie apart, since clocks are rounded."""


def make_folder() -> str:
    """A new temporary folder; its path has no links. Those of runs that were killed are removed.

    Raises:
        OSError: there is no place for temporary files.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        named = _FOLDER.fullmatch(folder.name)
        if named and is_abandoned(int(named[1]), folder):
            shutil.rmtree(folder, ignore_errors=True)
    return os.path.realpath(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def is_abandoned(process: int, path: Path) -> bool:
    """Whether the process that made a file or folder is gone. Its number may belong to a later one by now.

    Args:
        process: the number of the process.
        path: what it made.
    """
    if process == os.getpid():
        return False
    import psutil  # start-up time: only where another run is at work, or was killed

    try:
        maker = psutil.Process(process)
        return maker.status() == psutil.STATUS_ZOMBIE or maker.create_time() > path.lstat().st_mtime + _CLOCK_SECONDS
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, OSError):
        return False  # nobody knows, or it was removed in the meantime
