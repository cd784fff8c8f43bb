"""What one unit of a project gives: all that its files add to the findings, and what of it hangs on other units.

A unit is interpreted without looking at the others: from the state that the module tops leave, and to it. So its result
is the same wherever and whenever it is computed. What only all of them together can tell waits for `combine`: whether a
function that was run for want of a caller has one elsewhere, and what is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from jitlint.analysis.machine.context import Rank, Start
from jitlint.analysis.machine.state import StateRead, StateWrite, stale
from jitlint.analysis.values import Function, Transformed
from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import Event, Incomplete, keep_better
from jitlint.events.revealed import Revealed
from jitlint.source.defects import Defect


def identity(called: Function | Transformed) -> Hashable:
    """What a function, or a transformed one, is known by in all units."""
    if isinstance(called, Function):
        return ("function", str(called.module.source.path), called.code.span)
    assert called.site is not None
    return ("transformed", str(called.site[0].source.path), called.site[1], called.transform.name)


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What interpreting a unit has given.

    `events` have the root that they came of, None for what runs in any case. `called`: by identity, the least rank of
    the roots that have called a function. `files_looked_into` are the files whose code was run or asked, `bodies` their
    functions, by file and position among the outermost ones, if it was the module tops that have done so.
    """

    events: tuple[tuple[Event, Start | None], ...]
    called: Mapping[Hashable, Rank]
    reads: tuple[StateRead, ...]
    writes: tuple[StateWrite, ...]
    revealed: tuple[Revealed, ...]
    entries: tuple[EntryPoint, ...]
    defects: tuple[Defect, ...]
    files_looked_into: frozenset[str]
    bodies: tuple[tuple[str, int], ...]
    incomplete: tuple[Incomplete, ...]


def combine(results: Sequence[UnitResult], matters: Callable[[StateRead, StateWrite], bool]) -> tuple[Event, ...]:
    """The events of a component: those of all its units, but for roots that others call before they have their turn.

    Args:
        results: those of its units.
        matters: as for `stale`.
    """
    found: dict[Hashable, Event] = {}
    for number, result in enumerate(results):
        for event, start in result.events:
            if start is None or not _has_caller(start, number, results):
                keep_better(found, event)
    reads = {(read.key, read.place, read.holder): read for result in reversed(results) for read in result.reads}
    for event in stale(reads.values(), [write for result in results for write in result.writes], matters):
        keep_better(found, event)
    return tuple(found.values())


def _has_caller(start: Start, number: int, results: Sequence[UnitResult]) -> bool:
    return any(
        result.called.get(start.identity, start.rank) < start.rank
        for other, result in enumerate(results)
        if other != number
    )
