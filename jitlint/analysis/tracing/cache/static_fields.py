"""Arrays in static fields of pytrees: they are part of the compile cache's key, and arrays cannot be compared for that.

One object passes, again and again. The next object with another array fails, when JAX asks whether both are equal.
"""

from __future__ import annotations

from functools import partial

from jitlint import ir
from jitlint.analysis.language.classes import class_attribute, class_facts, lineage
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state import exclusive
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.tracing.varying import bound_in_round, comes_from_round
from jitlint.analysis.values import Class, Function, HostArray, Instance, JaxArray, Transformed, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def check_static_fields(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> None:
    """Emits an event if a call gets an object with an array in a static field, where an earlier one got another.

    Args:
        transformed: the transformed function.
        args: the arguments of the call.
        span: where the call is written.
    """
    if not transformed.transform.cached:
        return
    for value, place in args.placed():
        for leaf in leaves(value):
            if isinstance(leaf, Instance) and not leaf.guessed:
                inside(interp, leaf, partial(_check, interp, transformed, leaf, place or span), None)


def _check(interp: Interpreter, transformed: Transformed, instance: Instance, span: Span) -> None:
    """Checks the static fields of one object, and then those of the objects in its attributes."""
    cls = instance.cls
    if not class_facts(interp, cls).pytree:
        return
    for name in static_attributes(interp, cls):
        value = instance.fields.get(name)
        if value is None or not _is_compared_badly(value):
            continue
        differs = _is_another(interp, (id(transformed), cls.serial, name), value)
        if differs is None:
            loop = interp.path.loops[-1].identity if interp.path.loops else None
            one_of_many = loop is not None and is_one_of_many(interp, instance, span, loop)
            differs = one_of_many and _is_made_with_it(interp, value)
        if differs:
            _report(interp, transformed, cls, name, span)
            return
    for held in instance.fields.values():
        for value in alternatives(held) if isinstance(held, Value) else ():
            if isinstance(value, Instance):
                inside(interp, value, partial(_check, interp, transformed, value, span), None)


def _is_another(interp: Interpreter, place: tuple[int, int, str], value: Value) -> bool | None:
    """Whether an earlier call got another array at a place; None if no call of the running root came before this one.

    Notes the first array that comes there.
    """
    run = interp.root_run
    key = (*place, run.root, run.open_options, run.command_line, *run.given.values())
    branches, known = tuple(interp.store.branches), interp.unit.static_fields.arrays
    if key not in known or exclusive(known[key][1], branches):
        known.setdefault(key, (value, branches))
        return None
    return known[key][0] is not value


def is_one_of_many(interp: Interpreter, instance: Instance, place: Span, loop: int) -> bool:
    """Whether a call gets another object in each round of a loop: one that the round makes, or one of many.

    Args:
        instance: the object.
        place: where it is given to the call.
        loop: the loop's identity, around the call.
    """
    if not instance.loops or interp.staging:
        return False
    return loop in instance.loops or (instance.loops[-1] not in interp.loops and comes_from_round(interp, loop, place))


def _is_made_with_it(interp: Interpreter, value: Value) -> bool:
    """Whether no variable that outlives a round of the running loop holds an array, so that each object has its own."""
    bound = bound_in_round(interp, interp.path.loops[-1].identity)
    frames = (*interp.world.frames.values(), *interp.path.frames)
    for frame in frames:
        for name, held in frame.fields.items():
            if name in bound and frame is interp.frame.home:
                continue
            parts = held.fields.values() if isinstance(held, Instance) else (held,)
            if any(part is value for part in parts):
                return False
    return True


def _is_compared_badly(value: Value) -> bool:
    """Whether a value is an array of more than one element, whose equality is no single answer."""
    return isinstance(value, (JaxArray, HostArray)) and value.rank != 0 and value.lead != (None, 1)


def static_attributes(interp: Interpreter, cls: Class) -> list[str]:
    """The attributes of a pytree class that are no leaves: declared so, there or by a library's class (`tx` of a
    `TrainState`), or what `tree_flatten` sets aside.
    """
    found = [field.name for field in class_facts(interp, cls).fields if field.static]
    found += [name for current in lineage(cls) for name in sorted(current.static_fields) if name not in found]
    found += [name for model in class_facts(interp, cls).models for name in model.static_fields if name not in found]
    flatten = cls.flatten if cls.flatten is not None else (class_attribute(interp, cls, "tree_flatten") or (None,))[0]
    if cls.by_functions and isinstance(flatten, Function) and flatten.code.parameters:
        aux = _auxiliary(interp.project.body(flatten.code))
        found += [name for name in _attributes_of(flatten.code.parameters[0].name, aux) if name not in found]
    return found


def _auxiliary(body: tuple[ir.Stmt, ...]) -> list[ir.Expr]:
    """What a flattening function returns beside the children: the expression, or what is assigned to its name."""
    nodes = list(own_nodes(body))
    pairs = [node.value for node in nodes if isinstance(node, ir.Return)]
    found = [pair.elements[1] for pair in pairs if isinstance(pair, ir.Display) and len(pair.elements) == 2]
    named = {aux.name for aux in found if isinstance(aux, ir.Name)}
    assigned = [
        node.value
        for node in nodes
        if isinstance(node, ir.Assign) and any(isinstance(t, ir.Name) and t.name in named for t in node.targets)
    ]
    return [*found, *assigned]


def _attributes_of(owner: str, expressions: list[ir.Expr]) -> list[str]:
    """The attributes of a variable that expressions read."""
    nodes = (node for expression in expressions for node in own_nodes(expression))
    return [
        node.name
        for node in nodes
        if isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name) and node.value.name == owner
    ]


def _report(interp: Interpreter, transformed: Transformed, cls: Class, name: str, span: Span) -> None:
    field = next((field for field in class_facts(interp, cls).fields if field.name == name), None)
    place = field.annotation.span if field is not None and field.annotation is not None else cls.code.name_span
    module = field.owner.module if field is not None else cls.module
    interp.emit(
        EventKind.STATIC_FIELD,
        span,
        "array",
        flow=interp.source_at(module, place, f"`{name}` is static here"),
        detail={"class": cls.code.name, "attribute": name},
        entry=entry_of(interp, transformed),
        assuming=Assumption(AssumptionKind.OTHERS_EQUAL, "all other static fields are equal"),
    )
