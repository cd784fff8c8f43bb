"""What jitlint is working on, noted in memory that outlives the process: if it dies, another process can say where."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import NamedTuple

PARSING = "parsing"
TOP_LEVEL = "interpreting the top level"
INTERPRETING = "interpreting"

_SIZE = 4096
_page: mmap.mmap | None = None


class Progress(NamedTuple):
    """A piece of work: the arguments of `note`."""

    work: str = ""
    path: str = ""
    symbol: str = ""


def new_pages(count: int) -> Sequence[mmap.mmap]:
    """Memory for the notes of `count` processes, which is shared by all that are forked from now on."""
    return [mmap.mmap(-1, _SIZE) for _ in range(count)]


def use(page: mmap.mmap) -> None:
    """Has this process write its notes there."""
    global _page
    _page = page


_now = Progress()


def note(work: str, path: str, symbol: str = "") -> Progress:
    """Notes what this process begins to work on.

    Args:
        work: what it does, without any of the user's code: one of the words above.
        path: the file that it works on, as reports show it.
        symbol: the user's function or module that it works on.

    Returns:
        What it was working on before.
    """
    global _now
    before, _now = _now, Progress(work, path, symbol)
    if _page is not None:
        text = "\n".join((work, path, symbol)).encode(errors="surrogateescape")[: _SIZE - 1] + b"\0"
        _page[: len(text)] = text
    return before


def now() -> Progress:
    """What this process noted last."""
    return _now


def read(page: mmap.mmap) -> Progress:
    """What the process that writes to `page` noted last."""
    text = page[:].partition(b"\0")[0].decode(errors="replace")
    return Progress(*text.split("\n")[: len(Progress._fields)])
