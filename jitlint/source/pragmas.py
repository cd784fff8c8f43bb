"""Comments that tell linters what to leave out, and the inputs of functions: `# noqa` and `# jitlint:`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Codes = tuple[str, ...]
"""Code prefixes; `("",)` means every code."""

_CODE = r"[A-Za-z][A-Za-z0-9]*"
_CODES = rf"{_CODE}(?:[,\s]+{_CODE})*"
_NOQA = re.compile(r"#\s*noqa(?::\s?(?P<codes>[A-Z][0-9A-Z]*[0-9]+(?:[,\s]+[A-Z][0-9A-Z]*[0-9]+)*))?", re.IGNORECASE)
_IGNORE = re.compile(rf"#\s*jitlint:\s*ignore(?:\[\s*(?P<codes>{_CODES})\s*\])?(?=\s|$|#)")
_SKIP_FILE = re.compile(r"#\s*jitlint:\s*skip-file\b")
_INPUTS = re.compile(r"#\s*jitlint:\s*inputs\b(?:\((?P<inputs>.*)\))?")
_ANY = re.compile(r"noqa|jitlint:", re.IGNORECASE)
_OWN = re.compile(r"jitlint:\s*ignore|noqa:.*\bJIT", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pragmas:
    """What a file's comments say. `noqa` and `ignores` map lines to the code prefixes left out there."""

    skip_file: bool = False
    noqa: Mapping[int, Codes] = field(default_factory=dict)
    ignores: Mapping[int, Codes] = field(default_factory=dict)

    def suppresses(self, code: str, lines: tuple[int, ...], *, noqa: bool = True) -> bool:
        """Whether a comment leaves out a finding of this code on these lines.

        With `noqa=False` only jitlint's own comments count, not `# noqa`.
        """
        if self.skip_file:
            return True
        tables = (self.noqa, self.ignores) if noqa else (self.ignores,)
        return any(code.startswith(table.get(line, ())) for table in tables for line in lines)


def read_pragmas(text: str) -> Pragmas:
    """The pragmas in a file's comments; text within strings does not count."""
    if not _ANY.search(text):
        return Pragmas()
    noqa: dict[int, Codes] = {}
    ignores: dict[int, Codes] = {}
    skip_file = False
    for line, comment in _comments(text):
        skip_file = skip_file or bool(_SKIP_FILE.search(comment))
        for pattern, table in ((_NOQA, noqa), (_IGNORE, ignores)):
            if found := pattern.search(comment):
                table[line] = _codes(found["codes"])
    return Pragmas(skip_file, noqa, ignores)


def may_suppress(text: str, lines: Iterable[int]) -> bool:
    """Whether comments may leave out findings on some lines: a quick check, since reading all comments takes long."""
    written = text.split("\n")
    return "skip-file" in text or any(_ANY.search(written[line - 1]) for line in lines if line <= len(written))


class Suppression(NamedTuple):
    """A part of a comment that leaves out findings of some codes. Lines and columns count from 1.

    Attributes:
        line: the comment's line.
        column: where the part begins.
        end_column: where it ends.
        kind: `ignore` or `noqa`.
        codes: beginnings of the codes to leave out.
        alone: whether the comment says nothing else, except a reason.
        end: the column where the comment ends.
    """

    line: int
    column: int
    end_column: int
    kind: str
    codes: Codes
    alone: bool
    end: int


def suppressions(text: str) -> list[Suppression]:
    """The parts of a file's comments that leave out jitlint's findings, in their order; none if the file is skipped."""
    found: list[Suppression] = []
    if not _OWN.search(text):
        return found
    for line, column, comment in _placed_comments(text):
        if _SKIP_FILE.search(comment):
            return []
        for kind, pattern in (("noqa", _NOQA), ("ignore", _IGNORE)):
            if part := pattern.search(comment):
                codes = _codes(part["codes"])
                mine = tuple(code for code in codes if code.startswith("JIT") or kind == "ignore")
                if any(mine) or kind == "ignore":
                    start, end = column + part.start(), column + len(comment)
                    alone = part.start() == 0 and comment.count("#") == 1 and mine == codes
                    found.append(Suppression(line, start, start + len(part[0]), kind, mine, alone, end))
    return found


def declarations(text: str) -> Iterator[tuple[int, str]]:
    """The lines of `# jitlint: inputs(…)` comments, and the text in the parentheses ("" if there are none)."""
    if "jitlint:" in text:
        for line, comment in _comments(text):
            if found := _INPUTS.search(comment):
                yield line, found["inputs"] or ""


def _codes(listed: str | None) -> Codes:
    return tuple(code.upper() for code in re.split(r"[,\s]+", listed)) if listed else ("",)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    return ((line, comment) for line, _, comment in _placed_comments(text))


def _placed_comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Line and column, both from 1, and text of each comment."""
    line = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            line = token.start[0]
            if token.type == tokenize.COMMENT:
                yield line, token.start[1] + 1, token.string
    except (tokenize.TokenError, SyntaxError):
        # Python cannot tokenize the rest: whatever looks like a comment counts as one.
        for number, content in enumerate(text.split("\n")[line:], line + 1):
            if "#" in content:
                yield number, content.index("#") + 1, content[content.index("#") :]
