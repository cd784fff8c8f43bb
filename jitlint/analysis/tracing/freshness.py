"""Transforms that are applied anew again and again, so that each has a compile cache of its own."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import BoundMethod, Function, Partial, ProjectCallable, Site, Transformed, Value
from jitlint.analysis.values.callables import function_name
from jitlint.events.event import Confidence, Entry, EventKind
from jitlint.source.places import Span


def check_fresh(interp: Interpreter, made: Transformed, span: Span) -> None:
    """A jitted function that is made and called in the same round of a loop never hits its compile cache."""
    if not made.transform.cached or interp.staging or made.stored or made.guarded or not made.loops:
        return
    shared = [loop for loop in made.loops if loop in interp.loops]
    construct = freshness(made.function, shared)
    if not shared or not construct or made.site is None:
        return
    report_fresh(interp, made.site, construct, made.transform.name, made.function, shared, span, made.symbol)


def report_fresh(
    interp: Interpreter,
    site: Site,
    construct: str,
    transform: str,
    function: Value,
    shared: list[int],
    span: Span,
    symbol: str,
    guess: str = "",
) -> None:
    """Predicts that a transform is applied to something new in every round of a loop (possibly, with a `guess`)."""
    module, place = site
    local = symbol == interp.symbol() and any(loop in interp.own_loops() for loop in shared)
    flow = interp.source_at(module, place, f"`{transform}` is applied here to a new {construct}")
    lines = interp.module.lines, module.lines
    if interp.module is not module or lines[0].position(span.start)[0] != lines[1].position(place.start)[0]:
        flow = flow.then(interp.module, span, "called here" if not local else "called here, in a loop")
    if not local:
        flow = flow.then(*interp.world.loop_sites[shared[-1]], "in a round of this loop")
    made_in, made_at = function.site if isinstance(function, ProjectCallable) and function.site else site
    interp.emit(
        EventKind.JIT_CREATED,
        place,
        construct,
        module=module,
        flow=flow,
        symbol=symbol,
        subject=made_in.snippet(made_at),
        detail={"transform": transform, "where": "loop" if local else "call"},
        confidence=Confidence.POSSIBLE if guess else Confidence.CERTAIN,
        guess=guess,
        entry=Entry(module.place(place), transform, function_name(function)),
    )


def freshness(function: Value, shared: list[int]) -> str:
    """What kind of new object a function is in every round of the loops `shared`; "" if it stays the same one."""
    if not isinstance(function, ProjectCallable) or not any(loop in function.loops for loop in shared):
        return ""
    if isinstance(function, Function):
        return "lambda" if function.code.name == "<lambda>" else "local function"
    if isinstance(function, Partial):
        return "partial"
    if isinstance(function, BoundMethod):
        return "bound method"
    return function.transform.name if isinstance(function, Transformed) else ""
