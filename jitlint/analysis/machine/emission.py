"""What a predicted event is worth: how sure it is, and what becomes of it where a handler catches its error.

Pure functions of what the interpreter knows at the place; `Interpreter.emit` gathers that and records the event.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from jitlint.analysis.machine.context import Handler
from jitlint.analysis.values import Traced
from jitlint.analysis.values.flow import Flow
from jitlint.events.event import Confidence, Entry, EventKind
from jitlint.source.places import Place, Step


class Suspicion(NamedTuple):
    """That an event of a kind happens, how sure that is, and in words what it rests on if it is not certain."""

    kind: EventKind
    confidence: Confidence
    guess: str


def weigh(
    suspicion: Suspicion, subject: str, tracer: Traced | None, flow: Flow | None, *, decided: bool, assumed: str
) -> Suspicion:
    """How sure a suspicion is, in view of the value that it is about and of the path that leads there.

    Args:
        suspicion: what whoever met the event thinks of it.
        subject: the source text of the value.
        tracer: the tracer that the value is or may be; None if the event is about no tracer.
        flow: how the tracer came there.
        decided: whether the value is the tracer on every path, not on some of them only.
        assumed: what the running code rests on, in words ("" if nothing).
    """
    kind, confidence, guess = suspicion
    if tracer is not None and flow is not None:
        if flow.guess:
            confidence, guess = Confidence.POSSIBLE, flow.guess
        if confidence is Confidence.CERTAIN and flow.assumed:
            confidence, guess = Confidence.LIKELY, flow.assumed
        if confidence is Confidence.CERTAIN and not decided:
            confidence, guess = Confidence.LIKELY, guess or f"a path on which `{subject}` is traced"
        if confidence is Confidence.CERTAIN and tracer.tree and kind not in FAILS_FOR_TREES:
            confidence, guess = Confidence.LIKELY, f"`{subject}` is an array"
    if assumed and confidence is Confidence.CERTAIN:
        confidence, guess = Confidence.LIKELY, assumed
    return Suspicion(kind, confidence, guess)


def behind_handler(suspicion: Suspicion, construct: str, handler: Handler, *, in_its_trace: bool) -> Suspicion:
    """What a suspicion becomes inside of a handler that catches what tracers raise.

    A handler that is not meant for tracers swallows their error: the fallback is then what every call does. In all
    other cases the error may be what the program is made for.

    Args:
        suspicion: the event, as it is without a handler.
        construct: the event's construct.
        handler: the innermost handler.
        in_its_trace: whether the handler stands in the trace whose tracer fails.
    """
    kind, confidence, guess = suspicion
    if not in_its_trace or kind not in RAISES_TRACER_ERROR or handler.deliberate:
        return Suspicion(kind, Confidence.POSSIBLE, "the error is not meant to be caught")
    if kind is EventKind.BOOL and construct != "bool":
        return Suspicion(EventKind.SWALLOWED, confidence, guess)
    sure = confidence is not Confidence.POSSIBLE and handler.broad
    confidence = Confidence.LIKELY if sure else Confidence.POSSIBLE
    return Suspicion(EventKind.SWALLOWED, confidence, "the fallback is not meant for tracers")


def steps(flow: Flow | None, entry: Entry | None, place: Place) -> tuple[Step, ...]:
    """The steps that lead to an event; without a flow, where the transform was applied, if that is elsewhere."""
    if flow is not None:
        return flow.steps()
    if entry is None or entry.place == place:
        return ()
    name = entry.function.rpartition(".")[2].rpartition(":")[2]
    return (
        Step(entry.place, f"`{entry.transform}` is applied to `{name}`" if name else f"`{entry.transform}` is applied"),
    )


FAILS_FOR_TREES: Final = frozenset(
    {EventKind.INDEX, EventKind.SHAPE, EventKind.SLICE, EventKind.CONVERT, EventKind.STATIC_VALUE, EventKind.EFFECT}
)
"""What fails for any pytree of tracers, not only for arrays."""

CONCERNS_CONTAINERS: Final = frozenset({EventKind.SHAPE, EventKind.STATIC_VALUE, EventKind.EFFECT, EventKind.LEAK})
"""What concerns a container of tracers; other events are about arrays."""

RAISES_NOTHING: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE, EventKind.JIT_CREATED})
"""What raises nothing that a handler could catch."""

CONCERNS_CONCRETE: Final = frozenset({EventKind.HOST, EventKind.FORMAT})
"""What fails for tracers that have their value, too: those of eager differentiation."""

NOT_AFTER_FAILURE: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE})
"""What does not happen where tracing has failed already: in a branch that a tracer was to decide."""

RAISES_TRACER_ERROR: Final = frozenset(
    {
        EventKind.BOOL,
        EventKind.INDEX,
        EventKind.CONVERT,
        EventKind.HOST,
        EventKind.SHAPE,
        EventKind.DATA_SHAPE,
        EventKind.FORMAT,
    }
)
"""What raises a TypeError of JAX that says which tracer was meant to have a value."""
