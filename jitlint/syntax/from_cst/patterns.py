"""Patterns of `match` statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, Walk
from jitlint.syntax.scopes import identifier


def pattern(walk: Walk, node: Any) -> ir.Pattern:
    """Lower a pattern, entering the names that it captures into the scope."""
    return _PATTERNS[type(node)](walk, node)


def _value(walk: Walk, node: cst.MatchValue | cst.MatchSingleton) -> ir.Pattern:
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    return ir.ValuePattern(value.span, value)


def _capture(walk: Walk, name: cst.Name) -> str:
    walk.take(name.value)
    captured = identifier(name.value)
    walk.scope.bound.add(captured)
    return captured


def _as(walk: Walk, node: cst.MatchAs) -> ir.Pattern:
    start = walk.enter(node)
    inner = None
    if node.pattern is not None:
        inner = pattern(walk, node.pattern)
        walk.take("as")
    name = None
    if node.name is None:
        walk.take("_")
    else:
        name = _capture(walk, node.name)
    return ir.CapturePattern(walk.leave(node, start), name, inner)


def _star(walk: Walk, node: cst.MatchStar) -> ir.Pattern:
    start = walk.take("*")
    name = None
    if node.name is None:
        walk.take("_")
    else:
        name = _capture(walk, node.name)
    return ir.StarPattern(walk.since(start), name)


def _elements(walk: Walk, nodes: Sequence[Any]) -> tuple[ir.Pattern, ...]:
    return tuple([pattern(walk, node.value if isinstance(node, cst.MatchSequenceElement) else node) for node in nodes])


def _list(walk: Walk, node: cst.MatchList) -> ir.Pattern:
    start = walk.enter(node)
    if node.lbracket is not None:
        walk.take("[")
    patterns = _elements(walk, node.patterns)
    if node.rbracket is not None:
        walk.take("]")
    elif node.patterns and isinstance(node.patterns[-1].comma, cst.Comma):
        walk.take_comma()
    return ir.SequencePattern(walk.leave(node, start), patterns)


def _tuple(walk: Walk, node: cst.MatchTuple) -> ir.Pattern:
    start = walk.enter_bracketed(node.lpar)
    patterns = _elements(walk, node.patterns)
    return ir.SequencePattern(walk.leave_bracketed(node.rpar, start), patterns)


def _mapping(walk: Walk, node: cst.MatchMapping) -> ir.Pattern:
    start = walk.enter(node)
    walk.take("{")
    items: list[tuple[ir.Expr, ir.Pattern]] = []
    for element in node.elements:
        key = EXPRESSIONS[type(element.key)](walk, element.key)
        walk.take(":")
        items.append((key, pattern(walk, element.pattern)))
    rest = None
    if node.rest is not None:
        walk.take("**")
        rest = _capture(walk, node.rest)
    walk.take("}")
    return ir.MappingPattern(walk.leave(node, start), tuple(items), rest)


def _class(walk: Walk, node: cst.MatchClass) -> ir.Pattern:
    start = walk.enter(node)
    cls = EXPRESSIONS[type(node.cls)](walk, node.cls)
    walk.take("(")
    patterns = _elements(walk, node.patterns)
    keywords: list[tuple[str, ir.Pattern]] = []
    for element in node.kwds:
        walk.take(element.key.value)
        walk.take("=")
        keywords.append((identifier(element.key.value), pattern(walk, element.pattern)))
    walk.take(")")
    return ir.ClassPattern(walk.leave(node, start), cls, patterns, tuple(keywords))


def _or(walk: Walk, node: cst.MatchOr) -> ir.Pattern:
    start = walk.enter(node)
    patterns = [pattern(walk, node.patterns[0].pattern)]
    for element in node.patterns[1:]:
        walk.take("|")
        patterns.append(pattern(walk, element.pattern))
    span: Span = walk.leave(node, start)
    return ir.OrPattern(span, tuple(patterns))


_PATTERNS: dict[type, Callable[[Walk, Any], ir.Pattern]] = {
    cst.MatchValue: _value,
    cst.MatchSingleton: _value,
    cst.MatchAs: _as,
    cst.MatchStar: _star,
    cst.MatchList: _list,
    cst.MatchTuple: _tuple,
    cst.MatchMapping: _mapping,
    cst.MatchClass: _class,
    cst.MatchOr: _or,
}
