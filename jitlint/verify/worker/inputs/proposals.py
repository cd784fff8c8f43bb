"""Proposes values for a parameter, likeliest first, by its annotation, use, default and name."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from ..user_code.uses import Use
from . import annotated, frameworks, specs
from .specs import Array, Fields, Function, Given, Key, Made, Omitted, Plain, Sequence, Spec, of_rank, scalar

_KEYS = re.compile(r"^(key|rng|prng|prng_key|rng_key|subkey|k[0-9])$|_(key|rng)$|^(key|rng)_")
_COUNTS = re.compile(
    r"^(n|num|size|dim|depth|length|steps|iters|maxiter|count|axis|order|epochs|batch_size|reps)$|^(n|num|max)_|"
    r"_(size|steps|dim|iters?|len|length|count|layers)$"
)
_INDICES = re.compile(
    r"(?:^|_)(idx|index|indices|ids?|labels|tokens?|senders|receivers|actions|targets_ids|classes|parents|perms?)$"
)
_SWITCHES = re.compile(
    r"^(is|use|with|has|return)_|^(training|train|causal|verbose|debug|deterministic|inference|flag|reverse|normalize)$"
)
_LENGTHS = re.compile(
    r"(?:^|_)(size|dim|dims|features|width|hidden|channels|units|embed|embedding|vocab|latent|in|out|shape|length)(?:_|$)"
)
"""Names of parameters that are sizes: they all get the length of our arrays' sides."""
_DTYPES = re.compile(r"(?:^|_)dtype$")
_SHAPES = re.compile(r"(?:^|_)(shape|sizes|dims)$")
_FUNCTIONS = re.compile(r"(?:^|_)(fn|fun|func|function|callback|activation)$")
_PLAIN = {int: Plain(2), float: Plain(0.7), bool: Plain(True), str: Plain("a"), complex: Plain(0.7 + 0.2j)}


def first_guess(name: str, use: Use, annotation: Any, *, host: bool) -> Spec:
    """The likeliest value of a parameter.

    Args:
        name: the parameter's name.
        use: what the function does with it.
        annotation: its annotation, evaluated, or `inspect.Parameter.empty`.
        host: whether Python numbers are likelier than arrays, as for static arguments.
    """
    known = _of_annotation(annotation, name, use, host)
    return known if known is not None else _of_use(name, use, host)


def origin(spec: Spec, annotation: Any) -> str:
    """The origin of a first guess: "annotations" if they describe it whole, else "constructors" or "search"."""
    if isinstance(spec, Made) or (isinstance(spec, Fields) and isinstance(spec.maker, type) and spec.maker is not dict):
        return "constructors"
    described = annotated.of_array(annotation) is not None or (isinstance(annotation, type) and annotation in _PLAIN)
    return "annotations" if described else "search"


def alternatives(name: str, use: Use, *, host: bool, optional: bool) -> list[Spec]:
    """Other values for a parameter or a part of one, likeliest first."""
    ranks = [of_rank(rank) for rank in sorted(range(4), key=lambda rank: (rank < use.rank, rank))]
    plain: list[Spec] = [Plain(2), Plain(0.7), Plain(True)]
    arrays: list[Spec] = [*ranks, Array("int32", ()), Array("int32", (specs.SIZE,)), Array("bool", ())]
    found: list[Spec] = [_of_use(name, use, host)]
    found += [*plain, *arrays] if host else [*arrays, *plain]
    found += [Plain(text) for text in use.strings[:2]]
    found += [Key(), _pair(scalar()), Function("sum"), Function("same"), _list(of_rank(1)), _list(of_rank(2))]
    found += [Array("int32", (specs.SIZE, 2)), Array("bool", (specs.SIZE,)), Plain(None), Array("float32", (2,))]
    if optional:
        found.append(Omitted())
    return list(dict.fromkeys(found))


def of_class(cls: type, uses: dict[str, Use], depth: int = 0) -> Spec:
    """An instance of a class, with guesses for its constructor; `uses` are the known uses of its attributes."""
    items = []
    for parameter in _constructor(cls):
        if parameter.default is not inspect.Parameter.empty or parameter.kind in (2, 4):
            continue
        annotation = evaluated(parameter.annotation, cls)
        if depth < 4:
            use = uses.get(parameter.name, Use())
            items.append((parameter.name, first_guess(parameter.name, use, annotation, host=_is_plain(annotation))))
    return Fields(cls, tuple(items))


def evaluated(annotation: Any, owner: Any) -> Any:
    """An annotation, evaluated in its owner's module if it is text; one that fails counts as none."""
    if not isinstance(annotation, str):
        return annotation
    module = inspect.getmodule(owner)
    names = getattr(owner, "__globals__", None) or (vars(module) if module else {})
    try:
        return eval(annotation, dict(names))
    except Exception:  # noqa: BLE001  the text is the user's
        return inspect.Parameter.empty


def _constructor(cls: type) -> Iterator[inspect.Parameter]:
    own = type(cls).__call__ is not type.__call__ and isinstance(vars(cls).get("__init__"), types.FunctionType)
    try:
        parameters = list(inspect.signature(vars(cls)["__init__"] if own else cls).parameters.values())
    except (TypeError, ValueError):
        return
    yield from parameters[1:] if own else parameters


def _is_plain(annotation: Any) -> bool:
    return annotation in (int, bool, str)


def _of_annotation(annotation: Any, name: str, use: Use, host: bool) -> Spec | None:
    if annotation is inspect.Parameter.empty or annotation is Any or annotation is None:
        return None
    if isinstance(annotation, type) and annotation in _PLAIN:
        return Plain(specs.SIZE) if annotation is int and (use.size or _LENGTHS.search(name)) else _PLAIN[annotation]
    if (array := annotated.of_array(annotation)) is not None:
        return array
    if dtype := annotated.dtype_of(annotation):
        spec = _of_use(name, use, host=False)
        return dataclasses.replace(spec, dtype=dtype) if isinstance(spec, Array) else Array(dtype, ())
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        members = [part for part in inner if part is not type(None)]
        found = (_of_annotation(part, name, use, host) for part in members)
        return next((spec for spec in found if spec is not None), None)
    if origin is typing.Literal:
        return Plain(inner[0])
    if origin is type:
        return Given(inner[0]) if isinstance(inner[0], type) else None
    if origin is typing.Annotated:
        return _of_annotation(inner[0], name, use, host)
    if annotation is typing.Callable or origin is collections.abc.Callable:
        return Function("sum")
    if origin in (tuple, list, collections.abc.Sequence) and inner:
        return _of_sequence(origin, inner, name, use, host)
    if isinstance(annotation, type):
        return _of_type(annotation, name, use, host)
    return None


def _of_sequence(origin: Any, inner: tuple[Any, ...], name: str, use: Use, host: bool) -> Spec:
    if origin is tuple and inner[-1] is not Ellipsis:
        parts = [first_guess(name, use.items.get(at, Use()), part, host=host) for at, part in enumerate(inner)]
        return Sequence(tuple, tuple(parts))
    part = first_guess(name, use.element or Use(), inner[0], host=host)
    return Sequence(tuple if origin is tuple else list, (part, part))


def _of_type(cls: type, name: str, use: Use, host: bool) -> Spec | None:
    if (made := frameworks.sample(cls)) is not None:
        return made
    if cls.__module__.partition(".")[0] in ("jax", "jaxlib", "numpy"):
        spec = _of_use(name, use, host=False)
        return Array("int32", ()) if isinstance(spec, Plain) else spec
    if cls.__module__ == "collections.abc" and cls.__name__ == "Callable":
        return Function("sum")
    if cls in (dict, tuple, list, object) or cls.__module__ in ("typing", "collections.abc", "jaxtyping"):
        return None
    if issubclass(cls, enum.Enum):
        return Given(next(iter(cls), None))
    if getattr(cls, "_is_protocol", False) and "__call__" in vars(cls):
        return Function("sum")
    if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields") or cls.__module__ != "builtins":
        return of_class(cls, use.attributes)
    return None


def _of_use(name: str, use: Use, host: bool) -> Spec:
    if use.keys or (use.mapping and not use.array):
        return Fields(dict, tuple((key, _of_use(key, part, host)) for key, part in use.keys.items()))
    if use.called:
        return Function("sum")
    if use.key or (_KEYS.search(name) and not use.array):
        return Key()
    if name == "rngs" and (rngs := frameworks.loaded("flax.nnx.Rngs")) is not None:
        return frameworks.sample(rngs) or Key()
    if _DTYPES.search(name):
        return Given(jnp.float32)
    if _SHAPES.search(name) and not use.array:
        return Sequence(tuple, (Plain(specs.SIZE),))
    if _FUNCTIONS.search(name):
        return Function("sum")
    if use.attributes and not use.array:
        if use.classes:
            return of_class(use.classes[0], use.attributes)
        parts = tuple((key, _of_use(key, part, host)) for key, part in use.attributes.items())
        return Fields(specs.namespace, parts)
    if use.strings:
        return Plain(use.strings[0])
    if use.size:
        return Plain(specs.SIZE) if host else Array("int32", ())
    if use.unpacked is not None:
        return _unpacked(use, host)
    element = use.element if use.element is not None and (not use.rank or use.element.is_structured) else None
    if element is not None and (made := _elements(element, host)) is not None:
        return made
    return _array_or_number(name, use, host)


def _array_or_number(name: str, use: Use, host: bool) -> Spec:
    if use.shape is not None:
        return Array("float32", tuple(specs.SIZE if side is None else side for side in use.shape))
    if use.exact_rank is not None:
        return of_rank(max(use.exact_rank, use.rank))
    if (found := _INDICES.search(name)) and not use.size:
        return of_rank(max(use.rank, 1 if found.group(1).endswith("s") else 0), "int32")
    rank = max(use.rank, 1 if use.items or use.sliced or use.element is not None else 0)
    if rank:
        return of_rank(rank, "int32" if use.index else "float32")
    if use.index:
        return Plain(1) if host else Array("int32", ())
    if host and re.search(r"(?:^|_)ax[ei]s$", name):
        return Plain(0)
    if _COUNTS.search(name) or (host and _LENGTHS.search(name)):
        return Plain(specs.SIZE if _LENGTHS.search(name) else 2)
    if _SWITCHES.search(name):
        return Plain(True)
    return Plain(0.7) if host and not use.array else scalar()


def _unpacked(use: Use, host: bool) -> Spec:
    parts = tuple(_of_use("", use.items.get(at, Use()), host=False) for at in range(use.unpacked or 0))
    if use.array or use.starred:
        length = len(parts) + 2 * use.starred
        return Array("float32", (length,) + (specs.SIZE,) * max(use.rank - 1, 0))
    return Sequence(tuple, parts)


def _elements(element: Use, host: bool) -> Spec | None:
    """A list of two elements if they are structured, else an array."""
    if element.is_structured:
        part = _of_use("", element, host)
        return Sequence(list, (part, part))
    if element.rank:
        return Sequence(list, (of_rank(element.rank), of_rank(element.rank)))
    return None


def _pair(part: Spec) -> Spec:
    return Sequence(tuple, (part, part))


def _list(part: Spec) -> Spec:
    return Sequence(list, (part, part))
