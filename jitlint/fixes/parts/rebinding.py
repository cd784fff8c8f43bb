"""Whether a variable, an attribute or an item may be bound to a changed copy of what it holds."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.site import Site
from jitlint.fixes.variables import (
    assigned_values,
    bound_in,
    declared_in,
    mentions,
    owner,
    read_later,
    root,
)

_OF_ARRAYS = ("jax.numpy.", "jax.random.", "jax.lax.", "jax.nn.")
"""Modules whose functions return JAX arrays."""


def can_bind(site: Site, base: cst.BaseExpression, statement: cst.CSTNode) -> bool:
    """Whether what reads the array later reads it by this name, so that a copy bound to it is not lost.

    Args:
        site: the place that is fixed.
        base: what would be bound: `x`, `self.x` or `state["x"]`.
        statement: the statement that would bind it.
    """
    name = root(base)
    if name is None:
        return False
    if not isinstance(base, cst.Name):
        return True  # whoever holds the object sees its new attribute or item
    function = site.tree.function(statement)
    if isinstance(function, cst.FunctionDef) and name.value not in bound_in(function) | declared_in(function):
        return False  # it would become a variable of the function
    if _is_of_a_loop(site, base, statement):
        return False  # a copy of a row changes no matrix
    declared = isinstance(function, cst.FunctionDef) and name.value in declared_in(function)
    return declared or read_later(site.tree, name.value, statement)


def _is_of_a_loop(site: Site, name: cst.Name, statement: cst.CSTNode) -> bool:
    scope = owner(site.tree, statement, name.value)
    for each in mentions(site.tree, name.value, scope):
        for parent in site.tree.parents(each):
            if not isinstance(parent, cst.For) or not any(each is target for target in _names(parent.target)):
                continue
            if any(parent is around for around in site.tree.parents(statement)):
                return True
    return False


def _names(target: cst.BaseExpression) -> Iterator[cst.Name]:
    match target:
        case cst.Name():
            yield target
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for each in elements:
                yield from _names(each.value)


def grade_of(site: Site, base: cst.BaseExpression) -> Grade:
    """Safe if the name never stands for anything but a JAX array: then the statement that is replaced always failed."""
    if not isinstance(base, cst.Name):
        return Grade.UNSAFE
    scope = owner(site.tree, base, base.value)
    if isinstance(scope, cst.FunctionDef) and _is_parameter(scope, base.value):
        entry = site.event.entry
        applied = entry is not None and any(site.tree.is_at(each.decorator, entry.place) for each in scope.decorators)
        return Grade.SAFE if applied else Grade.UNSAFE
    values = assigned_values(site.tree, base.value, scope)
    return Grade.SAFE if values and all(_is_of_jax(site, each, base.value) for each in values) else Grade.UNSAFE


def _is_parameter(function: cst.FunctionDef, name: str) -> bool:
    return any(each.name.value == name for each in (*function.params.posonly_params, *function.params.params))


def _is_of_jax(site: Site, value: cst.BaseExpression | None, name: str) -> bool:
    """Whether a value is what a function of JAX returns, or a changed copy of the array itself."""
    if not isinstance(value, cst.Call):
        return False
    if site.names.qualified(value.func).startswith(_OF_ARRAYS):
        return True
    match value.func:
        case cst.Attribute(
            value=cst.Subscript(value=cst.Attribute(value=cst.Name(value=of), attr=cst.Name(value="at")))
        ):
            return of == name
    return False
