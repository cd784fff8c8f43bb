"""The state that an expression reads: found among the names in view when it ran, then changed to another value."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy

from ..inside_jax import tracers
from .scopes import Scope, read, value_of


@dataclass(frozen=True)
class Slot:
    """A place that holds a value, and how to put another there."""

    name: str
    value: Any
    put: Callable[[Any], None]
    others: tuple[Any, ...] = ()
    """What it may hold instead, if the program has made that already."""
    is_all: bool = True
    """Whether all that the state holds is in this place, or in others that are tried as well."""


def slots(expression: ast.expr, scope: Scope) -> Iterator[Slot]:
    """The state that an expression reads or, if that cannot be changed, the state inside it."""
    if isinstance(expression, ast.Attribute):
        owner = value_of(expression.value, scope)
        if isinstance(getattr(type(owner), expression.attr, None), property):  # it reads the object's attributes
            yield from _inside(ast.unparse(expression.value), owner)
            return
    found = _slot(expression, scope)
    if found is None:
        return
    made = tuple(_of_the_same_class(found.value, scope))
    if made:
        yield replace(found, others=made)
    elif others(found.value):
        yield found
    if not isinstance(found.value, _SCALARS):
        yield from _inside(found.name, found.value)


def _of_the_same_class(value: Any, scope: Scope) -> Iterator[Any]:
    """Other objects of a value's class among the names in view, and in dicts and lists there: `POLICIES["bf16"]`."""
    cls = type(value)
    if not hasattr(value, "__dict__") or _is_function(value) or isinstance(value, (type, types.ModuleType)):
        return
    for held in list(scope.globals.values()):
        parts = held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else (held,)
        yield from (part for part in list(parts)[:_MOST] if type(part) is cls and part is not value)


_MOST = 20
"""So many parts of a container, and attributes of an object, are looked at."""


_SCALARS = (bool, int, float, complex, str)


def others(value: Any, words: Sequence[str] = ("a",)) -> list[Any]:
    """Other values of the same type, likeliest to matter first; empty if there are no obvious ones.

    Args:
        value: the value.
        words: what a string may be instead.
    """
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float, complex)):
        return [value + 1]
    if isinstance(value, str):
        return [word for word in words if word != value][:4] or [f"{value}_"]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return [type(value)([*value, value[-1] if value else 1.0])]
    if type(value) in (set, frozenset):
        return [type(value)(list(value)[1:] if value else [1])]
    if value is None or isinstance(value, jax.core.Tracer):
        return []
    if _is_function(value):
        return [_doubling(value)]
    dtype = getattr(value, "dtype", None)
    if dtype is None or not hasattr(value, "shape"):
        return []
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return [jax.random.split(value)[0]] if value.shape == () else []
    return [~value if str(dtype) == "bool" else value + dtype.type(1)]


def _is_function(value: Any) -> bool:
    """Whether a value is a function, a wrapped one such as `jax.nn.relu` included, and no object that can be called."""
    return callable(value) and hasattr(value, "__name__") and not isinstance(value, type)


def _doubling(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with twice the result of another."""

    def doubled(*args: Any, **kwargs: Any) -> Any:
        return jax.tree_util.tree_map(lambda leaf: leaf + leaf, function(*args, **kwargs))

    doubled.__name__ = "another function"
    return doubled


def words(source: str) -> list[str]:
    """The short strings that a file's code compares with or looks up, in order."""
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str) and 0 < len(text) <= 30))


def is_none(node: ast.expr, scope: Scope) -> bool:
    """Whether a name or attribute stands for None among the names in view."""
    return value_of(node, scope, default=...) is None


def holds_tracer(expression: ast.expr, scope: Scope) -> bool:
    """Whether a part of an expression is a tracer, or a container with one, among the names in view."""
    return any(tracers.find(value, 2) is not None for value in values_in(expression, scope))


def values_in(expression: ast.expr, scope: Scope) -> list[Any]:
    """The values of the names, attributes and items in an expression, as far as they can be read."""
    return [value_of(part, scope) for part in _parts(expression)]


def _parts(expression: ast.expr) -> list[ast.expr]:
    return [part for part in ast.walk(expression) if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))]


def comparable(expression: ast.expr, scope: Scope) -> object:
    """A record of the state that an expression reads, equal to a later one if nothing changed; None if unknown."""
    found = _slot(expression, scope)
    return None if found is None else _comparable(found.value, 2)


@dataclass(frozen=True)
class _Identity:
    """An object that is compared by what it is."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


def _comparable(value: Any, depth: int) -> object:
    if value is None or isinstance(value, _SCALARS):
        return type(value), repr(value)
    if isinstance(value, numpy.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    elif hasattr(value, "__dict__") and not _is_function(value) and not isinstance(value, (type, types.ModuleType)):
        parts = vars(value).items()
    if depth == 0 or isinstance(value, jax.Array):
        parts = ()
    return _Identity(value), [(repr(name), _comparable(part, depth - 1)) for name, part in list(parts)[:_MOST]]


def holder(expression: ast.expr, scope: Scope) -> Any:
    """The object that a store, or a call such as `x.append(v)`, changes; None if it is not known.

    For a name declared global or nonlocal it is a list with the cell's, or the module's, value.
    """
    node: ast.expr | None = expression
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id == "setattr" and node.args:
            node = node.args[0]
    elif isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    elif isinstance(node, ast.Name):
        return scope.cells.get(node.id) or (scope.globals if node.id in scope.globals else None)
    return value_of(node, scope) if node is not None else None


def _slot(node: ast.expr, scope: Scope) -> Slot | None:
    text = ast.unparse(node)
    try:
        if isinstance(node, ast.Name):
            return _name_slot(node.id, scope)
        if isinstance(node, ast.Attribute):
            owner = read(node.value, scope)
            return Slot(text, getattr(owner, node.attr), lambda new: _set_attribute(owner, node.attr, new))
        if isinstance(node, ast.Subscript):
            owner, key = read(node.value, scope), read(node.slice, scope)
            if isinstance(owner, (dict, list)):
                return Slot(text, owner[key], lambda new: owner.__setitem__(key, new))
            return _slot(node.value, scope)
    except (LookupError, AttributeError, TypeError):
        return None
    return None


def _name_slot(name: str, scope: Scope) -> Slot | None:
    if name in scope.cells:
        cell = scope.cells[name]

        def put(new: Any) -> None:
            cell.cell_contents = new

        return Slot(name, cell.cell_contents, put)
    if name in scope.locals and scope.locals is not scope.globals and name not in scope.globals:
        return Slot(name, scope.locals[name], _refuse)
    if name in scope.globals:
        return Slot(name, scope.globals[name], lambda new: scope.globals.__setitem__(name, new))
    return None


def _refuse(new: Any) -> None:
    raise TypeError("a local name can't be changed from outside")


def _inside(name: str, value: Any) -> Iterator[Slot]:
    if isinstance(value, dict):
        for key, item in list(value.items())[:_MOST]:
            if isinstance(item, _SCALARS) or hasattr(item, "dtype"):
                yield Slot(f"{name}[{key!r}]", item, _setter(value, key))
    elif isinstance(value, list):
        for at, item in enumerate(value[:_MOST]):
            if isinstance(item, _SCALARS) or hasattr(item, "dtype"):
                yield Slot(f"{name}[{at}]", item, _setter(value, at))
    elif hasattr(value, "__dict__") and not _is_function(value) and not isinstance(value, (type, types.ModuleType)):
        attributes = list(vars(value).items())[:_MOST]
        changed = [(key, item) for key, item in attributes if isinstance(item, _SCALARS) or hasattr(item, "dtype")]
        for key, item in changed:
            is_all = len(changed) == len(vars(value))
            yield Slot(f"{name}.{key}", item, _attribute_setter(value, key), is_all=is_all)


def _setter(owner: Any, key: Any) -> Callable[[Any], None]:
    return lambda new: owner.__setitem__(key, new)


def _attribute_setter(owner: Any, name: str) -> Callable[[Any], None]:
    return lambda new: _set_attribute(owner, name, new)


def _set_attribute(owner: Any, name: str, new: Any) -> None:
    try:
        setattr(owner, name, new)
    except (AttributeError, TypeError):
        object.__setattr__(owner, name, new)
