"""Text to LibCST tree, with one kind of error."""

from __future__ import annotations

import ast
import re
import warnings

import libcst as cst


class SyntaxProblem(Exception):  # noqa: N818
    """A text that cannot be parsed. `line` and `column` count from 1; `message` is one line."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


def parse(text: str) -> cst.Module:
    """The concrete syntax tree of a module's text (newlines all `\\n`, no BOM).

    Raises SyntaxProblem for whatever cannot be parsed.
    """
    nul = text.find("\0")
    if nul >= 0:
        raise problem_at(text, nul, "the file contains a NUL character")
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise _explain(text, error) from None
    except RecursionError:
        raise SyntaxProblem("the code is nested too deeply", 1, 1) from None


def problem_at(text: str, offset: int, message: str) -> SyntaxProblem:
    """A SyntaxProblem at a character offset of the text."""
    return SyntaxProblem(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _explain(text: str, error: cst.ParserSyntaxError) -> SyntaxProblem:
    """Python's own words for what is wrong, LibCST's where this Python accepts the text or is older than it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as theirs:
        return SyntaxProblem(theirs.msg, theirs.lineno or 1, max(theirs.offset or 1, 1))
    except (RecursionError, MemoryError, ValueError):
        pass
    message = " ".join(str(error.message).split())
    place = re.search(r"error at (\d+):(\d+): ", message)
    if place:
        return SyntaxProblem(message[place.end() :], int(place[1]), int(place[2]) + 1)
    return SyntaxProblem(message, error.raw_line, error.raw_column + 1)
