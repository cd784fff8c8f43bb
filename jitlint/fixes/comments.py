"""Edits of comments that leave findings out: writing one, and removing one that is no longer needed."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from jitlint.fixes.edit import Edit, Fix
from jitlint.source.places import Place
from jitlint.source.pragmas import Suppression

_IGNORE = re.compile(r"#\s*jitlint:\s*ignore\[[^\]]*(?=\])")
_REASON = "TODO: why"


def suppressing(path: str, text: str, lines: Sequence[int], code: str) -> Fix | None:
    """Leaves a finding out: adds its code to the comment of a line, or a comment to the line.

    Args:
        path: the file, as places name it.
        text: its text, with `\\n` for newlines.
        lines: those on which a comment counts, the best first.
        code: the finding's code.

    Returns:
        None if none of the lines can have a comment: they end within a string or in a backslash, or the text is not
        Python.
    """
    try:
        comments, within_strings = _scanned(text)
    except (tokenize.TokenError, SyntaxError):
        return None
    written = text.split("\n")
    for line in lines:
        content = written[line - 1]
        if line in comments:
            if ignored := _IGNORE.search(content, comments[line]):
                return _insertion(path, line, ignored.end() + 1, f", {code}", code)
        elif line in within_strings or content.endswith("\\"):
            continue
        return _insertion(path, line, len(content.rstrip()) + 1, f"  # jitlint: ignore[{code}] {_REASON}", code)
    return None


def removing(path: str, text: str, comment: Suppression) -> Fix:
    """Removes a comment that leaves nothing out, with the space before it.

    Args:
        path: the file, as places name it.
        text: its text.
        comment: where the comment stands; it says nothing else.
    """
    before = text.split("\n")[comment.line - 1][: comment.column - 1]
    place = Place(path, comment.line, len(before.rstrip()) + 1, comment.line, comment.end)
    return Fix("Remove the comment", (Edit(place, ""),))


def _insertion(path: str, line: int, column: int, text: str, code: str) -> Fix:
    edit = Edit(Place(path, line, column, line, column), text)
    return Fix(f"Leave out {code} here, with a reason", (edit,))


def _scanned(text: str) -> tuple[dict[int, int], set[int]]:
    """The columns (from 0) of comments by their lines, and the lines that end within a string.

    Raises:
        tokenize.TokenError, SyntaxError: the text is not Python.
    """
    comments: dict[int, int] = {}
    within_strings: set[int] = set()
    format_strings: list[int] = []  # the lines on which the open ones begin
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        match tokenize.tok_name[token.type]:
            case "COMMENT":
                comments[token.start[0]] = token.start[1]
            case "FSTRING_START" | "TSTRING_START":
                format_strings.append(token.start[0])
            case "FSTRING_END" | "TSTRING_END":
                within_strings.update(range(format_strings.pop(), token.end[0]))
            case "STRING":
                within_strings.update(range(token.start[0], token.end[0]))
    return comments, within_strings
