"""Conditions on arrays in place of conditions of Python."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jitlint.fixes.expressions import operand_of, text_of
from jitlint.fixes.site import Site
from jitlint.fixes.tree import names_in, walk

_STRUCTURE = frozenset({"isinstance", "hasattr", "callable", "issubclass", "getattr", "len", "type"})
_STATIC_ATTRIBUTES = frozenset({"shape", "ndim", "size", "dtype"})
_TRUTHS = frozenset({"bool", "any", "all"})


class PythonOnlyError(Exception):
    """A condition that arrays have no form of: a part of it asks about Python objects."""


def on_arrays(test: cst.BaseExpression, site: Site) -> str:
    """A condition as text, with functions of `jax.numpy` in place of what needs a Python truth value.

    Args:
        test: the condition.
        site: the place that is fixed.

    Raises:
        PythonOnlyError: a part of it asks about Python objects.
    """
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
        case cst.Name(value="True" | "False" | "None"):
            raise PythonOnlyError(test.value)
    return text_of(site.tree, test)


def on_arrays_as_bool(test: cst.BaseExpression, site: Site) -> str:
    """A condition as text that gives a boolean, and not a number that stands for one.

    Raises:
        PythonOnlyError: a part of it asks about Python objects.
    """
    text = on_arrays(test, site)
    return text if _is_bool(test, site) else f"{operand_of(site.tree, test)} != 0"


def _is_bool(test: cst.BaseExpression, site: Site) -> bool:
    match test:
        case cst.Comparison() | cst.BooleanOperation() | cst.UnaryOperation(operator=cst.Not()):
            return True
        case cst.Call(func=cst.Name(value=name)) | cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
            return name in _TRUTHS or name.startswith(("is", "logical_", "array_equal", "allclose"))
        case cst.Name(value=name):
            function = site.tree.function(site.node) if site.node is not None else None
            values = [
                each.value
                for each in (walk(function.body) if function is not None else ())
                if isinstance(each, cst.Assign)
                if any(isinstance(one.target, cst.Name) and one.target.value == name for one in each.targets)
            ]
            return bool(values) and all(_is_truth(each, site) for each in values)
    return False


def _is_truth(value: cst.BaseExpression, site: Site) -> bool:
    constant = isinstance(value, cst.Name) and value.value in ("True", "False")
    return constant or _is_bool(value, site)


def python_only(test: cst.BaseExpression, site: Site) -> bool:
    """Whether a condition has no form for arrays, or asks only what is known without their values."""
    try:
        on_arrays(test, site)
    except PythonOnlyError:
        return True
    return False


def guarded(test: cst.BaseExpression, site: Site) -> tuple[str, cst.BaseExpression]:
    """What a condition asks of Python objects before it asks for values of arrays, and the rest of it.

    Of `mask is not None and jnp.any(mask)` this is "mask is not None", and the other operand. "" if it asks nothing
    of the kind first.
    """
    operands = _operands(test)
    last = max((at for at, each in enumerate(operands[:-1]) if python_only(each, site)), default=-1)
    first, rest = operands[: last + 1], operands[last + 1 :]
    if not first or not all(
        python_only(each, site) or (at and not needs_value(each, site)) for at, each in enumerate(first)
    ):
        return "", test
    joined = rest[0]
    for each in rest[1:]:
        joined = cst.BooleanOperation(joined, cst.And(), each)
    return " and ".join(text_of(site.tree, each) for each in first), joined


def _operands(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands of `and`; otherwise the condition itself."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return [*_operands(test.left), *_operands(test.right)]
    return [test]


def needs_value(test: cst.BaseExpression, site: Site) -> bool:
    """Whether the analyzer says that a condition needs the value of an array."""
    return site.chooses_by_array(cst.If(test, cst.IndentedBlock([])))


def reduced(name: str, value: cst.BaseExpression, site: Site) -> str:
    """`any` or `all` over an array, a display or a generator, as text."""
    function = site.names.of(f"jax.numpy.{name}")
    array = site.names.of("jax.numpy.array")
    match value:
        case cst.GeneratorExp() | cst.ListComp():
            element = on_arrays(value.elt, site)
            return f"{function}({array}([{element} {site.tree.code(value.for_in)}]))"
        case cst.List() | cst.Tuple():
            if any(isinstance(each, cst.StarredElement) for each in value.elements):
                raise PythonOnlyError("*")
            elements = ", ".join(on_arrays(each.value, site) for each in value.elements)
            return f"{function}({array}([{elements}]))"
    return f"{function}({text_of(site.tree, value)})"


def _joined(function: str, parts: Sequence[cst.BaseExpression], site: Site) -> str:
    operands = ", ".join(on_arrays(part, site) for part in parts)
    return f"{site.names.of(f'jax.numpy.{function}')}({operands})"


def _comparison(test: cst.Comparison, site: Site) -> str:
    operands = [test.left, *(each.comparator for each in test.comparisons)]
    if any(isinstance(each, cst.BaseString) for each in operands):
        raise PythonOnlyError("str")
    if all(_is_static(each) for each in operands) and any(names_in(each) for each in operands):
        raise PythonOnlyError("shape")
    if len(operands) > 2 and any(isinstance(each, cst.NamedExpr) for one in operands for each in walk(one)):
        raise PythonOnlyError(":=")
    left = test.left
    parts = []
    for target in test.comparisons:
        parts.append(_compared(test, left, target, site))
        left = target.comparator
    joined = parts[0]
    for part in parts[1:]:
        joined = f"{site.names.of('jax.numpy.logical_and')}({joined}, {part})"
    return joined


def _is_static(node: cst.BaseExpression) -> bool:
    """Whether an expression is known without the values of arrays, as far as its text says."""
    match node:
        case cst.BaseNumber():
            return True
        case cst.Call(func=cst.Name(value="len" | "type")):
            return True
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in _STATIC_ATTRIBUTES
        case cst.Subscript():
            return _is_static(node.value)
        case cst.BinaryOperation():
            return _is_static(node.left) and _is_static(node.right)
        case cst.UnaryOperation():
            return _is_static(node.expression)
        case cst.Tuple() | cst.List():
            return all(_is_static(each.value) for each in node.elements)
    return False


def _compared(test: cst.Comparison, left: cst.BaseExpression, target: cst.ComparisonTarget, site: Site) -> str:
    right = target.comparator
    match target.operator, right:
        case ((cst.Is() | cst.Equal()), cst.Name(value="True")):
            return text_of(site.tree, left)
        case ((cst.Is() | cst.Equal()), cst.Name(value="False")):
            return f"{site.names.of('jax.numpy.logical_not')}({text_of(site.tree, left)})"
        case ((cst.Is() | cst.IsNot()), _):
            raise PythonOnlyError("is")
        case cst.In(), _:
            return _contained(test, left, right, site)
        case cst.NotIn(), _:
            return f"{site.names.of('jax.numpy.logical_not')}({_contained(test, left, right, site)})"
    operator = site.tree.code(target.operator)
    return f"{operand_of(site.tree, left)} {operator} {operand_of(site.tree, right)}"


def _contained(test: cst.Comparison, left: cst.BaseExpression, right: cst.BaseExpression, site: Site) -> str:
    """`in` as a condition on arrays: comparisons with the elements of a display, or `jnp.isin`."""
    if isinstance(right, (cst.Tuple, cst.List, cst.Set)) and right.elements:
        if any(isinstance(each, cst.StarredElement) for each in right.elements):
            raise PythonOnlyError("*")
        if any(isinstance(each.value, cst.BaseString) for each in right.elements):
            raise PythonOnlyError("str")
        value = operand_of(site.tree, left)
        equal = [f"{value} == {operand_of(site.tree, each.value)}" for each in right.elements]
        joined = equal[0]
        for one in equal[1:]:
            joined = f"{site.names.of('jax.numpy.logical_or')}({joined}, {one})"
        return joined
    if not isinstance(right, (cst.Name, cst.Attribute, cst.Call)) or not (
        _is_sequence(right, site) or (_is_parameter(right, site) and site.tree.is_at(test, site.event.place))
    ):
        raise PythonOnlyError("in")
    array = text_of(site.tree, right)
    if not (isinstance(right, cst.Call) and site.names.qualified(right.func).startswith("jax.numpy.")):
        array = f"{site.names.of('jax.numpy.asarray')}({array})"
    return f"{site.names.of('jax.numpy.isin')}({text_of(site.tree, left)}, {array})"


def _is_sequence(node: cst.BaseExpression, site: Site) -> bool:
    """Whether an expression is an array, or a tuple or list of numbers, as far as the file says."""
    if isinstance(node, cst.Call):
        qualified = site.names.qualified(node.func)
        ranged = isinstance(node.func, cst.Name) and node.func.value == "range"
        return ranged or qualified.startswith(("jax.numpy.", "numpy."))
    if not isinstance(node, cst.Name):
        return False
    values = [
        each.value
        for each in walk(site.tree.module)
        if isinstance(each, cst.Assign)
        if any(isinstance(one.target, cst.Name) and one.target.value == node.value for one in each.targets)
    ]
    if len(values) != 1:
        return False
    match values[0]:
        case cst.Tuple() | cst.List():
            return all(isinstance(each.value, cst.BaseNumber) for each in values[0].elements)
        case cst.Call():
            return _is_sequence(values[0], site)
    return False


def _is_parameter(node: cst.BaseExpression, site: Site) -> bool:
    function = site.tree.around(node, cst.FunctionDef)
    return (
        isinstance(node, cst.Name)
        and function is not None
        and any(isinstance(each, cst.Param) and each.name.value == node.value for each in walk(function.params))
    )
