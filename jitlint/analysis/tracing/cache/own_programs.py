"""Whether each round of a loop needs a compiled program of its own: then there is nothing to make once, before it.

Example: `for size in sizes: jax.jit(lambda x: x, out_shardings=shardings[size])(x)` compiles in each round by need.
What is certain is that it compiles; what the user gains by a change is little, so that such an event is a hint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jitlint import ir
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.varying import Level, call_at, deep_nodes, levels, mentions, node_at
from jitlint.analysis.values import (
    BoundMethod,
    Class,
    Const,
    External,
    ExternalInstance,
    Frame,
    Function,
    Instance,
    Partial,
    ProjectCallable,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.joins import alternatives
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span

_NO_NUMBER = frozenset({"isnan", "isinf", "isfinite"})
"""Functions by which a program finds out that a computation went wrong."""

_OF_DICTS = frozenset({"items", "keys", "values", "get"})
"""Methods of dicts: what has them may be a pytree, and so an argument."""


def own_program(
    interp: Interpreter, function: Value, span: Span, loop: int, fixed: Sequence[Span] | None = None
) -> str:
    """Why each round of a loop needs a program of its own, in a word; "" if one program would do for all rounds.

    Args:
        interp: applies a transform in a round of the loop.
        function: what the transform is applied to, which is a new object in each round.
        span: where the transform is applied.
        loop: the loop's identity.
        fixed: where the arguments are written that decide the program; None for all but the function.
    """
    chain = levels(interp, loop)
    if not chain:
        return ""
    call = call_at(interp, chain[-1].round, span)
    if call is not None and _options_differ(interp, call, fixed, chain[-1]):
        return "options"
    if _is_of_new_object(interp, function, chain, loop):
        return "object"
    if _needs_round(_Asked(interp, chain, loop, set()), function):
        return "function"
    if call is not None and len(chain) == 1 and _keeps_program(interp, call, chain[0]):
        return "kept"
    passes_on = chain[-1].names and (len(chain) > 1 or _is_made_elsewhere(function, chain[0]))
    if passes_on and _goes_over_sizes(interp, chain[0], interp.world.loop_sites[loop][1]):
        return "sizes"
    if _is_trivial(interp, function) and any(_runs_long(interp, level.round, span) for level in chain):
        return "trivial"
    return _rare(interp, chain, span)


def _options_differ(interp: Interpreter, call: ir.Call, fixed: Sequence[Span] | None, level: Level) -> bool:
    """Whether the options of a transform, or the static arguments of control flow, differ from round to round."""
    if fixed is not None:
        return any(a.value.span in fixed and mentions(interp, a.value, level.names) for a in call.arguments)
    first = next((a for a in call.arguments if a.keyword in (None, "fun", "f")), None)
    return any(a is not first and mentions(interp, a.value, level.names) for a in call.arguments)


def _is_of_new_object(interp: Interpreter, function: Value, chain: list[Level], loop: int) -> bool:
    """Whether the function belongs to an object that the round makes, or is made by a method of one: it is set up."""
    while isinstance(function, (BoundMethod, Partial, Transformed)):
        if isinstance(function, BoundMethod) and _is_made_in(function.receiver, loop):
            return True
        function = function.function
    for level in chain[1:]:
        code = level.frame.function if level.frame is not None else None
        if code is None or level.frame is None or not code.parameters or id(code) not in interp.world.method_classes:
            continue
        if _is_made_in(level.frame.fields.get(code.parameters[0].name), loop):
            return True
    return False


def _is_made_in(value: object, loop: int) -> bool:
    """Whether a value is an object that was made in a round of the loop."""
    return isinstance(value, Instance) and loop in value.loops


class _Asked(NamedTuple):
    """What `_needs_round` goes by."""

    interp: Interpreter
    chain: list[Level]
    """What runs within the loop."""
    loop: int
    """The loop's identity."""
    seen: set[int]
    """The functions that were asked about: one that calls itself needs the round for what else it does."""


def _needs_round(asked: _Asked, function: Value) -> bool:
    """Whether a function calls, or is chosen by, something of the round that cannot be an argument instead."""
    interp, chain, loop, seen = asked
    if isinstance(function, Transformed):
        return _needs_round(asked, function.function)
    if isinstance(function, Partial):
        return _binds_round(asked, function) or _needs_round(asked, function.function)
    if isinstance(function, BoundMethod):
        node = node_at(interp, chain[-1].round, function.site[1]) if function.site is not None else None
        chosen = isinstance(node, ir.Attribute) and mentions(interp, node.value, chain[-1].names)
        return chosen and isinstance(function.receiver, Unknown)
    if not isinstance(function, Function) or loop not in function.loops or id(function) in seen:
        return False
    seen.add(id(function))
    body = interp.project.body(function.code)
    for name in {part.name for part in deep_nodes(interp, body) if isinstance(part, ir.Name)} - function.code.locals:
        value = _value_of_round(function, name, chain)
        if value is not None and _fixes(asked, value, body, name):
            return True
    return any(
        parameter.default is not None
        and mentions(interp, parameter.default, chain[-1].names)
        and _fixes(asked, function.defaults[parameter.name], body, parameter.name)
        for parameter in function.code.parameters
        if parameter.name in function.defaults
    )


def _binds_round(asked: _Asked, function: Partial) -> bool:
    """Whether a partial binds something of the round that cannot be an argument instead."""
    interp, level = asked.interp, asked.chain[-1]
    call = call_at(interp, level.round, function.site[1]) if function.site is not None else None
    if call is None or not isinstance(function.function, Function):
        return False
    code = function.function.code
    body = interp.project.body(code)
    for position, argument in enumerate(call.arguments[1:]):
        if argument.star or not mentions(interp, argument.value, level.names):
            continue
        if argument.keyword is not None:
            value, name = function.keywords.get(argument.keyword), argument.keyword
        else:
            fits = position < len(function.positional) and position < len(code.parameters)
            value = function.positional[position] if fits else None
            name = code.parameters[position].name if fits else ""
        if value is not None and _fixes(asked._replace(chain=[level]), value, body, name):
            return True
    return False


def _value_of_round(function: Function, name: str, chain: list[Level]) -> Value | None:
    """What a variable of a closure holds, if it differs from round to round; else None."""
    frame: Frame | None = function.closure
    while frame is not None:
        if name in frame.fields:
            differs = any(level.frame is frame.home and name in level.names for level in chain)
            value = frame.fields[name]
            return value if differs and isinstance(value, Value) else None
        frame = frame.parent
    return None


def _fixes(asked: _Asked, value: Value, body: Any, name: str) -> bool:
    """Whether a value of the round decides what a function computes: an object, a text, a flag, or a function to call.

    A number or an array does not: it can be an argument. A container does with what it holds.

    Args:
        asked: the question.
        value: the value.
        body: the function's body.
        name: the variable that holds the value there.
    """
    return all(_part_fixes(asked, part, body, name) for part in alternatives(value))


def _part_fixes(asked: _Asked, part: Value, body: Any, name: str) -> bool:
    """As `_fixes`, for one of the values that it may be."""
    if isinstance(part, ProjectCallable):
        return asked.loop not in part.loops or _needs_round(asked, part)
    if isinstance(part, Tuple):
        return any(_fixes(asked, element, body, name) for element in part.elements)
    if isinstance(part, Instance):
        known = class_facts(asked.interp, part.cls)
        return not known.pytree or any(map(_is_function, part.fields.values()))
    if isinstance(part, Unknown):
        return _is_called(asked.interp, body, name)
    if isinstance(part, Const):
        return part.value is None or isinstance(part.value, (str, bool))
    return isinstance(part, (Class, External, ExternalInstance))


def _is_function(value: object) -> bool:
    """Whether a value, or one that it may be, is a function of the project: no JAX type."""
    return isinstance(value, Value) and any(isinstance(part, ProjectCallable) for part in alternatives(value))


def _is_called(interp: Interpreter, body: Any, name: str) -> bool:
    """Whether a body calls a variable, or a method of it that arrays and containers lack."""
    for node in deep_nodes(interp, body):
        called = node.function if isinstance(node, ir.Call) else None
        if isinstance(called, ir.Attribute):
            called = None if called.name in _OF_DICTS or _is_of_arrays(interp, called.name) else called.value
        if isinstance(called, ir.Name) and called.name == name:
            return True
    return False


def _is_of_arrays(interp: Interpreter, method: str) -> bool:
    """Whether arrays have a method of that name."""
    asked = interp.models.function(f"jax.Array.{method}")
    kinds = (interp.models.array[kind]["methods"] for kind in ("host", "convert", "in_place"))
    return (asked is not None and bool(asked.structure.base)) or any(method in methods for methods in kinds)


def _keeps_program(interp: Interpreter, call: ir.Call, level: Level) -> bool:
    """Whether the compiled program is kept under a key of the round: `programs[n] = jit(f).lower(shape).compile()`."""
    held: set[str] = set()
    for node in interp.world.readings.written_in(level.round).nodes:
        if not isinstance(node, ir.Assign):
            continue
        compiles = any(
            isinstance(part, ir.Call) and isinstance(part.function, ir.Attribute) and part.function.name == "compile"
            for part in own_nodes(node.value)
        )
        made_here = _is_within(call.span, node.value.span) or mentions(interp, node.value, frozenset(held))
        if not made_here:
            continue
        for target in node.targets:
            if isinstance(target, ir.Name):
                held.add(target.name)
            elif isinstance(target, ir.Subscript) and compiles and mentions(interp, target.item, level.names):
                return True
    return False


def _is_made_elsewhere(function: Value, level: Level) -> bool:
    """Whether another function has made the function, which may have got a size."""
    while isinstance(function, (Partial, Transformed)):
        function = function.function
    return isinstance(function, Function) and function.closure.home is not level.frame


def _goes_over_sizes(interp: Interpreter, level: Level, span: Span) -> bool:
    """Whether a loop goes over numbers that the source lists: `for size in (128, 256)`, or a variable with such a list.

    Args:
        interp: runs in the loop.
        level: where the loop stands.
        span: its iterable, or its test.
    """
    iterable = node_at(interp, level.body, span)
    if isinstance(iterable, ir.Call) and iterable.arguments:
        iterable = iterable.arguments[0].value  # of `tqdm(sizes)` or `enumerate(sizes)`
    lists = [iterable]
    if isinstance(iterable, ir.Name):
        named = iterable.name
        lists = [
            node.value
            for node in interp.world.readings.written_in(level.body).nodes
            if isinstance(node, ir.Assign) and any(isinstance(t, ir.Name) and t.name == named for t in node.targets)
        ]
    return any(_lists_sizes(each) for each in lists)


def _lists_sizes(node: Any) -> bool:
    """Whether an expression is a display of several whole numbers."""
    return (
        isinstance(node, ir.Display)
        and len(node.elements) > 1
        and all(isinstance(each, ir.Const) and type(each.value) is int for each in node.elements)
    )


def _is_trivial(interp: Interpreter, function: Value) -> bool:
    """Whether a function only returns its argument, or calls one function on it: that compiles in no time."""
    while isinstance(function, Transformed):
        function = function.function
    if not isinstance(function, Function):
        return False
    body = interp.project.body(function.code)
    value = body[0].value if len(body) == 1 and isinstance(body[0], ir.Return) else None
    if isinstance(value, ir.Call):
        return all(isinstance(argument.value, (ir.Name, ir.Const)) for argument in value.arguments)
    return isinstance(value, ir.Name)


def _runs_long(interp: Interpreter, body: Any, span: Span) -> bool:
    """Whether a body has a loop that counts steps, besides the one around `span`: its rounds take their time."""
    loops = [
        node
        for node in interp.world.readings.written_in(body).nodes
        if isinstance(node, ir.For) and not _is_within(span, node.span)
    ]
    counted = [loop.iterable.function for loop in loops if isinstance(loop.iterable, ir.Call)]
    return any(isinstance(function, ir.Name) and function.name == "range" for function in counted)


def _rare(interp: Interpreter, chain: list[Level], span: Span) -> str:
    """Why few rounds of the loop come here; "" if that is not known.

    "exception" if something went wrong in them, a loss that is no number or an error; "once" if the loop's variable is
    compared with one number.
    """
    below = chain[1].frame.called_at if len(chain) > 1 and chain[1].frame is not None else None
    place = below[1] if below is not None else span
    for node in interp.world.readings.written_in(chain[0].round).nodes:
        if not isinstance(node, (ir.Handler, ir.If)) or not any(_is_within(place, part.span) for part in node.body):
            continue
        tested = list(own_nodes(node.test)) if isinstance(node, ir.If) else []
        if isinstance(node, ir.Handler) or any(isinstance(n, ir.Attribute) and n.name in _NO_NUMBER for n in tested):
            return "exception"
        if isinstance(node, ir.If) and _picks_round(node.test, chain[0].names):
            return "once"
    return ""


def _picks_round(test: ir.Expr, names: frozenset[str]) -> bool:
    """Whether a test holds in one round only: `i == 0`."""
    if not isinstance(test, ir.Compare) or test.ops != ("==",):
        return False
    sides = (test.first, *test.rest)
    named = any(isinstance(side, ir.Name) and side.name in names for side in sides)
    return named and any(isinstance(side, ir.Const) for side in sides)


def _is_within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
