"""Finds what installed packages offer to jitlint through entry points, without importing any of them.

Installed is what lies in the folders that Python itself fills: site-packages, and what an editable install adds. The
working folder and PYTHONPATH do not count, since the code that is linted may lie there.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from jitlint.project.cache import digest
from jitlint.project.files import INSTALLED
from jitlint.source.reading import SOURCE_BYTES, read_file

_GROUPS = "jitlint."


def entry_points(group: str) -> list[tuple[str, str]]:
    """The names and values of a group's entry points."""
    return sorted({(point.name, point.value) for point in _all() if point.group == group})


def locate(value: str, suffix: str) -> Path | None:
    """The file that an entry point names as if it were a module: `tidal.rules` with `.py` is `tidal/rules.py`.

    None if the package is not installed, or if the value names nothing in it. Only the spec of the top-level package is
    looked up, which does not import the package.
    """
    package, _, rest = value.partition(".")
    spec = next(_specs(package), None)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders)), *rest.split(".")).with_suffix(suffix) if folders and rest else None


def stamp(group: str, suffix: str) -> str:
    """A digest of the names and contents of a group's files: it changes when one of them does."""
    files = []
    for name, value in entry_points(group):
        with contextlib.suppress(OSError):
            file = locate(value, suffix)
            files.append((name, value, read_file(file, SOURCE_BYTES) if file is not None else b""))
    return digest(files)


@cache
def _all() -> list[metadata.EntryPoint]:
    """The entry points of all packages: looking for them takes a good part of a short run."""
    folders = [entry for entry in _path() if Path(entry).name in INSTALLED]
    found: dict[str, list[metadata.EntryPoint]] = {}
    for distribution in metadata.distributions(path=folders):
        if points := [point for point in distribution.entry_points if point.group.startswith(_GROUPS)]:
            found.setdefault(distribution.name, points)  # of two versions, Python would import the first
    return [point for points in found.values() for point in points]


def _path() -> list[str]:
    """Where Python looks for what is installed: its own library, and the folders that it puts behind that.

    What its caller names stands before: the working folder, the script's, and those of PYTHONPATH.
    """
    library = str(Path(os.__file__).parent)
    return sys.path[sys.path.index(library) + 1 :] if library in sys.path else []


def _specs(package: str) -> Iterator[ModuleSpec]:
    """Where a package is installed, the place that counts first."""
    for finder in sys.meta_path:  # finders beside Python's own come from editable installs
        spec = finder.find_spec(package, _path() if finder is PathFinder else None)
        if spec is not None:
            yield spec
