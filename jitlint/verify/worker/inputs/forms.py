"""Reads specifications from JSON forms: recorded and declared inputs (the recorder's `forms` documents the format)."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax

from .specs import Array, Fields, Given, Key, Plain, Sequence, Spec, build

Form = Mapping[str, Any]
Lookup = Callable[[str], Any]


class FormError(Exception):
    """A form that cannot be read here; the message says why."""


def spec(form: Form, lookup: Lookup) -> Spec:
    """The specification of a form.

    Args:
        form: as the recorder or a declaration writes it.
        lookup: returns the value of a name without a module, None if there is none.

    Raises:
        FormError: it is no form, or it names something that is not there.
    """
    kind = next(iter(form), "")
    read = _READERS.get(kind)
    if read is None:
        raise FormError(str(form.get("unknown", f"`{kind}` is no kind of value")))
    try:
        return read(form, lookup)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormError(f"malformed `{kind}` ({error})") from error


def _array(form: Form, lookup: Lookup) -> Spec:
    shape, values = tuple(map(int, form["shape"])), tuple(form.get("values", ()))
    if not form.get("host") and jax.dtypes.canonicalize_dtype(form["array"]) != jax.numpy.dtype(form["array"]):
        raise FormError(f"{form['array']} needs jax_enable_x64, which is off here; set it in the module")
    return Array(form["array"], shape, bool(form.get("weak")), bool(form.get("host")), values)


def _dict(form: Form, lookup: Lookup) -> Spec:
    keys = [spec(key, lookup) for key, _ in form["dict"]]
    items = [spec(item, lookup) for _, item in form["dict"]]
    if all(isinstance(key, Plain) and isinstance(key.value, str) for key in keys):
        return Fields(dict, tuple((key.value, item) for key, item in zip(keys, items, strict=True)))  # type: ignore[union-attr]
    pairs = [Sequence(tuple, pair) for pair in zip(keys, items, strict=True)]
    return Fields(_by_call(dict, 1), (("0", Sequence(list, tuple(pairs))),))


def _call(form: Form, lookup: Lookup) -> Spec:
    cls = _resolved(form["call"], lookup)
    if not isinstance(cls, type) and ":" in form["call"]:
        raise FormError(f"{form['call']} is no class")
    arguments = [(str(at), spec(item, lookup)) for at, item in enumerate(form.get("arguments", ()))]
    fields = _fields(form, lookup)
    if not arguments:
        return Fields(cls, fields)
    return Fields(_by_call(cls, len(arguments)), (*arguments, *fields))


def _instance(form: Form, lookup: Lookup) -> Spec:
    return Fields(_by_attributes(_resolved(form["instance"], lookup)), _fields(form, lookup))


def _tree(form: Form, lookup: Lookup) -> Spec:
    children = [(str(at), spec(child, lookup)) for at, child in enumerate(form["children"])]
    return Fields(_by_children(_resolved(form["tree"], lookup), spec(form["data"], lookup)), tuple(children))


def _attribute(form: Form, lookup: Lookup) -> Spec:
    name = str(form["attribute"])
    return Fields(_named(name, lambda of: getattr(of, name)), (("of", spec(form["of"], lookup)),))


def _function(form: Form, lookup: Lookup) -> Spec:
    module, _, qualname = form["function"].partition(":")
    holder = _module(module)
    code = next((code for code in _codes(holder) if _is_at(code, qualname, form["line"])), None)
    cells = [(str(at), spec(cell, lookup)) for at, cell in enumerate(form["cells"])]
    if code is None or len(code.co_freevars) != len(cells):
        raise FormError(f"{form['function']} is not at line {form['line']} any more")
    defaults = [(name, spec(form[name], lookup)) for name in ("defaults", "named_defaults") if name in form]
    return Fields(_by_code(code, holder), (*cells, *defaults))


_READERS: Mapping[str, Callable[[Form, Lookup], Spec]] = {
    "value": lambda form, lookup: Plain(form["value"]),
    "complex": lambda form, lookup: Plain(complex(*form["complex"])),
    "array": _array,
    "key": lambda form, lookup: Key(tuple(map(int, form["shape"])), form["key"]),
    "list": lambda form, lookup: Sequence(list, tuple(spec(item, lookup) for item in form["list"])),
    "tuple": lambda form, lookup: Sequence(tuple, tuple(spec(item, lookup) for item in form["tuple"])),
    "dict": _dict,
    "name": lambda form, lookup: Given(_resolved(form["name"], lookup)),
    "call": _call,
    "instance": _instance,
    "tree": _tree,
    "attribute": _attribute,
    "function": _function,
}


def _fields(form: Form, lookup: Lookup) -> tuple[tuple[str, Spec], ...]:
    return tuple((name, spec(item, lookup)) for name, item in form.get("fields", {}).items())


def _named(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    make.__name__ = name
    return make


def _by_call(cls: type, count: int) -> Callable[..., Any]:
    """Makes an instance by a call with so many positional arguments."""

    def make(**parts: Any) -> Any:
        arguments = [parts.pop(str(at)) for at in range(count)]
        return cls(*arguments, **parts)

    return _named(cls.__name__, make)


def _by_attributes(cls: type) -> Callable[..., Any]:
    """Makes an instance without its constructor."""

    def make(**fields: Any) -> Any:
        made: Any = object.__new__(cls)
        for name, value in fields.items():
            object.__setattr__(made, name, value)
        return made

    return _named(cls.__name__, make)


def _by_children(cls: type, data: Spec) -> Callable[..., Any]:
    """Makes a node of a registered pytree class from its children and its auxiliary data."""

    def make(**children: Any) -> Any:
        leaves = [jax.tree_util.tree_structure(0)] * len(children)
        registry = jax.tree_util.default_registry
        structure = jax.tree_util.PyTreeDef.from_node_data_and_children(registry, (cls, build(data)), leaves)
        return jax.tree_util.tree_unflatten(structure, list(children.values()))

    return _named(cls.__name__, make)


def _by_code(code: types.CodeType, module: types.ModuleType) -> Callable[..., Any]:
    """Makes a function that is defined inside another function, without running the outer one."""

    def make(defaults: Any = None, named_defaults: Any = None, **cells: Any) -> Any:
        closure = tuple(types.CellType(cell) for cell in cells.values())
        made = types.FunctionType(code, vars(module), code.co_name, defaults, closure)
        made.__kwdefaults__ = named_defaults
        made.__qualname__, made.__module__ = _qualname(code), module.__name__
        return made

    return _named(code.co_name, make)


def _resolved(name: str, lookup: Lookup) -> Any:
    """The value of a name: "module:qualname", or a dotted name that `lookup` knows."""
    module, colon, qualname = name.partition(":")
    parts = [part for part in (qualname if colon else name).split(".") if part]
    value: Any = _module(module) if colon else lookup(parts.pop(0))
    for part in parts:
        value = getattr(value, part, None)
    if value is None:
        raise FormError(f"there is no {name.replace(':', '.').rstrip('.')}")
    return value


def _module(name: str) -> types.ModuleType:
    try:
        return sys.modules.get(name) or importlib.import_module(name)
    except Exception as error:
        raise FormError(f"{name} cannot be imported ({type(error).__name__}: {error})") from error


@functools.cache
def _codes(module: types.ModuleType) -> tuple[types.CodeType, ...]:
    """All code in a module's text, outermost first."""
    try:
        text = inspect.getsource(module)
        return tuple(_inside(compile(text, str(module.__file__), "exec", dont_inherit=True)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ()


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _inside(constant)


def _is_at(code: types.CodeType, qualname: str, line: int) -> bool:
    return code.co_firstlineno == line and _qualname(code) in (qualname, qualname.rpartition(".")[2])


def _qualname(code: types.CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name))  # from Python 3.11 on
