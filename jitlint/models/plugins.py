"""Which model files come with installed packages. `installed.py` reads them; this module only finds them.

A warm run over unchanged files needs no more than their `stamp`, and starts faster without the code that reads them.
"""

from __future__ import annotations

from jitlint.project import plugins

GROUP = "jitlint.models"
"""The group of entry points that name model files."""

SUFFIX = ".toml"


def entry_points() -> list[str]:
    """The values of the entry points.

    Each names a file as if it were a module: "tidal.jitlint_model" is `jitlint_model.toml` in the package `tidal`.
    """
    return [value for _, value in plugins.entry_points(GROUP)]


def stamp() -> str:
    """A digest of the names and contents of these files: cached results depend on them."""
    return plugins.stamp(GROUP, SUFFIX)
