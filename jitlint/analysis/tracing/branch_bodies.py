"""Branches of `lax.cond` and `lax.switch` that cannot be traced at all. JAX traces every branch, whichever is taken.

So a branch that raises always raises, and a function whose branch calls the function again never comes to an end.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import BoundMethod, Const, Frame, Function, Static, Value
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def check_branch_bodies(interp: Interpreter, name: str, branches: list[Value], selector: Value, span: Span) -> bool:
    """Whether the branches can be traced. Emits an event for one that cannot."""
    endless = not isinstance(selector, (Const, Static)) and _endless(interp, branches)
    if endless:
        fault = f"calls `{endless}` again"
        interp.emit(EventKind.BRANCHES, span, name, detail={"fault": fault, "remedy": "loop"})
        return False
    for branch in branches:
        place = _where_it_raises(interp, branch)
        if place is not None and isinstance(branch, Function):
            flow = interp.source_at(branch.module, place, "this is reached in any case")
            interp.emit(EventKind.BRANCHES, span, name, flow=flow, detail={"fault": "raises in any case"})
            return False
    return True


def _where_it_raises(interp: Interpreter, branch: Value) -> Span | None:
    """Where the body of a branch ends in `raise`, if nothing in it returns before; else None."""
    if not isinstance(branch, Function) or branch.code.is_generator:
        return None
    body = interp.project.body(branch.code)
    last = body[-1] if body else None
    fails = isinstance(last, ir.Raise) or (
        isinstance(last, ir.Assert) and isinstance(last.test, ir.Const) and not last.test.value
    )
    if last is None or not fails or any(isinstance(node, ir.Return) for node in own_nodes(body)):
        return None
    return last.span


def _endless(interp: Interpreter, branches: list[Value]) -> str:
    """The name of a running function, if it has no condition of Python's and a branch calls it again; else "".

    The running function, or one around it: a branch may have branches of its own.
    """
    around: list[Frame] = []
    written_in = interp.world.readings.written_in
    frame = interp.function_frame()
    while frame is not None and frame.function is not None and frame in interp.path.frames:
        if any(isinstance(node, _CHOICES) for node in written_in(interp.project.body(frame.function)).nodes):
            break
        around.append(frame)
        frame = frame.parent
    for branch in branches:
        function = branch.function if isinstance(branch, BoundMethod) else branch
        if not isinstance(function, Function):
            continue
        nodes = written_in(interp.project.body(function.code)).nodes if function.closure in around else ()
        chooses = any(isinstance(node, _CHOICES) for node in nodes)
        for each in around:
            code = each.function
            assert code is not None
            called = any(isinstance(node, ir.Call) and _calls(node, code) for node in nodes) and not chooses
            if called or function.code is code:
                return code.name
    return ""


_CHOICES = (ir.If, ir.IfExp, ir.BoolOp, ir.Match, ir.Try, ir.For, ir.While, ir.Assert, ir.Comprehension, ir.Raise)
"""Where Python may choose not to go on."""


def _calls(node: ir.Call, code: ir.Function) -> bool:
    """Whether a call is written as one of a function: `fact(…)`, or `self.visit(…)` of a method."""
    owner, called = code.qualname.rpartition(".")[0], node.function
    if not owner or owner.endswith("<locals>"):
        return isinstance(called, ir.Name) and called.name == code.name
    holder = called.value if isinstance(called, ir.Attribute) and called.name == code.name else None
    return isinstance(holder, ir.Name) and bool(code.parameters) and holder.name == code.parameters[0].name
