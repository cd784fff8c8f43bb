"""What a run has read and written so far of state that outlives a trace."""

from __future__ import annotations

from collections.abc import Hashable

from jitlint.analysis.machine.state import Branch, StateRead, StateWrite, exclusive


class StateLog:
    """The reads and writes of one run, each once, by what tells them from others. `known` are the first reads of all
    keys, those of the module tops among them."""

    def __init__(self, known: dict[Hashable, StateRead]) -> None:
        self.known = known
        self.reads: dict[Hashable, StateRead] = {}
        self.writes: dict[Hashable, StateWrite] = {}

    def counts(self, key: Hashable, loops: tuple[int, ...], branches: list[Branch]) -> bool:
        """Whether an ordered write comes after a read of what it changes, which another round does not make anew."""
        read = self.known.get(key)
        if read is None or any(loop in read.made_in for loop in loops):
            return False
        return not exclusive(read.branches, tuple(branches))
