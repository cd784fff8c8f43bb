"""Records reads and writes of state that outlives a trace: variables, attributes, and items of dicts and lists.

A jitted function sees such state only while it is traced, so what it reads is stale once somebody writes it. state.py
compares reads with writes when everything has run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from jitlint import ir
from jitlint.analysis.machine.call_order import Change, Compiled
from jitlint.analysis.machine.emission import called_from
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state import StateRead, StateWrite
from jitlint.analysis.values import (
    NEVER,
    TRUE,
    UNKNOWN,
    Const,
    Dict,
    Frame,
    Function,
    HeapObject,
    Instance,
    List,
    Member,
    Value,
)
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.project.modules import Module
from jitlint.source.places import Span


def record_item_read(interp: Interpreter, base: Dict, key: object, name: str, span: Span) -> None:
    """Records the read of a dict's item, if a cached trace reads it from outside. `name` is how the code writes it."""
    trace = interp.trace
    held = base.entries.get(key, base.rest)
    if is_changed_only(interp, base if held is NEVER and base.factory is not None else held):
        return
    if base.site is not None and trace is not None and trace.cached and base.depth < trace.stage:
        record_read(interp, _item_key(base, key), "item", name, span)


_RETURNING_NOTHING: Final = frozenset(
    {"append", "appendleft", "add", "insert", "extend", "extendleft", "update", "clear"}
)
"""Methods of containers that change them and return nothing."""


def is_changed_only(interp: Interpreter, value: Value | None) -> bool:
    """Whether a container is read to be changed, `state.log.append(x)`: that is told as a side effect."""
    return isinstance(value, (List, Dict)) and interp.path.asked in _RETURNING_NOTHING


def record_items_changed(interp: Interpreter, base: Dict, values: Mapping[object, Value | None], span: Span) -> None:
    """Records that items of a dict get other values, or are deleted: None."""
    if base.site is not None:
        for key, value in values.items():
            record_write(interp, _item_key(base, key), span, ordered=False, initial=False, value=value)


def list_key(value: List) -> tuple[object, ...] | None:
    """The identity of what all lists hold that are made at one place; None for a list of unknown origin."""
    return None if value.site is None else ("object", str(value.site[0].source.path), value.site[1], "content")


def record_array_changed(interp: Interpreter, name: str, span: Span) -> None:
    """Records that elements of a NumPy array change which a variable of an outer scope holds."""
    frame = interp.frame.home.parent
    while frame is not None and name not in frame.fields:
        frame = frame.parent
    if frame is not None and name not in interp.frame.home.fields:
        record_write(interp, state_key(frame, name), span, ordered=False, initial=False)


def _item_key(base: Dict, key: object) -> tuple[object, ...]:
    """The identity of an item of all dicts that are made at one place."""
    assert base.site is not None
    return ("object", str(base.site[0].source.path), base.site[1], _plain(key))


def _plain(key: object) -> object:
    """A key of a dict without abstract values, which no other process could read: an enum's member by its name."""
    if isinstance(key, tuple):
        return tuple([_plain(part) for part in key])
    return ("member", key.of) if isinstance(key, Member) else key


def state_key(frame: Frame, name: str) -> tuple[object, ...]:
    """The identity of a variable: a global's holds for the whole project, a local one's for one run of its function."""
    if frame.parent is None:
        return ("global", frame.module.name, str(frame.module.root), name)
    code = frame.function
    return ("closure", str(frame.module.source.path), code.span if code else None, frame.serial, name)


def _arrays_key(value: Instance) -> tuple[object, ...] | None:
    """The identity of the arrays that all objects hold which are made at one place; None if that is not known."""
    return None if value.site is None else ("object", str(value.site[0].source.path), value.site[1], "arrays")


def record_arrays_read(interp: Interpreter, value: Instance, name: str, span: Span) -> None:
    """Records that a cached trace runs an object from outside, whose arrays it reads: a module of NNX."""
    trace, key = interp.trace, _arrays_key(value)
    if key is not None and trace is not None and trace.cached and value.depth < trace.stage:
        record_read(interp, key, "closure", name, span, holder=value.serial, passed=value)


def record_arrays_changed(interp: Interpreter, value: Instance, span: Span) -> None:
    """Records that the variables of an object get other arrays, as an optimizer's update gives them."""
    key = _arrays_key(value)
    if interp.trace is None and key is not None:
        record_write(interp, key, span, ordered=False, initial=False, holder=value.serial)
    elif interp.trace is not None:
        interp.root_run.changes.updated.add(value.serial)
    interp.store.set(interp.world.updated, value.serial, TRUE)


def _function_key(function: Function, name: str) -> tuple[object, ...]:
    """The identity of an attribute of all functions that are made by one `def`."""
    return ("object", str(function.module.source.path), function.code.span, name)


def record_function_read(
    interp: Interpreter, function: Function, attributes: HeapObject, name: str, span: Span
) -> None:
    """Records that a cached trace reads an attribute of a function from outside."""
    trace, held = interp.trace, attributes.fields.get(name)
    if trace is not None and trace.cached and attributes.depth < trace.stage and not is_changed_only(interp, held):
        key, called = _function_key(function, name), f"{function.code.name}.{name}"
        record_read(interp, key, "attribute", called, span, holder=attributes.serial)


def record_function_write(
    interp: Interpreter, function: Function, attributes: HeapObject, name: str, span: Span
) -> None:
    """Records that an attribute of a function changes. Where the function is made, it gets its first value."""
    initial = function.closure is interp.frame
    key = _function_key(function, name)
    record_write(interp, key, span, ordered=False, initial=initial, holder=attributes.serial)


def record_read(
    interp: Interpreter,
    key: tuple[object, ...],
    construct: str,
    name: str,
    span: Span,
    owner: Frame | None = None,
    holder: int = 0,
    passed: Value | None = None,
) -> None:
    """Records that the running trace, which a compile cache holds, reads state from outside.

    Args:
        interp: where the read happens.
        key: the identity of the state.
        construct: its kind: "global", "closure", "attribute" or "item".
        name: what people call it.
        span: where it is read.
        owner: the frame that holds it, if it is a variable.
        holder: the serial of the instance that holds it; 0 if that may be any of its class.
        passed: what is read, if functions that get it as an argument are not at fault.
    """
    trace = interp.trace
    assert trace is not None
    state = interp.unit.state
    branches = tuple(interp.store.branches)
    if trace.compiled is not None:
        state.order.read(trace.compiled, key, holder, branches)
    module, span, symbol = _seen_at(interp, span, passed)
    identity = (key, module, span, holder)
    reported = module.given  # files that are only imported get no findings
    if key in state.known and (not reported or identity in state.reads):
        return
    read = StateRead(
        key=key,
        construct=construct,
        name=name,
        place=module.place(span),
        symbol=symbol,
        entry=trace.entry,
        root=interp.root_run.root,
        reader=_code_key(interp, interp.frame.home.function),
        fresh=trace.fresh,
        made_in=_made_in(interp.frame, owner) if owner is not None else (),
        holder=holder,
        branches=branches,
        calls=tuple(called_from(interp.path.traced_calls(), module.place(span))),
    )
    if reported:
        state.reads.setdefault(identity, read)
    state.known.setdefault(key, read)


def _seen_at(interp: Interpreter, span: Span, passed: Value | None) -> tuple[Module, Span, str]:
    """Where code reads what is read at a place, and in which function: what a property reads, the code that asks for
    the property; what a function gets as an argument, the code that gives it.
    """
    module, symbol = interp.module, interp.symbol()
    frames = interp.path.frames
    for around, frame in zip(reversed(frames[:-1]), reversed(frames), strict=False):
        is_getter = id(frame.function) in interp.world.readings.getters
        is_given = passed is not None and any(value is passed for value in frame.given.values())
        if not (is_getter or is_given) or frame.called_at is None or around.function is None:
            break
        module, span = frame.called_at
        symbol = f"{module.name}.{around.function.qualname}"
    return module, span, symbol


def record_compiled_calls(interp: Interpreter, called: Mapping[Compiled, int], given: Hashable = None) -> None:
    """Records that functions with a compile cache are called, now or within a call whose result is remembered.

    Args:
        interp: where they are called.
        called: the functions, each with the nesting of the running call that has made it (met.py).
        given: the key of their arguments; None if that is not known.
    """
    for compiled, made_in in called.items():
        interp.unit.state.met.note((compiled,), made_in)
        interp.unit.state.order.called(compiled, tuple(interp.store.branches), given)


def _made_in(frame: Frame, owner: Frame) -> tuple[int, ...]:
    """The loops of `owner` in which the closure that reads from it is made anew."""
    current: Frame | None = frame
    while current is not None and current.parent is not owner:
        current = current.parent
    return current.made_in[len(owner.loops) :] if current is not None else ()


def _code_key(interp: Interpreter, code: ir.Function | None) -> object:
    """The identity of a function's code over all processes; of a module's top level for None."""
    return (str(interp.module.source.path), code.span if code else None)


def record_write(
    interp: Interpreter,
    key: tuple[object, ...],
    span: Span,
    *,
    ordered: bool,
    initial: bool,
    holder: int = 0,
    value: Value | None = None,
) -> None:
    """Records a change of state that a trace may have read.

    Args:
        interp: where the write happens.
        key: the identity of the state.
        span: where it is written.
        ordered: whether the order of this write and the reads is known, so that it counts only after a read.
        initial: whether it is the first value of the state. So is what is written behind a test for what is missing.
        holder: the serial of the instance that holds it; 0 if that may be any of its class.
        value: the new value, if it is known.
    """
    state = interp.unit.state
    counts = not initial and not interp.staging and not _sets_up(interp.frame.home.function)
    for_a_while = counts and _changes_for_a_while(interp, key, holder, span, value)
    initial = initial or (interp.path.guards > 0 and not for_a_while)
    ordered = ordered or (interp.root_run.root is not None and not interp.root_run.root.qualname)
    if ordered and not for_a_while and not state.counts(key, interp.loops, interp.store.branches):
        return
    place = interp.module.place(span)
    if counts and not initial and not for_a_while:
        state.order.changed(_change(interp, key, holder, span))
    identity = (key, interp.module, span, holder, interp.staging)
    known = state.writes.get(identity)
    if known is None or (known.initial and not initial):  # `__init__` may call the method that others call later
        state.writes[identity] = StateWrite(
            key=key,
            place=place,
            ordered=ordered,
            traced=interp.staging,
            initial=initial,
            writer=_code_key(interp, interp.frame.home.function),
            holder=holder,
            scales=not initial and _scales(interp, span),
        )


def _change(interp: Interpreter, key: tuple[object, ...], holder: int, span: Span) -> Change:
    """A change of state that is written at a place."""
    return Change(key, holder, interp.module.place(span), tuple(interp.store.branches), interp.assumed())


def _changes_for_a_while(
    interp: Interpreter, key: tuple[object, ...], holder: int, span: Span, value: Value | None
) -> bool:
    """Notes a change that the running function takes back in a `finally`, or that takes one back. False for others."""
    order, restored = interp.unit.state.order, _restored_targets(interp)
    if span in restored:
        order.put_back(_change(interp, key, holder, span))
        return True
    written = _text_of_target(interp, span) if restored else ""
    if written not in restored.values():
        return False
    text = f"`{written}`, which is put back later, is not set for the next trace"
    stays = Assumption(AssumptionKind.CHANGE_STAYS, text)
    order.set_for_a_while(_change(interp, key, holder, span), UNKNOWN if value is None else value, stays)
    return True


def _scales(interp: Interpreter, span: Span) -> bool:
    """Whether a write multiplies what was there, as `self.rate *= 0.9` does: nobody gives a first value so."""
    code = interp.frame.home.function
    if code is None:
        return False
    known = interp.unit.state.scaled_in
    if id(code) not in known:
        known[id(code)] = frozenset(_scaled(interp, code))
    return span in known[id(code)]


def _scaled(interp: Interpreter, code: ir.Function) -> Iterator[Span]:
    """Where a function multiplies what it writes to."""
    for node in own_nodes(interp.project.body(code)):
        if isinstance(node, ir.AugAssign) and node.op in _FACTORS:
            yield node.target.span
        elif isinstance(node, ir.Assign) and isinstance(node.value, ir.Binary) and node.value.op in _FACTORS:
            texts = [interp.module.snippet(operand.span) for operand in (node.value.left, node.value.right)]
            yield from (target.span for target in node.targets if interp.module.snippet(target.span) in texts)


_FACTORS = ("*", "/")
"""Operators of a schedule. What is added up may be what an object is made of, one part after the other."""


def _sets_up(code: ir.Function | None) -> bool:
    """Whether a function, by its name, gives an object what it needs before it is used: that comes before any call."""
    return code is not None and code.name.lstrip("_").startswith(("init", "setup", "set_up"))


def _restored_targets(interp: Interpreter) -> Mapping[Span, str]:
    """What the running function puts back in a `finally` that it changes, as context managers do: places and texts."""
    code = interp.frame.home.function
    if code is None:
        return {}
    known = interp.unit.state.restored_in.get(id(code))
    if known is None:
        known = interp.unit.state.restored_in[id(code)] = {
            span: _text_of_target(interp, span)
            for node in own_nodes(interp.project.body(code))
            if isinstance(node, ir.Try)
            for statement in node.final
            for span in _spans_written(statement)
        }
    return known


def _spans_written(statement: ir.Stmt) -> list[Span]:
    """Where a statement writes: the targets of an assignment, or the call `vars(settings).update(…)`."""
    if isinstance(statement, ir.Assign):
        return [target.span for target in statement.targets]
    call = statement.value if isinstance(statement, ir.ExprStmt) else None
    method = call.function if isinstance(call, ir.Call) else None
    if not isinstance(call, ir.Call) or not isinstance(method, ir.Attribute) or method.name != "update":
        return []
    of = method.value.function if isinstance(method.value, ir.Call) else method.value
    return [call.span] if (isinstance(of, (ir.Name, ir.Attribute)) and of.name in ("vars", "__dict__")) else []


def _text_of_target(interp: Interpreter, span: Span) -> str:
    """What is written to, as it stands in the text: of `settings.update(…)` the dict."""
    return interp.module.snippet(span).partition(".update(")[0]


def is_same_constant(old: Value | None, new: Value) -> bool:
    """Whether an assignment changes nothing: a constant takes the place of an equal one."""
    return (
        isinstance(old, Const)
        and isinstance(new, Const)
        and (type(old.value), old.value)
        == (
            type(new.value),
            new.value,
        )
    )
