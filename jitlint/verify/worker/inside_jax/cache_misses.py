"""JAX's own words for why it traced a function again (by an option and a logger of jax that may go)."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator

import jax

_OPTION = "jax_explain_cache_misses"


class _Listener(logging.Handler):
    def __init__(self, explanations: list[str]) -> None:
        super().__init__()
        self._explanations = explanations

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "MISS" in text:
            self._explanations.append(re.sub(r" id=\d+", "", text))


@contextlib.contextmanager
def explained(explanations: list[str]) -> Iterator[None]:
    """Inside, JAX's explanations of misses are added to a list; a version that has none adds nothing."""
    logger, listener = logging.getLogger("jax"), _Listener(explanations)
    before = getattr(jax.config, _OPTION, None)
    logger.addHandler(listener)
    try:
        if before is not None:
            jax.config.update(_OPTION, True)
        yield
    finally:
        if before is not None:
            jax.config.update(_OPTION, before)
        logger.removeHandler(listener)
