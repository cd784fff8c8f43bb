"""Parses text with LibCST; its different errors become one."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import TypeVar

import libcst

from jitlint.syntax.problems import SyntaxProblem, problem_at

_Tree = TypeVar("_Tree")

MAX_BRACKETS = 200
"""CPython's own limit of nested brackets; LibCST's parser needs quadratic time and much stack for more."""

_BRACKETS_AND_QUOTED = re.compile(
    r"""[(\[{}\])]|#[^\n]*|("{3}|'{3})(?:[^\\]|\\[\s\S])*?\1|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'"""
)


def parse_with(parser: Callable[[str], _Tree], text: str) -> _Tree:
    """Calls one of LibCST's parsers. Raises SyntaxProblem for whatever the parser raises."""
    nul = text.find("\0")
    if nul >= 0:
        raise problem_at(text, nul, "the file contains a NUL character")
    _check_brackets(text)
    try:
        return parser(text)
    except libcst.ParserSyntaxError as error:
        raise _explain(text, error.message, error.raw_line, error.raw_column) from None
    except BaseException as error:  # a panic in LibCST's native code is no Exception; nothing else interrupts a thread
        raise _explain(text, str(error), 1, 0) from error


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


def _explain(text: str, message: str, line: int, column: int) -> SyntaxProblem:
    """The problem in the words of Python's parser; in LibCST's where Python can parse the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as theirs:
        return SyntaxProblem(theirs.msg, theirs.lineno or 1, max(theirs.offset or 1, 1))
    except (RecursionError, MemoryError, ValueError):
        pass
    message = " ".join(message.split())
    place = re.search(r"error at (\d+):(\d+): ", message)
    if place:
        line, column = int(place[1]), int(place[2])
        message = message[place.end() :]
    return SyntaxProblem(f"LibCST cannot parse this: {message}", line, column + 1)
