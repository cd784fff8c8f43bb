"""Compiled functions that code keeps: what each call of the function that keeps them gets, and what for."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy

from ..user_code.probes import Probe
from .scopes import Scope, value_of

_DEPTH = 4
"""Objects are compared as deep as this."""


class KeptCall(NamedTuple):
    """A call of a function that keeps something: what is kept for it, and the value that the key leaves out."""

    kept: Any
    left_out: Any


def is_of_kept(probe: Probe) -> bool:
    """Whether an event is that calls get what was kept for another one."""
    return probe.kind == "kept-compiled"


def call_of(probe: Probe, scope: Scope) -> KeptCall:
    """What a call has come to, by the names in view at its end."""
    return KeptCall(*(value_of(_expression(probe.detail[name]), scope, ...) for name in ("kept", "left_out")))


@functools.lru_cache(64)
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def mistaken(calls: Sequence[KeptCall]) -> tuple[KeptCall, KeptCall] | None:
    """Two calls that get the same thing though they differ in what the key leaves out; None if there are none."""
    for index, call in enumerate(calls):
        for earlier in calls[:index]:
            known = not any(part is ... for part in (*earlier, *call)) and call.kept is not None
            if known and call.kept is earlier.kept and not _alike(earlier.left_out, call.left_out, _DEPTH):
                return earlier, call
    return None


def _alike(one: Any, other: Any, depth: int) -> bool:
    """Whether two values are equal as far as can be told: objects are, if their attributes are."""
    if one is other or depth == 0:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, (jax.Array, numpy.ndarray)):
        return one.shape == other.shape and one.dtype == other.dtype and _equal(one, other)
    if isinstance(one, functools.partial):
        return _alike((one.func, one.args, one.keywords), (other.func, other.args, other.keywords), depth)
    if isinstance(one, types.MethodType):
        return _alike((one.__func__, one.__self__), (other.__func__, other.__self__), depth)
    if isinstance(one, types.FunctionType):
        return one.__code__ is other.__code__ and _alike(_captured(one), _captured(other), depth - 1)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(part, other[key], depth - 1) for key, part in one.items())
    if isinstance(one, (list, tuple)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_alike(*pair, depth - 1) for pair in pairs)
    if hasattr(one, "__dict__") and not isinstance(one, (type, types.ModuleType)):
        return _alike(vars(one), vars(other), depth - 1)
    return _equal(one, other)


def _equal(one: Any, other: Any) -> bool:
    """Whether two arrays, or other values, are equal. So is what cannot be compared, as an array that was donated."""
    try:
        if jax.dtypes.issubdtype(getattr(one, "dtype", None), jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        return bool(numpy.all(numpy.asarray(one == other)))
    except Exception:  # noqa: BLE001 - from the user's `__eq__`
        return True


def _captured(function: types.FunctionType) -> list[Any]:
    """What a function has captured: its cells, and the defaults of its parameters."""
    filled = (
        cell for cell in function.__closure__ or () if cell != types.CellType()
    )  # one that is empty has no contents
    return [cell.cell_contents for cell in filled] + list(function.__defaults__ or ())
