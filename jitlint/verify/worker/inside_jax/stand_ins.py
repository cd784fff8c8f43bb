"""Runs without compilation: arrays of one number stand in for what compiled programs would return.

JAX traces as ever. Only code outside of traces can tell the difference, by a value or by a size that values decide
(`jnp.unique`); where it asks for a truth value or an integer, that is noted.

This replaces a private function of `jax/_src/pjit.py` and a property of JAX's arrays. If a version of jax lacks them,
nothing is stood in for.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import jax
import numpy as np

try:
    from jax._src import core as _core
    from jax._src import pjit as _pjit
    from jax._src.array import ArrayImpl as _Array
except ImportError:  # private: without them, all runs are true ones
    _core = _pjit = _Array = None  # type: ignore[assignment,misc,unused-ignore]

_CALL = "_pjit_call_impl_python"
"""The function that compiles and executes."""

_REST: tuple[Any, ...] = (None, None, []) if jax.__version_info__ >= (0, 7) else (None, None)
"""What it returns after the results: no executable, no profiler and, since 0.7, no constants."""

_VALUE = "_value"
"""The property through which NumPy, Python's numbers and texts read an array."""

_DECIDING = frozenset(("__bool__", "__int__", "__index__"))
"""The methods of an array through which code decides by its value: which way to go, how often."""


class StandIns:
    """What was stood in for in one run.

    Attributes:
        made: whether a program was not compiled.
        decided: whether the user's code has asked an array for a truth value or an integer since.
    """

    def __init__(self) -> None:
        self.made = self.decided = False


@contextlib.contextmanager
def standing_in(number: int, noted: StandIns, files: Collection[str]) -> Iterator[None]:
    """Within, programs that JAX would compile return arrays of the right shapes and dtypes at once.

    Programs with effects run, since their callbacks may be seen, and so do those for several devices. Donated
    arguments are deleted, as far as JAX would use their buffers.

    Args:
        number: what all these arrays hold.
        noted: takes note of what was stood in for.
        files: the user's files.
    """
    value = getattr(_Array, _VALUE, None)
    if not hasattr(_pjit, _CALL) or not isinstance(value, property) or value.fget is None:
        yield
        return
    call: Callable[..., Any] = getattr(_pjit, _CALL)
    read = value.fget

    def answer(*args: Any, **params: Any) -> Any:
        results = _results(number, args, params)
        if results is None:
            return call(*args, **params)
        noted.made = True
        _donate(args, params)
        return results, *_REST

    def note_read(array: Any) -> Any:
        if noted.made and sys._getframe(1).f_code.co_name in _DECIDING:
            noted.decided = noted.decided or _is_read_by(files)
        return read(array)

    setattr(_pjit, _CALL, answer)
    setattr(_Array, _VALUE, property(note_read))
    try:
        yield
    finally:
        setattr(_pjit, _CALL, call)
        setattr(_Array, _VALUE, value)


def _results(number: int, args: Sequence[Any], params: dict[str, Any]) -> list[Any] | None:
    """Results in place of those of a program; None if it has to run."""
    program = params["jaxpr"]
    shardings = (*params.get("in_shardings", ()), *params.get("out_shardings", ()))
    placed = any(type(sharding).__name__ != "UnspecifiedValue" for sharding in shardings)
    if program.effects or placed or not getattr(params.get("ctx_mesh"), "empty", True):
        return None
    if not all(map(_is_plain, args)) or _is_given_twice(args, params):
        return None
    try:
        return [_made(number, aval) for aval in program.out_avals]
    except (AttributeError, TypeError, ValueError):  # a type of its own, that another jax makes otherwise
        return None


def _is_plain(arg: Any) -> bool:
    """Whether an argument is a number, or an array on one device that still has its buffer."""
    if not isinstance(arg, jax.Array):
        return True
    return len(arg.sharding.device_set) == 1 and not arg.is_deleted()


def _is_given_twice(args: Sequence[Any], params: dict[str, Any]) -> bool:
    """Whether a donated buffer is passed more than once, which JAX refuses."""
    times = Counter(map(id, args))
    return any(times[id(arg)] > 1 for arg, donated in zip(args, params["donated_invars"], strict=False) if donated)


def _made(number: int, aval: Any) -> Any:
    """An array that JAX takes for a program's result: of its shape, dtype and weak type."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        implementation = aval.dtype._impl
        data = np.full((*aval.shape, *implementation.key_shape), number, np.uint32)
        return jax.random.wrap_key_data(data, impl=implementation.name)
    made = jax.device_put(np.full(aval.shape, np.asarray(number).astype(aval.dtype)))  # small integers wrap around
    if not aval.weak_type:
        return made
    weak = _core.ShapedArray(aval.shape, aval.dtype, weak_type=True)
    return _Array(weak, made.sharding, [made], committed=False)


def _donate(args: Sequence[Any], params: dict[str, Any]) -> None:
    """Deletes the donated arguments that have the shape and dtype of a result, in whose place JAX would write it."""
    results = Counter((aval.shape, str(aval.dtype)) for aval in params["jaxpr"].out_avals)
    for arg, donated in zip(args, params["donated_invars"], strict=False):
        if donated and isinstance(arg, jax.Array) and results[arg.shape, str(arg.dtype)]:
            results[arg.shape, str(arg.dtype)] -= 1
            arg.delete()


def _is_read_by(files: Collection[str]) -> bool:
    """Whether the code that runs now runs for one of some files, and not for ours, which only looks."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename in files:
            return True
        if str(frame.f_globals.get("__package__")).startswith(_OWN):
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return False


_OWN = __name__.partition(".")[0]
"""The worker's package."""
