"""Doubts that events share: what shows that one is not as predicted shows it of those that come from the same, too."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import replace
from typing import Final

from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.events.event import Event, EventKind

SEVERAL: Final = 2
"""So many files of tests do not all fail unseen; a single one may not have been run for long."""

_NEED_VALUES: Final = frozenset(
    {EventKind.CONVERT, EventKind.SHAPE, EventKind.DATA_SHAPE, EventKind.SLICE, EventKind.HOST}
)
"""Events where code computes with the values of an array on the host."""


def with_shared_doubts(events: Collection[Event]) -> Iterator[Event]:
    """Events, each with what others with the same cause rest on.

    If several files of tests run what would fail, the prediction is in doubt, and so is what comes from the same class
    or tracer. Who writes `int(x)` in a module's `__call__` runs it untraced, with all that it calls, and computes sizes
    and arrays of NumPy from those of JAX on purpose; an `if` or a loop may still be an oversight.
    """
    doubts: dict[Hashable, Assumption] = {}
    run_by: dict[Hashable, frozenset[str]] = {}
    for event in events:
        run_by[_cause(event)] = run_by.get(_cause(event), frozenset()) | event.run_by
        for each in event.assumptions:
            if each.kind is AssumptionKind.TRACED_EXPRESSLY:
                doubts[_assumed_entry(event)] = each
    for cause, files in run_by.items():
        if len(files) >= SEVERAL:
            shown = " and ".join(f"`{file}`" for file in sorted(files)[:SEVERAL])
            doubts[cause] = Assumption(AssumptionKind.PASSES_TESTS, f"{shown}, which run it, fail")
    for event in events:
        shared = [doubts[of] for of in (_cause(event), _assumed_entry(event)) if of is not None and of in doubts]
        yield replace(event, assumptions=merged(event.assumptions, shared)) if shared else event


def _cause(event: Event) -> Hashable:
    """What an event comes from: an immutable class, the place where a value became a tracer, or only its own place."""
    if event.kind is EventKind.FROZEN:
        return event.kind, event.detail.get("class")
    return event.kind, event.flow[0] if event.flow else event.place


def _assumed_entry(event: Event) -> Hashable:
    """Where the code is traced, if a framework's users do that and nothing in view; None if it is in view."""
    assumed = any(each.kind is AssumptionKind.RUNS_UNDER_JIT for each in event.assumptions)
    return event.entry if assumed and event.kind in _NEED_VALUES else None
