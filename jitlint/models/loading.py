"""Loads all models: jitlint's own files in `data/`, then those of installed packages, which may override them."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any

from jitlint.models.installed import installed
from jitlint.models.library import Models, merged

DATA = "jitlint.models.data"


def own_files() -> dict[str, dict[str, Any]]:
    """The content of jitlint's own model files, by file name."""
    entries = sorted(resources.files(DATA).iterdir(), key=lambda item: item.name)
    return {e.name: tomllib.loads(e.read_text(encoding="utf-8")) for e in entries if e.name.endswith(".toml")}


@functools.cache
def models() -> Models:
    """The models of all libraries; read once per process."""
    from_packages = installed()
    errors = tuple((file.name, file.error) for file in from_packages if file.error)
    return merged([*own_files().values(), *(file.data for file in from_packages)], errors)
