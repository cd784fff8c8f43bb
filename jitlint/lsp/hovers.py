"""Hovers and inlay hints: which expressions of a file are Static, Traced or Unknown."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from jitlint.events.revealed import NOT_TRACED, Revealed
from jitlint.source.printable import printable

_WORD = re.compile(r"[^\W\d]\w*")
_TRACED = re.compile(r"\bTraced\b")


class Hint(NamedTuple):
    """An inlay hint: a word before a parameter or a result, and its explanation. Line and column count from 1."""

    line: int
    column: int
    word: str
    explanation: str


def at(text: str, revealed: Iterable[Revealed], line: int, column: int) -> list[Revealed]:
    """The revealed values of the name or the attribute at a place of a text; line and column count from 1."""
    lines = text.split("\n")
    written = lines[line - 1] if line <= len(lines) else ""
    word = next((each for each in _WORD.finditer(written) if each.start() < column <= each.end() + 1), None)
    if word is None:
        return []
    start, end = word.start() + 1, word.end() + 1
    ending = [each for each in revealed if (each.place.end_line, each.place.end_column) == (line, end)]
    if written[: start - 1].rstrip().endswith("."):
        start_line, start = max(((each.place.line, each.place.column) for each in ending), default=(0, 0))
    else:
        start_line = line
    return [each for each in ending if (each.place.line, each.place.column) == (start_line, start)]


def describe(revealed: Sequence[Revealed]) -> str:
    """The text of a hover: each value that an expression has, with the contexts in which it has that value."""
    lines = [revealed[0].expression]
    for text, group in groupby(sorted(revealed, key=lambda each: each.text), key=lambda each: each.text):
        lines.append(text if text != "Unknown" else "Unknown: jitlint cannot tell, and is silent about it")
        lines += dict.fromkeys(f"  {each.context}, in {each.symbol}" for each in group)
    return printable("\n".join(lines))


def hints(text: str, revealed: Iterable[Revealed]) -> Iterator[Hint]:
    """Inlay hints for the traced parameters and results of functions that run under a transform."""
    known: dict[tuple[int, int], list[Revealed]] = {}
    for each in revealed:
        known.setdefault((each.place.line, each.place.column), []).append(each)
    lines = text.split("\n")
    for node in sorted(_marked(text), key=lambda node: (node.lineno, node.col_offset)):
        line, column = node.lineno, len(lines[node.lineno - 1].encode()[: node.col_offset].decode()) + 1
        end = len(lines[(node.end_lineno or 1) - 1].encode()[: node.end_col_offset].decode()) + 1
        here = known.get((line, column), [])
        if isinstance(node, ast.expr):
            here = [each for each in here if (each.place.end_line, each.place.end_column) == (node.end_lineno, end)]
        here = [each for each in here if each.context != NOT_TRACED]
        if word := _mark(here):
            yield Hint(line, column, word, describe(here))


def _marked(text: str) -> Iterator[ast.arg | ast.expr]:
    with warnings.catch_warnings(action="ignore"):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from filter(None, (node.args.vararg, node.args.kwarg))
        elif isinstance(node, ast.Return) and node.value is not None:
            yield node.value


def _mark(revealed: Sequence[Revealed]) -> str:
    """`traced` if all the values are, `traced or static` if some are, "" if none is."""
    traced = [bool(_TRACED.search(each.text)) for each in revealed]
    return "" if not any(traced) else "traced" if all(traced) else "traced or static"
