"""f-strings, t-strings and strings that stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, Walk
from jitlint.syntax.literals import text_part

_Parts = list[ir.Const | ir.FormatField]


def _formatted(walk: Walk, node: cst.FormattedString | cst.TemplatedString) -> ir.Expr:
    start = walk.enter(node)
    walk.take(node.start)
    parts = _parts(walk, node.parts, node.start)
    walk.take_here(node.end)
    return ir.FormatString(walk.leave(node, start), tuple(parts))


def _parts(walk: Walk, nodes: Sequence[Any], opening: str) -> _Parts:
    """The parts of a string that opened with `opening`, or of a format specification in it."""
    parts: _Parts = []
    for node in nodes:
        if isinstance(node, cst.FormattedStringText | cst.TemplatedStringText):
            start = walk.position
            walk.take_here(node.value)
            parts.append(ir.Const(walk.since(start), text_part(node.value, opening)))
        else:
            _field(walk, node, opening, parts)
    return parts


def _field(
    walk: Walk, node: cst.FormattedStringExpression | cst.TemplatedStringExpression, opening: str, parts: _Parts
) -> None:
    start = walk.position
    walk.take_here("{")
    value_start = walk.position
    value = EXPRESSIONS[type(node.expression)](walk, node.expression)
    shown = None
    if node.equal is not None:
        walk.take("=")
        shown = Span(value_start, walk.skip())
    if node.conversion:
        walk.take("!")
        walk.take(node.conversion)
    spec = None
    if node.format_spec is not None:
        walk.take(":")
        spec_start = walk.position
        spec_parts = _parts(walk, node.format_spec, opening)
        spec = ir.FormatString(walk.since(spec_start), tuple(spec_parts))
    walk.take("}")
    parts += build.format_field(walk.scope, walk.since(start), shown, value, node.conversion or "", spec)


def _concatenated(walk: Walk, node: cst.ConcatenatedString) -> ir.Expr:
    start = walk.enter(node)
    pieces: list[ir.Expr] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        pieces.append(EXPRESSIONS[type(rest.left)](walk, rest.left))
        rest = rest.right
    pieces.append(EXPRESSIONS[type(rest)](walk, rest))
    return _join(walk.leave(node, start), pieces)


def _join(span: Span, pieces: list[ir.Expr]) -> ir.Expr:
    parts: _Parts = []
    for piece in pieces:
        if isinstance(piece, ir.FormatString):
            parts.extend(piece.parts)
        elif isinstance(piece, ir.Const):
            parts.append(piece)
        else:
            return ir.Opaque(span, tuple(pieces))
    values = [part.value for part in parts]
    if any(isinstance(piece, ir.FormatString) for piece in pieces):
        return ir.FormatString(span, tuple(parts))
    if all(isinstance(value, str) for value in values):
        return ir.Const(span, "".join(values))  # type: ignore[arg-type]
    return ir.Const(span, b"".join(values))  # type: ignore[arg-type]


EXPRESSIONS.update(
    {
        cst.FormattedString: _formatted,
        cst.TemplatedString: _formatted,
        cst.ConcatenatedString: _concatenated,
    }
)
