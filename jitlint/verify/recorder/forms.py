"""Values as JSON forms: enough to make a similar value in another process, without the data of large arrays.

A form is an object with one of these keys first:

| key | |
|---|---|
| `value` | a number, text, boolean or None |
| `complex` | a complex number, as [real, imaginary] |
| `array` | an array by its dtype, `shape`, whether its type is `weak`; the `values` of a small one that is not traced, and whether NumPy made it (`host`) |
| `key` | typed PRNG keys by their implementation and `shape` (untyped ones are uint32 arrays) |
| `list`, `tuple` | the forms of the items |
| `dict` | pairs of the forms of key and value |
| `name` | a class, function or member of an enumeration, "module:qualname" |
| `call` | what calling a class, "module:qualname", with `arguments` and `fields` gives |
| `instance` | an instance of a class whose attributes are set to `fields`, without a call |
| `tree` | a node of a registered pytree class: its `children`, and the `data` that JAX keeps beside them |
| `attribute` | an attribute `of` another value |
| `function` | a function made inside another, "module:qualname" and the `line` of its code, with its `cells` and `defaults` |
| `unknown` | what cannot be written like this; the text says what it is |

Arguments that JAX traces are arrays here, whatever the caller passed: a Python number is one of weak type.
"""  # noqa: E501

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import functools
import inspect
import sys
import types
from pathlib import Path
from typing import Any

Form = dict[str, Any]

_DEPTH = 24
_ITEMS = 2000
_TEXT = 2000
_SMALL = 16


def form(value: Any) -> Form:
    """The form of a value. What cannot be expressed is `unknown` in its place; nothing is raised for it."""
    return _Writer().form(value, 0)


def is_whole(written: Any) -> bool:
    """Whether nothing in a form is unknown."""
    if isinstance(written, dict):
        return "unknown" not in written and all(is_whole(part) for part in written.values())
    return not isinstance(written, list) or all(is_whole(part) for part in written)


def module_name(path: Path) -> str:
    """The dotted name under which a file is imported: its packages are the folders with an `__init__.py`."""
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


class _Writer:
    def __init__(self) -> None:
        self._items = 0
        self._open: set[int] = set()

    def form(self, value: Any, depth: int) -> Form:
        self._items += 1
        if depth > _DEPTH or self._items > _ITEMS:
            return {"unknown": "too large a structure"}
        if id(value) in self._open:
            return {"unknown": f"{type(value).__name__} that holds itself"}
        self._open.add(id(value))
        try:
            return self._form(value, depth + 1)
        except Exception as error:  # noqa: BLE001  a class of the user's may raise anything
            return {"unknown": f"{type(value).__name__} ({type(error).__name__})"}
        finally:
            self._open.discard(id(value))

    def _form(self, value: Any, depth: int) -> Form:
        kind = type(value)
        if value is None or kind in (bool, int, float) or (kind is str and len(value) <= _TEXT):
            return {"value": value}
        if kind is complex:
            return {"complex": [value.real, value.imag]}
        if (array := _array(value)) is not None:
            return array
        if kind in (list, tuple):
            return {kind.__name__: [self.form(item, depth) for item in value]}
        if kind is dict:
            return {"dict": [[self.form(key, depth), self.form(item, depth)] for key, item in value.items()]}
        if isinstance(value, enum.Enum):
            return _named(value, f"{kind.__qualname__}.{value.name}", kind.__module__)
        if isinstance(value, (type, types.BuiltinFunctionType)) or (
            hasattr(value, "__qualname__") and not isinstance(value, types.MethodType)
        ):
            if _resolved(value.__module__, value.__qualname__) is value:
                return _named(value, value.__qualname__, value.__module__)
            return self._function(value, depth)
        if isinstance(value, types.ModuleType):
            return {"name": f"{value.__name__}:"}
        if isinstance(value, types.MethodType):
            return {"attribute": value.__func__.__name__, "of": self.form(value.__self__, depth)}
        return self._object(value, kind, depth)

    def _function(self, value: Any, depth: int) -> Form:
        """A function that was made inside another, by the values that it closes over."""
        if not isinstance(value, types.FunctionType):
            return {"unknown": f"{type(value).__name__} {value.__qualname__}"}
        cells = [self.form(cell.cell_contents, depth) for cell in value.__closure__ or ()]
        parts: Form = {
            "function": f"{_module(value)}:{value.__qualname__}",
            "line": value.__code__.co_firstlineno,
            "cells": cells,
        }
        if value.__defaults__:
            parts["defaults"] = self.form(value.__defaults__, depth)
        if value.__kwdefaults__:
            parts["named_defaults"] = self.form(value.__kwdefaults__, depth)
        return parts

    def _object(self, value: Any, kind: type, depth: int) -> Form:
        import numpy  # the linter reads this file too, and must not load it

        if isinstance(value, numpy.dtype):
            return self._call("numpy:dtype", (str(value),), {}, depth)
        name = _class_name(kind)
        if name is None:
            return {"unknown": f"instance of {kind.__qualname__}, a class inside a function"}
        if isinstance(value, functools.partial):
            return self._call(name, (value.func, *value.args), value.keywords, depth)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._call(name, (), dict(zip(value._fields, value, strict=True)), depth)
        if isinstance(value, (slice, range)):
            return self._call(name, (value.start, value.stop, value.step), {}, depth)
        if isinstance(value, (set, frozenset, dict)):
            items = list(value.items()) if isinstance(value, dict) else sorted(value)
            return self._call(name, (items,), {}, depth)
        if dataclasses.is_dataclass(value):
            return self._dataclass(name, value, depth)
        node = _node(value)
        if node is not None:
            children, data = node
            return {
                "tree": name,
                "children": [self.form(child, depth) for child in children],
                "data": self.form(data, depth),
            }
        if isinstance(value, collections.abc.Mapping):
            return self._call(name, (dict(value),), {}, depth)
        reduced = value.__reduce_ex__(2)
        if isinstance(reduced, tuple) and reduced[0] is kind and not any(reduced[2:]):
            return self._call(name, reduced[1], {}, depth)
        if getattr(kind, "__new__", None) is object.__new__:  # else it may hold what cannot be seen from Python
            return {"instance": name, "fields": self._fields(_attributes(value), depth)}
        return {"unknown": f"instance of {kind.__qualname__}"}

    def _dataclass(self, name: str, value: Any, depth: int) -> Form:
        """By a call where the class makes its constructor of its fields, else by what the instance holds."""
        fields = {field.name: field for field in dataclasses.fields(value) if field.init}
        if list(inspect.signature(type(value)).parameters) != list(fields):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"instance": name, "fields": self._fields({**fields, **getattr(value, "__dict__", {})}, depth)}
        given = {at: getattr(value, at) for at, field in fields.items() if getattr(value, at) is not field.default}
        return self._call(name, (), given, depth)

    def _call(self, name: str, arguments: tuple[Any, ...], fields: dict[str, Any], depth: int) -> Form:
        return {
            "call": name,
            "arguments": [self.form(argument, depth) for argument in arguments],
            "fields": self._fields(fields, depth),
        }

    def _fields(self, values: dict[str, Any], depth: int) -> Form:
        return {name: self.form(value, depth) for name, value in values.items()}


def _array(value: Any) -> Form | None:
    import jax  # the linter reads this file too, and must not load it
    import numpy

    if not isinstance(value, (jax.Array, numpy.ndarray, numpy.generic)):
        return None
    shape = [int(side) for side in value.shape]
    traced = isinstance(value, jax.core.Tracer)
    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        return {"key": str(jax.random.key_impl(value)), "shape": shape}
    found: Form = {"array": str(value.dtype), "shape": shape}
    if getattr(value, "weak_type", False):
        found["weak"] = True
    if not isinstance(value, jax.Array):
        found["host"] = True
    if not traced and value.size <= _SMALL and value.dtype.kind in "biuf":
        found["values"] = numpy.asarray(value).ravel().tolist()
    return found


def _attributes(value: Any) -> dict[str, Any]:
    """What an instance holds in its slots and in its dictionary."""
    names = [name for cls in type(value).__mro__ for name in _names(vars(cls).get("__slots__", ()))]
    slots = {name: getattr(value, name) for name in names if name[:2] != "__" and hasattr(value, name)}
    return {**slots, **getattr(value, "__dict__", {})}


def _names(slots: Any) -> list[str]:
    return [slots] if isinstance(slots, str) else list(slots)


def _node(value: Any) -> tuple[list[Any], Any] | None:
    import jax  # the linter reads this file too, and must not load it

    found = jax.tree_util.default_registry.flatten_one_level(value)
    return None if found is None else (list(found[0]), found[1])


def _named(value: Any, qualname: str, module: str) -> Form:
    return {"name": f"{_module(value) if module == '__main__' else module}:{qualname}"}


def _class_name(cls: type) -> str | None:
    if _resolved(cls.__module__, cls.__qualname__) is not cls:
        return None
    return f"{_module(cls)}:{cls.__qualname__}"


def _module(value: Any) -> str:
    """The module of a class or function under the name by which others import it."""
    name = str(value.__module__)
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return module_name(Path(main)) if name == "__main__" and main else name


def _resolved(module: str, qualname: str) -> Any:
    value: Any = sys.modules.get(module)
    for part in qualname.split("."):
        value = getattr(value, part, None)
    return value
