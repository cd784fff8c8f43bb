"""List, set and dict comprehensions and generator expressions."""

from __future__ import annotations

import ast

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, Walk


def _clauses(walk: Walk, nodes: list[ast.comprehension], position: int) -> tuple[ir.Clause, ...]:
    """The `for` clauses; `position` is behind what comes before the first."""
    clauses: list[ir.Clause] = []
    for node in nodes:
        start = walk.skip(position)
        position = walk.after("for", walk.after("async", start) if node.is_async else start)
        target = EXPRESSIONS[type(node.target)](walk, node.target)
        position = walk.after("in", walk.closed(position, target.span))
        iterable = EXPRESSIONS[type(node.iter)](walk, node.iter)
        position = walk.closed(position, iterable.span)
        tests: list[ir.Expr] = []
        for condition in node.ifs:
            test = EXPRESSIONS[type(condition)](walk, condition)
            position = walk.closed(walk.after("if", position), test.span)
            tests.append(test)
        clauses.append(ir.Clause(Span(start, position), target, iterable, tuple(tests), bool(node.is_async)))
    return tuple(clauses)


def _comprehension(walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, kind: str) -> ir.Expr:
    span = walk.lines.span(node)
    element = EXPRESSIONS[type(node.elt)](walk, node.elt)
    clauses = _clauses(walk, node.generators, walk.closed(span.start + 1, element.span))
    return ir.Comprehension(span, kind, None, element, clauses)


def _list(walk: Walk, node: ast.ListComp) -> ir.Expr:
    return _comprehension(walk, node, "list")


def _set(walk: Walk, node: ast.SetComp) -> ir.Expr:
    return _comprehension(walk, node, "set")


def _generator(walk: Walk, node: ast.GeneratorExp) -> ir.Expr:
    return _comprehension(walk, node, "generator")


def _dict(walk: Walk, node: ast.DictComp) -> ir.Expr:
    span = walk.lines.span(node)
    key = EXPRESSIONS[type(node.key)](walk, node.key)
    position = walk.after(":", walk.closed(span.start + 1, key.span))
    element = EXPRESSIONS[type(node.value)](walk, node.value)
    clauses = _clauses(walk, node.generators, walk.closed(position, element.span))
    return ir.Comprehension(span, "dict", key, element, clauses)


EXPRESSIONS.update(
    {
        ast.ListComp: _list,
        ast.SetComp: _set,
        ast.GeneratorExp: _generator,
        ast.DictComp: _dict,
    }
)
