"""What is static on an array: each attribute of a tracer and of a real array, and what a tracer's methods give."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax

from tools.ask_jax.calling import static_word
from tools.ask_jax.files import Row

_SPECIAL = ("__array__", "__bool__", "__complex__", "__contains__", "__float__", "__format__", "__hash__", "__index__",
            "__int__", "__iter__", "__len__", "__repr__")  # fmt: skip
"""The special methods by which Python asks an object for a value."""
_ARGUMENTS: dict[str, tuple[Any, ...]] = {"__contains__": (1,), "__format__": ("",), "addressable_data": (0,)}
_OF_NUMBERS = frozenset({"__bool__", "__complex__", "__float__", "__index__", "__int__", "item"})
_ENDS_ARRAY = frozenset({"delete"})
"""Methods after which an array has no value."""


def names() -> list[str]:
    """The attributes and methods that users see on real arrays, and the special methods."""
    return sorted({*(name for name in dir(jax.numpy.ones(3)) if not name.startswith("_")), *_SPECIAL})


def ask_attributes() -> dict[str, Row]:
    """What each attribute gives on a tracer of `jit` (`traced`), on one of `grad` (`concrete`), on an array (`array`).

    What a method gives is what a call without arguments does, `method` if it needs some.
    """
    return {name: ask_attribute(name) for name in names()}


def ask_attribute(name: str) -> Row:
    """The answers for one attribute."""
    array = jax.numpy.ones((), "int32") if name in _OF_NUMBERS else jax.numpy.ones((3, 3))
    found: list[str] = []

    def ask(value: Any) -> Any:
        found.append(_answer(value, name))
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jax.eval_shape(ask, array)
        jax.jvp(ask, (array.astype("float32"),), (array.astype("float32"),))
        ask(array + 0 if name in _ENDS_ARRAY else array)
    return dict(zip(("traced", "concrete", "array"), found, strict=True))


def _answer(value: Any, name: str) -> str:
    try:
        got = getattr(value, name)
    except Exception as error:  # noqa: BLE001  whatever the library raises is the answer
        return type(error).__name__
    return _called(got, name) if callable(got) and not hasattr(got, "__getitem__") else _described(got)


def _called(method: Callable[..., Any], name: str) -> str:
    try:
        return _described(method(*_ARGUMENTS.get(name, ())))
    except TypeError as error:
        return "method" if "required positional argument" in str(error) else type(error).__name__
    except Exception as error:  # noqa: BLE001  whatever the library raises is the answer
        return type(error).__name__


def _described(value: Any) -> str:
    if isinstance(value, jax.Array):
        return "array"
    if isinstance(value, (tuple, list)) and any(isinstance(part, jax.Array) for part in value):
        return "arrays"
    return static_word(value)
