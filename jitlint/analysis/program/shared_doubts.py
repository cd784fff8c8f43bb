"""Doubts that events share: what shows that one is not as predicted shows it of those that come from the same, too."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import replace

from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.events.event import Event, EventKind


def with_shared_doubts(events: Collection[Event]) -> Iterator[Event]:
    """Events, each with what others with the same cause rest on.

    If a test of the project shows that a class can be changed in one place, or that a tracer does no harm there, then
    so in others. Who writes `int(x)` in a module's `__call__` runs it untraced, with all that it calls.
    """
    doubts: dict[Hashable, Assumption] = {}
    for event in events:
        for each in event.assumptions:
            if each.kind is AssumptionKind.PASSES_TESTS:
                doubts[_cause(event)] = each
            elif each.kind is AssumptionKind.TRACED_EXPRESSLY:
                doubts[_assumed_entry(event)] = each
    for event in events:
        shared = [doubts[of] for of in (_cause(event), _assumed_entry(event)) if of is not None and of in doubts]
        yield replace(event, assumptions=merged(event.assumptions, shared)) if shared else event


def _cause(event: Event) -> Hashable:
    """What an event comes from: an immutable class, or the place where a value became a tracer; None if neither."""
    if event.kind is EventKind.FROZEN:
        return event.detail.get("class")
    return (event.kind, event.flow[0]) if event.flow else None


def _assumed_entry(event: Event) -> Hashable:
    """Where the code is traced, if a framework's users do that and nothing in view; None if it is in view."""
    assumed = any(each.kind is AssumptionKind.RUNS_UNDER_JIT for each in event.assumptions)
    return event.entry if assumed else None
