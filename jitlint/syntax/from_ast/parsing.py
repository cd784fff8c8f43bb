"""Text to `ast`, with one kind of error."""

from __future__ import annotations

import ast

from jitlint.syntax.problems import SyntaxProblem


class Refused(Exception):  # noqa: N818
    """A text that this front end cannot read."""


def module_of(text: str) -> list[ast.stmt]:
    """The statements of a module's text. Raises Refused, and SyntaxProblem for code that nests too deep."""
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        raise Refused(str(error)) from None
    except (RecursionError, MemoryError):  # Python could not run it either, and LibCST takes minutes for such code
        raise SyntaxProblem("the code is nested too deeply", 1, 1) from None


def expression_of(text: str) -> ast.expr:
    """The expression that a text is. Raises Refused."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(str(error)) from None
