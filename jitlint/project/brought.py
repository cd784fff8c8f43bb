"""What installed packages bring to jitlint, by their entry points. Packages are looked up, never imported."""

from __future__ import annotations

import contextlib
import importlib.util
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from jitlint.project.cache import digest


def points(group: str) -> list[tuple[str, str]]:
    """The names and values of a group's entry points."""
    return sorted({(point.name, point.value) for point in _all().select(group=group)})


def locate(value: str, suffix: str) -> Path | None:
    """The file of an entry point, named as if it were a module; None if it names none.

    Finding the spec of a top-level package does not import it.
    """
    package, _, rest = value.partition(".")
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders)), *rest.split(".")).with_suffix(suffix) if folders and rest else None


def stamp(group: str, suffix: str) -> str:
    """What tells the files of a group from others: their names and contents."""
    told = []
    for name, value in points(group):
        with contextlib.suppress(OSError):
            file = locate(value, suffix)
            told.append((name, value, file.read_bytes() if file is not None else b""))
    return digest(told)


@cache
def _all() -> Any:
    """The entry points of all packages: looking for them takes a good part of a short run."""
    return metadata.entry_points()
