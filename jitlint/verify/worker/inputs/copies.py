"""Copies of values: what a program passed to a function is kept as it was, whatever the program does with it later."""

from __future__ import annotations

import copy
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy

from ..inside_jax.jitted import is_jitted
from . import specs

_LARGEST = 2**24
"""Arrays of more bytes are not copied: if they are changed or donated later, they are lost."""

_ROOM = 2**28
"""So many bytes are copied for one job."""

_DEPTH, _WIDTH = 8, 1000
"""What lies deeper in a value, or in containers of more items, is kept itself."""


@dataclass
class Room:
    """How many bytes may still be copied."""

    left: int = _ROOM

    def takes(self, size: int) -> bool:
        """Whether an array of so many bytes is copied; then there is less room."""
        fits = size <= min(_LARGEST, self.left)
        self.left -= size if fits else 0
        return fits


class DonatedError(Exception):
    """A value holds an array whose buffer is gone."""


class ReplacedError(Exception):
    """A value holds a jitted function that the program has replaced since."""


@dataclass(frozen=True)
class _Jitted:
    """A jitted function. JAX forgets its traces when the program does without it, and not later for our sake."""

    reference: weakref.ref[Any]

    def function(self) -> Any:
        function = self.reference()
        if function is None:
            raise ReplacedError
        return function


@dataclass(frozen=True)
class _Host:
    """The values of one of JAX's arrays, on the host: an array itself may be donated."""

    values: numpy.ndarray[Any, Any]
    sharding: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def array(self) -> Any:
        return jax.device_put(self.values, self.sharding)


@dataclass(frozen=True)
class _Traced:
    """Stands for a tracer; its values are not known."""

    shape: tuple[int, ...]
    dtype: Any
    spec: specs.Array | specs.Key

    @classmethod
    def of(cls, tracer: jax.core.Tracer) -> _Traced:
        if jax.dtypes.issubdtype(tracer.dtype, jax.dtypes.prng_key):
            return cls(tracer.shape, tracer.dtype, specs.Key(tracer.shape, str(jax.random.key_impl(tracer))))
        weak = bool(getattr(tracer.aval, "weak_type", False))
        return cls(tracer.shape, tracer.dtype, specs.Array(str(tracer.dtype), tracer.shape, weak=weak))

    def array(self) -> Any:
        return specs.build(self.spec)


def stored(value: Any, own: Callable[[type], bool], room: Room) -> Any:
    """A copy of a value from which `fresh` makes others.

    Args:
        value: any value.
        own: whether a class is the user's: its instances are copied, too.
        room: where there is none left, arrays are kept themselves.

    Raises:
        DonatedError: it holds an array whose buffer is gone.
        Exception: whatever a user's class raises when it is copied or, as a pytree, taken apart.
    """

    def leaf(one: Any) -> Any:
        if isinstance(one, jax.core.Tracer):
            return _Traced.of(one)
        if isinstance(one, numpy.ndarray):
            return one.copy() if room.takes(one.nbytes) else one
        if is_jitted(one) and type(one).__weakrefoffset__:
            return _Jitted(weakref.ref(one))
        if not isinstance(one, jax.Array):
            return one
        if one.is_deleted():
            raise DonatedError
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key) or one.weak_type:
            return one
        return _Host(numpy.array(one), one.sharding) if room.takes(one.nbytes) else one

    return _mapped(value, leaf, own, {}, _DEPTH)


def fresh(value: Any, own: Callable[[type], bool]) -> Any:
    """A copy of what `stored` returned, with arrays of its own; those of tracers have the right shapes and dtypes.

    Raises:
        ReplacedError: it held a jitted function that is gone.
    """

    def leaf(one: Any) -> Any:
        if isinstance(one, _Jitted):
            return one.function()
        if isinstance(one, (_Host, _Traced)):
            return one.array()
        return one.copy() if isinstance(one, numpy.ndarray) else one

    return _mapped(value, leaf, own, {}, _DEPTH)


def _mapped(
    value: Any, leaf: Callable[[Any], Any], own: Callable[[type], bool], done: dict[int, Any], depth: int
) -> Any:
    if id(value) in done:
        return done[id(value)][0]
    if depth == 0 or value is None or isinstance(value, (bool, int, float, complex, str, bytes, type)):
        return value

    def inner(part: Any) -> Any:
        return _mapped(part, leaf, own, done, depth - 1)

    if not jax.tree_util.all_leaves([value]):
        whole = iter((False,))  # only the value itself is taken apart, also where it holds itself
        children, tree = jax.tree_util.tree_flatten(value, is_leaf=lambda _: next(whole, True))
        done[id(value)] = value, value  # a container that holds itself is not copied without end
        if len(children) > _WIDTH:
            return value
        result = jax.tree_util.tree_unflatten(tree, list(map(inner, children)))
    elif own(type(value)) and _is_plain_instance(value):
        result = copy.copy(value)
        done[id(value)] = result, value
        for name, part in list(vars(value).items()):
            object.__setattr__(result, name, inner(part))
    else:
        result = leaf(value)
    done[id(value)] = result, value  # the value, too: its address may not be given to another one
    return result


def _is_plain_instance(value: Any) -> bool:
    callables = (types.FunctionType, types.MethodType, types.ModuleType)
    return hasattr(value, "__dict__") and not isinstance(value, callables)
