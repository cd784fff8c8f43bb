"""Inputs as data: specifications of values, the values they stand for, and how they read in a report."""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy

SIZE = 4


@dataclass(frozen=True)
class Array:
    """An array of a dtype; its values are distinct and neither 0 nor 1 where the dtype has such, if none are given.

    `weak` says that its type gives way to others', `host` that it is NumPy's.
    """

    dtype: str
    shape: tuple[int, ...]
    weak: bool = False
    host: bool = False
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Key:
    """A PRNG key, or as many as `batch` says; a typed one if its implementation is given."""

    batch: tuple[int, ...] = ()
    implementation: str = ""


@dataclass(frozen=True)
class Plain:
    """A Python value: number, string, None."""

    value: Any


@dataclass(frozen=True)
class Function:
    """A function. `how` is "sum" (of the first argument), "same" (like the last argument) or "none"."""

    how: str


@dataclass(frozen=True)
class Sequence:
    """A tuple or list."""

    type: type
    items: tuple[Spec, ...]


@dataclass(frozen=True)
class Fields:
    """A dict, a namespace, or an instance made by calling `maker` with keyword arguments."""

    maker: Callable[..., Any]
    items: tuple[tuple[str, Spec], ...]


@dataclass(frozen=True)
class Omitted:
    """A parameter left to its default."""


@dataclass(frozen=True)
class Given:
    """A value that the user's own code made, with its name there if it has one."""

    value: Any
    text: str = ""

    __hash__ = object.__hash__


@dataclass(frozen=True)
class Made:
    """A new value by a call that the user's own code makes, told apart by its text."""

    text: str
    make: Callable[[], Any] = field(compare=False)


@dataclass(frozen=True)
class Placeholder:
    """A value that only stands where one is wanted, so that the library that gets it can be asked which."""

    number: int


jax.tree_util.register_pytree_node(Placeholder, lambda one: ((), one.number), lambda number, _: Placeholder(number))

Spec = Array | Key | Plain | Function | Sequence | Fields | Omitted | Given | Made | Placeholder


def scalar(dtype: str = "float32") -> Array:
    """An array of rank 0."""
    return Array(dtype, ())


def of_rank(rank: int, dtype: str = "float32") -> Array:
    """An array of a rank whose sides all have the same length, so that most operations fit."""
    return Array(dtype, (SIZE,) * rank)


def build(spec: Spec) -> Any:
    """The value that a specification stands for.

    Raises:
        Exception: whatever the user's class raises when it is called.
    """
    if isinstance(spec, Array):
        return _array(spec)
    if isinstance(spec, Key):
        key = jax.random.key(0, impl=spec.implementation) if spec.implementation else jax.random.PRNGKey(0)
        return jax.random.split(key, spec.batch) if spec.batch else key
    if isinstance(spec, (Plain, Given)):
        return spec.value
    if isinstance(spec, Made):
        return spec.make()
    if isinstance(spec, Placeholder):
        return spec
    if isinstance(spec, Function):
        return {"sum": _sum, "same": _same, "none": _none}[spec.how]
    if isinstance(spec, Sequence):
        return spec.type([build(item) for item in spec.items])
    if isinstance(spec, Fields):
        return _called(spec.maker, {name: build(item) for name, item in spec.items if not isinstance(item, Omitted)})
    raise TypeError(f"{spec} stands for no value")


def _called(maker: Callable[..., Any], named: dict[str, Any]) -> Any:
    """The maker called by keywords, but for parameters that it takes by position only."""
    try:
        parameters = inspect.signature(maker).parameters.values() if maker is not dict else ()
    except (TypeError, ValueError):
        parameters = ()
    only = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_ONLY]
    return maker(*(named.pop(name) for name in only if name in named), **named)


def describe(spec: Spec) -> str:
    """A specification as people read it: `f32[4,4]`, `key`, `3`, `{'w': f32[4]}`."""
    if isinstance(spec, Array):
        short = {"float32": "f32", "int32": "i32", "bool": "bool"}.get(spec.dtype, spec.dtype)
        return f"{short}[{','.join(map(str, spec.shape))}]"
    if isinstance(spec, Key):
        return f"key{list(spec.batch)}" if spec.batch else "key"
    if isinstance(spec, Plain):
        return repr(spec.value)
    if isinstance(spec, Function):
        return "function"
    if isinstance(spec, Sequence):
        inside = ", ".join(map(describe, spec.items))
        return f"[{inside}]" if spec.type is list else f"({inside},)"
    if isinstance(spec, Fields):
        if spec.maker is dict:
            return "{" + ", ".join(f"{name!r}: {describe(item)}" for name, item in spec.items) + "}"
        return f"{spec.maker.__name__}({', '.join(_argument(name, item) for name, item in spec.items)})"
    if isinstance(spec, Omitted):
        return "default"
    if isinstance(spec, Given):
        return spec.text or describe_value(spec.value)
    return spec.text if isinstance(spec, Made) else "?"


def _argument(name: str, item: Spec) -> str:
    return describe(item) if name.isdigit() else f"{name}={describe(item)}"


def describe_value(value: Any) -> str:
    """Any value's short form: arrays by dtype and shape."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        name = str(dtype).replace("float", "f").replace("uint", "u").replace("int", "i")
        return f"{name}[{','.join(map(str, shape))}]"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)[:60]
    if isinstance(value, (list, tuple)) and len(value) <= 6:
        inside = ", ".join(describe_value(item) for item in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict) and len(value) <= 6:
        return "{" + ", ".join(f"{key!r}: {describe_value(item)}" for key, item in value.items()) + "}"
    return str(getattr(value, "__name__", type(value).__name__))


def leaves(spec: Spec, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Spec]]:
    """The parts of a specification that can be replaced one by one, with their paths; containers before their items."""
    yield path, spec
    if isinstance(spec, (Sequence, Fields)):
        for at, item in enumerate(spec.items):
            inner: Spec = item[1] if isinstance(spec, Fields) else item  # type: ignore[index,assignment]
            yield from leaves(inner, (*path, at))


def replaced(spec: Spec, path: tuple[int, ...], new: Spec) -> Spec:
    """The specification with the part at a path replaced."""
    if not path:
        return new
    at, rest = path[0], path[1:]
    if isinstance(spec, Sequence):
        items = list(spec.items)
        items[at] = replaced(items[at], rest, new)
        return Sequence(spec.type, tuple(items))
    if isinstance(spec, Fields):
        pairs = list(spec.items)
        pairs[at] = (pairs[at][0], replaced(pairs[at][1], rest, new))
        return Fields(spec.maker, tuple(pairs))
    return new


def batched(spec: Spec, size: int = SIZE) -> Spec:
    """The specification with one more leading axis in each of its arrays and numbers."""
    for path, leaf in list(leaves(spec)):
        if isinstance(leaf, Array):
            spec = replaced(spec, path, dataclasses.replace(leaf, shape=(size, *leaf.shape), values=()))
        elif isinstance(leaf, Key):
            spec = replaced(spec, path, dataclasses.replace(leaf, batch=(size, *leaf.batch)))
        elif isinstance(leaf, Plain) and isinstance(leaf.value, (int, float)):
            spec = replaced(spec, path, Array("int32" if isinstance(leaf.value, int) else "float32", (size,)))
    return spec


def namespace(**values: Any) -> Any:
    """An object with the given attributes."""
    return types.SimpleNamespace(**values)


def _array(spec: Array) -> Any:
    size = math.prod(spec.shape)
    flat: list[Any]
    if spec.values:
        flat = list(spec.values)
    elif spec.dtype == "bool":
        flat = [at % 2 == 0 for at in range(size)]
    elif spec.dtype.startswith(("int", "uint")):
        flat = [(at + 2) % SIZE for at in range(size)]
    else:
        flat = [0.3 + 0.6 * ((at * 7) % (size + 1)) / (size + 1) for at in range(size)]
    if spec.weak:
        return jnp.full(spec.shape, flat[0] if flat else 0)
    made = numpy.array(flat, dtype=jnp.dtype(spec.dtype)).reshape(spec.shape)
    # Put there as it is: `jnp.array` and `reshape` would have to be compiled for each dtype and shape.
    return made[()] if spec.host else jax.device_put(made)


def _sum(*args: Any, **kwargs: Any) -> Any:
    first = jax.tree_util.tree_leaves((args, kwargs))
    return sum(jnp.sum(leaf) for leaf in first[:1]) * 0.5 if first else jnp.float32(0.5)


def _same(*args: Any, **kwargs: Any) -> Any:
    return jax.tree_util.tree_map(lambda leaf: leaf * 0.5, args[-1]) if args else jnp.float32(0.5)


def _none(*args: Any, **kwargs: Any) -> None:
    return None
