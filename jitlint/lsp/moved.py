"""Moves the findings of an earlier text to their lines in a later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from jitlint.events.revealed import Revealed
from jitlint.findings.finding import Finding
from jitlint.source.places import Place


class Moved:
    """One edit of a file: the lines before and after it stay the same, and findings within it are dropped."""

    def __init__(self, path: str, before: str, after: str) -> None:
        """
        Args:
            path: the file, as places name it.
            before: the text that the places belong to.
            after: the text now.
        """
        old, new = before.split("\n"), after.split("\n")
        self._path = path
        self._first = _same(old, new)
        left = min(len(old), len(new)) - self._first
        self._last = len(old) - min(left, _same(reversed(old), reversed(new)))
        self._shift = len(new) - len(old)

    def findings(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that are still there, in their new places; those of other files stay as they are."""
        for finding in findings:
            if place := self.place(finding.event.place):
                flow = tuple(step._replace(place=at) for step in finding.event.flow if (at := self.place(step.place)))
                yield replace(finding, event=replace(finding.event, place=place, flow=flow))

    def revealed(self, revealed: Iterable[Revealed]) -> Iterator[Revealed]:
        """The same for revealed values."""
        for each in revealed:
            if place := self.place(each.place):
                yield replace(each, place=place)

    def place(self, place: Place) -> Place | None:
        """Where a place is now, None if the edit changed it."""
        if place.path != self._path or place.end_line <= self._first:
            return place
        if place.line <= self._last:
            return None
        return place._replace(line=place.line + self._shift, end_line=place.end_line + self._shift)


def _same(old: Iterable[str], new: Iterable[str]) -> int:
    """How many lines at their beginnings two texts have in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
