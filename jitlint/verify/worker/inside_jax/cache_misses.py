"""JAX's own explanations of why it traced a function again, read from one of its loggers.

A version of jax without the option that turns them on explains nothing."""

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
    """Adds JAX's explanations of cache misses within the block to a list."""
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
