"""Going past concretization points: every one but the suspect is forced to a value, so that later ones are reached.

Works on private parts of jax, in a process that is thrown away afterwards (forced values poison the trace cache). With
a part gone there is nothing to force, and the suspicion stays undecided.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

from .failures import Site, site_of

try:
    from jax._src import core as _core
except ImportError:
    _core = None  # type: ignore[assignment,unused-ignore]

_CAP = 20
_FORCED: dict[str, Callable[[bool], Any]] = {
    "_bool": bool,
    "_int": lambda choice: 1 if choice else 2,
    "_float": lambda choice: 1.0 if choice else 0.5,
    "_complex": complex,
    "_index": lambda choice: 1 if choice else 2,
}


def available() -> bool:
    """Whether this version of jax has the parts that are replaced."""
    aval = getattr(_core, "ShapedArray", None)
    return all(hasattr(aval, name) for name in _FORCED) and hasattr(getattr(_core, "Tracer", None), "__array__")


@contextlib.contextmanager
def forced(suspect: Site, choice: bool, user_files: Collection[str]) -> Iterator[None]:
    """Inside, tracers convert to Python values everywhere but at `suspect`, where they raise as always.

    Args:
        suspect: the place left out.
        choice: the truth value that conditions get at first; a place that asks too often gets the other one.
        user_files: the files in which the asking place is looked for.
    """
    counts: dict[Site, int] = {}

    def answer(original: Any, value: Callable[[bool], Any]) -> Any:
        def hook(*args: Any, **kwargs: Any) -> Any:
            site = _asking(user_files)
            if site is None or site.overlaps(suspect):
                return original(*args, **kwargs)
            counts[site] = counts.get(site, 0) + 1
            if counts[site] > 4 * _CAP:
                return original(*args, **kwargs)
            return value(choice if counts[site] <= _CAP else not choice)

        return hook

    aval, tracer = _core.ShapedArray, _core.Tracer
    saved = [(aval, name, getattr(aval, name)) for name in _FORCED]
    saved += [(tracer, name, getattr(tracer, name)) for name in ("__array__", "tolist")]
    try:
        for name, value in _FORCED.items():
            setattr(aval, name, answer(getattr(aval, name), value))
        tracer.__array__ = _as_ones(tracer.__array__, suspect, user_files)
        tracer.tolist = _as_ones(tracer.tolist, suspect, user_files, listed=True)
        yield
    finally:
        for owner, name, original in saved:
            setattr(owner, name, original)


def _as_ones(original: Any, suspect: Site, user_files: Collection[str], *, listed: bool = False) -> Any:
    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        site = _asking(user_files)
        if site is None or site.overlaps(suspect):
            return original(self, *args, **kwargs)
        ones = _ones(self)
        return ones.tolist() if listed else ones

    return hook


def _ones(tracer: Any) -> Any:
    import numpy

    return numpy.ones(tracer.shape, tracer.dtype)


def _asking(user_files: Collection[str]) -> Site | None:
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in user_files:
            return site_of(frame.f_code, frame.f_lasti)
        frame = frame.f_back  # type: ignore[assignment]
    return None
