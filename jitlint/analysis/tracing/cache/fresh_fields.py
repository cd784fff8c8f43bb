"""Static fields of pytrees that hold another function or number in each round of a loop, so that each compiles again.

Example: `for seed in seeds: state = step(TrainState.create(…, tx=optax.adam(1e-3)))`. The optimizer is part of the
compile cache's key, and no two that `optax.adam` makes are equal.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from jitlint.analysis.arrays.rounds import stepped_by_round
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.machine.buffers import holds_donated, of_another
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.options import as_typed
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.cache.own_programs import own_program
from jitlint.analysis.tracing.cache.static_arguments import another_in_each_round, binding_of, in_open_range
from jitlint.analysis.tracing.cache.static_fields import is_one_of_many, static_attributes
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.tracing.varying import call_at, levels, mentions, node_at
from jitlint.analysis.values import (
    Const,
    ExternalInstance,
    Function,
    Instance,
    LoopCounter,
    Partial,
    Site,
    Static,
    Transformed,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.flow import Flow
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.project.modules import Module
from jitlint.source.places import Span


def note_made(interp: Interpreter, span: Span) -> None:
    """Notes the loops around a place where a library makes a function, if what it makes differs by round.

    As far as the text says: `optax.adam(rate)` does where `rate` is what the loop goes through.
    """
    for loop in interp.loops:
        chain = levels(interp, loop)
        call = call_at(interp, chain[-1].round, span) if chain else None
        if call is None or mentions(interp, call, chain[-1].names):
            interp.unit.static_fields.made_of_round.add((interp.module, span, loop))


def replaced_fields(interp: Interpreter, receiver: Instance, args: Args, span: Span) -> dict[str, Value]:
    """The attributes that a copy of an object gets: `state.replace(step=state.step + 1)`."""
    places = args.keyword_spans
    kept = receiver.fields.items() if receiver.several and interp.world.buffers.fields else ()
    return {
        name: of_another(interp, value)
        for name, value in kept
        if name not in args.keywords and isinstance(value, Value) and holds_donated(interp, value)
    } | {
        name: replaced_field(interp, receiver, name, value, places.get(name), span)
        for name, value in args.keywords.items()
    }


def replaced_field(
    interp: Interpreter, receiver: Instance, name: str, value: Value, place: Span | None, span: Span
) -> Value:
    """What an attribute of a copy of an object holds. Notes where it gets what may differ from round to round.

    Args:
        receiver: the object.
        name: the attribute.
        value: what it gets.
        place: where that is written; None if that is not known.
        span: the call that makes the copy.
    """
    step = _step_of(interp, name, place) if place else None
    if step and interp.loops and receiver.fields.get(name) is not value:
        value = stepped_by_round(value, name, step[1], interp.loops[-1]) or value
    old = receiver.fields.get(name)
    if isinstance(value, ExternalInstance) and isinstance(old, ExternalInstance) and value.site is not None:
        same = place is not None and interp.module.snippet(place).endswith(f".{name}")  # `state.replace(tx=other.tx)`
        goes_on = value.site == old.site and value.loops == old.loops and not same
        passed = interp.unit.static_fields.passed.get((value.site, value.loops)) if goes_on else None
        if passed is not None:
            _report_replaced(interp, passed, span)
    value = as_typed(interp, value, old if isinstance(old, Value) else None)
    if type(value) is Static and value.kind == "float" and place is not None and not interp.staging:
        value = _of_rounds(interp, value, place)
    if isinstance(value, (Const, Static)) and interp.loops:
        interp.unit.static_fields.replaced[receiver.cls.serial, name] = interp.module, span, interp.symbol()
    return value


def _step_of(interp: Interpreter, name: str, place: Span) -> re.Match[str] | None:
    """How a number at a place, or the variable there, is computed from an attribute: `self.rate * state.noise`."""
    bound = binding_of(interp, place) or place
    text = interp.module.source.text[bound.start : bound.end]
    after = re.search(rf"\.{name}\s*([-+*/])(?![*/])", text)
    return after or re.search(rf"(?<![*/])([+*])\s*[\w.]*\.{name}\b(?!\s*[.(\[])", text)


def _of_rounds(interp: Interpreter, number: Static, place: Span) -> Static:
    """A number that is written at a place; where the text computes it from the round of a loop, one that differs so."""
    for loop in reversed(interp.loops):
        chain = levels(interp, loop)
        written = node_at(interp, chain[-1].round, place) if chain else None
        if written is not None and mentions(interp, written, chain[-1].names):
            return LoopCounter.in_many_rounds(loop, number.kind)
    return number


class _Fresh(NamedTuple):
    """A static field that holds a new function, or another number."""

    owner: Instance
    name: str
    site: Site | None
    """Where the function is made; None for a number."""
    loop: int
    """The loop in each of whose rounds that happens."""


class _Passed(NamedTuple):
    """A call that gets such a function, which does not do the same in each round."""

    transformed: Transformed
    found: _Fresh
    module: Module
    span: Span


def check_fresh_fields(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> None:
    """Emits an event if a call in a loop gets an object with a static field that is new in each round.

    That is a function, or a number that is computed from the round. Where an option is open, it is numbers only.

    Args:
        interp: where it is called.
        transformed: the function, which is made outside of that loop: else it compiles in each round anyway.
        args: the arguments of the call.
        span: where the call is written.
    """
    if not transformed.transform.cached or interp.staging:
        return
    around = [loop for loop in interp.loops if loop not in transformed.loops]
    if not around:
        return
    for value, place in args.placed():
        for leaf in leaves(value):
            if not isinstance(leaf, Instance):
                continue
            all_static = transformed.transform.leaves == "arrays"
            walk = partial(_fresh_field, interp, transformed, leaf, around, place or span, all_static=all_static)
            found = inside(interp, leaf, walk, None)
            if found is not None:
                _report(interp, transformed, found, place or span)
                return


def _fresh_field(
    interp: Interpreter,
    transformed: Transformed,
    instance: Instance,
    around: list[int],
    span: Span,
    *,
    all_static: bool,
) -> _Fresh | None:
    """The first static field, of an object or of those within it, that is new in the rounds of a loop.

    With `all_static`, all fields are static that hold no arrays.
    """
    if not class_facts(interp, instance.cls).pytree:
        return None
    declared = static_attributes(interp, instance.cls)
    for name in instance.fields if all_static else declared:
        value = instance.fields.get(name)
        replaced = (instance.cls.serial, name) in interp.unit.static_fields.replaced
        counts = (
            isinstance(value, LoopCounter) or getattr(value, "kind", "int") == "int"
        )  # other floats: static_arguments.py
        if name in declared or replaced or counts:
            loop = _loop_of_number(interp, instance, value, around, span, f"{instance.cls.serial} {name}")
            if loop is not None:
                return _Fresh(instance, name, None, loop)
        if not isinstance(value, (ExternalInstance, Function, Partial)):
            continue
        if value.site is None or interp.root_run.open_options:
            continue
        for loop in around:
            if loop not in value.loops:
                continue
            made = _Fresh(instance, name, value.site, loop)
            if _is_the_same(interp, value, loop, span):
                return made
            interp.unit.static_fields.passed[value.site, value.loops] = _Passed(transformed, made, interp.module, span)
    for held in instance.fields.values():
        if isinstance(held, Instance):
            walk = partial(_fresh_field, interp, transformed, held, around, span, all_static=all_static)
            found = inside(interp, held, walk, None)
            if found is not None:
                return found
    return None


def _loop_of_number(
    interp: Interpreter, instance: Instance, value: object, around: list[int], span: Span, field: str
) -> int | None:
    """The loop around in whose rounds a static field of an object is another number or text; else None.

    Args:
        value: what the field holds.
        around: the loops around the call.
        span: where the object is given to it.
        field: the class and the name of the field.
    """
    if isinstance(value, LoopCounter) and value.has_many_values:
        if value.rounds.loop in around:
            return value.rounds.loop
        if value.rounds.loop not in instance.loops:
            return None
        return next((loop for loop in around if is_one_of_many(interp, instance, span, loop)), None)
    number = isinstance(value, Const) and type(value.value) in (int, float)
    if not number or around[-1] != interp.loops[-1] or not in_open_range(interp):
        return None
    assert isinstance(value, Const)
    return around[-1] if another_in_each_round(interp, value.value, span, field) else None


def _is_the_same(interp: Interpreter, value: ExternalInstance | Function | Partial, loop: int, span: Span) -> bool:
    """Whether the rounds of a loop make functions that do the same, so that one would serve all, but are not equal."""
    if isinstance(value, Partial):
        given = [value.function, *value.positional, *value.keywords.values()]
        return not any(isinstance(part, LoopCounter) or loop in getattr(part, "loops", ()) for part in given)
    if isinstance(value, Function):
        return not own_program(interp, value, span, loop)
    model = interp.models.classes.get(value.of)
    never_equal = model is not None and model.never_equal
    return never_equal and value.site is not None and (*value.site, loop) not in interp.unit.static_fields.made_of_round


def _report(interp: Interpreter, transformed: Transformed, found: _Fresh, span: Span) -> None:
    loop = interp.world.loop_sites[found.loop]
    module, symbol, rounds = interp.module, interp.symbol(), "several"
    if found.site is None:
        flow, rounds = interp.source_at(*loop, "in each round of this loop"), "many"
        replaced = interp.unit.static_fields.replaced.get((found.owner.cls.serial, found.name))
        _, converted = interp.unit.static_fields.converted.get(id(found.owner.fields.get(found.name)), (None, None))
        if converted is not None and converted[2] != symbol:  # another function puts it there
            replaced = converted
        if replaced is not None:
            flow = flow.then(module, span, "passed here")
            module, span, symbol = replaced
    else:
        flow = _flow_of_made(interp, found)
    interp.emit(
        EventKind.STATIC_VALUE,
        span,
        "loop variable" if found.site is None else "field",
        flow=flow,
        detail={"class": found.owner.cls.code.name, "attribute": found.name},
        entry=entry_of(interp, transformed),
        module=module,
        symbol=symbol,
        assuming=Assumption(AssumptionKind.MANY_ROUNDS, f"the loop has {rounds} rounds"),
    )


def _report_replaced(interp: Interpreter, passed: _Passed, span: Span) -> None:
    """Emits an event: a copy of a state that goes on gets another function than that of the round before."""
    found = passed.found
    interp.emit(
        EventKind.STATIC_VALUE,
        span,
        "field",
        flow=_flow_of_made(interp, found).then(passed.module, passed.span, "passed here"),
        detail={"class": found.owner.cls.code.name, "attribute": found.name},
        entry=entry_of(interp, passed.transformed),
        assuming=Assumption(AssumptionKind.MANY_ROUNDS, "the loop has several rounds"),
    )


def _flow_of_made(interp: Interpreter, found: _Fresh) -> Flow:
    assert found.site is not None
    made = interp.source_at(*found.site, "a new function is made here")
    return made.then(*interp.world.loop_sites[found.loop], "in each round of this loop")
