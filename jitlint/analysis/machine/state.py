"""State that outlives a trace: which of it traced code reads, and where it is changed.

The interpreter records reads and writes (accesses.py). When all units have run, `stale` predicts an event for each read
of something that is changed afterwards. The records hold places, not modules, since the cache stores them between runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from jitlint.events.assumption import SURENESS, Assumption, AssumptionKind
from jitlint.events.event import Entry, Event, EventKind, Root
from jitlint.source.places import Place, Step

MOST_READS_SHOWN = 4
"""So many further reads of the same state in one function are shown with the first."""

Branch = tuple[int, int]
"""A branch that was taken: the number of the choice (`Store.branch`), and the number of the alternative."""


class StateRead(NamedTuple):
    """Traced code reads state from outside of the trace."""

    key: tuple[Hashable, ...]
    """The identity of the state."""
    construct: str
    """Its kind: global, closure, attribute or item."""
    name: str
    """What people call it."""
    place: Place
    """Where it is read."""
    symbol: str
    """The dotted name of the function that reads it."""
    entry: Entry
    """Where the transform was applied."""
    root: Root | None
    """The root that ran."""
    reader: Hashable
    """The identity of the function that reads it."""
    made_in: tuple[int, ...]
    """The loops in which the reading closure is made anew: a write in a later round comes before a new trace."""
    fresh: bool
    """Whether the transformed function lives no longer than the call that made it: writes from elsewhere come later."""
    branches: tuple[Branch, ...]
    """The branches that led there."""
    holder: Hashable = 0
    """The serial of the instance that holds it; 0 if that may be any of its class."""
    calls: tuple[Step, ...] = ()
    """The calls that led there from the transformed function."""


class StateWrite(NamedTuple):
    """Something changes state that a trace may have read."""

    key: tuple[Hashable, ...]
    """The identity of the state."""
    place: Place
    """Where it is changed."""
    ordered: bool
    """Whether its order with the reads is known, as in the owner's own code and at module tops: it counts after one."""
    traced: bool
    """Whether it happens while tracing: the trace sets the state itself."""
    initial: bool
    """Whether it gives the state its first value."""
    writer: Hashable
    """The identity of the function that changes it."""
    holder: Hashable = 0
    """The serial of the instance that holds it; 0 if that may be any of its class."""
    scales: bool = False
    """Whether it multiplies what was there: state that was in use before."""


class StateProof(NamedTuple):
    """A run has shown that state is changed after a compiled function has read it (call_order.py)."""

    key: tuple[Hashable, ...]
    """The identity of the state."""
    holder: Hashable
    """The serial of the instance that holds it; 0 if that may be any of its class."""
    place: Place
    """Where it is changed."""
    again: bool
    """Whether the run also calls the function afterwards."""
    assumptions: tuple[Assumption, ...]
    """What it rests on."""


def stale(
    reads: Iterable[StateRead],
    writes: Iterable[StateWrite],
    proofs: Iterable[StateProof],
    may_follow: Callable[[StateRead, StateWrite], bool],
) -> Iterator[Event]:
    """Predicts an event for each read of state that is changed after the trace has captured it. It shows one change.

    Args:
        reads: what traced code reads.
        writes: what is changed.
        proofs: which of these changes come after a read, in a run that was followed. Any other change is likely to be
            part of what is set up before the first call: it makes a read possibly stale.
        may_follow: whether the reading function may run again after an ordered write.
    """
    proven: dict[Hashable, list[StateProof]] = {}
    for proof in proofs:
        proven.setdefault((proof.key, proof.place), []).append(proof)
    writes_of = _WritesByState(writes)
    for read in reads:
        changes = writes_of.what_may_change(read)
        if any(write.traced for write in changes):
            continue  # the trace sets it itself, before it reads it
        candidates = [w for w in changes if _changes(w, read) and (not w.ordered or may_follow(read, w))]
        judged = [(_proof_of(read, w, proven.get((w.key, w.place), ())), w) for w in candidates]
        judged = [(proof, w) for proof, w in judged if not read.fresh or w.ordered or (proof and proof.again)]
        if judged:
            best, change = max(judged, key=lambda pair: (_strength(pair[0]), pair[1].scales))
            yield _event(read, change, best)


def first_reads(events: Iterable[Event]) -> Iterator[Event]:
    """One event for all places where a function reads the same state: of the surest ones, the first in the text.

    Its flow leads on to the others.
    """
    found: dict[Hashable, list[Event]] = {}
    for event in events:
        found.setdefault((event.place.path, event.place.cell, event.symbol, event.subject), []).append(event)
    for group in found.values():
        first, *others = sorted(group, key=lambda event: (-SURENESS[event.confidence], event.place))
        elsewhere = [other for other in others if other.place != first.place]
        again = {other.place: Step(other.place, f"`{other.subject}` is read here, too") for other in elsewhere}
        yield replace(first, flow=(*first.flow, *list(again.values())[:MOST_READS_SHOWN]))


class _WritesByState:
    """Finds the writes of some state without comparing each with each: a large project has thousands of both."""

    def __init__(self, writes: Iterable[StateWrite]) -> None:
        self._of_key: dict[Hashable, list[StateWrite]] = {}
        """The writes of all holders."""
        self._of_holder: dict[Hashable, list[StateWrite]] = {}
        """The writes that may concern one holder, by the key and the holder. Those of any holder are at 0."""
        for write in writes:
            self._of_key.setdefault(write.key, []).append(write)
            self._of_holder.setdefault((write.key, write.holder or 0), []).append(write)

    def what_may_change(self, read: StateRead) -> list[StateWrite]:
        """The writes of what is read, to the same holder or to one that may be the same."""
        if not read.holder:
            return self._of_key.get(read.key, [])
        own, of_any = (self._of_holder.get((read.key, holder), []) for holder in (read.holder, 0))
        return [*own, *of_any]


def _proof_of(read: StateRead, write: StateWrite, proofs: Iterable[StateProof]) -> StateProof | None:
    """The strongest proof that a write comes after a read; None if there is none."""
    fitting = [p for p in proofs if _may_be_same(p.holder, read.holder) and _may_be_same(p.holder, write.holder)]
    return max(fitting, key=_strength, default=None)


def _strength(proof: StateProof | None) -> int:
    """How much a proof says: the more, the larger."""
    return 0 if proof is None else 1 + 2 * proof.again + (not proof.assumptions)


def exclusive(one: tuple[Branch, ...], other: tuple[Branch, ...]) -> bool:
    """Whether two places lie on different branches of one choice, so that no run reaches both."""
    taken = dict(one)
    return any(taken.get(choice, alternative) != alternative for choice, alternative in other)


def _may_be_same(a: Hashable, b: Hashable) -> bool:
    """Whether two holders may be the same instance: 0 may be any."""
    return a == b or not a or not b


def _changes(write: StateWrite, read: StateRead) -> bool:
    """Whether a write makes a read stale, apart from its order.

    What a transformed function reads that ends with the call that made it is stale only if that very call changes it.
    """
    return not (write.traced or write.initial or write.writer == read.reader)


def _event(read: StateRead, write: StateWrite, proof: StateProof | None) -> Event:
    function = read.entry.function.rpartition(".")[2].rpartition(":")[2]
    by = f"`{read.entry.transform}`" + (f" of `{function}`" if function else "")
    steps = (
        Step(write.place, f"`{read.name}` is changed here"),
        *(step for step in read.calls if step.place != write.place),
        Step(read.place, f"`{read.name}` is read here while tracing under {by}"),
    )
    in_use = AssumptionKind.CALLED_BEFORE if write.scales else AssumptionKind.CHANGED_LATER
    later = Assumption(in_use, "the change comes after a first call")
    return Event(
        kind=EventKind.STATE_READ,
        place=read.place,
        construct=read.construct,
        subject=read.name,
        symbol=read.symbol,
        entry=read.entry,
        root=read.root,
        flow=steps if write.place != read.place else steps[:1],
        assumptions=(later,) if proof is None else proof.assumptions,
        detail={"name": read.name, "writer": f"{write.place.path}:{write.place.line}"},
    )
