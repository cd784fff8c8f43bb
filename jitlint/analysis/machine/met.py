"""What calls meet: a call that is remembered does not run again, but meets the same once more."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Final, Generic, TypeVar

_Item = TypeVar("_Item", bound=Hashable)

NO_CALL: Final = -1
"""The nesting of what no running call has made."""


class Met(Generic[_Item]):
    """What calls meet: events, by their keys, or compiled functions. A call that is remembered meets them once more.

    But not those that it has made itself: it would make others.
    """

    def __init__(self) -> None:
        self.in_calls: dict[int, Mapping[_Item, int]] = {}
        """What each call has met that is remembered, by its number, with the nesting of the call that has made it."""
        self._running: list[tuple[int, dict[_Item, int]]] = []
        """The calls that run, the outermost first: their nesting, and what each has met."""

    def begin(self, nesting: int) -> None:
        """A call begins, within so many others."""
        self._running.append((nesting, {}))

    def note(self, met: Iterable[_Item], made_in: int = NO_CALL) -> None:
        """The running call meets something, which a call of that nesting has made."""
        if self._running:
            self._running[-1][1].update(dict.fromkeys(met, made_in))

    def end(self, number: int, *, remembered: bool) -> None:
        """The running call ends; what it has met, the call around it has met, too."""
        nesting, all_met = self._running.pop()
        met = {item: made_in for item, made_in in all_met.items() if made_in < nesting}
        if self._running:
            self._running[-1][1].update(met)
        if met and remembered:
            self.in_calls[number] = met
