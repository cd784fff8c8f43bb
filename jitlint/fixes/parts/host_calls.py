"""Calls that compute on the host, and what takes their place: a function of JAX, or no conversion."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.names import NameTakenError
from jitlint.fixes.parts.counterparts import KEYWORDS, Counterpart, counterpart
from jitlint.fixes.parts.nodes import (
    Change,
    bindings_within,
    is_display,
    keeps_comments,
    placed,
    single_argument,
    value_of,
)
from jitlint.fixes.parts.numbers import is_array, kind_of, one_number, taken_as_float
from jitlint.fixes.scopes import local_names
from jitlint.fixes.site import Site

_CONVERSIONS = frozenset({"float", "int", "bool", "complex"})


@dataclass(frozen=True, slots=True)
class Conversion:
    """What takes the place of a call.

    Attributes:
        change: makes it of the call.
        grade: how far it means the same.
    """

    change: Change
    grade: Grade


def written(site: Site, at: cst.CSTNode, qualified: str) -> str:
    """How a function is written at a node.

    Raises:
        NameTakenError: the name means something else there.
    """
    name = site.names.of(qualified)
    if name.partition(".")[0] in local_names(site.tree, at):
        raise NameTakenError(name)
    return name


def with_jax(site: Site, call: cst.Call, qualified: str) -> Conversion | None:
    """A call of NumPy, `math` or SciPy as one of JAX.

    Args:
        site: the place that is fixed.
        call: the call.
        qualified: the function that is called.
    """
    found = counterpart(qualified, call)
    if found is None or any(isinstance(arg.value, cst.GeneratorExp) for arg in call.args):
        return None
    name = cst.parse_expression(written(site, call, found.name))
    array = cst.parse_expression(written(site, call, "jax.numpy.array"))
    lists = {at for at, arg in enumerate(call.args[: found.arrays]) if not arg.keyword and is_list(site, arg.value)}

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(node, cst.Call)
        args = [
            _renamed(found, arg.with_changes(value=cst.Call(array, [cst.Arg(arg.value)])) if at in lists else arg)
            for at, arg in enumerate(node.args)
        ]
        new = node.with_changes(func=name, args=args)
        return _with_suffix(new, found.suffix)

    return Conversion(change, found.grade)


def _renamed(found: Counterpart, arg: cst.Arg) -> cst.Arg:
    new = KEYWORDS.get((found.name, arg.keyword.value)) if arg.keyword is not None else None
    return arg.with_changes(keyword=cst.Name(new)) if new else arg


def _with_suffix(call: cst.Call, suffix: str) -> cst.BaseExpression:
    if not suffix:
        return call
    inner = call.with_changes(lpar=[], rpar=[])
    method = cst.ensure_type(cst.parse_expression(f"_{suffix}"), cst.Call)
    func = cst.ensure_type(method.func, cst.Attribute)
    return method.with_changes(func=func.with_changes(value=inner), lpar=call.lpar, rpar=call.rpar)


def is_list(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an expression is a list or tuple, as far as the file shows."""
    value = value_of(site.tree, node)
    return value is not None and is_display(value)


def without_conversion(site: Site, call: cst.Call) -> Conversion | None:
    """A conversion to Python numbers as one of arrays, or none."""
    if not keeps_comments(site.tree, call, *(arg.value for arg in call.args), call.func):
        return None
    match call:
        case cst.Call(func=cst.Name(value=name)) if name in _CONVERSIONS and not _is_bound(site, call, name):
            return _number(site, call, name)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="item")), args=[]):
            return _receiver(site, call)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="tolist")), args=[]):
            return _receiver(site, call) if _as_rows(site, call) else None
    return None


def _is_bound(site: Site, node: cst.CSTNode, name: str) -> bool:
    return name in local_names(site.tree, node) or name in bindings_within(site.tree.module)


def _receiver(site: Site, call: cst.Call) -> Conversion | None:
    tree = site.tree
    method = cst.ensure_type(call.func, cst.Attribute)
    safe = one_number(site, method.value)

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        new = cst.ensure_type(cst.ensure_type(node, cst.Call).func, cst.Attribute).value
        return placed(tree, call, new)

    return Conversion(change, Grade.SAFE if safe else Grade.UNSAFE)


def _number(site: Site, call: cst.Call, name: str) -> Conversion | None:
    if name == "complex" and len(call.args) == 2:
        return _complex(site, call)
    value = single_argument(call)
    if value is None:
        return None
    if kind_of(site, value) == name or (name == "float" and taken_as_float(site, call)):
        grade = Grade.SAFE if one_number(site, value) else Grade.UNSAFE
        return Conversion(lambda node: placed(site.tree, call, cst.ensure_type(node, cst.Call).args[0].value), grade)
    if isinstance(value, cst.Call) and is_array(site, value):
        return Conversion(lambda node: _astype(cst.ensure_type(node, cst.Call), name), Grade.UNSAFE)
    asarray = cst.parse_expression(written(site, call, "jax.numpy.asarray"))
    dtype = cst.ensure_type(cst.parse_expression(f"_(dtype={name})"), cst.Call).args[0]

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        first = cst.ensure_type(node, cst.Call).args[0]
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        last = dtype.with_changes(whitespace_after_arg=first.whitespace_after_arg)
        args = [cst.Arg(first.value, comma=comma), last]
        return node.with_changes(func=asarray, args=args)

    return Conversion(change, Grade.UNSAFE)


def _astype(call: cst.Call, dtype: str) -> cst.BaseExpression:
    value = call.args[0].value
    method = cst.Call(cst.Attribute(value, cst.Name("astype")), [cst.Arg(cst.Name(dtype))])
    return method.with_changes(lpar=call.lpar, rpar=call.rpar)


def _complex(site: Site, call: cst.Call) -> Conversion | None:
    if any(arg.keyword or arg.star for arg in call.args):
        return None

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        real, imaginary = (arg.value for arg in cst.ensure_type(node, cst.Call).args)
        new = cst.ensure_type(cst.parse_expression("(_) + 1j * (_)"), cst.BinaryOperation)
        right = cst.ensure_type(new.right, cst.BinaryOperation)
        right = right.with_changes(right=placed(site.tree, right.right, imaginary))
        return placed(site.tree, call, new.with_changes(left=real, right=right))

    return Conversion(change, Grade.UNSAFE)


def _as_rows(site: Site, node: cst.BaseExpression) -> bool:
    """Whether what is done with a list can be done with an array: its rows are counted, indexed, iterated over."""
    parents = site.tree.parents(node)
    match next(parents, None):
        case cst.For(iter=value) | cst.CompFor(iter=value):
            return value is node
        case cst.Subscript(value=value):
            return value is node
        case cst.Return():
            return True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() | cst.List())]):
            return True
        case cst.Arg(keyword=None, star=""):
            called = next(parents, None)
            return isinstance(called, cst.Call) and isinstance(called.func, cst.Name) and called.func.value in _OF_ROWS
    return False


_OF_ROWS = frozenset({"len", "enumerate", "zip", "sum", "reversed", "list", "tuple"})
