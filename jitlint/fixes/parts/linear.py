"""Sums and products of expressions, to know by how much two bounds differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.parts.nodes import keeps_value, value_of
from jitlint.fixes.tree import Tree

Terms = dict[tuple[str, ...], int]
"""A sum: how often each product counts. A product is the texts of its factors; () is the number 1."""

_DEPTH = 3


def differences(tree: Tree, low: cst.BaseExpression, high: cst.BaseExpression) -> Iterator[str]:
    """What `high - low` is, as text, if that is simpler: first with what local names stand for, then without."""
    seen: dict[str, None] = {}
    for one, other in ((0, _DEPTH), (_DEPTH, _DEPTH), (0, 0)):
        below, above = _terms(tree, low, one), _terms(tree, high, other)
        less = {product: -count for product, count in below.items()}
        result = _sum(above, less)
        if below.keys() & above.keys() - {()} or result.keys() <= {()}:
            text = _written(result)
            if text:
                seen[text] = None
    yield from seen


def _terms(tree: Tree, node: cst.BaseExpression, depth: int) -> Terms:
    match node:
        case cst.Integer(value=value):
            return {(): int(value, 0)} if value != "0" else {}
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return {product: -count for product, count in _terms(tree, inner, depth).items()}
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            one, other = _terms(tree, left, depth), _terms(tree, right, depth)
            match operator:
                case cst.Add():
                    return _sum(one, other)
                case cst.Subtract():
                    return _sum(one, {product: -count for product, count in other.items()})
                case cst.Multiply():
                    return _product(one, other)
        case cst.Name() if depth > 0:
            meant = value_of(tree, node)
            if isinstance(meant, (cst.BinaryOperation, cst.Name)) and keeps_value(tree, meant):
                return _terms(tree, meant, depth - 1)
    bare = node.with_changes(lpar=[], rpar=[]) if not isinstance(node, cst.BinaryOperation) else node
    return {(tree.code(bare),): 1}


def _sum(one: Terms, other: Terms) -> Terms:
    found = Counter(one)
    for product, count in other.items():
        found[product] += count
    return {product: count for product, count in found.items() if count}


def _product(one: Terms, other: Terms) -> Terms:
    found: Counter[tuple[str, ...]] = Counter()
    for left, many in one.items():
        for right, times in other.items():
            found[tuple(sorted((*left, *right)))] += many * times
    return {product: count for product, count in found.items() if count}


def _written(terms: Terms) -> str:
    """A sum as text; "" if it is not certainly positive, as far as its form says."""
    ordered = sorted(terms.items(), key=lambda item: (item[1] < 0, item[0] == ()))
    if not ordered or ordered[0][1] < 0:
        return ""
    text = ""
    for product, count in ordered:
        sign = (" - " if count < 0 else " + ") if text else ""
        factors = [str(abs(count))] if abs(count) != 1 or not product else []
        text += sign + " * ".join([*factors, *product])
    return text
