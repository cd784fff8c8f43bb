"""Arrays from annotations: jaxtyping's with dimensions, NumPy's, shapes with dtypes, and keys by their name.

Within one signature each dimension's name stands for a prime number of its own, so that sides are equal only where the
annotations say so: `Float[Array, "batch width"]` may give `f32[5,7]`.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import math
import types
import typing
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
import numpy

from ..user_code.texts import FunctionNode
from . import specs
from .specs import Array, Key, Spec

_KEY_TYPES = frozenset(("PRNGKey", "PRNGKeyArray", "KeyArray"))
_LIKELIEST = ("float32", "int32", "bool", "uint32", "complex64")


class _Sizes(dict[str, int]):
    """Hands out sizes for named dimensions in the order of their first use; 2 and 3 are left to literal sizes."""

    def __missing__(self, name: str) -> int:
        self[name] = next(number for number in _primes() if number not in self.values())
        return self[name]


_SIZES: ContextVar[_Sizes] = ContextVar("sizes")


@contextlib.contextmanager
def signature() -> Iterator[None]:
    """Within the block, a dimension's name means the same size in all annotations."""
    token = _SIZES.set(_Sizes())
    try:
        yield
    finally:
        _SIZES.reset(token)


def of_array(annotation: Any) -> Spec | None:
    """The array or key that an annotation describes; None if it describes none, or leaves its shape open."""
    if hasattr(annotation, "dim_str") and hasattr(annotation, "dtypes"):
        return _of_jaxtyping(annotation)
    if isinstance(annotation, jax.ShapeDtypeStruct):
        return Array(str(annotation.dtype), tuple(annotation.shape))
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        described = (of_array(part) for part in typing.get_args(annotation))
        return next((spec for spec in described if spec is not None), None)
    return None


def dtype_of(annotation: Any) -> str:
    """The dtype of `numpy.typing.NDArray[…]`; "" for other annotations."""
    if typing.get_origin(annotation) is not numpy.ndarray:
        return ""
    inner = typing.get_args(typing.get_args(annotation)[-1])
    try:
        return str(jnp.dtype(inner[0]))
    except (TypeError, IndexError):
        return ""


def key_parameters(node: FunctionNode) -> Iterator[str]:
    """The parameters whose annotation is named like a PRNG key: as a type, `chex.PRNGKey` is any array."""
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        annotation = argument.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            name = annotation.value.rpartition(".")[2]
        else:
            name = getattr(annotation, "attr", getattr(annotation, "id", ""))
        if name in _KEY_TYPES:
            yield argument.arg


def _of_jaxtyping(annotation: Any) -> Spec:
    shape = tuple(size for word in annotation.dim_str.split() for size in _sizes(word))
    dtypes = [str(dtype) for dtype in annotation.dtypes] if isinstance(annotation.dtypes, (tuple, list)) else []
    if "prng_key" in dtypes:
        return Key(shape, str(jax.config.jax_default_prng_impl))
    dtype = next((dtype for dtype in (*_LIKELIEST, *dtypes) if not dtypes or dtype in dtypes), _LIKELIEST[0])
    host = annotation.array_type is numpy.ndarray
    return dataclasses.replace(Array(dtype, shape), host=host)


def _sizes(word: str) -> Iterator[int]:
    """The sizes for one word of a jaxtyping shape: none for `...`, one for a variadic name."""
    if word == "...":
        return
    word = word.rpartition("=")[2].lstrip("*#?")
    if word.startswith("_"):
        yield specs.SIZE
        return
    sizes = _SIZES.get(None)
    try:
        size = eval(word, {"__builtins__": {"min": min, "max": max}}, _Sizes() if sizes is None else sizes)
    except Exception:  # noqa: BLE001  it may need names of an instance: "{self.size}"
        size = specs.SIZE
    yield max(int(size), 0)


def _primes() -> Iterator[int]:
    number = 5
    while True:
        if all(number % divisor for divisor in range(2, math.isqrt(number) + 1)):
            yield number
        number += 2
