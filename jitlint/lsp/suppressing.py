"""The edit that leaves a finding out: a comment on the line where it counts."""

from __future__ import annotations

import io
import re
import tokenize
from typing import NamedTuple

_IGNORE = re.compile(r"#\s*jitlint:\s*ignore\[[^\]]*(?=\])")
_REASON = "TODO: why"


class Insertion(NamedTuple):
    """Text to insert, before a column of a line; both count from 1."""

    line: int
    column: int
    text: str


def suppression(text: str, lines: tuple[int, ...], code: str) -> Insertion | None:
    """What to write, None if none of the lines can have a comment.

    Args:
        text: the file, with `\\n` for newlines.
        lines: those on which a comment counts, the best first.
        code: what is to be left out.
    """
    comments: dict[int, tokenize.TokenInfo] = {}
    closed: set[int] = set()
    depth: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "COMMENT":
                comments[token.start[0]] = token
            elif kind in ("FSTRING_START", "TSTRING_START"):
                depth.append(token.start[0])
            elif kind in ("FSTRING_END", "TSTRING_END"):
                closed.update(range(depth.pop(), token.end[0]))
            elif kind == "STRING":
                closed.update(range(token.start[0], token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        return None
    written = text.split("\n")
    for line in lines:
        before = written[line - 1]
        if line in comments:
            found = _IGNORE.search(before, comments[line].start[1])
            if found:
                return Insertion(line, found.end() + 1, f", {code}")
        elif line in closed or before.endswith("\\"):
            continue
        return Insertion(line, len(before.rstrip()) + 1, f"  # jitlint: ignore[{code}] {_REASON}")
    return None
