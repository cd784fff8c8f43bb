"""Transforms that are applied anew in every round of a loop: each result has an empty compile cache.

Example: `for x in xs: jax.jit(lambda y: y + 1)(x)` compiles in every round.
"""

from __future__ import annotations

from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.cache.own_programs import own_program
from jitlint.analysis.values import BoundMethod, Function, Partial, ProjectCallable, Site, Transformed, Value
from jitlint.analysis.values.callables import function_name, innermost_function
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, EventKind
from jitlint.source.places import Span
from jitlint.source.purpose import runs_once


def note_own_programs(interp: Interpreter, transformed: Transformed, span: Span) -> None:
    """Notes of a transformed function why the rounds of the loops around it need programs of their own.

    A function may be made by one call and called by another: only where it is made, all that leads there still runs.
    """
    if not transformed.transform.cached or interp.staging or transformed.guarded:
        return
    for loop in freshness(transformed.function, list(interp.loops))[1]:
        transformed.own_programs[loop] = own_program(interp, transformed.function, span, loop)


def check_fresh(interp: Interpreter, transformed: Transformed, span: Span) -> None:
    """Emits an event for a call of a jitted function that was made in the same round of a loop."""
    if (
        not transformed.transform.cached
        or interp.staging
        or transformed.stored
        or transformed.guarded
        or not transformed.loops
    ):
        return
    around = [loop for loop in transformed.loops if loop in interp.loops]
    construct, shared = freshness(transformed.function, around)
    if not construct or transformed.site is None:
        return
    reasons = {loop: transformed.own_programs.get(loop, "") for loop in shared}
    if any(loop not in transformed.loops for loop in interp.loops):
        reasons = _with_rounds_within(reasons)
    kept_for = _call_of_cached(interp, transformed)
    report_fresh(
        interp,
        kept_for or transformed.site,
        construct,
        transformed.transform.name,
        transformed.function,
        reasons,
        span,
        interp.symbol() if kept_for else transformed.symbol,
    )


def _call_of_cached(interp: Interpreter, transformed: Transformed) -> Site | None:
    """The call that gives a new function to a maker of compiled functions under `functools.cache`: it is at fault."""
    frame = transformed.frame
    maker = interp.unit.looked_at.get(id(frame.function)) if frame is not None else None
    return frame.called_at if frame is not None and maker is not None and maker.cached else None


def report_fresh(
    interp: Interpreter,
    site: Site,
    construct: str,
    transform: str,
    function: Value,
    shared: dict[int, str],
    span: Span,
    symbol: str,
    assuming: Assumption | None = None,
) -> None:
    """Predicts that a transform is applied to something new in every round of a loop.

    Args:
        site: where the transform is applied.
        construct: what is new: "lambda", "partial" …
        transform: the transform.
        function: what it is applied to.
        shared: the loops that both the making and the call are in, the innermost last, and why their rounds need
            programs of their own.
        span: where the result is called.
        symbol: the function in which the transform is applied.
        assuming: what the event rests on.
    """
    module, place = site
    loop = _loop_that_matters(interp, shared)
    if assuming is None and _may_be_traced(interp, loop):
        assuming = Assumption(AssumptionKind.NOT_TRACED_BY_CALLER, "no caller traces it")
    local = symbol == interp.symbol() and loop in interp.own_loops()
    flow = interp.source_at(module, place, f"`{transform}` is applied here to a new {construct}")
    lines = interp.module.lines, module.lines
    if interp.module is not module or lines[0].position(span.start)[0] != lines[1].position(place.start)[0]:
        flow = flow.then(interp.module, span, "called here" if not local else "called here, in a loop")
    if not local:
        note = "for a leaf of a tree, here" if loop in interp.world.leaf_loops else "in a round of this loop"
        flow = flow.then(*interp.world.loop_sites[loop], note)
    inner = innermost_function(function)
    name = {"name": inner.code.name.strip("<>")} if inner is not None else {}
    made_in, made_at = function.site if isinstance(function, ProjectCallable) and function.site else site
    interp.emit(
        EventKind.JIT_CREATED,
        place,
        construct,
        module=module,
        flow=flow,
        symbol=symbol,
        subject=made_in.snippet(made_at),
        detail={"transform": transform, "where": "loop" if local else "call", "own": shared[loop], **name},
        assuming=assuming,
        entry=Entry(module.place(place), transform, function_name(function)),
    )


def _may_be_traced(interp: Interpreter, loop: int) -> bool:
    """Whether a caller out of view may trace what runs in a loop: then what is made there compiles with it.

    Users run the methods of a framework's modules under jit. If the loop is around the call, it shows who calls it.
    """
    for frame in interp.path.frames:
        cls = interp.world.method_classes.get(id(frame.function)) if loop not in frame.loops else None
        if frame.maybe_traced or (cls is not None and any(m.traced_methods for m in class_facts(interp, cls).models)):
            return True
    return False


def _with_rounds_within(reasons: dict[int, str]) -> dict[int, str]:
    """Why rounds need programs of their own that are called in a loop: a loop around others needs theirs, too.

    Each program serves for the many calls of its own round: keeping it until the outer loop comes by gains little.
    """
    found: dict[int, str] = {}
    inner = ""
    for loop in reversed(reasons):
        inner = found[loop] = reasons[loop] or inner
    return dict(reversed(found.items()))


def _loop_that_matters(interp: Interpreter, loops: dict[int, str]) -> int:
    """The loop by which a finding is explained: one whose rounds could share a program, untraced, and not in a test.

    Args:
        loops: why the rounds of each need programs of their own, the innermost loop last.
    """

    def weight(loop: int) -> tuple[bool, bool, bool]:
        in_test = runs_once(interp.world.loop_sites[loop][0].source.display)
        return not loops[loop], not _may_be_traced(interp, loop), not in_test

    return max(reversed(loops), key=weight)


def freshness(function: Value, loops: list[int]) -> tuple[str, list[int]]:
    """What kind of new object a function is in the rounds of some loops, and of which of them.

    A function that is made before a loop is the same object in all of its rounds, even if its own maker is called in
    another loop.

    Args:
        function: what a transform is applied to.
        loops: the loops around the application, the innermost last.

    Returns:
        "lambda", "partial" …, and those of `loops` in which it is a new object; "" and none if it stays the same.
    """
    if not isinstance(function, ProjectCallable):
        return "", []
    shared = [loop for loop in loops if loop in function.loops]
    return (_kind(function), shared) if shared else ("", [])


def _kind(function: ProjectCallable) -> str:
    """How messages call a function; "" for those that are not known to be new objects."""
    if isinstance(function, Function):
        return "lambda" if function.code.name == "<lambda>" else "local function"
    if isinstance(function, Partial):
        return "partial"
    if isinstance(function, BoundMethod):
        return "bound method"
    return function.transform.name if isinstance(function, Transformed) else ""
