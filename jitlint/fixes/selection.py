"""`jnp.where` of two values, as text."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jitlint.fixes.expressions import text_of
from jitlint.fixes.kinds import Kind, kind
from jitlint.fixes.site import Site


class NoFormError(Exception):
    """There is no form of this with `jnp.where`."""


class Value:
    """A value that an arm gives.

    Attributes:
        text: the expression.
        kind: what it gives.
    """

    def __init__(self, text: str, kind_: Kind) -> None:
        self.text = text
        self.kind = kind_


def value_of(site: Site, node: cst.BaseExpression) -> Value:
    """An expression as a value."""
    return Value(text_of(site.tree, node), kind(site, node))


def parts_of(site: Site, node: cst.BaseExpression | None) -> list[Value]:
    """An expression as values: the elements of a tuple."""
    if not isinstance(node, cst.Tuple):
        if node is None:
            raise NoFormError
        return [value_of(site, node)]
    if any(isinstance(each, cst.StarredElement) for each in node.elements):
        raise NoFormError
    return [value_of(site, each.value) for each in node.elements]


def selected(site: Site, test: str, one: Value, other: Value) -> Value:
    """The first value where a condition holds, else the second.

    Raises:
        NoFormError: they may be structures.
    """
    kinds = {one.kind, other.kind}
    if Kind.STRUCTURE in kinds or (Kind.UNKNOWN in kinds and Kind.ARRAY not in kinds):
        raise NoFormError
    where = site.names.of("jax.numpy.where")
    return Value(f"{where}({test}, {one.text}, {other.text})", Kind.ARRAY)


def all_selected(site: Site, test: str, one: Sequence[Value], other: Sequence[Value]) -> list[Value]:
    """The elements of one tuple or of the other.

    Raises:
        NoFormError: they may be structures, or are not as many.
    """
    if len(one) != len(other):
        raise NoFormError
    return [selected(site, test, a, b) for a, b in zip(one, other, strict=True)]


def joined(values: Sequence[Value]) -> str:
    """The text of a value, or of a tuple of several."""
    return ", ".join(each.text for each in values)
