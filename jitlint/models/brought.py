"""Which model files installed packages bring. Packages are looked up, never imported; nor is what reads the files."""

from __future__ import annotations

import contextlib
import importlib.util
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from jitlint.project.store import digest

GROUP = "jitlint.models"
"""The entry points that name them."""


def brought() -> list[str]:
    """The values of the entry points: a file as if it were a module, `tidal.jitlint_model` for the package `tidal`'s
    `jitlint_model.toml`."""
    return [value for _, value in points(GROUP)]


def points(group: str) -> list[tuple[str, str]]:
    """The names and values of a group's entry points."""
    return sorted({(point.name, point.value) for point in _installed().select(group=group)})


@cache
def _installed() -> Any:
    """Those of all packages: looking for them takes a good part of a short run."""
    return metadata.entry_points()


def locate(value: str, suffix: str = ".toml") -> Path | None:
    """The file of an entry point; None if it names none. Finding the spec of a top-level package does not import it."""
    package, _, rest = value.partition(".")
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders)), *rest.split(".")).with_suffix(suffix) if folders and rest else None


def stamp() -> str:
    """What tells the model files that packages bring from others: their names and contents."""
    told = []
    for value in brought():
        with contextlib.suppress(OSError):
            file = locate(value)
            told.append((value, file.read_bytes() if file is not None else b""))
    return digest(told)
