"""Text to LibCST tree, with one kind of error."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import libcst

from jitlint.syntax.stack import with_large_stack

_Tree = TypeVar("_Tree")

MAX_BRACKETS = 200
"""CPython's own limit of nested brackets; LibCST's parser needs quadratic time and much stack for more."""

_BRACKETS_AND_QUOTED = re.compile(
    r"""[(\[{}\])]|#[^\n]*|("{3}|'{3})(?:[^\\]|\\[\s\S])*?\1|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'"""
)


class SyntaxProblem(Exception):  # noqa: N818
    """A text that cannot be parsed. `line` and `column` count from 1; `message` is one line."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


def parse(text: str) -> libcst.Module:
    """The concrete syntax tree of a module's text (newlines all `\\n`, no BOM).

    Raises SyntaxProblem for whatever cannot be parsed.
    """
    return with_large_stack(partial(parse_with, libcst.parse_module), text)


def parse_with(parser: Callable[[str], _Tree], text: str) -> _Tree:
    """What a parser of LibCST's makes of a text; what it raises becomes a SyntaxProblem."""
    nul = text.find("\0")
    if nul >= 0:
        raise problem_at(text, nul, "the file contains a NUL character")
    _check_brackets(text)
    try:
        return parser(text)
    except libcst.ParserSyntaxError as error:
        raise _explain(text, error) from None
    except BaseException as error:  # a panic in LibCST's native code is no Exception; nothing else interrupts a thread
        raise SyntaxProblem(f"LibCST cannot parse this: {' '.join(str(error).split())}", 1, 1) from error


def problem_at(text: str, offset: int, message: str) -> SyntaxProblem:
    """A SyntaxProblem at a character offset of the text."""
    return SyntaxProblem(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _check_brackets(text: str) -> None:
    """Raise SyntaxProblem at the first bracket, outside of strings and comments, that nests too deep."""
    if text.count("(") + text.count("[") + text.count("{") <= MAX_BRACKETS:
        return
    depth = 0
    for token in _BRACKETS_AND_QUOTED.finditer(text):
        character = token[0]
        if character in "([{":
            depth += 1
            if depth > MAX_BRACKETS:
                raise problem_at(text, token.start(), f"more than {MAX_BRACKETS} nested brackets")
        elif character in ")]}":
            depth -= 1


def _explain(text: str, error: libcst.ParserSyntaxError) -> SyntaxProblem:
    """Python's own words for what is wrong; LibCST's where this Python accepts the text or gets further."""
    message = " ".join(str(error.message).split())
    place = re.search(r"error at (\d+):(\d+): ", message)
    line, column = (int(place[1]), int(place[2])) if place else (error.raw_line, error.raw_column)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as theirs:
        if not place or (theirs.lineno or 1) <= line:
            return SyntaxProblem(theirs.msg, theirs.lineno or 1, max(theirs.offset or 1, 1))
    except (RecursionError, MemoryError, ValueError):
        pass
    reason = message[place.end() :] if place else message
    return SyntaxProblem(f"LibCST cannot parse this: {reason}", line, column + 1)
