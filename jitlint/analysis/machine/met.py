"""What calls meet: a call that is remembered does not run again, but meets the same once more."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

_Item = TypeVar("_Item", bound=Hashable)


class Met(Generic[_Item]):
    """What calls meet: events, by their keys, or compiled functions. A call that is remembered meets them once more."""

    def __init__(self) -> None:
        self.in_calls: dict[int, tuple[_Item, ...]] = {}
        """What each call has met that is remembered, by its number."""
        self._running: list[dict[_Item, None]] = []
        """What each call has met that runs, the outermost first: each once, however often it is met."""

    def begin(self) -> None:
        """A call begins."""
        self._running.append({})

    def note(self, met: Iterable[_Item]) -> None:
        """The running call meets something."""
        if self._running:
            self._running[-1].update(dict.fromkeys(met))

    def end(self, number: int, *, remembered: bool) -> None:
        """The running call ends; what it has met, the call around it has met, too."""
        met = self._running.pop()
        self.note(met)
        if met and remembered:
            self.in_calls[number] = tuple(met)
