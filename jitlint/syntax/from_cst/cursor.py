"""A position in the text that follows the walk over the tree.

LibCST's nodes do not know where they are, and its own ways to find out take half as long as parsing. Lowering visits
every token in source order anyway, so it moves a cursor along the text: over whitespace and comments with one regular
expression, over a token by its length. Each token is compared with the text, so that a mistake is an error and never a
wrong span.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jitlint.source.places import Span
from jitlint.syntax.problems import problem_at

# Commas and semicolons never begin a node, so they are passed over like whitespace.
_TRIVIA = re.compile(r"[ \n\t\f\r,;]*(?:(?:#[^\n]*|\\)[ \n\t\f\r,;]*)*").match
_TRIVIA_STARTS = " \n\t\f\r,;#\\"
_BLANKS = re.compile(r"[ \n\t\f\r]*(?:(?:#[^\n]*|\\)[ \n\t\f\r]*)*")
_END = "\0"


class Cursor:
    """Where the walk is. `position` is the offset behind the last token taken."""

    __slots__ = ("text", "position", "_starts_with")

    def __init__(self, text: str) -> None:
        self.text = text + _END
        self.position = 0
        self._starts_with = self.text.startswith

    def skip(self) -> int:
        """Move to the next token's start and return it."""
        position = self.position
        if self.text[position] in _TRIVIA_STARTS:
            position = self.position = _TRIVIA(self.text, position).end()  # type: ignore[union-attr]
        return position

    def take(self, token: str) -> int:
        """Move behind the next token, which must be `token`; return its start."""
        position = self.position
        text = self.text
        if text[position] in _TRIVIA_STARTS:
            position = _TRIVIA(text, position).end()  # type: ignore[union-attr]
        if not self._starts_with(token, position):
            raise problem_at(text, position, f"expected {token!r} here from the syntax tree, cannot read this code")
        self.position = position + len(token)
        return position

    def take_here(self, token: str) -> None:
        """Move behind `token`, which must begin at the position (string contents, where whitespace matters)."""
        if not self._starts_with(token, self.position):
            raise problem_at(self.text, self.position, f"expected {token!r} here, cannot read this string")
        self.position += len(token)

    def take_comma(self) -> None:
        """Move behind the comma that comes next."""
        blanks = _BLANKS.match(self.text, self.position)
        assert blanks is not None  # it matches the empty string
        self.position = blanks.end() + 1

    def enter(self, node: Any) -> int:
        """Move behind the parentheses around an expression; return where it begins itself."""
        for _ in node.lpar:
            self.take("(")
        return self.skip()

    def leave(self, node: Any, start: int) -> Span:
        """The span of the expression that ends at the position; move behind the parentheses around it."""
        span = Span(start, self.position)
        for _ in node.rpar:
            self.take(")")
        return span

    def enter_bracketed(self, lpar: Sequence[Any]) -> int:
        """As `enter`, for nodes to which the innermost pair of parentheses belongs (tuples, generators)."""
        for _ in lpar[1:]:
            self.take("(")
        return self.take("(") if lpar else self.skip()

    def leave_bracketed(self, rpar: Sequence[Any], start: int) -> Span:
        """As `leave`, for `enter_bracketed`."""
        if rpar:
            self.take(")")
        span = Span(start, self.position)
        for _ in rpar[1:]:
            self.take(")")
        return span

    def line(self) -> int:
        """The line of the position, from 1."""
        return self.text.count("\n", 0, self.position) + 1

    def since(self, start: int) -> Span:
        """The span from `start` to the position."""
        return Span(start, self.position)
