"""What a predicted event rests on, and what becomes of it where a handler catches its error.

These are pure functions. `Interpreter.emit` gathers what they need to know of the place, and records the event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jitlint.analysis.machine.context import Handler, Trace
from jitlint.analysis.machine.limits import SHOWN_OPTIONS
from jitlint.analysis.machine.parts import Path
from jitlint.analysis.values import Const, Frame, Option, Site, Traced
from jitlint.analysis.values.flow import Flow
from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.events.event import Entry, EventKind, Root
from jitlint.source.places import Place, Span, Step
from jitlint.source.purpose import holds_tests


class Suspicion(NamedTuple):
    """An event that is about to be predicted."""

    kind: EventKind
    """What happens."""
    assumptions: tuple[Assumption, ...]
    """What that rests on."""


def weigh(
    suspicion: Suspicion,
    subject: str,
    tracer: Traced | None,
    flow: Flow | None,
    *,
    decided: bool,
    assumed: tuple[Assumption, ...],
) -> Suspicion:
    """Adds to a suspicion what is assumed of the value that it is about, and of the path to it.

    Args:
        suspicion: the event, as the code that met it sees it.
        subject: the source text of the value.
        tracer: the tracer that the value is or may be; None if the event is about no tracer.
        flow: how the tracer came there.
        decided: whether the value is the tracer on every path, not on some of them only.
        assumed: what the running code itself rests on.
    """
    kind, given = suspicion
    of_value: list[Assumption] = []
    if tracer is not None and flow is not None:
        of_value += flow.assumptions
        if not decided:
            of_value.append(Assumption(AssumptionKind.UNDECIDED_JOIN, f"a path on which `{subject}` is traced"))
        if tracer.tree and kind not in FAILS_FOR_TREES:
            of_value.append(Assumption(AssumptionKind.IS_ARRAY, f"`{subject}` is an array"))
    return Suspicion(kind, merged(given, of_value, assumed))


def assumed(
    path: Path,
    trace: Trace | None,
    open_at: Sequence[tuple[Site, Option]],
    given: Mapping[Option, Const],
    typed: str,
) -> tuple[Assumption, ...]:
    """What the running code rests on: that it is traced at all, whose method was called, options.

    Args:
        path: how it is reached.
        trace: the innermost trace.
        open_at: the options that are not left at their defaults, and where they decide.
        given: the options that have another value, which is known.
        typed: what the command line gives (`RootRun.typed`).
    """
    latest = [*path.assumptions[::-1], *(each for frame in path.frames for each in frame.assumed)]
    if trace is not None and trace.assumption is not None:
        latest.insert(0, trace.assumption)
    if open_at:
        latest.append(_other_options(path.frames, open_at))
    if given:
        said = " and ".join(f"`{option.name}` is {value.value!r}" for option, value in [*given.items()][:SHOWN_OPTIONS])
        latest.append(Assumption(AssumptionKind.OTHER_OPTION, said))
    if typed:
        latest.append(Assumption(AssumptionKind.COMMAND_LINE, f"the command line gives `{typed}`"))
    return merged(latest)


def _other_options(frames: Sequence[Frame], open_at: Sequence[tuple[Site, Option]]) -> Assumption:
    """That options are not left at their defaults: those that decide in the functions that run, the innermost first.

    If none does there, as where an object was made in another way, those that decide anywhere.
    """
    names: dict[str, None] = {}
    for frame in reversed(frames):
        code = frame.function
        for (module, span), option in open_at:
            if code is not None and module is frame.module and code.span.start <= span.start < code.span.end:
                names[option.name] = None
    names = names or dict.fromkeys(option.name for _, option in open_at)
    shown = " or ".join(f"`{name}`" for name in list(names)[:SHOWN_OPTIONS])
    return Assumption(AssumptionKind.OTHER_OPTION, f"{shown} is given another value")


_ASKING: Final = frozenset({"numpy.array", "numpy.asarray", "jax.device_get"})
"""Functions by which code asks for the values of an array expressly."""


def at_its_place(
    suspicion: Suspicion, construct: str, trace: Trace | None, root: Root | None, place: Place
) -> Suspicion:
    """Adds to a suspicion what the place assumes: that the code is traced, or that no test has shown the failure."""
    suspicion = where_tracing_is_assumed(suspicion, construct, trace)
    return where_tests_run(suspicion, trace.entry if trace else None, root, place)


def run_by_test(suspicion: Suspicion, root: Root | None, place: Place) -> frozenset[str]:
    """The file of the test that runs into a failure of the program, if a test does and it is sure; else none."""
    sure = all(each.kind is AssumptionKind.ONLY_IN_TESTS for each in suspicion.assumptions)
    if root is None or suspicion.kind in RUNS_ON or not sure:
        return frozenset()
    in_test = holds_tests(root.path) and not holds_tests(place.path)
    return frozenset([root.path] if in_test else [])


def where_tracing_is_assumed(suspicion: Suspicion, construct: str, trace: Trace | None) -> Suspicion:
    """What a suspicion becomes in code that nothing in view traces, such as a module's `__call__` that its users jit.

    Who writes `int(x)`, `x.item()` or `numpy.asarray(x)` in such code asks for values expressly, and runs it untraced.

    Args:
        suspicion: the event.
        construct: what the event is about.
        trace: the innermost trace.
    """
    asks = suspicion.kind is EventKind.CONVERT or construct in _ASKING
    if trace is None or trace.assumption is None or not asks:
        return suspicion
    expressly = Assumption(AssumptionKind.TRACED_EXPRESSLY, trace.assumption.text)
    return Suspicion(suspicion.kind, merged(suspicion.assumptions, [expressly]))


def where_tests_run(suspicion: Suspicion, traced: Entry | None, root: Root | None, place: Place) -> Suspicion:
    """What a suspicion becomes where tests would show it: in a test, in what a test transforms, or calls untraced.

    Who runs the tests sees what fails in them. So a failure that is predicted there was met already, is expected by
    the test, or rests on something that the analysis got wrong. What runs and is silently wrong stays as it is. So it
    is in all that a test calls if the analysis guessed what it calls.

    Args:
        suspicion: the event.
        traced: where the transform is applied that traces the code; None if it runs untraced.
        root: what is interpreted.
        place: where the event happens.
    """
    begin = traced.place.path if traced is not None else root.path if root is not None else place.path
    guessed = any(each.kind is AssumptionKind.CLASS_GUESSED for each in suspicion.assumptions)
    by_guess = guessed and root is not None and holds_tests(root.path)
    if suspicion.kind in RUNS_ON or not (by_guess or holds_tests(begin) or holds_tests(place.path)):
        return suspicion
    unseen = Assumption(AssumptionKind.ONLY_IN_TESTS, "no test shows it")
    return Suspicion(suspicion.kind, merged(suspicion.assumptions, [unseen]))


def behind_handler(
    suspicion: Suspicion, construct: str, handler: Handler, *, in_its_trace: bool, in_its_function: bool
) -> Suspicion:
    """What a suspicion becomes inside a handler that catches what tracers raise.

    A handler that is not meant for tracers swallows their error, so that every call takes the fallback: that is an
    event of its own (SWALLOWED). In all other cases the program may expect the error. So it may where the handler only
    answers a question, such as whether there is a value, and where it stands in a caller.

    Args:
        suspicion: the event, as it is without a handler.
        construct: the event's construct.
        handler: the innermost handler.
        in_its_trace: whether the handler stands in the trace whose tracer fails.
        in_its_function: whether it stands in the function that fails.
    """
    kind, given = suspicion
    if not in_its_trace or kind not in RAISES_TRACER_ERROR or handler.deliberate:
        caught = Assumption(AssumptionKind.NOT_CAUGHT, "the error is not meant to be caught")
        return Suspicion(kind, merged(given, [caught]))
    if kind is EventKind.BOOL and construct != "bool" and in_its_function:
        return Suspicion(EventKind.SWALLOWED, given)
    falls_back = handler.broad and in_its_function and not handler.answers
    unintended = AssumptionKind.UNINTENDED_FALLBACK if falls_back else AssumptionKind.UNINTENDED_HANDLER
    meant = Assumption(unintended, "the fallback is not meant for tracers")
    return Suspicion(EventKind.SWALLOWED, merged([meant], given))


def steps(flow: Flow | None, entry: Entry | None, place: Place, calls: Iterable[Frame]) -> tuple[Step, ...]:
    """The steps that lead to an event. Without a flow: where the transform was applied, and the calls from there.

    Args:
        calls: the functions that run within the transformed one.
    """
    if flow is not None:
        return flow.steps()
    if entry is None:
        return ()
    name = entry.function.rpartition(".")[2].rpartition(":")[2]
    applied = f"`{entry.transform}` is applied to `{name}`" if name else f"`{entry.transform}` is applied"
    start = [Step(entry.place, applied)] if entry.place != place else []
    return (*start, *called_from(calls, place))


def called_from(calls: Iterable[Frame], place: Place) -> Iterator[Step]:
    """The calls that lead to a place, outermost first."""
    for frame in calls:
        if frame.called_at is not None and frame.function is not None:
            module, span = frame.called_at
            step = Step(module.place(span), f"runs `{frame.function.name}`")
            if step.place != place:
                yield step


def advice_for(
    kind: EventKind, tracer: Traced | None, flow: Flow | None, given_arrays: set[tuple[str, Span]]
) -> dict[str, str]:
    """What the advice of a rule depends on: whether static values would do, and whether an argument can be static.

    Args:
        kind: what happens to the tracer.
        flow: how the tracer came there.
        given_arrays: the parameters, by module and place, that some call gives an array.
    """
    found: dict[str, str] = {}
    if tracer is None or flow is None:
        return found
    if tracer.from_shape and kind in RAISES_TRACER_ERROR and flow.origin.startswith("computed by `jax."):
        found["from_shape"] = "yes"
    if (flow.start.module.name, flow.start.span) in given_arrays:
        found["given"] = "array"
    return found


FAILS_FOR_TREES: Final = frozenset(
    {
        EventKind.INDEX,
        EventKind.SHAPE,
        EventKind.SLICE,
        EventKind.CONVERT,
        EventKind.STATIC_VALUE,
        EventKind.EFFECT,
        EventKind.IDENTITY,
    }
)
"""Events that happen with any pytree of tracers. The others happen with an array only."""

CONCERNS_CONTAINERS: Final = frozenset({EventKind.SHAPE, EventKind.STATIC_VALUE, EventKind.EFFECT, EventKind.LEAK})
"""Events that happen with a container of tracers. The others happen with an array only."""

RAISES_NOTHING: Final = frozenset(
    {
        EventKind.EFFECT,
        EventKind.IDENTITY,
        EventKind.LEAK,
        EventKind.STATE_WRITE,
        EventKind.KEY_REUSED,
    }
)
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

DEPENDS_ON_VALUES: Final = frozenset(
    {
        EventKind.KEY_REUSED,
        EventKind.UNROLLED,
        EventKind.CONSTANT,
    }
)
"""Events that depend on which values come, and how often: where an option is open, that is not known."""

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
