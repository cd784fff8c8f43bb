"""Counts how often functions are traced and compiled, and why again, from JAX's own explanations of cache misses."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_OPTION = "jax_explain_cache_misses"
_LOGGERS = ("jax", "jax._src.pjit", "jax._src.interpreters.partial_eval")
"""The loggers of these explanations, in the versions of JAX so far."""
_MISS = re.compile(r"TRACING CACHE MISS at (?P<place>.*?)(?: \(.*?\))?:\n(?P<explanation>.*)", re.DOTALL)
_FUNCTION = re.compile(r"(?P<name>\S+)(?: id=\d+)? defined at (?P<file>.+?):(?P<line>\d+)(?::\d+)?$", re.MULTILINE)
_COMPILED = "/jax/core/compile/backend_compile_duration"


class UnexplainedError(Exception):
    """This version of JAX does not explain its cache misses."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace: the call that caused it, and why JAX's caches did not have it."""

    place: str
    why: str


@dataclass(slots=True)
class Traced:
    """A function that was traced: its name, and where it is defined."""

    name: str
    file: str
    line: int
    traces: list[Trace] = field(default_factory=list)
    compiled: int = 0


class Traces:
    """Collects traces and compilations."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Traced] = {}
        self._last: dict[str, Traced] = {}

    @property
    def functions(self) -> tuple[Traced, ...]:
        """The functions, in the order of their first traces."""
        return tuple(self._found.values())

    def missed(self, place: str, explanation: str) -> None:
        """Takes JAX's explanation of a miss."""
        if (function := _FUNCTION.search(explanation)) is not None:
            key = (function["file"], int(function["line"]))
            traced = self._found.setdefault(key, Traced(function["name"], *key))
            traced.traces.append(Trace(place, _why(explanation)))
            self._last[function["name"]] = traced

    def compiled(self, event: str, _seconds: float, **details: Any) -> None:
        """Counts a compilation; JAX gives only the function's name."""
        name = re.sub(r"^\w+\((.*)\)$", r"\1", str(details.get("fun_name", "")))
        if event == _COMPILED and name in self._last:
            self._last[name].compiled += 1


_listening: list[Traces] = []


def _taken(record: logging.LogRecord) -> bool:
    """A filter that takes the explanations out of the log, so that people do not see them."""
    if (miss := _MISS.match(record.getMessage())) is None:
        return True
    for traces in _listening:
        traces.missed(miss["place"], miss["explanation"])
    return False


@contextmanager
def listening() -> Iterator[Traces]:
    """Collects traces and compilations within.

    Raises:
        UnexplainedError: this version of JAX does not explain its cache misses.
    """
    import jax
    from jax import monitoring

    if not hasattr(jax.config, _OPTION):
        raise UnexplainedError(f"jax {jax.__version__} does not explain what it traces again; use jax 0.6 or newer")
    before = getattr(jax.config, _OPTION)
    found = Traces()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    jax.config.update(_OPTION, True)
    _listening.append(found)
    for logger in loggers:
        logger.addFilter(_taken)
    monitoring.register_event_duration_secs_listener(found.compiled)
    try:
        yield found
    finally:
        _forget(found.compiled)
        _listening.remove(found)
        for logger in loggers if not _listening else ():
            logger.removeFilter(_taken)
        jax.config.update(_OPTION, before)


def _forget(listener: Any) -> None:
    """Removes a listener (older versions have no public function for that)."""
    for name in ("jax.monitoring", "jax._src.monitoring"):
        for take in ("unregister_event_duration_listener", "_unregister_event_duration_listener_by_callback"):
            if callable(found := getattr(sys.modules.get(name), take, None)):
                found(listener)
                return


def _why(explanation: str) -> str:
    """What differs, in one line: the end of the explanation, without the phrases that all explanations have."""
    lines = [line.strip().removeprefix("* ") for line in explanation.splitlines()]
    if lines and lines[0].startswith("never seen function"):
        return "a new function" if len(lines) < 3 else f"a new function, {' '.join(lines[2:])}"
    differences = [line for line in lines[1:] if not line.startswith("all previously seen cache keys")]
    return " ".join(differences) or "the caches did not have it"
