"""What a file is for, as its path says."""

from __future__ import annotations

import re
from pathlib import PurePath

_ONCE = re.compile(r"(test|bench|benchmark)_.*|.*_(test|bench|benchmark)|conftest")
_FOLDERS = frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "scripts"})


def runs_once(path: str) -> bool:
    """Whether a file holds tests, benchmarks or scripts, which run once: by its name, or that of a folder around it.

    Args:
        path: the path as it is displayed. Of an absolute path, which lies outside of the project, the file's own name
            decides alone.
    """
    pure = PurePath(path)
    folders = () if pure.is_absolute() else pure.parts[:-1]
    return _ONCE.fullmatch(pure.stem) is not None or not _FOLDERS.isdisjoint(folders)
