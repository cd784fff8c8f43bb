"""Annotations in quotes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitlint import ir
from jitlint.source.places import Span


def unquoted(annotation: ir.Expr, read: Callable[[str], ir.Expr | None]) -> ir.Expr:
    """The annotation without quotes: `"list[int]"` becomes the expression `list[int]`, with the string's span.

    `read` lowers the text of an expression and returns None for any other text; the annotation then stays a string.
    """
    if not isinstance(annotation, ir.Const) or not isinstance(annotation.value, str):
        return annotation
    expression = read(annotation.value.strip())
    return annotation if expression is None else _relocated(expression, annotation.span)


def _relocated(node: Any, span: Span) -> Any:
    """A copy of an IR node (or tuple of nodes) in which every span is `span`."""
    if type(node) is Span:
        return span
    if isinstance(node, tuple):
        parts = [_relocated(part, span) for part in node]
        return type(node)(*parts) if hasattr(node, "_fields") else tuple(parts)
    return node
