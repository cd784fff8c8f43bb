"""Edits as differences of texts."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Sequence

from jitlint.fixes.edit import Edit
from jitlint.source.places import LineTable, Place, Span


def edits_between(path: str, before: str, after: str) -> Iterator[Edit]:
    """The edits, in whole lines, that turn one text into another.

    Args:
        path: the file, as places name it.
        before, after: the texts, with `\\n` for newlines.
    """
    old, new = whole_lines(before), whole_lines(after)
    table = LineTable(before)
    starts = [0, *itertools.accumulate(map(len, old))]
    for kind, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Edit(table.place(path, Span(starts[first], starts[last])), "".join(new[start:end]))


def whole_lines(text: str) -> list[str]:
    """The lines of a text, each with its newline; only `\\n` is one."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *filter(None, [last])]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits of it, which do not overlap."""
    starts = [0, *itertools.accumulate(map(len, whole_lines(text)))]
    for edit in sorted(edits, key=lambda edit: edit.place[1:5], reverse=True):
        place = edit.place
        start = starts[place.line - 1] + place.column - 1
        end = starts[place.end_line - 1] + place.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text


def overlap(some: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether edits touch what others edit, unless they say the same (an import that both need)."""
    return any(one != other and _touch(one.place, other.place) for one in some for other in others)


def _touch(one: Place, other: Place) -> bool:
    apart = one[3:5] <= other[1:3] or other[3:5] <= one[1:3]
    return one.path == other.path and not apart
