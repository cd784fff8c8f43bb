"""Expressions of one dtype as expressions of another: `0` as `0.0`, `jnp.zeros(n, int)` as `jnp.zeros(n, float)`."""

from __future__ import annotations

import re

import libcst as cst

from jitlint.fixes.site import Site

ORDER = ("bool", "int", "float", "complex")
"""The kinds of numbers, each wider than those before."""

_KIND = re.compile(r"(?P<kind>bool|u?int|b?float|complex)(?P<size>\d*)_?")
_SIZED = {"bool": "bool_", "int": "int{}", "float": "float{}", "complex": "complex64"}
_DTYPE_AT = {
    "array": 1, "asarray": 1, "zeros": 1, "ones": 1, "empty": 1, "full": 2, "zeros_like": 1, "ones_like": 1,
    "empty_like": 1, "full_like": 2, "arange": 3, "eye": 3, "linspace": 5, "astype": 0,
}  # fmt: skip
_VALUE_AT = {"array": 0, "asarray": 0, "full": 1, "full_like": 1}
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def retyped(site: Site, node: cst.BaseExpression, kind: str) -> cst.BaseExpression | None:
    """The expression with a value of another kind; None if it does not show its kind.

    Args:
        site: the place that is fixed.
        node: a number, or a call that makes an array.
        kind: bool, int, float or complex.
    """
    match node:
        case cst.UnaryOperation(operator=cst.Minus(), expression=expression):
            inner = retyped(site, expression, kind)
            return node.with_changes(expression=inner) if inner is not None else None
        case cst.Integer() | cst.Float() | cst.Name(value="True" | "False"):
            return _number(node, kind)
        case cst.List() | cst.Tuple():
            return _each(site, node, kind)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="astype"))):
            return _of_function(site, node, "astype", kind)
        case cst.Call():
            module, _, function = site.names.qualified(node.func).rpartition(".")
            if module != "jax.numpy":
                return None
            if _KIND.fullmatch(function) and len(node.args) == 1:
                return _scalar(site, node, kind)
            return _of_function(site, node, function, kind)
    return None


def _number(node: cst.Integer | cst.Float | cst.Name, kind: str) -> cst.BaseExpression | None:
    if isinstance(node, cst.Name):
        value: float = node.value == "True"
    elif isinstance(node, cst.Integer) and not node.value.isdecimal():
        return None
    else:
        value = float(node.value)
    if kind == "float" and not isinstance(node, cst.Float):
        return cst.Float(str(float(value)), node.lpar, node.rpar)
    if kind == "int" and not isinstance(node, cst.Integer) and value == int(value) and abs(value) < 1e6:
        return cst.Integer(str(int(value)), node.lpar, node.rpar)
    return None


def _each(site: Site, node: cst.List | cst.Tuple, kind: str) -> cst.BaseExpression | None:
    """A list of numbers; those that are of the kind already stay."""
    changed = []
    for each in node.elements:
        value = each.value
        if isinstance(each, cst.StarredElement):
            return None
        new = retyped(site, value, kind)
        if new is None and not isinstance(value, cst.Float if kind == "float" else cst.Integer):
            return None
        changed.append(each.with_changes(value=new if new is not None else value))
    return node.with_changes(elements=changed) if changed else None


def _scalar(site: Site, call: cst.Call, kind: str) -> cst.BaseExpression:
    """`jnp.float32(0)` for `jnp.int32(0)`."""
    dtype = _dtype_like(call.func, kind)
    value = retyped(site, call.args[0].value, kind) if isinstance(call.args[0].value, cst.Name) else None
    args = [call.args[0].with_changes(value=value)] if value is not None else call.args
    return call.with_changes(func=dtype if dtype is not None else call.func, args=args)


def _of_function(site: Site, call: cst.Call, function: str, kind: str) -> cst.BaseExpression | None:
    if function not in _DTYPE_AT or any(arg.star for arg in call.args):
        return None
    for at, arg in enumerate(call.args):
        named = arg.keyword is not None and arg.keyword.value == "dtype"
        if named or (arg.keyword is None and at == _DTYPE_AT[function]):
            dtype = _dtype_like(arg.value, kind)
            return _with_argument(call, at, dtype) if dtype is not None else None
    if function in _VALUE_AT and len(call.args) > _VALUE_AT[function]:
        at = _VALUE_AT[function]
        value = retyped(site, call.args[at].value, kind)
        return _with_argument(call, at, value) if value is not None else None
    if function == "astype":
        return None
    args = [arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=_COMMA) for arg in call.args]
    return call.with_changes(args=[*args, cst.Arg(cst.Name(kind), keyword=cst.Name("dtype"), equal=_EQUAL)])


def _with_argument(call: cst.Call, at: int, value: cst.BaseExpression) -> cst.Call:
    args = list(call.args)
    args[at] = args[at].with_changes(value=value)
    return call.with_changes(args=args)


def _dtype_like(dtype: cst.BaseExpression, kind: str) -> cst.BaseExpression | None:
    """A dtype of another kind, written the same way: `jnp.float32` for `jnp.int32`, `float` for `int`."""
    match dtype:
        case cst.Name(value=name) if name in ORDER:
            return dtype.with_changes(value=kind)
        case cst.Attribute(attr=cst.Name(value=name)) if (known := _KIND.fullmatch(name)) is not None:
            return dtype.with_changes(attr=cst.Name(_sized(known["size"], kind)))
        case cst.SimpleString(raw_value=name, quote=quote) if (known := _KIND.fullmatch(name)) is not None:
            return dtype.with_changes(value=f"{quote}{_sized(known['size'], kind).rstrip('_')}{quote}")
    return None


def _sized(size: str, kind: str) -> str:
    return _SIZED[kind].format("64" if size == "64" else "32")


def converted(site: Site, node: cst.BaseExpression, kind: str) -> cst.BaseExpression:
    """The expression's value as an array of a kind, whatever the expression is."""
    asarray = cst.parse_expression(site.names.of("jax.numpy.asarray"))
    value = node.with_changes(lpar=[], rpar=[]) if isinstance(node, (cst.Name, cst.Attribute)) else node
    return cst.Call(asarray, [cst.Arg(value, comma=_COMMA), cst.Arg(cst.Name(kind))])
