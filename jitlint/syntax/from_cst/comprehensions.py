"""List, set and dict comprehensions and generator expressions."""

from __future__ import annotations

import libcst as cst

from jitlint import ir
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, Walk


def _clauses(walk: Walk, node: cst.CompFor | None) -> tuple[ir.Clause, ...]:
    """The `for` clauses, which LibCST nests, in source order."""
    clauses: list[ir.Clause] = []
    while node is not None:
        start = walk.skip()
        if node.asynchronous is not None:
            walk.take("async")
        walk.take("for")
        target = EXPRESSIONS[type(node.target)](walk, node.target)
        walk.take("in")
        iterable = EXPRESSIONS[type(node.iter)](walk, node.iter)
        tests: list[ir.Expr] = []
        for condition in node.ifs:
            walk.take("if")
            tests.append(EXPRESSIONS[type(condition.test)](walk, condition.test))
        clauses.append(ir.Clause(walk.since(start), target, iterable, tuple(tests), node.asynchronous is not None))
        node = node.inner_for_in
    return tuple(clauses)


def _list(walk: Walk, node: cst.ListComp) -> ir.Expr:
    start = walk.enter(node)
    walk.take("[")
    element = EXPRESSIONS[type(node.elt)](walk, node.elt)
    clauses = _clauses(walk, node.for_in)
    walk.take("]")
    return ir.Comprehension(walk.leave(node, start), "list", None, element, clauses)


def _set(walk: Walk, node: cst.SetComp) -> ir.Expr:
    start = walk.enter(node)
    walk.take("{")
    element = EXPRESSIONS[type(node.elt)](walk, node.elt)
    clauses = _clauses(walk, node.for_in)
    walk.take("}")
    return ir.Comprehension(walk.leave(node, start), "set", None, element, clauses)


def _generator(walk: Walk, node: cst.GeneratorExp) -> ir.Expr:
    start = walk.enter_bracketed(node.lpar)
    element = EXPRESSIONS[type(node.elt)](walk, node.elt)
    clauses = _clauses(walk, node.for_in)
    return ir.Comprehension(walk.leave_bracketed(node.rpar, start), "generator", None, element, clauses)


def _dict(walk: Walk, node: cst.DictComp) -> ir.Expr:
    start = walk.enter(node)
    walk.take("{")
    key = EXPRESSIONS[type(node.key)](walk, node.key)
    walk.take(":")
    element = EXPRESSIONS[type(node.value)](walk, node.value)
    clauses = _clauses(walk, node.for_in)
    walk.take("}")
    return ir.Comprehension(walk.leave(node, start), "dict", key, element, clauses)


def _unpacking_dict(walk: Walk, node: cst.StarredDictComp) -> ir.Expr:
    start = walk.enter(node)
    walk.take("{")
    walk.take("**")
    element = EXPRESSIONS[type(node.value)](walk, node.value)
    clauses = _clauses(walk, node.for_in)
    walk.take("}")
    return ir.Comprehension(walk.leave(node, start), "dict", None, element, clauses)


EXPRESSIONS.update(
    {
        cst.ListComp: _list,
        cst.SetComp: _set,
        cst.GeneratorExp: _generator,
        cst.DictComp: _dict,
        cst.StarredDictComp: _unpacking_dict,
    }
)
