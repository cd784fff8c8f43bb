"""Variables: where a name is looked up, and what binding it means."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.arrays.constants import note_read
from jitlint.analysis.machine.accesses import record_read, record_write, state_key
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter
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
from jitlint.analysis.values.joins import widen
from jitlint.source.places import Span


def lookup(interp: Interpreter, name: str, span: Span) -> Value | None:
    """What a name stands for in the running code; None if nothing in the project binds it."""
    running = interp.frame
    frame: Frame | None = running
    code = running.home.function
    if code is not None and name in code.globals:
        frame = interp.world.frames[running.module]
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
    if is_global and interp.world.published:
        public = interp.public_external(frame.module, name)
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
    if is_global and name in interp.world.rebound_globals.get(frame.module, ()):
        widened = widen(value)
        return UNKNOWN if isinstance(value, Const) and value.value is None else widened
    return value


def _forget_emptiness(interp: Interpreter, value: List | Dict) -> None:
    """An empty container at a module's top is there to be filled: functions that run later find anything in it."""
    if interp.root_run.root is None or not interp.root_run.root.qualname:
        return
    if isinstance(value, List):
        content = value.content
        if isinstance(content, Tuple) and not content.elements:
            interp.store.narrow(value, "content", Sequence("tuple", UNKNOWN))
    elif not value.entries and value.rest is NEVER:
        interp.store.narrow(value, "rest", UNKNOWN)


def set_name(interp: Interpreter, name: str, value: Value, span: Span, *, local: bool = False) -> None:
    """Binds a name, in the scope that the code declares for it. `local`: a comprehension's own target."""
    frame = interp.frame if local else interp.frame.home
    code = frame.function
    if isinstance(value, Traced):
        value = value.with_step(interp.module, span, f"assigned to `{name}`")
    interp.unit.reveals.binds(interp, name, value, span)
    if code is not None and name in code.globals:
        _set_outer(interp, interp.world.frames[frame.module], name, value, span, "global")
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
        frame.rebound += frame.has_closures and frame.parent is not None
    interp.store.set(frame, name, value)


def _set_outer(interp: Interpreter, frame: Frame, name: str, value: Value, span: Span, construct: str) -> None:
    record_write(interp, state_key(frame, name), span, ordered=False, initial=False)
    check_escape(interp, frame, value, span, construct, name, write=True)
    frame.rebound += 1
    interp.store.set(frame, name, value)


def _assign_name(interp: Interpreter, target: ir.Name, value: Value, local: bool) -> None:
    set_name(interp, target.name, value, target.span, local=local)


ASSIGNERS[ir.Name] = _assign_name
