"""The result of one unit, and how the results of all units become the events of a component.

A unit is interpreted without looking at the others: it starts from the state that the module tops left, and its own
changes are undone afterwards. So its result is the same whenever and in whichever process it is computed, and can be
cached. Two questions need all units together, and wait for `combine`: whether a function that was run alone has a
caller in another unit, and whether state that one unit's traced function read is changed by another unit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jitlint.analysis.machine.attribute_uses import AttributeUses
from jitlint.analysis.machine.context import Rank, Start
from jitlint.analysis.machine.escapes import doubtful_leak
from jitlint.analysis.machine.state import StateProof, StateRead, StateWrite, first_reads, stale
from jitlint.analysis.program.outputs import with_neighbours
from jitlint.analysis.program.shared_doubts import with_shared_doubts
from jitlint.analysis.values import Function, Transformed
from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import Event, EventKind, Incomplete, keep_better
from jitlint.events.revealed import Revealed
from jitlint.source.defects import Defect


def identity(called: Function | Transformed) -> Hashable:
    """A name for a function, or a transformed one, that is the same in all units and processes: where it is written."""
    if isinstance(called, Function):
        return ("function", str(called.module.source.path), called.code.span)
    assert called.site is not None
    return ("transformed", str(called.site[0].source.path), called.site[1], called.transform.name)


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What interpreting a unit, or the module tops, has found. Only plain records, so that it can be cached."""

    events: tuple[tuple[Event, Start | None], ...]
    """The predicted events, each with the stand-alone run that it came from; None if it happens in any case."""
    called: Mapping[Hashable, Rank]
    """The functions that were called, by identity, with the rank of the first root that did so."""
    reads: tuple[StateRead, ...]
    """Reads of state that outlives a trace, by traced code."""
    writes: tuple[StateWrite, ...]
    """Changes of such state, by any code."""
    proofs: tuple[StateProof, ...]
    """Which of these changes come after a read, as far as a run has shown."""
    attributes: AttributeUses
    """Where tracers stay in attributes, and how these are read."""
    revealed: tuple[Revealed, ...]
    """The stages of values that `reveal_stage` or an editor asked for."""
    entries: tuple[EntryPoint, ...]
    """The functions that are compiled as a whole, for `--verify`."""
    defects: tuple[Defect, ...]
    """Where jitlint itself failed."""
    files_looked_into: frozenset[str]
    """The displayed paths of the files whose functions were run or whose places the result mentions."""
    bodies_run: tuple[tuple[str, int], ...]
    """The function bodies that the module tops ran: displayed path, and position among the file's outermost functions.
    Empty for a unit."""
    incomplete: tuple[Incomplete, ...]
    """The roots that were not followed to their end, and why."""
    made_again: tuple[tuple[str, int], ...] = ()
    """The calls of the module tops that their units make again with other options: displayed path, and offset in the
    text. Empty for a unit."""

    @classmethod
    def lost(cls, defects: Iterable[Defect]) -> UnitResult:
        """The result of a part that a process died of: nothing but the defects."""
        return cls((), {}, (), (), (), AttributeUses({}, {}, {}), (), (), tuple(defects), frozenset(), (), ())


def combine(results: Sequence[UnitResult], may_follow: Callable[[StateRead, StateWrite], bool]) -> tuple[Event, ...]:
    """The events of a component.

    A function that nothing in its own unit calls is run alone, with unknown arguments. If a root with an earlier turn
    calls it in another unit, the arguments are known there, and the events of the stand-alone run are dropped.

    Args:
        results: the result of the module tops, then those of the units.
        may_follow: whether the function that read some state may be called after a change of it.
    """
    found: dict[Hashable, Event] = {}
    for number, result in enumerate(results):
        for event, start in result.events:
            if start is None or not _has_caller(start, number, results):
                keep_better(found, event)
    reads = {(read.key, read.place, read.holder): read for result in reversed(results) for read in result.reads}
    writes = [write for result in results for write in result.writes]
    proofs = [proof for result in results for proof in result.proofs]
    for event in first_reads(stale(reads.values(), writes, proofs, may_follow)):
        keep_better(found, event)
    return with_neighbours(
        without_passed_on(with_shared_doubts(found.values()), [result.attributes for result in results])
    )


def without_passed_on(events: Iterable[Event], uses: Sequence[AttributeUses]) -> Iterator[Event]:
    """The events; a leak is doubtful if whoever reads the attribute has written it before, and there is such a reader.

    Args:
        events: all events of a component.
        uses: how its units use attributes.
    """
    kept = {place: attribute for each in uses for place, attribute in each.kept.items()}
    read = set().union(*(each.read for each in uses))
    passed_on = set().union(*(each.passed_on for each in uses))
    for event in events:
        attribute = kept.get(event.place) if event.kind is EventKind.LEAK else None
        yield doubtful_leak(event) if attribute in passed_on and attribute not in read else event


def _has_caller(start: Start, number: int, results: Sequence[UnitResult]) -> bool:
    """Whether a root of another unit than `number`, with an earlier turn, calls the function that was run alone."""
    return any(
        result.called.get(start.identity, start.rank) < start.rank
        for other, result in enumerate(results)
        if other != number
    )
