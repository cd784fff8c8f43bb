"""Variables: which scope a name belongs to, what it stands for there, and what binding it means.

Also here: the events of scopes. When a cached trace reads an outer variable, that is recorded, since the value may
become stale; so is a write through `global` or `nonlocal`, which happens once, while tracing. machine/accesses.py makes
the records.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.arrays.constants import note_read
from jitlint.analysis.machine.accesses import is_same_constant, list_key, record_read, record_write, state_key
from jitlint.analysis.machine.escapes import check_escape, note_leaked_in
from jitlint.analysis.machine.held_buffers import note_bound
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter
from jitlint.analysis.values import (
    INT,
    NEVER,
    UNKNOWN,
    Class,
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
    is_none,
)
from jitlint.analysis.values.joins import widen
from jitlint.source.places import Span


def lookup(interp: Interpreter, name: str, span: Span) -> Value | None:
    """The value of a name for the running code; None if nothing in the project binds it (a builtin, or a mistake).

    Scopes are searched from the inside out. As in Python, a class body's names are visible in that body only.
    """
    running = interp.frame
    frame: Frame | None = running
    code = running.home.function
    if code is not None and name in code.globals:
        frame = interp.world.frames[running.module]
    while frame is not None:
        value: Value | None = frame.fields.get(name)
        if value is not None and (not frame.in_class or frame is running or running.is_inner):
            return read_variable(interp, frame, name, value, span)
        frame = frame.parent
    return None


def read_variable(interp: Interpreter, frame: Frame, name: str, value: Value, span: Span) -> Value:
    """The value of a variable that was found in `frame`. If a cached trace reads it from outside, the read is recorded.

    A global that some function declares `global` may be bound anew at any time: the value of a constant is forgotten,
    and None becomes Unknown (`cache = None` is a placeholder until the first call).
    """
    if value is NEVER:
        return UNKNOWN
    is_global = frame.parent is None
    if is_global and interp.world.published:
        public = interp.public_external(frame.module, name)
        if public is not None:
            return public
    if interp.trace is None and isinstance(value, (List, Dict)) and interp.unit.state.attributes.leaks:
        note_leaked_in(interp, value, span)
    if is_global and interp.frame.parent is not None and isinstance(value, (List, Dict)):
        _forget_emptiness(interp, value)
    if interp.trace is not None and interp.trace.cached and frame.depth < interp.trace.stage:
        if isinstance(value, List) and value.depth < interp.trace.stage and (key := list_key(value)) is not None:
            record_read(interp, key, "global" if is_global else "closure", name, span, frame, value.serial)
        note_read(interp, value, span)
        if not isinstance(value, (Function, Class, ModuleValue, External)):
            record_read(interp, state_key(frame, name), "global" if is_global else "closure", name, span, frame)
    if is_global and isinstance(value, External) and interp.world.imported_before:
        return _imported_as(interp, frame, name, value)
    if is_global and name in interp.world.rebound_globals.get(frame.module, ()):
        widened = widen(value)
        return UNKNOWN if is_none(value) else widened
    return value


def _imported_as(interp: Interpreter, frame: Frame, name: str, value: External) -> External:
    """The library module that a name stands for in the running function, if a later import gave it another one.

    A script that reads `import jax.numpy as np`, and `import numpy as np` for its plots, has called its functions by
    then.
    """
    end, before = interp.world.imported_before.get((frame.module, name), (0, value))
    code = interp.frame.home.function
    return before if code is not None and code.span.start < end else value


def _forget_emptiness(interp: Interpreter, value: List | Dict) -> None:
    """Forgets that a module's list or dict is empty, for functions that run after the module's top level.

    `REGISTRY = {}` at a module's top is there to be filled. Only code that runs by itself later (its root has a
    qualname) finds it filled; the top level sees it empty.
    """
    if interp.root_run.root is None or not interp.root_run.root.qualname:
        return
    if isinstance(value, List):
        content = value.content
        if isinstance(content, Tuple) and not content.elements:
            interp.store.narrow(value, "content", Sequence("tuple", UNKNOWN))
    elif not value.entries and value.rest is NEVER:
        counts = isinstance(value.factory, External) and value.factory.name == "builtins.int"
        interp.store.narrow(value, "rest", INT if counts else UNKNOWN)


def set_name(interp: Interpreter, name: str, value: Value, span: Span, *, local: bool = False) -> None:
    """Binds a name in the scope that the code declares for it: its own, or that of its `global` or `nonlocal`.

    `local` is for a comprehension's target, which belongs to the comprehension. All other names that are bound within
    one (`:=`) belong to the code around it.
    """
    frame = interp.frame if local else interp.frame.home
    code = frame.function
    if isinstance(value, Traced):
        value = value.with_step(interp.module, span, f"assigned to `{name}`")
    interp.unit.reveals.binds(interp, name, value, span)
    if code is not None and name in code.globals:
        _set_outer_variable(interp, interp.world.frames[frame.module], name, value, span, "global")
        return
    if code is not None and name in code.nonlocals:
        owner = frame.parent
        while owner is not None and name not in owner.fields:
            owner = owner.parent
        if owner is not None:
            _set_outer_variable(interp, owner, name, value, span, "nonlocal")
            return
    if name in frame.fields and not interp.path.repeats and not is_same_constant(frame.fields[name], value):
        record_write(interp, state_key(frame, name), span, ordered=True, initial=False)
        frame.rebound += frame.has_closures and frame.parent is not None
    if interp.world.donates and interp.trace is None:
        note_bound(interp, frame, name, value)
    interp.store.set(frame, name, value)


def _set_outer_variable(interp: Interpreter, frame: Frame, name: str, value: Value, span: Span, construct: str) -> None:
    """Binds a name of an outer scope, by `global` or `nonlocal`: under a trace, a lost write or a leak."""
    if not is_same_constant(frame.fields.get(name), value):
        record_write(interp, state_key(frame, name), span, ordered=False, initial=False, value=value)
    check_escape(interp, frame, value, span, construct, name, field=name, write=True)
    frame.rebound += 1
    interp.store.set(frame, name, value)


def _assign_name(interp: Interpreter, target: ir.Name, value: Value, local: bool) -> None:
    """Assigns to a name, as ASSIGNERS wants it."""
    set_name(interp, target.name, value, target.span, local=local)


ASSIGNERS[ir.Name] = _assign_name
