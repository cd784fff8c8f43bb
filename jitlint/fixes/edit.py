"""What an edit is, and what a fix is."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from jitlint.source.places import Place


class Grade(enum.StrEnum):
    """How far a fix can be trusted without proof."""

    SAFE = "safe"
    """Keeps what the program means where it runs without jit."""
    UNSAFE = "unsafe"
    """May change it: read the edit, or have it proven with `--verify`."""


class Remedy(NamedTuple):
    """A kind of fix that rules offer.

    Attributes:
        room: the folder of `jitlint/fixes/edits` in which its module is.
        name: the module that makes the edits.
        grade: the best grade that such a fix has; what a place lacks can make it worse.
        text: what it does, as the end of "jitlint can …".
    """

    room: str
    name: str
    grade: Grade
    text: str


class Edit(NamedTuple):
    """A piece of a file, and the text that takes its place."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What to change so that a finding is gone, and nothing else about the program.

    Attributes:
        message: what the edits do.
        edits: pieces of files that do not overlap, in their order.
        grade: how far to trust it.
        remedy: the kind of fix, by its name; "" of edits of comments.
    """

    message: str
    edits: tuple[Edit, ...]
    grade: Grade = Grade.SAFE
    remedy: str = ""
