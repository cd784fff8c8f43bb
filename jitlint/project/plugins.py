"""Finds what installed packages offer to jitlint through entry points, without importing any of them."""

from __future__ import annotations

import contextlib
import importlib.util
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from jitlint.project.cache import digest
from jitlint.source.reading import SOURCE_BYTES, read_file


def entry_points(group: str) -> list[tuple[str, str]]:
    """The names and values of a group's entry points."""
    return sorted({(point.name, point.value) for point in _all().select(group=group)})


def locate(value: str, suffix: str) -> Path | None:
    """The file that an entry point names as if it were a module: `tidal.rules` with `.py` is `tidal/rules.py`.

    None if the package is not installed, or if the value names nothing in it. Only the spec of the top-level package is
    looked up, which does not import the package.
    """
    package, _, rest = value.partition(".")
    spec = importlib.util.find_spec(package)
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
def _all() -> Any:
    """The entry points of all packages: looking for them takes a good part of a short run."""
    return metadata.entry_points()
