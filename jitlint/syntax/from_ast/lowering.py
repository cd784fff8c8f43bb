"""What the lowering functions share: the text, places in it, and the dispatch tables.

A lowering function takes the state of the walk and an `ast` node and returns IR. It calls `EXPRESSIONS[type(node)]`
directly, not through a helper: so each level of nesting takes one Python frame, and expressions may nest as deep as the
recursion limit allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax.from_ast.lines import Lines
from jitlint.syntax.from_ast.parsing import Refused
from jitlint.syntax.scopes import module_scope

# Commas and semicolons never begin a node, so they are passed over like whitespace.
_TRIVIA = re.compile(r"[ \n\t\f,;]*(?:(?:#[^\n]*|\\)[ \n\t\f,;]*)*").match
_TRIVIA_STARTS = " \n\t\f,;#\\"
_END = "\0"


class Walk:
    """The text, the lines that nodes count in, and the innermost scope."""

    __slots__ = ("text", "lines", "line", "scope")

    def __init__(self, text: str) -> None:
        self.text = text + _END
        self.lines = Lines(text)
        self.line = 1  # of the last statement that was begun
        self.scope = module_scope(self.text)

    def block(self, node: Any) -> Span:
        """The span of a compound statement, without the semicolon that `ast` counts in."""
        span = self.lines.span(node)
        if self.text[span.end - 1] != ";":
            return span
        return Span(span.start, len(self.text[: span.end - 1].rstrip(" \t\f\\\n")))

    def skip(self, position: int) -> int:
        """The start of the next token."""
        if self.text[position] in _TRIVIA_STARTS:
            return _TRIVIA(self.text, position).end()  # type: ignore[union-attr]
        return position

    def after(self, token: str, position: int) -> int:
        """The offset behind the next token, which must be `token`. Raises Refused if it is another."""
        start = self.skip(position)
        if not self.text.startswith(token, start):
            raise Refused(f"no {token!r} at {start}")
        return start + len(token)

    def closed(self, position: int, span: Span) -> int:
        """Where an expression ends with the parentheses around it; `position` is behind the token before them."""
        start = self.skip(position)
        end = span.end
        while start < span.start:
            start = self.skip(self.after("(", start))
            end = self.after(")", end)
        return end

    def name(self, name: str, position: int) -> Span:
        """The span of the next token, which is `name` (as it is after normalization)."""
        start = self.skip(position)
        if self.text.startswith(name, start):
            return Span(start, start + len(name))
        end = start
        while ("a" + self.text[end]).isidentifier():
            end += 1
        return Span(start, end)


EXPRESSIONS: dict[type, Callable[[Walk, Any], ir.Expr]] = {}
"""Expression class to the function that lowers it; each module of lowering functions adds its own."""

STATEMENTS: dict[type, Callable[[Walk, Any, list[ir.Stmt]], None]] = {}
"""Statement class to the function that appends its lowered statements to a list."""
