"""What an edit is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from jitlint.source.places import Place


class Edit(NamedTuple):
    """A piece of a file, and the text that takes its place."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What to change so that a finding is gone, and nothing else about the program."""

    message: str
    edits: tuple[Edit, ...]
