"""Which model files installed packages bring. What reads the files is not imported."""

from __future__ import annotations

from jitlint.project import plugins

GROUP = "jitlint.models"
"""The entry points that name them."""

SUFFIX = ".toml"


def entry_points() -> list[str]:
    """The values of the entry points: a file as if it were a module, `tidal.jitlint_model` for the package `tidal`'s
    `jitlint_model.toml`."""
    return [value for _, value in plugins.entry_points(GROUP)]


def stamp() -> str:
    """What tells the model files that packages bring from others: their names and contents."""
    return plugins.stamp(GROUP, SUFFIX)
