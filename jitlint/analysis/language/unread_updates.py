"""Changed copies that are bound to a variable which nobody reads: `mass = mass.at[0].add(1)`, and then no `mass`.

`mass *= 2` is such a one, too: it changes a NumPy array where that is held, but binds a name to a new JAX array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, AtIndexer, JaxArray, Method, Traced, Value
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes

CONSTRUCT: Final = ".at, unread"

IN_PLACE: Final = "in place, unread"

_WITHIN: Final = (ir.FunctionDef, ir.Lambda, ir.ClassDef)


def check_unread_update(interp: Interpreter, callee: Value, node: ir.Call) -> None:
    """Emits an event if a call of `x.at[i].set` is bound to a local variable that the function names no more.

    Nor may a loop around it, or a function within, name it, but for a loop that binds it anew in each round. Names that
    begin with an underscore are meant to be unread.
    """
    function = interp.frame.function
    if function is None or not isinstance(callee, Method) or not isinstance(callee.receiver, AtIndexer):
        return
    if callee.name == "get":
        return  # it changes nothing
    name = _unread(interp, function).get(id(node))
    if name is not None:
        array = callee.receiver.array
        value = array if isinstance(array, Array) else None
        interp.emit(EventKind.DISCARDED, node.span, CONSTRUCT, value=value, subject=name)


def check_unread_rebinding(interp: Interpreter, node: ir.AugAssign, old: Value) -> None:
    """Emits an event if `x *= v` is to change an array where a caller or a container has it, and only binds `x` anew.

    Args:
        node: the assignment.
        old: what the variable held before. If it may be something else than a JAX array, that may change in place.
    """
    function = interp.frame.function
    if function is None or not isinstance(node.target, ir.Name):
        return
    arrays = all(isinstance(part, (Traced, JaxArray)) for part in alternatives(old))
    if arrays and id(node) in _unread(interp, function):
        interp.emit(EventKind.DISCARDED, node.target.span, IN_PLACE, value=old, subject=node.target.name)


def _unread(interp: Interpreter, function: ir.Function) -> dict[int, str]:
    """What `_unread_updates` finds in a function; it looks once."""
    readings = interp.world.readings.unread_updates
    if id(function) not in readings:
        readings[id(function)] = dict(_unread_updates(interp, function))
    return readings[id(function)]


def _unread_updates(interp: Interpreter, function: ir.Function) -> Iterator[tuple[int, str]]:
    """What a function binds to a variable that it names no more, by identity, with the variable's name.

    Calls of methods, and augmented assignments to a parameter, to the variable of a loop, or to one that an item or
    attribute is bound to.
    """
    nodes = list(own_nodes(interp.project.body(function)))
    loops = [each for each in nodes if isinstance(each, (ir.For, ir.While))]
    text = interp.module.source.text
    within = [text[each.span.start : each.span.end] for each in nodes if isinstance(each, _WITHIN)]
    held = _held_elsewhere(nodes).union(parameter.name for parameter in function.parameters)
    for bound in nodes:
        update: ir.AugAssign | ir.Expr
        if isinstance(bound, ir.AugAssign):
            update, target = bound, bound.target
        elif isinstance(bound, ir.Assign) and _is_method_call(bound.value) and len(bound.targets) == 1:
            update, target = bound.value, bound.targets[0]
        else:
            continue
        name = target.name if isinstance(target, ir.Name) else "_"
        if name.startswith("_") or name in function.globals or name in function.nonlocals:
            continue
        if update is bound and name not in held:
            continue
        around = sorted((each for each in loops if _holds(each, bound)), key=lambda loop: loop.span.start, reverse=True)
        binding = next((i for i, loop in enumerate(around) if _binds(loop, name, bound)), len(around))
        first = around[binding - 1].span.start if binding else bound.span.start  # of the code that reads it again
        elsewhere = [
            text[first : bound.span.start],
            text[bound.span.end : function.span.end],
            *within,
        ]
        if not any(re.search(rf"\b({re.escape(name)}|locals)\b", part) for part in elsewhere):
            yield id(update), name


def _held_elsewhere(nodes: list[Any]) -> set[str]:
    """The variables that stand for a part of something: those of loops, and those bound to an item or an attribute."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ir.For):
            names.update(part.name for part in own_nodes(node.target) if isinstance(part, ir.Name))
        elif isinstance(node, ir.Assign) and isinstance(node.value, (ir.Attribute, ir.Subscript)):
            names.update(target.name for target in node.targets if isinstance(target, ir.Name))
    return names


def _is_method_call(node: ir.Expr | None) -> bool:
    """Whether an expression calls an attribute: `x.at[i].set(y)`."""
    return isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute)


def _binds(loop: ir.For | ir.While, name: str, update: ir.Assign | ir.AugAssign) -> bool:
    """Whether a loop gives a variable another value in each of its rounds, before it comes to an update."""
    targets = [loop.target] if isinstance(loop, ir.For) else []
    for statement in loop.body:
        if isinstance(statement, ir.Assign) and statement.span.end <= update.span.start:
            targets += statement.targets
    return any(isinstance(part, ir.Name) and part.name == name for target in targets for part in own_nodes(target))


def _holds(loop: ir.For | ir.While, statement: ir.Assign | ir.AugAssign) -> bool:
    """Whether a loop runs a statement in each of its rounds."""
    return any(part is statement for part in own_nodes(loop.body))
