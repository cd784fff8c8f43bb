"""Specifications of values: data from which a value can be made anew (`build`), and shown in a report (`describe`)."""

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
    """An array.

    Attributes:
        dtype: the name of its dtype.
        shape: its shape.
        weak: whether its type gives way to the types of other operands, as a Python number's does.
        host: whether it is NumPy's.
        values: its values; () for made-up ones, which are distinct and neither 0 nor 1 if the dtype allows.
    """

    dtype: str
    shape: tuple[int, ...]
    weak: bool = False
    host: bool = False
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Key:
    """A PRNG key, or an array of them of shape `batch`; typed if its implementation is given."""

    batch: tuple[int, ...] = ()
    implementation: str = ""


@dataclass(frozen=True)
class Plain:
    """A Python value: number, string, None."""

    value: Any


@dataclass(frozen=True)
class Function:
    """A made-up function. `how`: it returns the "sum" of its first argument, the "same" as its last, or "none"."""

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
    """A parameter that keeps its default."""


@dataclass(frozen=True)
class Given:
    """A value made by the user's code; `text` is its name there, if it has one."""

    value: Any
    text: str = ""

    __hash__ = object.__hash__


@dataclass(frozen=True)
class Made:
    """A value that a call in the user's code makes anew each time; equal if the call's text is."""

    text: str
    make: Callable[[], Any] = field(compare=False)


@dataclass(frozen=True)
class Placeholder:
    """Stands for a value that a library's call needs, such as Flax parameters; see `stuck_calls`."""

    number: int


jax.tree_util.register_pytree_node(Placeholder, lambda one: ((), one.number), lambda number, _: Placeholder(number))

Spec = Array | Key | Plain | Function | Sequence | Fields | Omitted | Given | Made | Placeholder


def scalar(dtype: str = "float32") -> Array:
    """An array of rank 0."""
    return Array(dtype, ())


def of_rank(rank: int, dtype: str = "float32") -> Array:
    """An array of a rank. All sides have the same length, so that most operations fit."""
    return Array(dtype, (SIZE,) * rank)


def build(spec: Spec) -> Any:
    """Makes the value of a specification.

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
    """Calls a maker with keywords, but for its positional-only parameters."""
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


def describe_value(value: Any, depth: int = 4) -> str:
    """The short form of any value, down to a depth; arrays show their dtype and shape."""
    try:
        shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    except Exception:  # noqa: BLE001  properties of the user's classes may raise anything
        shape = dtype = None
    if isinstance(shape, tuple) and dtype is not None:
        name = str(dtype).replace("float", "f").replace("uint", "u").replace("int", "i")
        return f"{name}[{','.join(map(str, shape))}]"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)[:60]
    if depth and isinstance(value, (list, tuple)) and len(value) <= 6:
        inside = ", ".join(describe_value(item, depth - 1) for item in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if depth and isinstance(value, dict) and len(value) <= 6:
        return "{" + ", ".join(f"{key!r}: {describe_value(item, depth - 1)}" for key, item in value.items()) + "}"
    return str(getattr(value, "__name__", type(value).__name__))[:60]


def leaves(spec: Spec, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Spec]]:
    """The parts of a specification, each with its path for `replaced`; containers come before their items."""
    yield path, spec
    if isinstance(spec, (Sequence, Fields)):
        for at, item in enumerate(spec.items):
            inner: Spec = item[1] if isinstance(spec, Fields) else item  # type: ignore[index,assignment]
            yield from leaves(inner, (*path, at))


def replaced(spec: Spec, path: tuple[int, ...], new: Spec) -> Spec:
    """A copy of the specification with another part at a path."""
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
    """A copy of the specification with one more leading axis for each array and number."""
    for path, leaf in list(leaves(spec)):
        if isinstance(leaf, Array):
            spec = replaced(spec, path, dataclasses.replace(leaf, shape=(size, *leaf.shape), values=()))
        elif isinstance(leaf, Key):
            spec = replaced(spec, path, dataclasses.replace(leaf, batch=(size, *leaf.batch)))
        elif isinstance(leaf, Plain) and isinstance(leaf.value, (int, float)):
            spec = replaced(spec, path, Array("int32" if isinstance(leaf.value, int) else "float32", (size,)))
    return spec


def is_array(value: Any) -> bool:
    """Whether a leaf of a pytree is an array."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


class Namespace(types.SimpleNamespace):
    """An object with any attributes. JAX takes it as a pytree, since an argument that is traced must be one."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def _taken_apart(one: Namespace) -> tuple[list[Any], tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]]:
    fixed = {name: value for name, value in vars(one).items() if callable(value) or isinstance(value, str)}
    leaves = {name: value for name, value in vars(one).items() if name not in fixed}
    return list(leaves.values()), (tuple(leaves), tuple(fixed.items()))


jax.tree_util.register_pytree_node(
    Namespace, _taken_apart, lambda names, parts: Namespace(**dict(zip(names[0], parts, strict=True)), **dict(names[1]))
)


def namespace(**values: Any) -> Any:
    """An object with the given attributes."""
    return Namespace(**values)


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
    # `jnp.array` and `reshape` would compile for each dtype and shape; `device_put` does not.
    return made[()] if spec.host else jax.device_put(made)


def _sum(*args: Any, **kwargs: Any) -> Any:
    first = jax.tree_util.tree_leaves((args, kwargs))
    return sum(jnp.sum(leaf) for leaf in first[:1]) * 0.5 if first else jnp.float32(0.5)


def _same(*args: Any, **kwargs: Any) -> Any:
    return jax.tree_util.tree_map(lambda leaf: leaf * 0.5, args[-1]) if args else jnp.float32(0.5)


def _none(*args: Any, **kwargs: Any) -> None:
    return None
