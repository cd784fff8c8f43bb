"""Parses text with Python's parser; its different errors become one."""

from __future__ import annotations

import ast

from jitlint.syntax.problems import SyntaxProblem


class Refused(Exception):  # noqa: N818
    """This front end cannot read a text: LibCST has to."""


def module_of(text: str) -> list[ast.stmt]:
    """The statements of a module's text. Raises Refused, and SyntaxProblem for code that nests too deep."""
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        raise Refused(str(error)) from None
    except (RecursionError, MemoryError):  # Python could not run it either, and LibCST takes minutes for such code
        raise SyntaxProblem("the code is nested too deeply", 1, 1) from None


def expression_of(text: str) -> ast.expr:
    """The expression of a text. Raises Refused if it is not one."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(str(error)) from None
