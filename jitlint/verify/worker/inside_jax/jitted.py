"""What a transformed function shows from outside: whether it is jitted or mapped, and its static arguments."""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Iterator
from typing import Any


def is_jitted(value: Any) -> bool:
    """Whether a value is the result of `jax.jit`."""
    return callable(value) and hasattr(value, "lower") and hasattr(value, "trace")


def mapped_axes(function: Any) -> Iterator[Any]:
    """The `in_axes` of each vmap among a function's wrappers, which are known by a private name of jax."""
    for _ in range(20):
        variables = _closed_over(function) if isinstance(function, types.FunctionType) else {}
        if isinstance(function, types.FunctionType) and function.__code__.co_name == "vmap_f":
            yield variables.get("in_axes", 0)
        function = variables.get("fun") or getattr(function, "__wrapped__", None)
        if function is None:
            return


def _closed_over(function: types.FunctionType) -> dict[str, Any]:
    """The variables that a function closes over, as far as they have values."""
    variables = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):
            variables[name] = cell.cell_contents
    return variables


def static_names(function: Any, signature: list[inspect.Parameter]) -> set[str]:
    """The names of a jitted function's static arguments, if this version of jax has the private record."""
    info = getattr(function, "_jit_info", None)
    names = set(getattr(info, "static_argnames", None) or ())
    for at in getattr(info, "static_argnums", None) or ():
        if -len(signature) <= at < len(signature):
            names.add(signature[at].name)
    return names
