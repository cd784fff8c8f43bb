"""Keys of random numbers, and their second use: who draws twice with one key gets the same numbers twice.

A function that draws *uses up* its key. Each frame has a record of the keys that code has used up, by the identity of
the value: as long as a variable is not bound anew, it holds the same Python object. A call uses up what its function
uses up of its parameters; that is remembered with the call's result, so that a remembered call tells it, too. The store
holds the records, so that branches and loops see uses in the order in which they happen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jitlint import ir
from jitlint.analysis.language.classes import class_attribute
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.buffers import place_text
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.store import Deed
from jitlint.analysis.values import Array, Class, External, Frame, JaxArray, Traced, UnknownArgument, Value
from jitlint.analysis.values.flow import Flow
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class Used(Deed):
    """The record that a key is used up."""

    value: Value
    """The key. While the record refers to it, no other object can get its `id`."""
    span: Span
    """The argument by which it was used up."""
    place: str
    """That as "path:line"."""
    flow: Flow
    """A flow that begins there."""
    on_every_path: bool = True
    """Whether all paths to here use it up."""

    @property
    def sure(self) -> bool:
        return self.on_every_path

    def in_doubt(self) -> Used:
        return replace(self, on_every_path=False)


def use_keys(interp: Interpreter, callee: Value, node: ir.Call) -> None:
    """Notes the keys that a call has used up, and predicts an event for each that was used up before.

    Args:
        callee: what was called.
        node: the call. Only variables among its arguments count: of other expressions nothing tells which key it is.
    """
    position = 0
    for _, star, keyword, expression in node.arguments:
        if star:
            return
        if isinstance(expression, ir.Name) and _uses(interp, callee, position, keyword):
            _use(interp, expression.name, expression.span)
        position += keyword is None


def _uses(interp: Interpreter, callee: Value, position: int, keyword: str | None) -> bool:
    """Whether the call that has just returned used up an argument, given by position or by keyword."""
    if isinstance(callee, External):
        model = interp.models.function(callee.name)
        if model is None or not model.parameters or not interp.models.has_role(callee.name, "uses-key"):
            return False
        return keyword == model.parameters[0].name if keyword is not None else position == 0
    made = class_attribute(interp, callee, "__init__") if isinstance(callee, Class) else None
    target = signature_of(interp, made[0] if made is not None else callee) if interp.unit.used_keys.latest else None
    if target is None:
        return False
    position += made is not None  # after `self`
    parameter = target.positional(position) if keyword is None else target.named(keyword)
    return parameter is not None and parameter.name in interp.unit.used_keys.latest


def _use(interp: Interpreter, name: str, span: Span) -> None:
    """The key that a variable holds is used up.

    A global's is left out in functions: nothing tells in which order they run.
    """
    holder: Frame | None = interp.frame
    while holder is not None and name not in holder.fields:
        holder = holder.parent
    here = interp.frame.home
    if holder is None or (holder.parent is None and holder is not here):
        return
    value = holder.fields[name]
    if not isinstance(value, (JaxArray, Traced, UnknownArgument)):
        return
    holder = holder.home
    if holder is not here and _is_repeated(interp, holder):
        _report(interp, value, "loop", None, span, None)
        return
    if here.given.get(name) is value and interp.store.mark == here.mark + 1:
        here.uses.add(name)
    record = holder.used_keys.fields.get(id(value))
    if not isinstance(record, Used):
        flow = interp.source(span, "used up here", "")
        interp.store.set(holder.used_keys, id(value), Used(value, span, place_text(interp, span), flow))
        return
    assuming = None
    if not record.sure and record.span == span:
        assuming = Assumption(AssumptionKind.MANY_ROUNDS, "the loop has several rounds")
    elif not record.sure:
        assuming = Assumption(AssumptionKind.PATH_USES_KEY, "a path that uses it up is taken")
    _report(interp, value, "loop" if record.span == span else "again", record, span, assuming)


def _is_repeated(interp: Interpreter, holder: Frame) -> bool:
    """Whether the running code is the body of a loop of JAX, outside of which a variable was bound."""
    trace = interp.trace
    return trace is not None and holder.depth < trace.depth and interp.models.has_role(trace.transform, "repeats")


def _report(
    interp: Interpreter, value: Value, how: str, record: Used | None, span: Span, assuming: Assumption | None
) -> None:
    """Predicts the event of a second use."""
    typed = isinstance(value, Array) and value.dtype == "key"
    checked = "yes" if typed and interp.trace is not None else ""
    detail = {"checked": checked, "used": record.place if record is not None else ""}
    flow = record.flow.then(interp.module, span, "used again here") if record is not None else None
    interp.emit(EventKind.KEY_REUSED, span, how, flow=flow, detail=detail, assuming=assuming)
