"""Patterns of `match` statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from jitlint import ir
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, Walk


def pattern(walk: Walk, node: ast.pattern) -> ir.Pattern:
    """Lower a pattern, entering the names that it captures into the scope."""
    return _PATTERNS[type(node)](walk, node)


def _value(walk: Walk, node: ast.MatchValue) -> ir.Pattern:
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    return ir.ValuePattern(value.span, value)


def _singleton(walk: Walk, node: ast.MatchSingleton) -> ir.Pattern:
    span = walk.lines.span(node)
    return ir.ValuePattern(span, ir.Const(span, node.value))


def _captured(walk: Walk, name: str | None) -> str | None:
    if name is not None:
        walk.scope.bound.add(name)
    return name


def _as(walk: Walk, node: ast.MatchAs) -> ir.Pattern:
    inner = None if node.pattern is None else pattern(walk, node.pattern)
    return ir.CapturePattern(walk.lines.span(node), _captured(walk, node.name), inner)


def _star(walk: Walk, node: ast.MatchStar) -> ir.Pattern:
    return ir.StarPattern(walk.lines.span(node), _captured(walk, node.name))


def _sequence(walk: Walk, node: ast.MatchSequence) -> ir.Pattern:
    return ir.SequencePattern(walk.lines.span(node), _all(walk, node.patterns))


def _all(walk: Walk, nodes: list[ast.pattern]) -> tuple[ir.Pattern, ...]:
    return tuple([pattern(walk, node) for node in nodes])


def _mapping(walk: Walk, node: ast.MatchMapping) -> ir.Pattern:
    items: list[tuple[ir.Expr, ir.Pattern]] = []
    for key, value in zip(node.keys, node.patterns, strict=True):
        items.append((EXPRESSIONS[type(key)](walk, key), pattern(walk, value)))
    return ir.MappingPattern(walk.lines.span(node), tuple(items), _captured(walk, node.rest))


def _class(walk: Walk, node: ast.MatchClass) -> ir.Pattern:
    cls = EXPRESSIONS[type(node.cls)](walk, node.cls)
    keywords = zip(node.kwd_attrs, _all(walk, node.kwd_patterns), strict=True)
    return ir.ClassPattern(walk.lines.span(node), cls, _all(walk, node.patterns), tuple(keywords))


def _or(walk: Walk, node: ast.MatchOr) -> ir.Pattern:
    return ir.OrPattern(walk.lines.span(node), _all(walk, node.patterns))


_PATTERNS: dict[type, Callable[[Walk, Any], ir.Pattern]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchStar: _star,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
    ast.MatchOr: _or,
}
