"""f-strings, t-strings and strings that stand side by side with them."""

from __future__ import annotations

import ast

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_ast.format_strings import Field, literal_at
from jitlint.syntax.from_ast.lines import Lines
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, Walk
from jitlint.syntax.from_ast.parsing import expression_of
from jitlint.syntax.literals import text_part, value_of

_Parts = list[ir.Const | ir.FormatField]


def _formatted(walk: Walk, node: ast.expr) -> ir.Expr:
    span = walk.lines.span(node)
    parts: _Parts = []
    position = span.start
    while position < span.end:
        literal = literal_at(walk.text, position)
        if literal.parts is None:
            parts.append(ir.Const(literal.span, value_of(walk.text[literal.span.start : literal.span.end])))
        else:
            _add(walk, literal.parts, literal.opening, parts)
        position = walk.skip(literal.span.end)
    return ir.FormatString(span, tuple(parts))


def _add(walk: Walk, found: tuple[Span | Field, ...], opening: str, parts: _Parts) -> None:
    """Lower the parts of a string that opened with `opening`, or of a format specification in it."""
    for part in found:
        if isinstance(part, Field):
            _field(walk, part, opening, parts)
        else:
            parts.append(ir.Const(part, text_part(walk.text[part.start : part.end], opening)))


def _field(walk: Walk, field: Field, opening: str, parts: _Parts) -> None:
    value = _value(walk, field.value)
    spec = None
    if field.spec is not None:
        spec_parts: _Parts = []
        _add(walk, field.spec.parts, opening, spec_parts)
        spec = ir.FormatString(field.spec.span, tuple(spec_parts))
    parts += build.format_field(walk.scope, field.span, field.shown, value, field.conversion, spec)


def _value(walk: Walk, span: Span) -> ir.Expr:
    """Lower the expression at a span, which Python reads as if it were in parentheses."""
    code = walk.text[span.start : span.end]
    bracketed = f"({code}\n)"
    tree = expression_of(bracketed)
    outer, walk.lines = walk.lines, Lines(bracketed, span.start - 1)
    value = EXPRESSIONS[type(tree)](walk, tree)
    walk.lines = outer
    if value.span.start < span.start:  # the parentheses have become a tuple's own
        value = value._replace(span=Span(walk.skip(span.start), span.start + len(code.rstrip())))
    return value


EXPRESSIONS[ast.JoinedStr] = _formatted
if "TemplateStr" in vars(ast):  # since Python 3.14
    EXPRESSIONS[vars(ast)["TemplateStr"]] = _formatted
