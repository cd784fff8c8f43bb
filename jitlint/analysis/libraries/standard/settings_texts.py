"""Readers of texts that hold settings: JSON, TOML and YAML."""

from __future__ import annotations

from typing import Final

from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.values import PARSED

_READERS: Final = (
    *(f"{module}.{name}" for module in ("json", "tomllib", "tomli", "toml") for name in ("load", "loads")),
    *(f"yaml.{name}" for name in ("load", "safe_load", "full_load")),
)

FUNCTIONS.update(dict.fromkeys(_READERS, lambda *_: PARSED))
