"""What jitlint must know of JAX's tracers. Where a jax lacks a private name, only detail is lost."""

from __future__ import annotations

import types
from typing import Any

import jax

try:
    from jax._src import core as _core
except ImportError:  # private: without it no code counts as traced, so nothing is refuted
    _core = None  # type: ignore[assignment,unused-ignore]

_STAGING = ("DynamicJaxprTrace", "BatchTrace", "JaxprTrace")


class Names(dict[str, Any]):
    """Our copy of a frame's names and values; a type of its own, so that it differs from the user's dicts."""


def staging() -> bool:
    """Whether the code that runs now is under a transformation that hides values (jit, vmap, scan …)."""
    context = getattr(_core, "trace_ctx", None)
    trace = getattr(context, "trace", None)
    while trace is not None:
        if type(trace).__name__ in _STAGING:
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def is_tracer(value: Any) -> bool:
    """Whether a value is a JAX tracer."""
    return isinstance(value, jax.core.Tracer)


def arguments(frame: types.FrameType) -> dict[str, Any]:
    """The arguments of a frame that has just begun, by name, with shapes and dtypes in place of tracers."""
    return Names((name, _shapes(value)) for name, value in own_arguments(frame).items())


def own_arguments(frame: types.FrameType) -> dict[str, Any]:
    """The arguments of a frame that has just begun, by name."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & 0x0C:
        names = code.co_varnames[: len(names) + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
    return {name: frame.f_locals[name] for name in names if name in frame.f_locals}


def _shapes(value: Any) -> Any:
    try:
        return jax.tree_util.tree_map(
            lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if is_tracer(leaf) else leaf, value
        )
    except Exception:  # noqa: BLE001  a user's pytree class may raise anything
        return value


def find(value: Any, depth: int = 4) -> Any:
    """A tracer inside a value, its containers and attributes, down to a depth; None if there is none."""
    if is_tracer(value):
        return value
    if depth == 0 or isinstance(value, (str, bytes, int, float, type, types.ModuleType, types.FunctionType)):
        return None
    contents: list[Any] = []
    if isinstance(value, dict):
        contents = list(value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        contents = list(value)
    elif hasattr(value, "__dict__"):
        contents = list(vars(value).values())
    for item in contents[:200]:
        if (found := find(item, depth - 1)) is not None:
            return found
    return None
