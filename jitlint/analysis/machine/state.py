"""State that outlives a trace: what traced bodies read, and who changes it.

Reads and writes are collected while the program is interpreted; when all is seen, a read of something that is changed
elsewhere becomes an event. They know places, not modules: those of a unit are kept, and compared with all others'.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple

from jitlint.events.event import Confidence, Entry, Event, EventKind, Root
from jitlint.source.places import Place, Step

Branch = tuple[int, int]
"""A choice that the run took: which one, and which of its alternatives."""


class StateRead(NamedTuple):
    """A traced body reads the state `key`; `construct` is global, closure, attribute or item, `name` what people call
    it, `made_in` the loops in which the reading closure is made anew, `fresh` whether the transformed function lives no
    longer than the call that made it (then only what happens within that call can make it stale). `holder` is the
    serial of the instance whose attribute it is; 0 if it may be any of the class. `branches` led there."""

    key: tuple[Hashable, ...]
    construct: str
    name: str
    place: Place
    symbol: str
    entry: Entry
    root: Root | None
    reader: Hashable
    made_in: tuple[int, ...]
    fresh: bool
    branches: tuple[Branch, ...]
    holder: Hashable = 0
    guess: str = ""


class StateWrite(NamedTuple):
    """Something changes the state `key`. `ordered`: by code whose order with the reads is known (the owner's own, or
    module tops), so that it counts only after a read. `holder` as in a read."""

    key: tuple[Hashable, ...]
    place: Place
    ordered: bool
    traced: bool
    initial: bool
    writer: Hashable
    holder: Hashable = 0


def stale(
    reads: Iterable[StateRead], writes: Iterable[StateWrite], matters: Callable[[StateRead, StateWrite], bool]
) -> Iterator[Event]:
    """An event for every read whose state is changed after the traced body captured it, with one such change.

    Args:
        reads: what traced bodies read.
        writes: what changes.
        matters: whether an ordered write comes before the reading function may run again.
    """
    by_key: dict[Hashable, list[StateWrite]] = {}
    for write in writes:
        by_key.setdefault(write.key, []).append(write)
    for read in reads:
        found = [write for write in by_key.get(read.key, ()) if _may_be_same(read.holder, write.holder)]
        if any(write.traced for write in found):
            continue  # the trace sets it itself, before it reads it
        change = next((w for w in found if _changes(read, w) and (not w.ordered or matters(read, w))), None)
        if change is not None:
            yield _event(read, change)


def exclusive(one: tuple[Branch, ...], other: tuple[Branch, ...]) -> bool:
    """Whether two places lie on different branches of one choice, so that no run comes to both."""
    taken = dict(one)
    return any(taken.get(choice, alternative) != alternative for choice, alternative in other)


def _may_be_same(a: Hashable, b: Hashable) -> bool:
    return a == b or not a or not b


def _changes(read: StateRead, write: StateWrite) -> bool:
    if read.fresh and not write.ordered:
        return False
    return not (write.traced or write.initial or write.writer == read.reader)


def _event(read: StateRead, write: StateWrite) -> Event:
    function = read.entry.function.rpartition(".")[2].rpartition(":")[2]
    by = f"`{read.entry.transform}`" + (f" of `{function}`" if function else "")
    steps = (
        Step(write.place, f"`{read.name}` is changed here"),
        Step(read.place, f"`{read.name}` is read here while tracing under {by}"),
    )
    return Event(
        kind=EventKind.STATE_READ,
        place=read.place,
        construct=read.construct,
        subject=read.name,
        symbol=read.symbol,
        entry=read.entry,
        root=read.root,
        flow=steps if write.place != read.place else steps[:1],
        confidence=Confidence.LIKELY if read.guess else Confidence.CERTAIN,
        guess=read.guess,
        detail={"name": read.name, "writer": f"{write.place.path}:{write.place.line}"},
    )
