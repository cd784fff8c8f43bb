"""What an expression does besides giving a value, as far as its text says."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.names import Names
from jitlint.fixes.tree import walk

_EFFECTS = frozenset({"print", "open", "input", "next", "setattr", "delattr", "exec", "eval"})
_CHANGING_METHODS = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "add", "discard", "setdefault", "write", "send"}
)
_LIBRARIES = ("jax.", "numpy.", "math.")
_PYTHON = frozenset(
    {"abs", "float", "int", "bool", "len", "min", "max", "sum", "tuple", "list", "dict", "range", "zip"}
)
ARRAY_METHODS = frozenset(
    {
        "add", "all", "any", "argmax", "argmin", "astype", "clip", "conj", "copy", "cumsum", "dot", "flatten", "max",
        "mean", "min", "prod", "ravel", "reshape", "round", "set", "sum", "swapaxes", "transpose",
    }
)  # fmt: skip
"""Methods of arrays, and of `x.at[…]`, that give arrays."""
_MAPPING_METHODS = frozenset({"get", "items", "keys", "values"})
_TOTAL = frozenset(
    {
        "abs", "arange", "argmax", "argmin", "array", "asarray", "astype", "broadcast_to", "clip", "concatenate", "cos",
        "dot", "einsum", "expand_dims", "eye", "full", "full_like", "isfinite", "isinf", "isnan", "logical_and",
        "logical_not", "logical_or", "matmul", "maximum", "mean", "minimum", "ones", "ones_like", "relu", "reshape",
        "roll", "round", "sigmoid", "sign", "sin", "square", "stack", "sum", "tanh", "transpose", "tril", "triu",
        "where", "zeros", "zeros_like",
    }
)  # fmt: skip
"""Functions of arrays that give a number for any numbers, and so do their derivatives."""
_PARTIAL = (cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power, cst.DivideAssign, cst.PowerAssign)


class Doing(enum.IntEnum):
    """What evaluating an expression does, from nothing to something that shows."""

    TOTAL = 0
    """Gives a value, whatever its operands are, and so does its derivative."""
    PURE = 1
    """Gives a value, but perhaps infinite or not a number, or with such a derivative."""
    UNKNOWN = 2
    """Calls what this file does not show."""
    EFFECT = 3
    """Does something else that shows: output, a change, a new name."""


def doing(node: cst.CSTNode, names: Names) -> Doing:
    """What evaluating an expression or a statement does.

    Args:
        node: the expression or statement.
        names: what the file's names stand for.
    """
    return max((_one(each, names) for each in walk(node)), default=Doing.TOTAL)


def _one(node: cst.CSTNode, names: Names) -> Doing:
    match node:
        case (
            cst.NamedExpr()
            | cst.Await()
            | cst.Yield()
            | cst.Raise()
            | cst.Assert()
            | cst.Del()
            | cst.Global()
            | cst.Nonlocal()
        ):
            return Doing.EFFECT
        case cst.Expr(value=value) if not isinstance(value, (cst.BaseString, cst.Ellipsis)):
            return Doing.EFFECT  # nobody takes the value
        case cst.Call():
            return _call(node, names)
        case cst.BinaryOperation(operator=cst.Power(), right=cst.Integer()):
            return Doing.TOTAL
        case cst.BinaryOperation(operator=cst.Divide(), right=cst.Integer() | cst.Float()):
            return Doing.TOTAL
        case cst.BinaryOperation(operator=operator) | cst.AugAssign(operator=operator):
            return Doing.PURE if isinstance(operator, _PARTIAL) else Doing.TOTAL
    return Doing.TOTAL


def _call(call: cst.Call, names: Names) -> Doing:
    qualified = names.qualified(call.func)
    if qualified.startswith(_LIBRARIES):
        if ".debug." in qualified or "callback" in qualified:
            return Doing.EFFECT
        return Doing.TOTAL if qualified.rpartition(".")[2] in _TOTAL else Doing.PURE
    match call.func:
        case cst.Name(value=name):
            if name in _EFFECTS:
                return Doing.EFFECT
            return Doing.PURE if name in _PYTHON else Doing.UNKNOWN
        case cst.Attribute(attr=cst.Name(value=name)):
            if name in _CHANGING_METHODS and not _at(call.func):
                return Doing.EFFECT
            if name in _TOTAL:
                return Doing.TOTAL
            pure = name in ARRAY_METHODS | _MAPPING_METHODS or _at(call.func)
            return Doing.PURE if pure else Doing.UNKNOWN
    return Doing.UNKNOWN


def _at(method: cst.Attribute) -> bool:
    """Whether it is a method of `x.at[…]`, which changes nothing."""
    value = method.value
    return (
        isinstance(value, cst.Subscript) and isinstance(value.value, cst.Attribute) and value.value.attr.value == "at"
    )


def changes_objects(nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether statements assign items or attributes, which outlive the block."""
    return any(
        isinstance(target, (cst.Subscript, cst.Attribute))
        for each in nodes
        for node in walk(each)
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign))
        for target in _targets(node.target)
    )


def _targets(target: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield target
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _targets(element.value)
