"""An optimizer's new state that nobody takes, where code goes on with the old one: `updates, _ = opt.update(…)`."""

from __future__ import annotations

import re
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Const, ExternalInstance, Method, Value
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes

CONSTRUCT: Final = "optimizer state"
"""The construct of the event."""

_STATELESS: Final = frozenset(
    {"identity", "scale", "clip", "clip_by_global_norm", "clip_by_block_rms", "add_decayed_weights"}
)
"""Optax's transformations that keep nothing from one step to the next. Seen with optax 0.2.8."""

_FACTORY: Final = re.compile(r"(?:\w+\.)*(\w+)\(")


def check_dropped_state(interp: Interpreter, callee: Value, node: ir.Call) -> None:
    """Emits an event if a call of Optax's `update` is unpacked, its state is never read, and the old one is kept.

    A state is kept where the function returns it, or where a loop around the call uses it again.
    """
    function = interp.frame.function
    state = node.arguments[1].value if len(node.arguments) > 1 else None
    if function is None or not isinstance(state, ir.Name):
        return
    if not all(_is_update(part) for part in alternatives(callee)) or not _has_state(callee):
        return
    nodes = list(own_nodes(interp.project.body(function)))
    dropped = next((_second_target(each) for each in nodes if isinstance(each, ir.Assign) and each.value is node), None)
    if dropped is None or dropped == state.name or _reads(nodes, dropped):
        return
    bound = [part for each in nodes if isinstance(each, ir.Assign) for part in _names(each.targets)]
    renewed = any(part.name == state.name and part.span.start > node.span.start for part in bound)
    if not renewed and (_is_returned(nodes, state.name) or _is_used_in_rounds(nodes, node, state.name)):
        interp.emit(EventKind.DISCARDED, node.span, CONSTRUCT, subject=state.name)


def _is_update(callee: Value) -> bool:
    """Whether a callee is the `update` of what Optax made."""
    if not isinstance(callee, Method) or callee.name != "update" or not isinstance(callee.receiver, ExternalInstance):
        return False
    return callee.receiver.of.startswith("optax.")


def _has_state(callee: Value) -> bool:
    """Whether one of the transformations that may be called keeps something from one step to the next."""
    return any(isinstance(part, Method) and not _is_stateless(part.receiver) for part in alternatives(callee))


def factory_of(value: Value) -> str:
    """The function of Optax that makes a transformation, as the text says: "sgd" of `optax.sgd(0.1)`; else ""."""
    if not isinstance(value, ExternalInstance) or value.site is None:
        return ""
    module, span = value.site
    made = _FACTORY.match(module.snippet(span))
    return made[1] if made is not None else ""


def _is_stateless(value: Value) -> bool:
    """Whether a transformation keeps nothing from one step to the next."""
    factory = factory_of(value)
    if not factory or not isinstance(value, ExternalInstance):
        return False
    if factory == "chain":
        return bool(value.arguments) and all(map(_is_stateless, value.arguments))
    if factory == "sgd":
        given = [*value.arguments, *value.keywords.values()]
        return len(given) == 1 and isinstance(given[0], Const)
    return factory in _STATELESS


def _second_target(node: ir.Assign) -> str | None:
    """The second of the two variables to which a value is unpacked."""
    target = node.targets[0] if len(node.targets) == 1 else None
    elements = target.elements if isinstance(target, ir.Display) and len(target.elements) == 2 else ()
    last = elements[1] if elements else None
    return last.name if isinstance(last, ir.Name) else None


def _names(node: Any) -> list[ir.Name]:
    return [part for part in own_nodes(node) if isinstance(part, ir.Name)]


def _reads(nodes: list[Any], name: str) -> bool:
    """Whether code reads a variable, anywhere but where it is bound."""
    targets = [part.span for each in nodes if isinstance(each, ir.Assign) for part in _names(each.targets)]
    return any(isinstance(each, ir.Name) and each.name == name and each.span not in targets for each in nodes)


def _is_returned(nodes: list[Any], name: str) -> bool:
    returned = [part for each in nodes if isinstance(each, ir.Return) for part in _names(each.value)]
    return any(part.name == name for part in returned)


def _is_used_in_rounds(nodes: list[Any], call: ir.Call, name: str) -> bool:
    """Whether a loop around a call never binds the variable, so that each round uses the same one."""
    loops = [each for each in nodes if isinstance(each, (ir.For, ir.While)) and any(p is call for p in own_nodes(each))]
    if not loops:
        return False
    bound = [part for each in own_nodes(loops[0]) if isinstance(each, ir.Assign) for part in _names(each.targets)]
    targets = _names(loops[0].target) if isinstance(loops[0], ir.For) else []
    return all(part.name != name for part in (*bound, *targets))
