"""Markdown documents: their fenced blocks of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FENCE = re.compile(r"(?P<lead>[ \t>]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*)")
_LANGUAGE = re.compile(r"\{?\s*\.?(?P<name>[\w+#-]*)\s*\}?[ \t]*(?P<more>.*)")
_PYTHON = frozenset({"python", "py", "python3", "py3", "ipython", "ipython3", "pycon", "python-repl"})
_DIRECTIVES = frozenset({"code-cell", "code-block", "code", "sourcecode"})
_OPTION = re.compile(r":[\w-]+:(?: .*)?")


class Block(NamedTuple):
    """A block of Python: the number of its first line, its lines, and by how many columns each was moved left."""

    first: int
    lines: tuple[str, ...]
    shifts: tuple[int, ...]


def code_blocks(text: str) -> Iterator[Block]:
    """The blocks of Python in a document, in reading order."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opened = _FENCE.fullmatch(lines[at])
        at += 1
        if opened is None or ("`" in opened["info"] and opened["fence"][0] == "`"):
            continue
        closing = re.compile(rf"[ \t>]*{opened['fence'][0]}{{{len(opened['fence'])},}}[ \t]*")
        end = next((n for n in range(at, len(lines)) if closing.fullmatch(lines[n])), len(lines))
        if _is_python(opened["info"]):
            yield _block(opened["lead"], at, lines[at:end], directive=opened["info"].startswith("{"))
        at = end + 1


def _is_python(info: str) -> bool:
    """Whether a fence's words say Python: `python`, `py title="…"`, `{.python}`, `{code-cell} ipython3` …"""
    found = _LANGUAGE.match(info.strip().lower())
    if found is None:
        return False
    if found["name"] in _DIRECTIVES:
        language = found["more"].split()[:1]
        return language[0] in _PYTHON if language else found["name"] == "code-cell"
    return found["name"] in _PYTHON


def _block(lead: str, at: int, lines: Sequence[str], *, directive: bool) -> Block:
    shifts = [_common(lead, line) for line in lines]
    texts = [line[shift:] for line, shift in zip(lines, shifts, strict=True)]
    for number in range(_options(texts) if directive else 0):
        texts[number] = ""
    return Block(at + 1, tuple(texts), tuple(shifts))


def _common(lead: str, line: str) -> int:
    """How many columns of a line belong to the indentation and the `>` marks that stand before its fence."""
    return next((at for at, (a, b) in enumerate(zip(lead, line, strict=False)) if a != b), min(len(lead), len(line)))


def _options(lines: Sequence[str]) -> int:
    """How many lines of a directive are options: `:name: value`, or YAML between lines of hyphens."""
    if lines and lines[0].strip() == "---":
        return next((n + 1 for n in range(1, len(lines)) if lines[n].strip() == "---"), 0)
    return next((n for n, line in enumerate(lines) if not _OPTION.fullmatch(line.strip())), len(lines))
