"""Which model files installed packages bring. Packages are looked up, never imported; nor is what reads the files."""

from __future__ import annotations

import contextlib
import importlib.util
from importlib import metadata
from pathlib import Path

from jitlint.project.store import digest

GROUP = "jitlint.models"
"""The entry points that name them."""


def brought() -> list[str]:
    """The values of the entry points: a file as if it were a module, `tidal.jitlint_model` for the package `tidal`'s
    `jitlint_model.toml`."""
    return [value for _, value in sorted({(point.name, point.value) for point in metadata.entry_points(group=GROUP)})]


def locate(value: str) -> Path | None:
    """The file of an entry point; None if it names none. Finding the spec of a top-level package does not import it."""
    package, _, rest = value.partition(".")
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders)), *rest.split(".")).with_suffix(".toml") if folders and rest else None


def stamp() -> str:
    """What tells the model files that packages bring from others: their names and contents."""
    told = []
    for value in brought():
        with contextlib.suppress(OSError):
            file = locate(value)
            told.append((value, file.read_bytes() if file is not None else b""))
    return digest(told)
