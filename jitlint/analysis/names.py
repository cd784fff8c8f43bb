"""Names: where they are looked up, what assigning to them means, and assignment to any target."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.constants import note_read
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.iteration import unpack
from jitlint.analysis.joins import widen
from jitlint.analysis.state import StateRead, StateWrite
from jitlint.analysis.values import (
    NEVER,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    Frame,
    Function,
    List,
    ModuleValue,
    Sequence,
    Traced,
    Tuple,
    Value,
)
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def lookup(interp: Interpreter, name: str, span: Span) -> Value | None:
    """What a name stands for in the running code; None if nothing in the project binds it."""
    running = interp.frame
    frame: Frame | None = running
    code = running.home.function
    if code is not None and name in code.globals:
        frame = interp.frames[running.module]
    while frame is not None:
        value: Value | None = frame.fields.get(name)
        if value is not None and (not frame.in_class or frame is running or running.is_inner):
            return _read(interp, frame, name, value, span)
        frame = frame.parent
    return None


def _read(interp: Interpreter, frame: Frame, name: str, value: Value, span: Span) -> Value:
    if value is NEVER:
        return UNKNOWN
    is_global = frame.parent is None
    if is_global and interp.published:
        public = interp.public(frame.module, name)
        if public is not None:
            return public
    if is_global and interp.frame.parent is not None and isinstance(value, (List, Dict)):
        _forget_emptiness(interp, value)
    if interp.trace is not None and interp.trace.cached and frame.depth < interp.trace.stage:
        if isinstance(value, List) and value.site is not None and value.depth < interp.trace.stage:
            key = ("object", str(value.site[0].source.path), value.site[1], "content")
            record_read(interp, key, "global" if is_global else "closure", name, span, frame)
        note_read(interp, value, span)
        if not isinstance(value, (Function, Class, ModuleValue, External)):
            record_read(interp, state_key(frame, name), "global" if is_global else "closure", name, span, frame)
    tree = interp.project.tree(frame.module) if is_global else None
    if tree is not None and name in tree.rebound:
        widened = widen(value)
        return UNKNOWN if isinstance(value, Const) and value.value is None else widened
    return value


def _forget_emptiness(interp: Interpreter, value: List | Dict) -> None:
    """An empty container at a module's top is there to be filled: functions that run later find anything in it."""
    if interp.root is None or not interp.root.qualname:
        return
    if isinstance(value, List):
        content = value.content
        if isinstance(content, Tuple) and not content.elements:
            interp.store.narrow(value, "content", Sequence("tuple", UNKNOWN))
    elif not value.fields["entries"] and value.fields["rest"] is NEVER:
        interp.store.narrow(value, "rest", UNKNOWN)


def state_key(frame: Frame, name: str) -> tuple[object, ...]:
    """The identity of a variable over all runs of the code that owns it."""
    if frame.parent is None:
        return ("global", frame.module.name, str(frame.module.root), name)
    code = frame.function
    return ("closure", str(frame.module.source.path), code.span if code else None, frame.serial, name)


def record_read(
    interp: Interpreter,
    key: tuple[object, ...],
    construct: str,
    name: str,
    span: Span,
    owner: Frame | None = None,
    holder: int = 0,
) -> None:
    """A cached trace reads state made outside of it."""
    trace = interp.trace
    assert trace is not None
    state = interp.state
    identity = (key, interp.module, span, holder)
    reported = interp.module.given  # not in a file that is not linted
    if key in state.known and (not reported or identity in state.reads):
        return
    read = StateRead(
        key=key,
        construct=construct,
        name=name,
        place=interp.module.place(span),
        symbol=interp.symbol(),
        entry=trace.entry,
        root=interp.root,
        reader=_code_key(interp, interp.frame.home.function),
        fresh=trace.fresh,
        made_in=_made_in(interp.frame, owner) if owner is not None else (),
        holder=holder,
        branches=tuple(interp.store.branches),
    )
    if reported:
        state.reads.setdefault(identity, read)
    state.known.setdefault(key, read)


def _made_in(frame: Frame, owner: Frame) -> tuple[int, ...]:
    """The loops of `owner` in which the closure that reads from it is made anew."""
    current: Frame | None = frame
    while current is not None and current.parent is not owner:
        current = current.parent
    return current.made_in[len(owner.loops) :] if current is not None else ()


def _code_key(interp: Interpreter, code: ir.Function | None) -> object:
    return (str(interp.module.source.path), code.span if code else None)


def record_write(
    interp: Interpreter, key: tuple[object, ...], span: Span, *, ordered: bool, initial: bool, holder: int = 0
) -> None:
    """Something changes state that a trace may have read. What is set where it was found missing is its first value."""
    state = interp.state
    ordered = ordered or (interp.root is not None and not interp.root.qualname)
    if ordered and not state.counts(key, interp.loops, interp.store.branches):
        return
    identity = (key, interp.module, span, holder, interp.staging)
    if identity not in state.writes:
        state.writes[identity] = StateWrite(
            key=key,
            place=interp.module.place(span),
            ordered=ordered,
            traced=interp.staging,
            initial=initial or interp.guards > 0,
            writer=_code_key(interp, interp.frame.home.function),
            holder=holder,
        )


def set_name(interp: Interpreter, name: str, value: Value, span: Span, *, local: bool = False) -> None:
    """Binds a name, in the scope that the code declares for it. `local`: a comprehension's own target."""
    frame = interp.frame if local else interp.frame.home
    code = frame.function
    if isinstance(value, Traced):
        value = value.going(interp.module, span, f"assigned to `{name}`")
    interp.reveals.binds(interp, name, value, span)
    if code is not None and name in code.globals:
        _set_outer(interp, interp.frames[frame.module], name, value, span, "global")
        return
    if code is not None and name in code.nonlocals:
        owner = frame.parent
        while owner is not None and name not in owner.fields:
            owner = owner.parent
        if owner is not None:
            _set_outer(interp, owner, name, value, span, "nonlocal")
            return
    if name in frame.fields:
        record_write(interp, state_key(frame, name), span, ordered=True, initial=False)
        frame.rebound += frame.closes and frame.parent is not None
    interp.store.set(frame, name, value)


def _set_outer(interp: Interpreter, frame: Frame, name: str, value: Value, span: Span, construct: str) -> None:
    record_write(interp, state_key(frame, name), span, ordered=False, initial=False)
    check_escape(interp, frame, value, span, construct, name, write=True)
    frame.rebound += 1
    interp.store.set(frame, name, value)


def check_escape(
    interp: Interpreter,
    target: Value,
    value: Value,
    span: Span,
    construct: str,
    name: str,
    *,
    write: bool = False,
) -> None:
    """A value is stored in an object: a leak if it is traced deeper than the object, else (`write`) a lost write."""
    if interp.trace is not None and interp.trace.guess:
        return
    depth = getattr(target, "depth", 0)
    tracer = find_tracer(value, depth)
    if tracer is not None and tracer.depth <= interp.depth:
        interp.emit(EventKind.LEAK, span, construct, flow=tracer.flow, detail={"name": name})
    elif write and interp.trace is not None and depth < interp.trace.stage and not interp.guards:
        interp.emit(EventKind.STATE_WRITE, span, construct, detail={"name": name})


def is_outer(interp: Interpreter, name: str) -> bool:
    """Whether a variable belongs to code outside of the trace that runs, so that a change of its value is lost."""
    trace = interp.trace
    if trace is None or trace.guess or interp.guards:
        return False
    frame: Frame | None = interp.frame
    while frame is not None and name not in frame.fields:
        frame = frame.parent
    return frame is not None and frame.depth < trace.stage


def find_tracer(value: Value, depth: int) -> Traced | None:
    """A tracer of a deeper trace than `depth` in a value or in the tuples and lists that it is made of."""
    from jitlint.analysis.joins import alternatives

    if isinstance(value, Traced):
        return value if value.depth > depth else None
    parts: tuple[Value, ...] = ()
    if isinstance(value, Tuple):
        parts = value.elements
    elif isinstance(value, Sequence):
        parts = (value.element,)
    elif isinstance(value, List) and value.depth > depth:
        parts = (value.content,)
    elif isinstance(value, Dict) and value.depth > depth:
        parts = (*value.fields["entries"].values(), value.fields["rest"])
    else:
        parts = tuple(part for part in alternatives(value) if part is not value)
    for part in parts:
        found = find_tracer(part, depth)
        if found is not None:
            return found
    return None


def assign(interp: Interpreter, target: ir.Expr, value: Value, *, local: bool = False) -> None:
    """Assigns a value to any target."""
    if isinstance(target, ir.Name):
        set_name(interp, target.name, value, target.span, local=local)
        return
    from jitlint.analysis.attributes import set_attribute
    from jitlint.analysis.subscripts import set_item

    if isinstance(target, ir.Attribute):
        set_attribute(interp, interp.evaluate(target.value), target.name, value, target)
    elif isinstance(target, ir.Subscript):
        base = interp.evaluate(target.value)
        set_item(interp, base, interp.evaluate(target.item), value, target)
    elif isinstance(target, ir.Display):
        starred = next((i for i, e in enumerate(target.elements) if isinstance(e, ir.Starred)), None)
        parts = unpack(interp, value, len(target.elements), starred, target.span)
        for element, part in zip(target.elements, parts, strict=True):
            assign(interp, element.value if isinstance(element, ir.Starred) else element, part, local=local)
