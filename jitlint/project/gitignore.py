"""Patterns in the style of .gitignore, matched in a time that grows with the path, whatever the pattern.

pathspec translates a pattern into a regular expression, in which each wildcard may try all lengths for each of the
others: sixty in a row do not come to an end. Only the last wildcard of a kind needs that. For the others, what follows
them may as well match at the first place where it can, as every later place leaves less to the rest. (Python's fnmatch
relies on the same.) So they become atomic groups, which are never tried again.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_LONGEST = 4096
_MOST = 10_000

_STAR = "[^/]*"
_FOLDERS = {"(?:.+/)?": "(?:.+?/)??", "(?:/.+)?": "(?:/.+?)??"}
"""What `**` becomes: as pathspec writes it, and so that it takes as little as it can."""
_TOKEN = re.compile(
    r"\(\?:\.\+/\)\?|\(\?:/\.\+\)\?"  # `**`
    r"|\(\?:\(\?P<ps_d>/\)\|\$\)|\(\?P<ps_d>/\)"  # how pathspec ends an expression
    r"|\[\^/\][*+]?|\[\^?\]?[^\]]*\]|\\.|.",
    re.DOTALL,
)


class PatternError(ValueError):
    """A pattern, or a list of patterns, that is of no use; the message says why."""


def spec(lines: Sequence[str]) -> GitIgnoreSpec:
    """What a list of patterns matches.

    Raises:
        PatternError: one of them is none, or there are too many.
    """
    if len(lines) > _MOST:
        raise PatternError(f"there are more than {_MOST:,} patterns; leave out folders instead")
    return GitIgnoreSpec(map(_pattern, lines))


def spec_of_file(text: str) -> GitIgnoreSpec:
    """What a .gitignore matches; its lines that are no patterns count as little as they do for git.

    Raises:
        PatternError: there are too many lines.
    """
    return spec([line for line in text.splitlines() if _is_pattern(line)])


class _Pattern(GitIgnoreSpecPattern):
    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        regex, include = super().pattern_to_regex(pattern)
        return linear(regex) if regex is not None else None, include


def _pattern(line: str) -> _Pattern:
    shown = line if len(line) < 80 else f"{line[:80]}…"
    if len(line) > _LONGEST:
        raise PatternError(f"`{shown}` is longer than {_LONGEST:,} characters")
    try:
        with warnings.catch_warnings(action="ignore"):  # of `[[`, which may mean something else one day
            made = _Pattern(line)
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"`{shown}` is no pattern of .gitignore; correct or remove it") from error
    if made.include is None and line.strip() and not line.startswith("#"):
        raise PatternError(f"`{shown}` matches nothing; correct or remove it")
    return made


def _is_pattern(line: str) -> bool:
    try:
        return bool(_pattern(line))
    except PatternError:
        return False


def linear(regex: str) -> str:
    """A regular expression of pathspec's, so that it does not try again what cannot help."""
    pieces: list[list[str]] = [[]]
    for token in _TOKEN.findall(regex):
        if token in _FOLDERS:
            pieces.append([])
        pieces[-1].append(token)
    first, *others = pieces
    written = ["".join(_segments(first))]
    for at, (folders, *tokens) in enumerate(others, 1):
        rest = "".join(_segments(tokens))
        written.append(f"{folders}{rest}" if at == len(others) else f"(?>{_FOLDERS[folders]}{rest}(?=/))")
    return "".join(written)


def _segments(tokens: Iterable[str]) -> Iterator[str]:
    """The tokens of names with slashes between, in which of a name's stars only the last is tried again."""
    begun: list[str] = []  # from the last star on
    for token in tokens:
        if token == _STAR and begun:
            if len(begun) > 1:
                yield f"(?>[^/]*?{''.join(begun[1:])})"
            begun = [token]
        elif token == _STAR or (begun and "/" not in token.replace("[^/]", "")):
            begun.append(token)
        else:
            yield from begun
            begun = []
            yield token
    yield from begun
