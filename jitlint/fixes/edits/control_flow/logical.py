"""Conditions on arrays that are values, and decide nothing in Python: `and`, `or`, `not`, chains, `in`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.branches import tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import in_place_of, operand_of, text_of
from jitlint.fixes.site import Proposal, Site


def propose(site: Site) -> Iterator[Proposal]:
    """Joins conditions with functions of `jax.numpy`, which take arrays."""
    holder, test = tested(site)
    if holder is not None or test is None:
        return
    if not isinstance(test, (cst.BooleanOperation, cst.UnaryOperation, cst.Comparison, cst.Call)):
        return
    try:
        if isinstance(test, cst.BooleanOperation) and not (_is_condition(test.left) and _is_condition(test.right)):
            if (selected := _selected(site, test)) is not None:
                yield site.proposal("Select by what is there", Grade.UNSAFE, in_place_of(site.tree, test, selected))
            return
        text = on_arrays(test, site)
    except PythonOnlyError:
        return
    if text != text_of(site.tree, test):
        yield site.proposal("Join the conditions as arrays", Grade.SAFE, in_place_of(site.tree, test, text))


def _is_condition(node: cst.BaseExpression) -> bool:
    """Whether an expression is a truth value, as far as its text says; a plain name may be one."""
    match node:
        case cst.BooleanOperation():
            return _is_condition(node.left) and _is_condition(node.right)
        case cst.Comparison() | cst.UnaryOperation(operator=cst.Not()) | cst.Name():
            return True
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))) | cst.Call(func=cst.Name(value=name)):
            return name.startswith(("is", "any", "all", "logical_", "has")) or name == "bool"
        case cst.UnaryOperation(operator=cst.BitInvert()) | cst.Attribute():
            return True
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]):
            return True  # a field of a state: as an attribute
        case cst.BinaryOperation(operator=cst.BitAnd() | cst.BitOr()):
            return True
    return False


def _defaults_to_none(site: Site, name: str) -> bool:
    """Whether a name is a parameter whose default says "not given": then `or` asks for that, and not for zero."""
    node = site.expression
    function = site.tree.around(node, cst.FunctionDef) if node is not None else None
    return function is not None and any(
        each.name.value == name and isinstance(each.default, cst.Name) and each.default.value == "None"
        for each in (*function.params.params, *function.params.kwonly_params)
    )


def _selected(site: Site, test: cst.BooleanOperation) -> str | None:
    """`a or b` where it stands for a value: a if that is not zero, else b. None if the two are no numbers or arrays."""
    if not isinstance(test.left, (cst.Name, cst.Attribute)):
        return None
    left, right = site.tree.code(test.left), operand_of(site.tree, test.right)
    if _defaults_to_none(site, left):
        return f"{right} if {left} is None else {left}" if isinstance(test.operator, cst.Or) else None
    where = site.names.of("jax.numpy.where")
    either = isinstance(test.operator, cst.Or)
    return f"{where}({left}, {left}, {right})" if either else f"{where}({left}, {right}, {left})"
