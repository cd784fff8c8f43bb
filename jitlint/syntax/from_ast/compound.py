"""Compound statements, but for definitions."""

from __future__ import annotations

import ast

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_ast.expressions import optional
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.from_ast.patterns import pattern
from jitlint.syntax.from_ast.suites import statements
from jitlint.syntax.problems import problem_at


def _if(walk: Walk, node: ast.If, out: list[ir.Stmt]) -> None:
    """A loop, not a recursion: `ast` nests a chain of `elif` as deep as it is long."""
    branches: list[build.Branch] = []
    while True:
        test = EXPRESSIONS[type(node.test)](walk, node.test)
        branches.append((walk.block(node), test, statements(walk, node.body)))
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]
    out.extend(build.if_chain(branches, statements(walk, node.orelse)))


def _while(walk: Walk, node: ast.While, out: list[ir.Stmt]) -> None:
    test = EXPRESSIONS[type(node.test)](walk, node.test)
    body = statements(walk, node.body)
    orelse = statements(walk, node.orelse)
    out.append(ir.While(walk.block(node), test, body, orelse))


def _for(walk: Walk, node: ast.For | ast.AsyncFor, out: list[ir.Stmt]) -> None:
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    iterable = EXPRESSIONS[type(node.iter)](walk, node.iter)
    body = statements(walk, node.body)
    orelse = statements(walk, node.orelse)
    is_async = type(node) is ast.AsyncFor
    out.append(build.for_(walk.scope, walk.block(node), target, iterable, body, orelse, is_async))


def _with(walk: Walk, node: ast.With | ast.AsyncWith, out: list[ir.Stmt]) -> None:
    span = walk.block(node)
    is_async = type(node) is ast.AsyncWith
    position = walk.after("with", walk.after("async", span.start) if is_async else span.start)
    contexts = [EXPRESSIONS[type(item.context_expr)](walk, item.context_expr) for item in node.items]
    if _is_bracketed(walk, node.items, contexts[0].span, position):
        position = walk.after("(", position)
    items: list[ir.WithItem] = []
    for item, context in zip(node.items, contexts, strict=True):
        start = walk.skip(position)
        position = walk.closed(start, context.span)
        target = optional(walk, item.optional_vars)
        if target is not None:
            position = walk.closed(walk.after("as", position), target.span)
        items.append(build.with_item(walk.scope, Span(start, position), context, target))
    out.append(ir.With(span, tuple(items), statements(walk, node.body), is_async))


def _is_bracketed(walk: Walk, items: list[ast.withitem], first: Span, position: int) -> bool:
    """Whether the items, of which the first is at a span, are in parentheses: `with (a as b, c):`.

    As in Python's grammar, `with (a):` is, where `a` might stand there without them; `with (a) as b:` is not.
    """
    start = walk.skip(position)
    opened = 0
    while start < first.start:
        opened += 1
        start = walk.skip(walk.after("(", start))
    end = walk.skip(first.end)
    closed = 0
    while closed < opened and walk.text[end] == ")":
        closed += 1
        end = walk.skip(end + 1)
    if closed < opened or len(items) > 1 or items[0].optional_vars is not None:
        return closed < opened
    return opened > 1 or (
        opened == 1 and not isinstance(items[0].context_expr, ast.Yield | ast.YieldFrom | ast.NamedExpr)
    )


def _try(walk: Walk, node: ast.Try, out: list[ir.Stmt]) -> None:
    is_star = type(node) is not ast.Try  # ast.TryStar
    body = statements(walk, node.body)
    handlers = tuple([_handler(walk, handler, is_star) for handler in node.handlers])
    for handler in handlers[:-1]:
        if handler.type is None:
            raise problem_at(walk.text, handler.span.start, "default 'except:' must be last")
    orelse = statements(walk, node.orelse)
    final = statements(walk, node.finalbody)
    out.append(ir.Try(walk.block(node), body, handlers, orelse, final))


def _handler(walk: Walk, node: ast.ExceptHandler, is_star: bool) -> ir.Handler:
    caught = optional(walk, node.type)
    body = statements(walk, node.body)
    return build.handler(walk.scope, walk.block(node), caught, node.name, body, is_star)


def _match(walk: Walk, node: ast.Match, out: list[ir.Stmt]) -> None:
    span = walk.block(node)
    subject = EXPRESSIONS[type(node.subject)](walk, node.subject)
    position = walk.after(":", walk.closed(span.start + len("match"), subject.span))
    cases: list[ir.Case] = []
    for case in node.cases:
        start = walk.skip(position)
        matched = pattern(walk, case.pattern)
        guard = optional(walk, case.guard)
        body = statements(walk, case.body)
        position = walk.block(case.body[-1]).end
        cases.append(ir.Case(Span(start, position), matched, guard, body))
    out.append(ir.Match(span, subject, tuple(cases)))


STATEMENTS.update(
    {
        ast.If: _if,
        ast.While: _while,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
    }
)
