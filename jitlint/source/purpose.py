"""What a file is for, as its path says."""

from __future__ import annotations

import functools
import re
from pathlib import PurePath

_TEST = re.compile(r"test_.*|.*_test|conftest")
_TEST_FOLDERS = frozenset({"test", "tests"})
_BENCHMARK = re.compile(r"(bench|benchmark)_.*|.*_(bench|benchmark)")
_OTHER_FOLDERS = frozenset({"bench", "benchmark", "benchmarks", "scripts"})


def runs_once(path: str) -> bool:
    """Whether a file holds tests, benchmarks or scripts, which run once: by its name, or that of a folder around it.

    Args:
        path: the path as it is displayed. Of an absolute path, which lies outside of the project, the file's own name
            decides alone.
    """
    return holds_tests(path) or _is_called(path, _BENCHMARK, _OTHER_FOLDERS)


@functools.cache
def holds_tests(path: str) -> bool:
    """Whether a file holds tests, which people run again and again. `path` is as for `runs_once`."""
    return _is_called(path, _TEST, _TEST_FOLDERS)


def _is_called(path: str, names: re.Pattern[str], folders: frozenset[str]) -> bool:
    pure = PurePath(path)
    around = () if pure.is_absolute() else pure.parts[:-1]
    return names.fullmatch(pure.stem) is not None or not folders.isdisjoint(around)
