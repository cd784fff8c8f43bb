"""What parts and other forms of something that was donated have of it: attributes, views, elements of containers."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from jitlint.analysis.machine.buffers import (
    Donated,
    content_when_donated,
    has_identity,
    of_this_run,
    parts_of,
    record_of,
    record_of_part,
)
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, BoundMethod, Dict, Instance, Sequence, Tuple, Unknown, Value
from jitlint.analysis.values.containers import with_new_identity


def element_held(interp: Interpreter, holder: Value, element: Value) -> Value:
    """What stands for any element of a container: donated, if it is a list, and one of those that it held was."""
    if isinstance(holder, Sequence) and interp.world.buffers.fields and interp.trace is None:
        return _hand_on_parts(interp, holder.element, element)
    record = record_of_part(interp, holder) if interp.world.buffers.fields else None
    if record is None or interp.trace is not None:
        return element
    element = _with_own_arrays(element)
    fields = [part for part in element.fields.values() if isinstance(part, Value)] if _is_object(element) else []
    for part in (element, *parts_of(element), *fields):
        if has_identity(part):
            _note(interp, record, part)
    return element


def _is_object(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and not value.guessed


def _with_own_arrays(value: Value) -> Value:
    """Another value with other arrays, at any depth: what stood for several is one of them now."""
    if _is_object(value):
        return value.with_fields({k: with_new_identity(v) for k, v in value.fields.items() if isinstance(v, Value)})
    if not isinstance(value, Dict):
        return with_new_identity(value)
    entries = {key: _with_own_arrays(part) for key, part in value.entries.items()}
    return value.with_values(entries, _with_own_arrays(value.rest))


def hand_on(interp: Interpreter, owner: Value, part: Value) -> None:
    """What an unknown object holds was donated with it: to read the attribute is no use of an array yet.

    A method of a NamedTuple that it is taken for has what was donated in `self`.
    """
    record = record_of(interp, owner)
    if record is None:
        return
    guessed = part.receiver if isinstance(part, BoundMethod) and part.guessed else None
    for held in guessed.elements if isinstance(guessed, Tuple) else (part,):
        if has_identity(held):
            _note(interp, record, held)


def hand_on_to_leaf(interp: Interpreter, tree: Instance, part: Value, leaf: Value) -> None:
    """A leaf of an object was donated in this run, by itself or with the object.

    What another method has donated, it may have replaced since: `self.state = step(self.state)`.

    Args:
        interp: where the object is taken apart.
        tree: the object.
        part: what it holds.
        leaf: what stands for the part now.
    """
    record = record_of(interp, part) or record_of(interp, tree)
    if record is not None and of_this_run(interp, record) and has_identity(leaf):
        _note(interp, record, leaf)


def hand_on_to_view(interp: Interpreter, owner: Value, view: Value) -> None:
    """What holds the arrays of an object in another form (`eqx.filter(model, …)`) was, or will be, donated with it."""
    if not isinstance(view, Instance) or interp.trace is not None:
        return
    if isinstance(owner, Instance):
        interp.world.views.setdefault(owner.serial, []).append(view)
    record = record_of(interp, owner)
    if record is not None:
        _note(interp, record, view)


def _hand_on_parts(interp: Interpreter, owner: Value, fresh: Value) -> Value:
    """One of the elements that `owner` stands for, where a view of something that was donated gives them."""
    for old, new in zip((owner, *parts_of(owner)), (fresh, *parts_of(fresh)), strict=False):
        record = interp.world.buffers.fields.get(id(old))
        if isinstance(record, Donated) and has_identity(new):
            interp.store.set(interp.world.buffers, id(new), replace(record, value=new))
    return fresh


def view_of_donated(interp: Interpreter, method: Value, name: str) -> Value | None:
    """What `items()` or `values()` gives of something unknown that was donated; None if it was not.

    Args:
        method: the method of the unknown object, to which the donation was handed on.
        name: its name.
    """
    record = record_of(interp, method) if isinstance(method, Unknown) else None
    if record is None or name not in ("items", "values"):
        return None
    part = Unknown()
    _note(interp, record, part)
    return Sequence("view", Tuple((UNKNOWN, part)) if name == "items" else part)


def _note(interp: Interpreter, record: Donated, part: Value) -> None:
    """Notes that a value was donated with another one."""
    content = content_when_donated(part)
    interp.store.set(interp.world.buffers, id(part), replace(record, value=part, content=content))
