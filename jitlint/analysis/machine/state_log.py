"""The reads and writes of one unit so far, of state that outlives a trace."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from jitlint.analysis.machine.attribute_uses import AttributeUse
from jitlint.analysis.machine.call_order import CallOrder, Compiled
from jitlint.analysis.machine.met import Met
from jitlint.analysis.machine.state import Branch, StateRead, StateWrite, exclusive
from jitlint.analysis.values import Value
from jitlint.source.places import Span


class StateLog:
    """The reads and writes of one unit, each once."""

    def __init__(self, known: dict[Hashable, StateRead]) -> None:
        self.known = known
        """The first read of each state, by its key; those of the module tops are among them from the start."""
        self.reads: dict[Hashable, StateRead] = {}
        """The reads, by key, place and holder."""
        self.writes: dict[Hashable, StateWrite] = {}
        """The writes, by key, place, holder, and whether they were traced."""
        self.met = Met[Compiled]()
        """The functions with a compile cache, as they are called."""
        self.order = CallOrder()
        """Which of these writes come after reads."""
        self.attributes = AttributeUse()
        """Whether what traces leave in attributes is read."""

        self.constants: dict[tuple[int, str], tuple[str, Value]] = {}
        """The constant expressions that variables were assigned last, by frame and name, and what they gave."""
        self.changed_in: dict[int, int] = {}
        """For objects that were changed once they were made, by serial: the number of the root that did it last."""
        self.restored_in: dict[int, Mapping[Span, str]] = {}
        """What each function puts back in a `finally`: where, and as it is written, by the function's code."""
        self.scaled_in: dict[int, frozenset[Span]] = {}
        """Where each function multiplies what it writes to, by the function's code."""

    def adopt(self, other: StateLog) -> None:
        """Takes over what another log has proven stale, with the reads and writes that belong to it."""
        traced = {write.key for write in other.writes.values() if write.traced}
        for identity, proof in other.order.proofs.items():
            if proof.again and proof.key not in traced:
                self.order.proofs.setdefault(identity, proof)
        proven = {(proof.key, proof.place) for proof in self.order.proofs.values()}
        for place, write in other.writes.items():
            if (write.key, write.place) in proven:
                self.writes.setdefault(place, write)
        keys = {key for key, _ in proven}
        for place, read in other.reads.items():
            if read.key in keys:
                self.reads.setdefault(place, read)

    def counts(self, key: Hashable, loops: tuple[int, ...], branches: list[Branch]) -> bool:
        """Whether an ordered write counts: it comes after a read, and no other round makes the reader anew.

        Args:
            key: the identity of the state.
            loops: the loops around the write.
            branches: the branches around the write: a read on another branch of the same choice does not count.
        """
        read = self.known.get(key)
        if read is None or any(loop in read.made_in for loop in loops):
            return False
        return not exclusive(read.branches, tuple(branches))
