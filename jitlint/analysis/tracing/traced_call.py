"""Calling a function under a trace that lasts for this one call, as `lax.scan` does with its body.

`transforms.py` is for transforms that return a function instead, as `jax.jit` does. Both open traces with `open_trace`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.call_order import Compiled
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.machine.escapes import running
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.arguments import argument_flow
from jitlint.analysis.tracing.borders import map_structure, to_traced, untrace
from jitlint.analysis.tracing.cache.freshness import freshness, report_fresh
from jitlint.analysis.tracing.cache.own_programs import own_program
from jitlint.analysis.tracing.cache.static_arguments import check_function_hash
from jitlint.analysis.tracing.rebuilding import rebuild
from jitlint.analysis.tracing.refusals import check_argument
from jitlint.analysis.tracing.returned import check_result
from jitlint.analysis.values import UNKNOWN, Traced, Transformed, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.callables import function_name
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry
from jitlint.models.tables import Transform
from jitlint.source.places import Span


def open_trace(
    interp: Interpreter,
    transform: Transform,
    entry: Entry,
    fresh: bool = False,
    compiled: Compiled | None = None,
    axis_names: frozenset[str] | None = frozenset(),
) -> Trace:
    """A new trace inside of the present one.

    Args:
        transform: the transform that traces.
        entry: where it was applied. Inside of a trace that takes values away, the outer trace's entry stays: there the
            user made values unknown.
        fresh: whether the transformed function was made by a call that is still running, so that its compile cache ends
            with that call.
        compiled: the function that the compile cache knows, if it has one and no trace around it has.
        axis_names: the names of mapped axes that the transform binds; None if that is not known.
    """
    parent = interp.trace
    interp.root_run.traces = True
    depth = interp.depth + 1
    staging = transform.staging or interp.staging
    concrete = transform.concrete and not interp.staging and (parent is None or parent.concrete)
    stage = parent.stage if parent is not None and parent.stage else (depth if staging else 0)
    recording = depth if transform.staging else (parent.recording if parent is not None else 0)
    cached = transform.cached or (parent is not None and parent.cached)
    if parent is not None and (parent.staging or not parent.concrete):
        entry = parent.entry
    fresh = fresh if transform.cached else (parent is not None and parent.fresh)
    assumption = parent.assumption if parent is not None else None
    if parent is not None and parent.cached:
        compiled = parent.compiled
    if parent is not None and axis_names is not None:
        axis_names = None if parent.axis_names is None else parent.axis_names | axis_names
    return Trace(
        parent,
        transform.name,
        depth,
        staging,
        concrete,
        stage,
        recording,
        cached,
        fresh,
        entry,
        assumption,
        compiled,
        axis_names,
        parent.undecided if parent is not None else interp.path.undecided,
        chosen=parent.chosen if parent is not None else [],
    )


def traced_call(
    interp: Interpreter,
    name: str,
    function: Value,
    values: list[Value],
    span: Span,
    places: Sequence[Span] = (),
    *,
    staging: bool = True,
    concrete: bool = False,
    arrays_only: bool = False,
    axes: tuple[bool, ...] = (),
    fixed: Sequence[Span] = (),
    check: Callable[[list[Value], Value], None] | None = None,
) -> Value:
    """Traces a function on values, and returns its result as the caller sees it.

    Args:
        name: the JAX function that does this, for messages.
        values: the arguments of `function`.
        span: where the call is written.
        places: where the arguments are written, if they are written one by one.
        staging: whether every operation in the body is recorded.
        concrete: whether tracers keep their values (eager differentiation).
        arrays_only: whether everything but arrays stays static (Equinox).
        axes: which of the arguments lose their leading axis.
        fixed: where the arguments are written that decide the program, as the number of rounds does.
        check: is called with the arguments as the body got them and the result, still within the trace.
    """
    transform = Transform(name, staging=staging, concrete=concrete, leaves="arrays" if arrays_only else "all")
    if interp.models.has_role(name, "compiles-at-once") and _runs_eagerly(interp):
        _check_eager(interp, name, function, span, fixed)
    entry = Entry(interp.module.place(span), name, function_name(function))
    trace = open_trace(interp, transform, entry)
    transformed = Transformed(transform, function, {}, interp.depth, interp.loops, interp.site(span))
    transformed.called = True
    check_function_hash(interp, transformed, span)
    inner = _traced_values(interp, transformed, values, trace, span, places, axes)
    given = [_copy(interp, value) for value in inner] if check is not None else []
    with running(interp, trace, span):
        rebuild(interp, inner, span)
        result = call(interp, function, Args(inner), span)
        result = check_result(interp, transformed, result, span)
        if check is not None:
            check(given, result)
    where = f"result of `{name}`"
    return untrace(interp, result, trace.depth, interp.source(span, where, where), arrays_only)


def _copy(interp: Interpreter, value: Value) -> Value:
    """A value in containers and objects of its own, so that it stays as it is when a body changes what it gets."""
    return map_structure(interp, value, lambda part: _copy(interp, part))


def _traced_values(
    interp: Interpreter,
    transformed: Transformed,
    values: list[Value],
    trace: Trace,
    span: Span,
    places: Sequence[Span],
    axes: tuple[bool, ...],
) -> list[Value]:
    """The arguments of a function that is traced at once, as its body sees them; see `traced_call`."""
    target = signature_of(interp, transformed.function)
    arrays_only = transformed.transform.leaves == "arrays"
    inner: list[Value] = []
    for i, value in enumerate(values):
        parameter = target.positional(i) if target else None
        label = parameter.name if parameter else str(i)
        place = places[i] if i < len(places) else span
        if not arrays_only and not check_argument(interp, transformed, target, value, label, place):
            inner.append(UNKNOWN)
            continue
        flow = argument_flow(interp, transformed, target, parameter, label, place)
        if isinstance(value, Traced):
            flow = value.flow.then(flow.module, flow.span, flow.note)
        made = to_traced(
            interp,
            value,
            flow,
            trace.depth,
            concrete=trace.concrete,
            arrays_only=arrays_only,
            axis=i < len(axes) and axes[i],
            label=label,
        )
        inner.append(made)
    return inner


def _runs_eagerly(interp: Interpreter) -> bool:
    """Whether the running code runs outside of staging, and not only once behind a guard."""
    return not interp.staging and not interp.path.guards and not interp.root_run.staged_only


def _is_near(interp: Interpreter, loop: int) -> bool:
    """Whether a loop is in the running function, or in the function of the same module that calls it.

    A call for each leaf of a tree is near nothing: it stands in traced code as often as in other code.
    """
    if loop in interp.world.leaf_loops:
        return False
    if loop in interp.own_loops():
        return True
    if len(interp.path.frames) < 2:
        return False
    caller = interp.path.frames[-2]
    return caller.module is interp.module and loop not in caller.loops


def _check_eager(interp: Interpreter, name: str, function: Value, span: Span, fixed: Sequence[Span]) -> None:
    """Emits an event for eager control flow in a loop whose function is new in every round: each is compiled again.

    Most functions that consist of such control flow are traced by whoever uses them, so that the event is only
    possible, unless the loop is in sight: around the call, or around the running function's caller in the same module.
    For functions that choose (`cond`), only the top level of a module counts as eager.
    """
    if interp.trace is not None:
        return
    at_top = interp.root_run.root is not None and not interp.root_run.root.qualname
    for part in alternatives(function):
        construct, shared = freshness(part, list(interp.loops))
        if construct in ("lambda", "local function", "partial"):
            eager = at_top or (
                not interp.models.has_role(name, "chooses") and any(_is_near(interp, loop) for loop in shared)
            )
            report_fresh(
                interp,
                interp.site(span),
                construct,
                name,
                part,
                {loop: own_program(interp, part, span, loop, fixed) for loop in shared},
                span,
                interp.symbol(),
                None if eager else Assumption(AssumptionKind.NOT_TRACED_BY_CALLER, "no caller traces it"),
            )
            return
