"""What kind of numbers an expression gives, as far as its text says."""

from __future__ import annotations

import libcst as cst

from jitlint.fixes.parts.nodes import value_of
from jitlint.fixes.site import Site

_MODULES = ("jax.numpy.", "jax.lax.", "jax.nn.", "numpy.", "math.", "jax.scipy.special.")
_FLOAT = frozenset(
    """
    arccos arcsin arctan arctan2 cos cosh erf exp exp2 expm1 hypot linspace log log10 log1p log2 logsumexp mean
    median norm sigmoid sin sinh softmax sqrt std tan tanh var
    """.split()
)
_INT = frozenset(["argmax", "argmin", "argsort", "count_nonzero", "digitize", "searchsorted"])
_BOOL = frozenset(
    """
    all allclose any array_equal equal greater greater_equal isclose isfinite isin isinf isnan less less_equal
    logical_and logical_not logical_or logical_xor not_equal signbit
    """.split()
)
_REDUCTIONS = frozenset(
    """
    all any argmax argmin count_nonzero max mean median min nanmax nanmean nanmin nansum norm prod std sum var
    """.split()
)
_DTYPES = {
    "float": "float", "float16": "float", "bfloat16": "float", "float32": "float", "float64": "float", "int": "int",
    "int8": "int", "int16": "int", "int32": "int", "int64": "int", "bool": "bool", "bool_": "bool",
    "uint8": "int", "uint32": "int",
}  # fmt: skip
_DEPTH = 8


def function_of(site: Site, call: cst.Call) -> str:
    """The last name of the function of arrays that is called, or of the method; "" of what may be another function."""
    qualified = site.names.qualified(call.func)
    if qualified:
        return qualified.rpartition(".")[2] if qualified.startswith(_MODULES) else ""
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def kind_of(site: Site, node: cst.BaseExpression, depth: int = 0) -> str:
    """The Python type whose numbers an expression gives: "float", "int" or "bool"; "" if that is not known."""
    value = value_of(site.tree, node)
    if value is None or depth > _DEPTH:
        return ""
    match value:
        case cst.Comparison(comparisons=comparisons):
            python = (cst.In, cst.NotIn, cst.Is, cst.IsNot)
            return "" if any(isinstance(each.operator, python) for each in comparisons) else "bool"
        case cst.Float():
            return "float"
        case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
            return "bool" if kind_of(site, inner, depth + 1) == "bool" else ""
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            kind = kind_of(site, inner, depth + 1)
            return kind if kind != "bool" else ""
        case cst.BinaryOperation():
            return _of_operation(site, value, depth)
        case cst.Call():
            return _of_call(site, value)
    return ""


def _of_operation(site: Site, node: cst.BinaryOperation, depth: int) -> str:
    kinds = [kind_of(site, each, depth + 1) for each in (node.left, node.right)]
    match node.operator:
        case cst.BitAnd() | cst.BitOr():
            return "bool" if kinds == ["bool", "bool"] else ""
        case cst.Divide():
            return "float"
        case cst.Add() | cst.Subtract() | cst.Multiply():
            return "float" if "float" in kinds else ""
    return ""


def _of_call(site: Site, call: cst.Call) -> str:
    name = function_of(site, call)
    if name == "astype" and len(call.args) == 1:
        dtype = call.args[0].value
        last = dtype.attr if isinstance(dtype, cst.Attribute) else dtype
        return _DTYPES.get(last.value, "") if isinstance(last, cst.Name) else ""
    for kind, names in (("float", _FLOAT), ("int", _INT), ("bool", _BOOL)):
        if name in names:
            return kind
    return ""


def is_number(site: Site, node: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether an expression is certainly a number or an array: a literal, or computed from one."""
    value = value_of(site.tree, node)
    if value is None or depth > _DEPTH:
        return False
    match value:
        case cst.Integer() | cst.Float():
            return True
        case cst.Name(value=name):
            return name in ("True", "False")
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in ("pi", "e", "inf", "nan") and site.names.qualified(value).startswith(_MODULES)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return is_number(site, inner, depth + 1)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            both = [is_number(site, each, depth + 1) or is_array(site, each) for each in (left, right)]
            return all(both) or (any(both) and isinstance(operator, (cst.Subtract, cst.Divide, cst.Power)))
        case cst.Call():
            qualified = site.names.qualified(value.func)
            return qualified.startswith("math.") or (isinstance(value.func, cst.Name) and value.func.value == "float")
    return False


def is_array(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an expression is certainly an array: a function of `jax.numpy` or NumPy gives it, or a method of one."""
    if not isinstance(node, cst.Call):
        return False
    qualified = site.names.qualified(node.func)
    return qualified.startswith(("jax.numpy.", "numpy.", "jax.lax.", "jax.nn.")) or (
        not qualified and function_of(site, node) in _REDUCTIONS | {"astype", "reshape"}
    )


def one_number(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an expression is certainly a scalar: an array reduced over all axes."""
    value = value_of(site.tree, node)
    if not isinstance(value, cst.Call) or function_of(site, value) not in _REDUCTIONS:
        return False
    is_function = bool(site.names.qualified(value.func))
    return len(value.args) == int(is_function)


def taken_as_float(site: Site, node: cst.BaseExpression) -> bool:
    """Whether what an expression is given to computes with floats, whatever kind of numbers it gives."""
    parents = site.tree.parents(node)
    match next(parents, None):
        case cst.BinaryOperation(operator=cst.Divide()):
            return True
        case cst.Arg(keyword=None, star=""):
            call = next(parents, None)
            return (
                isinstance(call, cst.Call)
                and bool(site.names.qualified(call.func))
                and (function_of(site, call) in _FLOAT and len(call.args) == 1)
            )
    return False
