"""Compound statements, but for definitions."""

from __future__ import annotations

import libcst as cst

from jitlint import ir
from jitlint.syntax import build
from jitlint.syntax.from_cst.expressions import optional
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.from_cst.patterns import pattern
from jitlint.syntax.from_cst.suites import suite


def _if(walk: Walk, node: cst.If, out: list[ir.Stmt]) -> None:
    """A loop, not a recursion: LibCST nests a chain of `elif` as deep as it is long."""
    branches: list[tuple[int, ir.Expr, build.Body]] = []
    branch: cst.If | cst.Else | None = node
    keyword = "if"
    while isinstance(branch, cst.If):
        start = walk.take(keyword)
        test = EXPRESSIONS[type(branch.test)](walk, branch.test)
        branches.append((start, test, suite(walk, branch.body)))
        branch = branch.orelse
        keyword = "elif"
    orelse = _else(walk, branch)
    out.extend(build.if_chain([(walk.since(start), test, body) for start, test, body in branches], orelse))


def _else(walk: Walk, node: cst.Else | None) -> build.Body:
    if node is None:
        return ()
    walk.take("else")
    return suite(walk, node.body)


def _while(walk: Walk, node: cst.While, out: list[ir.Stmt]) -> None:
    start = walk.take("while")
    test = EXPRESSIONS[type(node.test)](walk, node.test)
    body = suite(walk, node.body)
    orelse = _else(walk, node.orelse)
    out.append(ir.While(walk.since(start), test, body, orelse))


def _for(walk: Walk, node: cst.For, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    if node.asynchronous is not None:
        walk.take("async")
    walk.take("for")
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    walk.take("in")
    iterable = EXPRESSIONS[type(node.iter)](walk, node.iter)
    body = suite(walk, node.body)
    orelse = _else(walk, node.orelse)
    is_async = node.asynchronous is not None
    out.append(build.for_(walk.scope, walk.since(start), target, iterable, body, orelse, is_async))


def _with(walk: Walk, node: cst.With, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    if node.asynchronous is not None:
        walk.take("async")
    walk.take("with")
    bracketed = isinstance(node.lpar, cst.LeftParen)
    if bracketed:
        walk.take("(")
    items = tuple([_with_item(walk, item) for item in node.items])
    if bracketed:
        walk.take(")")
    body = suite(walk, node.body)
    out.append(ir.With(walk.since(start), items, body, node.asynchronous is not None))


def _with_item(walk: Walk, node: cst.WithItem) -> ir.WithItem:
    start = walk.skip()
    context = EXPRESSIONS[type(node.item)](walk, node.item)
    target = None
    if node.asname is not None:
        walk.take("as")
        target = EXPRESSIONS[type(node.asname.name)](walk, node.asname.name)
    return build.with_item(walk.scope, walk.since(start), context, target)


def _try(walk: Walk, node: cst.Try | cst.TryStar, out: list[ir.Stmt]) -> None:
    start = walk.take("try")
    body = suite(walk, node.body)
    handlers = tuple([_handler(walk, handler) for handler in node.handlers])
    orelse = _else(walk, node.orelse)
    final: build.Body = ()
    if node.finalbody is not None:
        walk.take("finally")
        final = suite(walk, node.finalbody.body)
    out.append(ir.Try(walk.since(start), body, handlers, orelse, final))


def _handler(walk: Walk, node: cst.ExceptHandler | cst.ExceptStarHandler) -> ir.Handler:
    start = walk.take("except")
    is_star = isinstance(node, cst.ExceptStarHandler)
    if is_star:
        walk.take("*")
    caught = optional(walk, node.type)
    name = None
    if node.name is not None:
        walk.take("as")
        bound = EXPRESSIONS[type(node.name.name)](walk, node.name.name)
        assert isinstance(bound, ir.Name)  # the grammar has nothing else
        name = bound.name
    body = suite(walk, node.body)
    return build.handler(walk.scope, walk.since(start), caught, name, body, is_star)


def _match(walk: Walk, node: cst.Match, out: list[ir.Stmt]) -> None:
    start = walk.take("match")
    subject = EXPRESSIONS[type(node.subject)](walk, node.subject)
    walk.take(":")
    cases = tuple([_case(walk, case) for case in node.cases])
    out.append(ir.Match(walk.since(start), subject, cases))


def _case(walk: Walk, node: cst.MatchCase) -> ir.Case:
    start = walk.take("case")
    matched = pattern(walk, node.pattern)
    if node.guard is not None:
        walk.take("if")
    guard = optional(walk, node.guard)
    body = suite(walk, node.body)
    return ir.Case(walk.since(start), matched, guard, body)


STATEMENTS.update(
    {
        cst.If: _if,
        cst.While: _while,
        cst.For: _for,
        cst.With: _with,
        cst.Try: _try,
        cst.TryStar: _try,
        cst.Match: _match,
    }
)
