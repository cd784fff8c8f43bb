"""State that outlives a trace: what traced bodies read, and who changes it.

Reads and writes are collected while the program is interpreted; when all is seen, a read of something that is changed
elsewhere becomes an event.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from jitlint.analysis.events import Entry, Root
from jitlint.project.modules import Module
from jitlint.source.places import Span

Branch = tuple[int, int]
"""A choice that the run took: which one, and which of its alternatives."""


@dataclass(frozen=True, slots=True)
class StateRead:
    """A traced body reads the state `key`; `construct` is global, closure, attribute or item, `name` what people call
    it, `made_in` the loops in which the reading closure is made anew, `fresh` whether the transformed function lives no
    longer than the call that made it (then only what happens within that call can make it stale). `holder` is the
    serial of the instance whose attribute it is; 0 if it may be any of the class. `branches` led there."""

    key: Hashable
    construct: str
    name: str
    module: Module
    span: Span
    symbol: str
    entry: Entry
    root: Root | None
    reader: Hashable
    made_in: tuple[int, ...]
    fresh: bool
    branches: tuple[Branch, ...]
    holder: int = 0
    guess: str = ""


@dataclass(frozen=True, slots=True)
class StateWrite:
    """Something changes the state `key`. `ordered`: by code whose order with the reads is known (the owner's own, or
    module tops), so that it counts only after a read. `loops` are those around the write; `holder` as in a read."""

    module: Module
    span: Span
    ordered: bool
    traced: bool
    initial: bool
    writer: Hashable
    loops: tuple[int, ...]
    branches: tuple[Branch, ...]
    holder: int = 0


@dataclass(slots=True)
class StateLog:
    reads: dict[Hashable, StateRead] = field(default_factory=dict)
    read_keys: dict[Hashable, StateRead] = field(default_factory=dict)
    writes: dict[Hashable, list[StateWrite]] = field(default_factory=dict)

    def read(self, read: StateRead) -> None:
        self.reads.setdefault((read.key, read.module.source.path, read.span, read.holder), read)
        self.read_keys.setdefault(read.key, read)

    def write(self, key: Hashable, write: StateWrite) -> None:
        if write.ordered:
            read = self.read_keys.get(key)
            if read is None or any(loop in read.made_in for loop in write.loops):
                return
            if exclusive(read.branches, write.branches):
                return
        writes = self.writes.setdefault(key, [])
        place = (write.module, write.span, write.holder, write.traced)
        if all((known.module, known.span, known.holder, known.traced) != place for known in writes):
            writes.append(write)

    def stale(self) -> list[tuple[StateRead, StateWrite]]:
        """Every read whose state is changed after the traced body captured it, with one such change."""
        found = []
        for read in self.reads.values():
            writes = [write for write in self.writes.get(read.key, ()) if _may_be_same(read.holder, write.holder)]
            if any(write.traced for write in writes):
                continue  # the trace sets it itself, before it reads it
            for write in writes:
                if _changes(read, write):
                    found.append((read, write))
                    break
        return found


def exclusive(one: tuple[Branch, ...], other: tuple[Branch, ...]) -> bool:
    """Whether two places lie on different branches of one choice, so that no run comes to both."""
    taken = dict(one)
    return any(taken.get(choice, alternative) != alternative for choice, alternative in other)


def _may_be_same(a: int, b: int) -> bool:
    return a == b or not a or not b


def _changes(read: StateRead, write: StateWrite) -> bool:
    if read.fresh and not write.ordered:
        return False
    return not (write.traced or write.initial or write.writer == read.reader)
