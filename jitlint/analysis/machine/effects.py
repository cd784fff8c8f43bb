"""Host effects of traced code, such as output, clocks and host random numbers: they happen at trace time only."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values.flow import Flow
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def emit_effect(
    interp: Interpreter,
    span: Span,
    construct: str,
    category: str,
    flow: Flow | None = None,
    *,
    shows_tracer: bool = False,
) -> None:
    """Predicts an event for a host effect (`print`, a clock, host random numbers) that happens at trace time only.

    What comes before a `raise` is left out: an error is not cached, so the effect happens in each call. A warning
    behind a condition is likely about what is known while tracing, unless it shows a tracer, and Python shows it once
    by itself anyway.
    """
    trace = interp.trace
    if trace is None or interp.path.raising or trace.assumption is not None:
        return
    if interp.root_run.open_options and category != "random" and not shows_tracer:
        return  # who turns an option on to see more, or to measure, knows what it shows
    if trace.staging or (category == "random" and not trace.concrete):
        frame = interp.function_frame()
        conditional = interp.path.undecided > 0 or (frame is not None and bool(frame.exits))
        about_trace = category == "warning" and conditional and not shows_tracer
        interp.emit(
            EventKind.EFFECT,
            span,
            construct,
            flow=flow,
            detail={"category": category, "shows": "tracer" if shows_tracer else ""},
            assuming=Assumption(AssumptionKind.WARNS_EACH_CALL, "each call is to give the warning")
            if about_trace
            else None,
        )
