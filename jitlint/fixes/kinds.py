"""What an expression gives: an array or number, or a structure of several. `jnp.where` takes no structures."""

from __future__ import annotations

import enum
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.bindings import here
from jitlint.fixes.purity import ARRAY_METHODS
from jitlint.fixes.site import Site
from jitlint.fixes.tree import names_in, walk

_ARRAY_ATTRIBUTES = ARRAY_METHODS | {
    "T", "at", "devices", "device", "dtype", "imag", "itemsize", "mT", "nbytes", "ndim", "real", "shape", "sharding",
    "size", "std", "var", "sort", "argsort", "squeeze", "diagonal", "trace", "take", "repeat", "cumprod", "item",
}  # fmt: skip
_DISPLAYS = (
    cst.Tuple, cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp, cst.GeneratorExp, cst.Lambda,
    cst.BaseString,
)  # fmt: skip
_NUMBERS = frozenset({"abs", "float", "int", "bool", "len", "min", "max", "round", "pow"})
_CONTAINERS = frozenset({"dict", "list", "tuple", "set", "zip", "map", "str", "repr", "type", "frozenset", "slice"})
_SEVERAL = frozenset(
    {"scan", "cond", "switch", "while_loop", "fori_loop", "eigh", "eig", "svd", "qr", "slogdet", "split", "map",
     "meshgrid", "unravel_index", "frexp", "modf", "divmod", "top_k", "nonzero", "associative_scan", "unique"}
)  # fmt: skip
_CONSTANTS = frozenset({"pi", "e", "inf", "nan", "euler_gamma", "tau"})
_DEEP = 4


class Kind(enum.IntEnum):
    """What an expression gives, as far as the file shows."""

    ARRAY = 0
    """A number or an array."""
    PLAIN = 1
    """Something named, which is used as arrays are."""
    UNKNOWN = 2
    """What some function gives that the file does not show."""
    STRUCTURE = 3
    """A tuple, a dictionary, an object, a function, None or a text."""


def kind(site: Site, node: cst.CSTNode | None, deep: int = _DEEP) -> Kind:
    """What an expression gives; a missing one is None."""
    match node:
        case None | cst.Name(value="None"):
            return Kind.STRUCTURE
        case cst.Name(value="True" | "False"):
            return Kind.ARRAY
        case cst.Name() | cst.Attribute() if is_function(site, node):
            return Kind.STRUCTURE
        case cst.Name():
            return _named(site, node, deep)
        case cst.IfExp():
            return max(kind(site, node.body, deep), kind(site, node.orelse, deep))
        case cst.Attribute():
            return Kind.STRUCTURE if _has_parts(site, node) else Kind.PLAIN
        case cst.Subscript():
            return Kind.STRUCTURE if _has_parts(site, node) else Kind.PLAIN
        case cst.Call():
            return _called(site, node, deep)
        case cst.BooleanOperation() | cst.NamedExpr() | cst.Await():
            return Kind.PLAIN
    return Kind.STRUCTURE if isinstance(node, _DISPLAYS) else Kind.ARRAY


def is_function(site: Site, node: cst.BaseExpression) -> bool:
    """Whether a name is a function or class of this file, or one that the file imports, or is called in it."""
    if site.names.qualified(node):
        return site.names.qualified(node).rpartition(".")[2] not in _CONSTANTS
    if not isinstance(node, cst.Name):
        return False
    return any(
        (isinstance(each, (cst.FunctionDef, cst.ClassDef)) and each.name.value == node.value)
        or (isinstance(each, cst.Call) and isinstance(each.func, cst.Name) and each.func.value == node.value)
        for each in walk(_outermost(site, node))
    )


def _named(site: Site, name: cst.Name, deep: int) -> Kind:
    if _has_parts(site, name) or _is_annotated(site, name):
        return Kind.STRUCTURE
    found = Kind.PLAIN
    for value in _values(site, name) if deep else ():
        found = max(found, kind(site, value, deep - 1))
    return found


def _values(site: Site, name: cst.Name) -> Iterator[cst.CSTNode]:
    """What the functions around a name assign to it; to a tuple that holds it, nobody knows."""
    for node in here(_scope(site, name)):
        if isinstance(node, cst.Assign) and name.value not in names_in(node.value):
            targets = (each.target for each in node.targets)
            if any(isinstance(each, cst.Name) and each.value == name.value for each in targets):
                yield node.value


def _scope(site: Site, node: cst.CSTNode) -> cst.CSTNode:
    function = site.tree.around(node, cst.FunctionDef)
    return function.body if function is not None else site.tree.module


def _outermost(site: Site, node: cst.CSTNode) -> cst.CSTNode:
    functions = [each for each in site.tree.parents(node) if isinstance(each, cst.FunctionDef)]
    return functions[-1] if functions else site.tree.module


def _has_parts(site: Site, node: cst.BaseExpression) -> bool:
    """Whether the functions around ask an expression for what arrays do not have, or take it apart."""
    text = site.tree.code(node)

    def same(other: cst.CSTNode) -> bool:
        return type(other) is type(node) and site.tree.code(other) == text

    for each in walk(_outermost(site, node)):
        match each:
            case cst.Attribute() if same(each.value) and each.attr.value not in _ARRAY_ATTRIBUTES:
                return True
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]):
                if same(each.value):
                    return True
            case cst.Arg(star="*" | "**") if same(each.value):
                return True
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple())]) if same(each.value):
                return True
    return False


def _is_annotated(site: Site, name: cst.Name) -> bool:
    """Whether a parameter's annotation names a container, or a class of this file."""
    function = site.tree.around(name, cst.FunctionDef)
    if function is None:
        return False
    containers = _CONTAINERS | {"Dict", "List", "Tuple", "PyTree", "Mapping", "Sequence", "Any", "Callable"}
    classes = {each.name.value for each in walk(site.tree.module) if isinstance(each, cst.ClassDef)}
    return any(
        each.name.value == name.value and each.annotation and names_in(each.annotation) & (containers | classes)
        for each in walk(function.params)
        if isinstance(each, cst.Param)
    )


def _called(site: Site, call: cst.Call, deep: int) -> Kind:
    qualified = site.names.qualified(call.func)
    if qualified.startswith(("jax.", "numpy.", "math.")):
        if qualified.startswith(("jax.tree", "jax.value_and_grad")):
            return Kind.STRUCTURE
        return Kind.UNKNOWN if qualified.rpartition(".")[2] in _SEVERAL else Kind.ARRAY
    match call.func:
        case cst.Name(value=name) if name in _NUMBERS:
            return Kind.ARRAY
        case cst.Name(value=name) if name in _CONTAINERS or name[:1].isupper():
            return Kind.STRUCTURE
        case cst.Name(value=name):
            return _result(site, name, deep)
        case cst.Attribute(attr=cst.Name(value=name)) if name in ARRAY_METHODS:
            return Kind.ARRAY
        case cst.Attribute(attr=cst.Name(value="_replace" | "replace" | "_asdict")):
            return Kind.STRUCTURE
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            return min(_result(site, name, deep), Kind.STRUCTURE)
    return Kind.UNKNOWN


def _result(site: Site, name: str, deep: int) -> Kind:
    """What a function of this file returns."""
    functions = [
        each for each in walk(site.tree.module) if isinstance(each, cst.FunctionDef) and each.name.value == name
    ]
    if len(functions) != 1 or not deep:
        return Kind.UNKNOWN
    returns = [each.value for each in here(functions[0].body) if isinstance(each, cst.Return)]
    return max((kind(site, each, deep - 1) for each in returns), default=Kind.STRUCTURE)
