"""Calls of JAX functions on tracers and on arrays, and what came of them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jitlint.models.rules import KINDS

_DTYPES = {
    "bool": "bool",
    "int": "int32",
    "float": "float32",
    "complex": "complex64",
    "uint8": "uint8",
    "uint32": "uint32",
}
SIDE = 4
UNEVEN = 0
"""Stands for a side: each axis another one, so that axes that change places show."""
AXIS = "rows"
"""The name of the mapped axis that collective operations find around them."""


@dataclass(frozen=True)
class Arr:
    """An example of an array argument. What is None may be varied: the dtype's kind, the rank, the shape, its sides."""

    kind: str | None = None
    rank: int | None = None
    shape: tuple[int, ...] | None = None
    side: int | None = None

    def filled(self, kind: str, rank: int, side: int = SIDE) -> Arr:
        """The same with what it leaves open."""
        rank = rank if self.rank is None else self.rank
        sides = (side if self.side is None else self.side,) * rank
        if side == UNEVEN and self.side is None:
            sides = tuple(range(2, 2 + rank))
        shape = sides if self.shape is None else self.shape
        return Arr(self.kind or kind, len(shape), shape)

    @property
    def struct(self) -> Any:
        """Shape and dtype, to trace with."""
        dtype = jax.random.key(0).dtype if self.kind == "key" else _DTYPES[self.kind or "float"]
        return jax.ShapeDtypeStruct(self.shape or (), dtype)

    def value(self, seed: int = 0) -> Any:
        """A real array; other seeds give other values."""
        if self.kind == "key":
            return jax.random.split(jax.random.key(seed), self.shape) if self.shape else jax.random.key(seed)
        count = int(np.prod(self.shape or ()))
        numbers = {0: np.ones(count), 1: np.arange(count) % 2, 2: np.arange(count)[::-1] % SIDE}[seed]
        return jax.numpy.asarray(numbers.reshape(self.shape or ()).astype(_DTYPES[self.kind or "float"]))


@dataclass(frozen=True)
class Given:
    """Examples for one call: parameter by parameter, `*rest` as a tuple under its name."""

    function: Callable[..., Any]
    parameters: tuple[inspect.Parameter, ...]
    examples: Mapping[str, Any]

    def changed(self, /, **examples: Any) -> Given:
        """The same call with other examples."""
        return Given(self.function, self.parameters, {**self.examples, **examples})


@dataclass(frozen=True)
class Leaf:
    """A part of a result: `array` (traced), `host` (NumPy's) or a static word; the kind and rank of an array."""

    word: str
    kind: str = ""
    rank: int = 0
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What a call gave: an error, or a structure ("array", "tuple", "list", or a static word) and its leaves."""

    error: str = ""
    message: str = ""
    structure: str = ""
    leaves: tuple[Leaf, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.error

    @property
    def of_tracer(self) -> bool:
        """Whether the error says that a tracer was the reason."""
        return self.error in _TRACER_ERRORS or any(word in self.message for word in _TRACER_WORDS)


_TRACER_ERRORS = frozenset(
    {"TracerBoolConversionError", "TracerIntegerConversionError", "TracerArrayConversionError",
     "ConcretizationTypeError", "NonConcreteBooleanIndexError"}
)  # fmt: skip
_TRACER_WORDS = ("Tracer", "concrete", "unhashable", "Non-hashable")


def traced(given: Given, names: Iterable[str]) -> Outcome:
    """Traces the call with tracers for the arrays in the arguments `names`, and real arrays in the others."""
    names = sorted(set(names) & set(given.examples))
    found: list[Outcome] = []
    structs: list[Any] = []
    for name in names:
        _map(given.examples[name], lambda arr: structs.append(arr.struct))
    rest = {name: _map(value, Arr.value) for name, value in given.examples.items() if name not in names}

    def body(tracers: list[Any]) -> None:
        left = iter(tracers)
        parts = {name: _map(given.examples[name], lambda arr: next(left)) for name in names}
        found.append(_described(_call(given, {**rest, **parts})))

    def in_axis(tracers: list[Any]) -> None:
        jax.vmap(lambda _: body(tracers), axis_name=AXIS, axis_size=SIDE)(jax.numpy.ones(SIDE))

    run = in_axis if AXIS in given.examples.values() else body
    return _attempt(lambda: jax.eval_shape(run, structs)) or found[0]


def alone(given: Given, name: str) -> Outcome:
    """Maps the call over the arrays in the argument `name`, so that this one is a tracer and nothing else is."""
    found: list[Outcome] = []
    stacked: list[Any] = []
    _map(given.examples[name], lambda arr: stacked.append(jax.numpy.stack([arr.value()])))
    rest = {other: _map(value, Arr.value) for other, value in given.examples.items() if other != name}

    def body(tracers: list[Any]) -> None:
        left = iter(tracers)
        found.append(_described(_call(given, {**rest, name: _map(given.examples[name], lambda arr: next(left))})))

    return _attempt(lambda: jax.vmap(body)(stacked)) or found[0]


def eager(given: Given, seeds: Mapping[str, int] | None = None) -> Outcome:
    """Computes the call."""
    seeds = seeds or {}
    found: list[Outcome] = []

    def filled(name: str, value: Any) -> Any:
        seed = seeds.get(name, 0)
        return _map(value, lambda arr: arr.value(seed))

    values = {name: filled(name, value) for name, value in given.examples.items()}
    return _attempt(lambda: found.append(_described(_call(given, values)))) or found[0]


def _attempt(action: Callable[[], Any]) -> Outcome | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except Exception as error:  # noqa: BLE001  whatever the library raises is the answer
            return Outcome(type(error).__name__, str(error))
    return None


def _call(given: Given, values: Mapping[str, Any]) -> Any:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    starred = any(p.kind is p.VAR_POSITIONAL and p.name in values for p in given.parameters)
    for parameter in given.parameters:
        if parameter.name not in values:
            continue
        value = values[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            keywords.update(value)
        elif parameter.kind is parameter.POSITIONAL_ONLY or (starred and parameter.kind is not parameter.KEYWORD_ONLY):
            positional.append(value)
        else:
            keywords[parameter.name] = value
    return given.function(*positional, **keywords)


def _map(value: Any, change: Callable[[Arr], Any]) -> Any:
    """An example with its arrays replaced."""
    if isinstance(value, Arr):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(_map(part, change) for part in value)
    return {key: _map(part, change) for key, part in value.items()} if type(value) is dict else value


def kind_of(dtype: Any) -> str:
    """The kind of a dtype, "" if it is none that the models know."""
    if jax.numpy.issubdtype(dtype, jax.dtypes.prng_key):
        return "key"
    for kind, family in zip(KINDS, ("bool", "integer", "floating", "complexfloating"), strict=True):
        if jax.numpy.issubdtype(dtype, getattr(jax.numpy, family, bool)):
            return kind
    return ""


def _described(result: Any) -> Outcome:
    """The structure of a result, seen while its tracers live."""
    if isinstance(result, (tuple, list)) and not _is_shape(result):
        leaves = tuple(_leaf(part) for part in result)
        structure = "list" if isinstance(result, list) else "tuple"
        return Outcome(structure=structure, leaves=leaves)
    leaf = _leaf(result)
    return Outcome(structure=leaf.word, leaves=(leaf,))


def _is_shape(result: Any) -> bool:
    return isinstance(result, tuple) and all(type(part) is int for part in result)


def _leaf(value: Any) -> Leaf:
    if isinstance(value, jax.Array):
        return Leaf("array", kind_of(value.dtype), value.ndim, value.shape)
    if isinstance(value, (np.ndarray, np.generic)):
        return Leaf("host", kind_of(value.dtype), value.ndim, value.shape)
    if isinstance(value, (tuple, list, dict)) and any(isinstance(part, jax.Array) for part in jax.tree.leaves(value)):
        return Leaf("unknown")
    return Leaf(static_word(value))


def static_word(value: Any) -> str:
    """The word for a result that is no array."""
    if value is None:
        return "none"
    if _is_shape(value):
        return "static-shape"
    if isinstance(value, np.dtype):
        return "static-dtype"
    for plain in (bool, int, float, complex, str):
        if type(value) is plain:
            return f"static-{plain.__name__}"
    if any(isinstance(part, jax.core.Tracer) for part in jax.tree.leaves(value)):
        return "unknown"
    return "static-object"
