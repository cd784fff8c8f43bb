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


@dataclass(frozen=True, slots=True)
class StateRead:
    """A traced body reads the state `key`; `construct` is global, closure, attribute or item, `name` what people call
    it, `made_in` the loops in which the reading closure is made anew, `fresh` whether the transformed function lives no
    longer than the call that made it (then only what happens within that call can make it stale)."""

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
    guess: str = ""


@dataclass(frozen=True, slots=True)
class StateWrite:
    """Something changes the state `key`. `ordered`: by code whose order with the reads is known (the owner's own, or
    module tops), so that it counts only after a read. `loops` are those around the write."""

    module: Module
    span: Span
    ordered: bool
    traced: bool
    initial: bool
    writer: Hashable
    loops: tuple[int, ...]


@dataclass(slots=True)
class StateLog:
    reads: dict[Hashable, StateRead] = field(default_factory=dict)
    read_keys: dict[Hashable, StateRead] = field(default_factory=dict)
    writes: dict[Hashable, list[StateWrite]] = field(default_factory=dict)

    def read(self, read: StateRead) -> None:
        self.reads.setdefault((read.key, read.module.source.path, read.span), read)
        self.read_keys.setdefault(read.key, read)

    def write(self, key: Hashable, write: StateWrite) -> None:
        if write.ordered:
            read = self.read_keys.get(key)
            if read is None or any(loop in read.made_in for loop in write.loops):
                return
        writes = self.writes.setdefault(key, [])
        if all(known.span != write.span or known.module is not write.module for known in writes):
            writes.append(write)

    def stale(self) -> list[tuple[StateRead, StateWrite]]:
        """Every read whose state is changed after the traced body captured it, with one such change."""
        found = []
        for read in self.reads.values():
            writes = self.writes.get(read.key, ())
            if any(write.traced for write in writes):
                continue  # the trace sets it itself, before it reads it
            for write in writes:
                if _changes(read, write):
                    found.append((read, write))
                    break
        return found


def _changes(read: StateRead, write: StateWrite) -> bool:
    if read.fresh and not write.ordered:
        return False
    return not (write.traced or write.initial or write.writer == read.reader)
