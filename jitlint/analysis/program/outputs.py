"""What the events around an output tell of it: whether it belongs to something that is lost, or never happens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jitlint.analysis.machine.emission import RAISES_TRACER_ERROR
from jitlint.events.assumption import Confidence
from jitlint.events.event import PUT_OUT, Event, EventKind
from jitlint.source.places import Place

_Line = tuple[str, int | None, int]
"""A file, a cell of it, and a line."""


def with_neighbours(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events without outputs that are never reached; outputs beside something that is lost are marked.

    `print(f"{x:.2f}")` fails before it puts anything out. Consecutive statements with an effect belong to one report:
    who writes `print("loss:")` above `print(loss)`, or beside `self.count += 1`, means each call.

    Args:
        events: all events of a component.
    """
    events = tuple(events)
    shown = [event for event in events if event.confidence is not Confidence.POSSIBLE]
    failing = _by_line(event.place for event in shown if event.kind in RAISES_TRACER_ERROR)
    events = tuple(event for event in events if not (_puts_out(event) and _fails_inside(event.place, failing)))
    beside = _beside_lost(sorted({event.place: event for event in shown if _has_effect(event)}.values(), key=_order))
    return tuple(
        replace(event, detail={**event.detail, "shows": "neighbour"})
        if _puts_out(event) and not event.detail.get("shows") and event.place in beside
        else event
        for event in events
    )


def _puts_out(event: Event) -> bool:
    return event.detail.get("category") in PUT_OUT


def _is_lost(event: Event) -> bool:
    """Whether an effect is meant for each call: it shows a tracer, or changes state."""
    return event.kind in (EventKind.STATE_WRITE, EventKind.LEAK) or event.detail.get("shows") == "tracer"


def _has_effect(event: Event) -> bool:
    return _puts_out(event) or _is_lost(event)


def _beside_lost(effects: list[Event]) -> set[Place]:
    """The places of effects in consecutive statements of which one is lost. `effects` are in order."""
    found: set[Place] = set()
    report: list[Event] = []
    for event in effects:
        if report and not _follows(report[-1].place, event.place):
            report = []
        report.append(event)
        if any(_is_lost(each) for each in report):
            found.update(each.place for each in report)
    return found


def _by_line(places: Iterable[Place]) -> dict[_Line, list[Place]]:
    found: dict[_Line, list[Place]] = {}
    for place in places:
        found.setdefault((place.path, place.cell, place.line), []).append(place)
    return found


def _fails_inside(output: Place, failing: dict[_Line, list[Place]]) -> bool:
    """Whether something fails in the arguments of an output."""
    begin, end = (output.line, output.column), (output.end_line, output.end_column)
    return any(
        begin < (place.line, place.column) and (place.end_line, place.end_column) <= end
        for line in range(output.line, output.end_line + 1)
        for place in failing.get((output.path, output.cell, line), ())
    )


def _order(event: Event) -> tuple[str, int, int, int]:
    place = event.place
    return place.path, place.cell or 0, place.line, place.column


def _follows(one: Place, other: Place) -> bool:
    """Whether a statement comes right after another one: on the next line, with the same indentation."""
    same = (one.path, one.cell, one.column) == (other.path, other.cell, other.column)
    return same and other.line == one.end_line + 1
