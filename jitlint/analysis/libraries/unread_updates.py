"""Changed copies that are bound to a variable which nobody reads: `mass = mass.at[0].add(1)`, and then no `mass`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, AtIndexer, Method, Value
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes

CONSTRUCT: Final = ".at, unread"

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
    readings = interp.world.readings.unread_updates
    if id(function) not in readings:
        readings[id(function)] = dict(_unread_updates(interp, function))
    name = readings[id(function)].get(id(node))
    if name is not None:
        array = callee.receiver.array
        value = array if isinstance(array, Array) else None
        interp.emit(EventKind.DISCARDED, node.span, CONSTRUCT, value=value, subject=name)


def _unread_updates(interp: Interpreter, function: ir.Function) -> Iterator[tuple[int, str]]:
    """The calls of methods, by identity, that a function binds to a variable which it names no more; with its name."""
    nodes = list(own_nodes(interp.project.body(function)))
    loops = [each for each in nodes if isinstance(each, (ir.For, ir.While))]
    text = interp.module.source.text
    within = [text[each.span.start : each.span.end] for each in nodes if isinstance(each, _WITHIN)]
    for bound in nodes:
        if not isinstance(bound, ir.Assign) or not _is_method_call(bound.value) or len(bound.targets) != 1:
            continue
        name = bound.targets[0].name if isinstance(bound.targets[0], ir.Name) else "_"
        if name.startswith("_") or name in function.globals or name in function.nonlocals:
            continue
        around = [each for each in loops if _holds(each, bound)]
        starts = [each.body[0].span.start if _binds(each, name) else each.span.start for each in around]
        elsewhere = [
            text[min(starts, default=bound.span.start) : bound.span.start],
            text[bound.span.end : function.span.end],
            *within,
        ]
        if not any(re.search(rf"\b({re.escape(name)}|locals)\b", part) for part in elsewhere):
            yield id(bound.value), name


def _is_method_call(node: ir.Expr | None) -> bool:
    """Whether an expression calls an attribute: `x.at[i].set(y)`."""
    return isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute)


def _binds(loop: ir.For | ir.While, name: str) -> bool:
    """Whether a loop gives a variable another value in each of its rounds."""
    targets = own_nodes(loop.target) if isinstance(loop, ir.For) else ()
    return any(isinstance(each, ir.Name) and each.name == name for each in targets)


def _holds(loop: ir.For | ir.While, statement: ir.Assign) -> bool:
    """Whether a loop runs a statement in each of its rounds."""
    return any(part is statement for part in own_nodes(loop.body))
