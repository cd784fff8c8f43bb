"""Applies the environment variables of JAX that the user's code sets before it imports jax.

JAX reads them when it is imported, and the worker has imported it already.
"""

from __future__ import annotations

import builtins
import contextlib
import os
from typing import Any

import jax

_OURS = ("jax_platform", "jax_compilation_cache", "jax_persistent_cache")
"""What the options decide, by its beginning."""

_TRUE = frozenset(("y", "yes", "t", "true", "on", "1"))
"""The words for True, as in `jax/_src/config.py`."""


def follow() -> None:
    """Applies the variables that are set from now on, when code that is not ours first imports jax."""
    before, importing = dict(os.environ), builtins.__import__
    ours = __name__.partition(".")[0]

    def following(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:
        by = str((globals or {}).get("__name__", ""))
        if name.partition(".")[0] == "jax" and by.partition(".")[0] not in (ours, "jax"):
            builtins.__import__ = importing
            for variable, value in os.environ.items():
                if variable.startswith("JAX_") and before.get(variable) != value:
                    _apply(variable.lower(), value)
        return importing(name, globals, *more, **named)

    builtins.__import__ = following


def _apply(option: str, value: str) -> None:
    if option.startswith(_OURS):
        return
    with contextlib.suppress(Exception):  # JAX would refuse it, too, or has no such option
        now = jax.config.values.get(option)
        kind = type(now) if isinstance(now, (bool, int, float)) else str
        jax.config.update(option, value.lower() in _TRUE if kind is bool else kind(value))
