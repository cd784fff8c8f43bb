"""Forces tracers to have values everywhere but at the suspect's place, so that code behind other failures is reached.

In `if a > 0: …` and then `if b > 0: …`, where both `a` and `b` are traced, JAX fails at the first `if`. To see the
second one fail, the first is given a truth value. This replaces methods of jax's tracers and one private function, in
a process that is thrown away afterwards, since forced values poison the trace cache. If a version of jax lacks one of
them, less is forced, and suspicions stay open.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import jax
import numpy

from ..user_code.sites import Site, site_of

try:
    from jax._src import core as _core
except ImportError:  # private: without it, values that jax itself asks for are not forced
    _core = None  # type: ignore[assignment,unused-ignore]

_CAP = 20
_NUMBERS: dict[str, Callable[[bool], Any]] = {
    "__bool__": bool,
    "__int__": lambda choice: 1 if choice else 2,
    "__index__": lambda choice: 1 if choice else 2,
    "__float__": lambda choice: 1.0 if choice else 0.5,
    "__complex__": complex,
}
_ARRAYS: dict[str, Callable[..., Any]] = {
    "__array__": lambda tracer, *args, **kwargs: _ones(tracer),
    "tolist": lambda tracer: _ones(tracer).tolist(),
    "item": lambda tracer, *args: _ones(tracer).flatten()[0].item(),
    "__format__": lambda tracer, specification: "1",
    "__setitem__": lambda tracer, index, value: None,
}


class Forcing:
    """The values that tracers give in one run.

    Attributes:
        asked: the places that asked for a truth value, in order, with their first answers.
    """

    def __init__(self, suspect: Site, user_files: Collection[str], taken: Mapping[Site, bool], default: bool) -> None:
        """Prepares a run.

        Args:
            suspect: the place where tracers raise as always.
            user_files: the files in which the asking place is looked for.
            taken: the truth values at given places.
            default: the truth value at other places. One that asks too often gets the opposite, so that loops end.
        """
        self.asked: dict[Site, bool] = {}
        self._suspect, self._files, self._taken, self._default = suspect, user_files, taken, default
        self._counts: dict[Site, int] = {}

    def others(self) -> Iterator[dict[Site, bool]]:
        """The ways through the program that differ from this run at one place with a choice."""
        before = dict(self._taken)
        for site, answer in self.asked.items():
            if site not in self._taken:
                yield {**before, site: not answer}
                before[site] = answer

    def site(self) -> Site | None:
        """The user's place that asks for a value; None at the suspect's place, and if only jax asks."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                site = site_of(frame.f_code, frame.f_lasti)
                return None if site.overlaps(self._suspect) else site
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def asks_itself(self, frame: types.FrameType) -> bool:
        """Whether the frame that asks is the user's: code of jax copes with a tracer that raises."""
        return frame.f_code.co_filename in self._files

    def answer(self, site: Site) -> bool | None:
        """The truth value for a place, None if it has asked far too often."""
        count = self._counts[site] = self._counts.get(site, 0) + 1
        if count > 4 * _CAP:
            return None
        answer = self._taken.get(site, self._default)
        self.asked.setdefault(site, answer)
        return answer if count <= _CAP else not answer


def available() -> bool:
    """Whether this version of jax has the parts that forcing replaces."""
    return all(hasattr(jax.core.Tracer, name) for name in (*_NUMBERS, *_ARRAYS, "__getitem__"))


@contextlib.contextmanager
def forced(forcing: Forcing) -> Iterator[None]:
    """Makes tracers give Python values within the block, but at the suspect's place."""
    tracer: Any = jax.core.Tracer
    hooks = {name: _number(forcing, getattr(tracer, name), value) for name, value in _NUMBERS.items()}
    hooks |= {name: _array(forcing, getattr(tracer, name), value) for name, value in _ARRAYS.items()}
    hooks["__hash__"] = _hash(forcing)
    hooks["__getitem__"] = _item(forcing, tracer.__getitem__)
    with contextlib.ExitStack() as stack:
        for name, hook in hooks.items():
            stack.enter_context(_replaced(tracer, name, hook))
        for name, (body, at, fitting) in _LOOPS.items():
            stack.enter_context(_replaced(jax.lax, name, _loop(forcing, getattr(jax.lax, name), body, at, fitting)))
        stack.enter_context(_replaced(jax.lax, "cond", _cond(forcing, jax.lax.cond)))
        if (concrete := getattr(_core, "concrete_or_error", None)) is not None:
            stack.enter_context(_replaced(_core, "concrete_or_error", _concrete(forcing, concrete)))
        yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str, new: Any) -> Iterator[None]:
    own = name in vars(owner)
    before = vars(owner).get(name)
    setattr(owner, name, new)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)


def _number(forcing: Forcing, original: Any, value: Callable[[bool], Any]) -> Any:
    def hook(tracer: Any) -> Any:
        site = forcing.site()
        choice = forcing.answer(site) if site is not None else None
        return original(tracer) if choice is None else value(choice)

    return hook


def _array(forcing: Forcing, original: Any, value: Callable[..., Any]) -> Any:
    def hook(tracer: Any, *args: Any, **kwargs: Any) -> Any:
        asked = forcing.site() is not None
        return value(tracer, *args, **kwargs) if asked else original(tracer, *args, **kwargs)

    return hook


def _hash(forcing: Forcing) -> Any:
    def hook(tracer: Any) -> int:
        if forcing.asks_itself(sys._getframe(1)) and forcing.site() is not None:
            return id(tracer)
        raise TypeError(f"unhashable type: '{type(tracer).__name__}'")

    return hook


def _item(forcing: Forcing, original: Any) -> Any:
    def hook(tracer: Any, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if any(map(_needs_value, parts)) and forcing.site() is not None:
            index = tuple(slice(None) if _needs_value(part) else part for part in parts)
        return original(tracer, index)

    return hook


def _needs_value(index: Any) -> bool:
    """Whether an index is a traced mask, or a slice with a traced bound."""
    if isinstance(index, slice):
        return any(isinstance(bound, jax.core.Tracer) for bound in (index.start, index.stop, index.step))
    return isinstance(index, jax.core.Tracer) and str(index.dtype) == "bool"


def _concrete(forcing: Forcing, original: Any) -> Any:
    def hook(force: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, jax.core.Tracer) or forcing.site() is None:
            return original(force, value, *args, **kwargs)
        ones = _ones(value)
        return ones if force is None else force(ones)

    return hook


def _loop(forcing: Forcing, original: Any, body: str, at: int, fitting: Callable[[Any], Any]) -> Any:
    """A loop whose carry keeps its type where the body gives another one; `body` is its parameter at a position."""

    def hook(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except TypeError:
            if forcing.site() is None or not (body in kwargs or len(args) > at):
                raise
            if body in kwargs:
                return original(*args, **{**kwargs, body: fitting(kwargs[body])})
            return original(*args[:at], fitting(args[at]), *args[at + 1 :], **kwargs)

    return hook


def _cond(forcing: Forcing, original: Any) -> Any:
    """A conditional that takes its first branch on both ways where the branches do not fit together."""

    def hook(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except TypeError:
            if forcing.site() is None or len(args) < 3:
                raise
            return original(args[0], args[1], args[1], *args[3:], **kwargs)

    return hook


def _like(before: Any, after: Any) -> Any:
    """What a loop's body returns, as the carry that it got; where it does not fit, that one."""
    if jax.tree.structure(before) != jax.tree.structure(after):
        return before
    return jax.tree.map(_leaf_like, before, after)


def _leaf_like(before: Any, after: Any) -> Any:
    if jax.numpy.shape(before) != jax.numpy.shape(after):
        return before
    return jax.numpy.asarray(after, jax.numpy.result_type(before))


def _of_scan(body: Any) -> Any:
    def fitting(carry: Any, x: Any) -> Any:
        after, out = body(carry, x)
        return _like(carry, after), out

    return fitting


_LOOPS: dict[str, tuple[str, int, Callable[[Any], Any]]] = {
    "scan": ("f", 0, _of_scan),
    "while_loop": ("body_fun", 1, lambda body: lambda carry: _like(carry, body(carry))),
    "fori_loop": ("body_fun", 2, lambda body: lambda i, carry: _like(carry, body(i, carry))),
}
"""Loops, each with its parameter for the body, that one's position, and what makes a body that keeps the carry."""


def _ones(tracer: Any) -> Any:
    return numpy.ones(tracer.shape, tracer.dtype)
