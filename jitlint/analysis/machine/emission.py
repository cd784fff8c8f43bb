"""How sure a predicted event is, and what becomes of it where a handler catches its error.

These are pure functions. `Interpreter.emit` gathers what they need to know of the place, and records the event.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from jitlint.analysis.machine.context import Handler, Trace
from jitlint.analysis.values import Traced
from jitlint.analysis.values.flow import Flow
from jitlint.events.event import Confidence, Entry, EventKind, Root
from jitlint.source.places import Place, Step
from jitlint.source.purpose import holds_tests


class Suspicion(NamedTuple):
    """An event that is about to be predicted."""

    kind: EventKind
    """What happens."""
    confidence: Confidence
    """How sure that is."""
    guess: str
    """What it rests on, in words, if it is not certain: "`x` is an array"."""


def weigh(
    suspicion: Suspicion, subject: str, tracer: Traced | None, flow: Flow | None, *, decided: bool, assumed: str
) -> Suspicion:
    """Lowers the confidence of a suspicion as far as the value that it is about, or the path to it, is in doubt.

    Args:
        suspicion: the event, as the code that met it sees it.
        subject: the source text of the value.
        tracer: the tracer that the value is or may be; None if the event is about no tracer.
        flow: how the tracer came there.
        decided: whether the value is the tracer on every path, not on some of them only.
        assumed: the guess that the running code itself rests on, in words ("" if there is none).
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


def where_it_runs(suspicion: Suspicion, trace: Trace | None, root: Root | None, place: Place) -> Suspicion:
    """Lowers the confidence of a suspicion as far as it is in doubt who runs the code, and whether traced.

    Args:
        suspicion: the event.
        trace: the trace around the code; None if it runs untraced.
        root: what is interpreted.
        place: where the event happens.
    """
    suspicion = where_tracing_is_assumed(suspicion, trace.guess if trace is not None else "")
    return where_tests_run(suspicion, trace.entry if trace is not None else None, root, place)


def where_tracing_is_assumed(suspicion: Suspicion, guess: str) -> Suspicion:
    """What a suspicion becomes in code that nothing in view traces, such as a module's `__call__` that its users jit.

    Who writes `int(x)` or `x.item()` in such code asks for the value expressly, and runs it untraced.

    Args:
        suspicion: the event.
        guess: that the code is traced, in words; "" if that is known.
    """
    if not guess or suspicion.kind is not EventKind.CONVERT:
        return suspicion
    return suspicion._replace(confidence=Confidence.POSSIBLE, guess=guess)


def where_tests_run(suspicion: Suspicion, traced: Entry | None, root: Root | None, place: Place) -> Suspicion:
    """What a suspicion becomes where tests would show it: in a test, in what a test transforms, or calls untraced.

    Who runs the tests sees what fails in them. So a failure that is predicted there was met already, is expected by
    the test, or rests on something that the analysis got wrong. What runs and is silently wrong stays as it is.

    Args:
        suspicion: the event.
        traced: where the transform is applied that traces the code; None if it runs untraced.
        root: what is interpreted.
        place: where the event happens.
    """
    begin = traced.place.path if traced is not None else root.path if root is not None else place.path
    if suspicion.kind in RUNS_ON or not (holds_tests(begin) or holds_tests(place.path)):
        return suspicion
    return suspicion._replace(confidence=Confidence.POSSIBLE, guess="no test shows it")


def behind_handler(suspicion: Suspicion, construct: str, handler: Handler, *, in_its_trace: bool) -> Suspicion:
    """What a suspicion becomes inside a handler that catches what tracers raise.

    A handler that is not meant for tracers swallows their error, so that every call takes the fallback: that is an
    event of its own (SWALLOWED). In all other cases the program may expect the error: the event is at most possible.

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
    """The steps that lead to an event. Without a flow: where the transform was applied, unless that is the place."""
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
"""Events that happen with any pytree of tracers. The others happen with an array only."""

CONCERNS_CONTAINERS: Final = frozenset({EventKind.SHAPE, EventKind.STATIC_VALUE, EventKind.EFFECT, EventKind.LEAK})
"""Events that happen with a container of tracers. The others happen with an array only."""

RAISES_NOTHING: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE, EventKind.JIT_CREATED})
"""Events that raise no error, so that handlers do not matter."""

RUNS_ON: Final = RAISES_NOTHING | {
    EventKind.STATE_READ,
    EventKind.SWALLOWED,
    EventKind.ITERATOR_NEXT,
    EventKind.VARYING_SHAPE,
    EventKind.CONSTANT,
    EventKind.UNROLLED,
}
"""Events after which the program runs on: no test fails by them alone."""

CONCERNS_CONCRETE: Final = frozenset({EventKind.HOST, EventKind.FORMAT})
"""Events that happen even with a tracer that has its value, as under eager differentiation."""

NOT_AFTER_FAILURE: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE})
"""Events that do not happen where tracing has failed already: in a branch that a tracer decides."""

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
"""Events in which JAX raises the error that says that a tracer has no concrete value."""
