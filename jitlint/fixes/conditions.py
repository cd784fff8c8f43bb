"""Conditions on arrays in place of conditions of Python."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jitlint.fixes.site import Site

_STRUCTURE = frozenset({"isinstance", "hasattr", "callable", "issubclass", "getattr", "len"})


class PythonOnlyError(Exception):
    """A condition that arrays have no form of: a part of it asks about Python objects."""


def on_arrays(test: cst.BaseExpression, site: Site) -> str:
    """A condition as text, with functions of `jax.numpy` in place of what needs a Python truth value.

    Args:
        test: the condition.
        site: the place that is fixed.

    Raises:
        PythonOnlyError: a part of it asks about Python objects, or names a value (`:=`).
    """
    code = site.tree.code
    match test:
        case cst.BooleanOperation(operator=cst.And()):
            return _joined("logical_and", [test.left, test.right], site)
        case cst.BooleanOperation():
            return _joined("logical_or", [test.left, test.right], site)
        case cst.UnaryOperation(operator=cst.Not()):
            return f"{site.names.of('jax.numpy.logical_not')}({on_arrays(test.expression, site)})"
        case cst.Comparison():
            return _comparison(test, site)
        case cst.Call(func=cst.Name(value="bool"), args=[arg]):
            return on_arrays(arg.value, site)
        case cst.Call(func=cst.Name(value="any" | "all" as name), args=[arg]) if not arg.star:
            return reduced(name, arg.value, site)
        case cst.Call(func=cst.Name(value=name)) if name in _STRUCTURE:
            raise PythonOnlyError(name)
        case cst.NamedExpr():
            raise PythonOnlyError(":=")
        case cst.Name(value="True" | "False" | "None"):
            raise PythonOnlyError(test.value)
    return code(test.with_changes(lpar=[], rpar=[]) if test.lpar and "\n" not in code(test) else test)


def reduced(name: str, value: cst.BaseExpression, site: Site) -> str:
    """`any` or `all` over an array, a display or a generator, as text."""
    function = site.names.of(f"jax.numpy.{name}")
    array = site.names.of("jax.numpy.array")
    match value:
        case cst.GeneratorExp() | cst.ListComp():
            element = on_arrays(value.elt, site)
            return f"{function}({array}([{element} {site.tree.code(value.for_in)}]))"
        case cst.List() | cst.Tuple():
            elements = ", ".join(on_arrays(each.value, site) for each in value.elements)
            return f"{function}({array}([{elements}]))"
    return f"{function}({site.tree.code(value)})"


def _joined(function: str, parts: Sequence[cst.BaseExpression], site: Site) -> str:
    operands = ", ".join(on_arrays(part, site) for part in parts)
    return f"{site.names.of(f'jax.numpy.{function}')}({operands})"


def _comparison(test: cst.Comparison, site: Site) -> str:
    left = test.left
    parts = []
    for target in test.comparisons:
        parts.append(_compared(left, target, site))
        left = target.comparator
    joined = parts[0]
    for part in parts[1:]:
        joined = f"{site.names.of('jax.numpy.logical_and')}({joined}, {part})"
    return joined


def _compared(left: cst.BaseExpression, target: cst.ComparisonTarget, site: Site) -> str:
    code = site.tree.code
    right = target.comparator
    match target.operator, right:
        case ((cst.Is() | cst.Equal()), cst.Name(value="True")):
            return code(left)
        case ((cst.Is() | cst.Equal()), cst.Name(value="False")):
            return f"{site.names.of('jax.numpy.logical_not')}({code(left)})"
        case ((cst.Is() | cst.IsNot()), _):
            raise PythonOnlyError("is")
        case cst.In(), (cst.Tuple() | cst.List() | cst.Set()) if right.elements:
            equal = [f"{code(left)} == {code(each.value)}" for each in right.elements]
            if any(isinstance(each, cst.StarredElement) for each in right.elements):
                raise PythonOnlyError("*")
            joined = equal[0]
            for one in equal[1:]:
                joined = f"{site.names.of('jax.numpy.logical_or')}({joined}, {one})"
            return joined
        case cst.In(), _:
            return f"{site.names.of('jax.numpy.isin')}({code(left)}, {code(right)})"
        case cst.NotIn(), _:
            found = _compared(left, cst.ComparisonTarget(cst.In(), right), site)
            return f"{site.names.of('jax.numpy.logical_not')}({found})"
    operator = site.tree.code(target.operator)
    return f"{code(left)} {operator} {code(right)}"
