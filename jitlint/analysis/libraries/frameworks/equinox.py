"""Equinox: what `eqx.partition` takes apart and `eqx.combine` puts together again, and modules with another field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.libraries.result_words import LibraryCall, value_of_phrase
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.handed_on import hand_on_to_view
from jitlint.analysis.machine.interpreter import Interpreter, get_attribute
from jitlint.analysis.tracing.cache.fresh_fields import replaced_field
from jitlint.analysis.values import UNKNOWN, Array, Const, Dict, Function, Instance, List, Static, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_DEPTH: Final = 3
"""How many modules within each other are put together; what lies deeper is taken from the first tree."""

_PYTHON: Final = frozenset({"bool", "int", "float", "complex", "str"})
"""Types of fields that are no arrays, by the names that annotations have for them."""


def _combine(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`eqx.combine(params, static)`: a field is what it is in the first tree that has it.

    `eqx.partition(module, eqx.is_array)` leaves the arrays in the first, and the numbers, texts and functions in the
    second. So these are static, though the first went through a transform.
    """
    trees = args.positional
    whole = _combined(interp, trees[0], trees[1:], span, _DEPTH) if trees else UNKNOWN
    if trees and whole is not trees[0]:
        hand_on_to_view(interp, trees[0], whole)
    return whole


def _partition(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`eqx.partition(module, eqx.is_array)`: the arrays, and then all else, among it the functions."""
    whole = args.given(0, "pytree")
    part = value_of_phrase(interp, "part of pytree@0", LibraryCall(model.name, args, span))
    return Tuple((part, _without_arrays(whole, _DEPTH) if isinstance(whole, Instance) and not whole.guessed else part))


def _without_arrays(value: Value, depth: int) -> Value:
    """A module without arrays, in its modules and lists, too; what lies deeper than `depth` is unknown."""
    if isinstance(value, Array):
        return UNKNOWN
    if isinstance(value, Tuple):
        return Tuple(tuple(_without_arrays(part, depth - 1) for part in value.elements)) if depth else UNKNOWN
    if not isinstance(value, Instance):
        return UNKNOWN if isinstance(value, (List, Dict)) else value
    fields = {name: field for name, field in value.fields.items() if isinstance(field, Value)}
    return value.with_fields(
        {name: _without_arrays(field, depth - 1) if depth else UNKNOWN for name, field in fields.items()}
    )


def _combined(interp: Interpreter, first: Value, others: Sequence[Value], span: Span, depth: int) -> Value:
    if not isinstance(first, Instance) or not depth:
        return first
    whole = first.with_fields({})
    same = [other for other in others if isinstance(other, Instance) and other.cls is first.cls]
    for field in class_facts(interp, first.cls).fields:
        held = [get_attribute(interp, other, field.name, span) for other in same]
        static = next(
            (value for value in held if isinstance(value, (Const, Static)) and not isinstance(value, Array)), None
        )
        if static is not None or (isinstance(field.annotation, ir.Name) and field.annotation.name in _PYTHON):
            whole.fields[field.name] = UNKNOWN if static is None else static
        elif held and field.name in whole.fields:
            part = whole.fields[field.name]
            whole.fields[field.name] = _combined(interp, part, held, span, depth - 1)
    return whole


def _tree_at(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`eqx.tree_at(lambda module: module.scale, module, value)`: a copy with that field; else the module as it was."""
    where, tree, value = args.get(0, "where"), args.get(1, "pytree"), args.get(2, "replace")
    names = _attributes(interp, where) if isinstance(where, Function) else ()
    if tree is None or value is None or not names:
        return UNKNOWN if tree is None else tree
    place = args.span(2, "replace", span)
    return _replaced(tree, names, lambda owner: replaced_field(interp, owner, names[-1], value, place, span))


def _attributes(interp: Interpreter, where: Function) -> tuple[str, ...]:
    """The attributes that a function of one parameter takes one after another: ("norm", "scale"); else none."""
    body = interp.project.body(where.code)
    node = body[0].value if len(body) == 1 and isinstance(body[0], ir.Return) else None
    names: list[str] = []
    while isinstance(node, ir.Attribute):
        names.insert(0, node.name)
        node = node.value
    of_parameter = isinstance(node, ir.Name) and node.name in {p.name for p in where.code.parameters}
    return tuple(names) if of_parameter else ()


def _replaced(tree: Value, names: Sequence[str], new: Callable[[Instance], Value]) -> Value:
    """A copy of a module in which a field, of it or within it, is another: what `new` gives for the field's owner."""
    if not isinstance(tree, Instance) or names[0] not in tree.fields:
        return tree
    field = new(tree) if len(names) == 1 else _replaced(tree.fields[names[0]], names[1:], new)
    return tree.with_fields({names[0]: field})


HANDLERS["equinox_combine"] = _combine
HANDLERS["equinox_partition"] = _partition
HANDLERS["equinox_tree_at"] = _tree_at
