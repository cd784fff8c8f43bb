"""Expressions: the value of each kind of IR expression, given its operands' values.

One evaluator per IR class, registered in EVALUATORS at the end of the file; `interp.evaluate(node)` looks it up there.
An evaluator evaluates the operands and leaves the rest to the file of its topic: names, attributes, subscripts,
operators, calls, conditions (`and`, `or`). comprehensions.py registers its own.
"""

from __future__ import annotations

import builtins
import re
from contextlib import nullcontext
from typing import Final

from jitlint import ir
from jitlint.analysis.arrays.reads import DESCRIPTIVE
from jitlint.analysis.arrays.rounds import loop_that_adds
from jitlint.analysis.language import operators
from jitlint.analysis.language.calls import call_expression
from jitlint.analysis.language.conditions import evaluate_bool_op, evaluate_test
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.functions import make_function
from jitlint.analysis.language.guessed_classes import as_read
from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.language.names import lookup, set_name
from jitlint.analysis.language.narrowing import (
    ARRAY_ONLY_ATTRIBUTES,
    TEXT_METHODS,
    asked_elsewhere,
    asks_for_unknown_type,
    narrow,
    narrow_to_array,
    narrow_to_present,
    narrow_to_text,
)
from jitlint.analysis.language.protocols import check_hash, format_value
from jitlint.analysis.language.subscripts import get_item
from jitlint.analysis.machine.buffers import check_used, holds_donated, of_another, one_of
from jitlint.analysis.machine.handed_on import hand_on
from jitlint.analysis.machine.held_buffers import still_held
from jitlint.analysis.machine.interpreter import EVALUATORS, Interpreter, get_attribute
from jitlint.analysis.machine.options import note_asked, note_way, option_of
from jitlint.analysis.machine.reveal import REVEAL
from jitlint.analysis.values import (
    BOOL,
    FALSE,
    NEVER,
    NONE,
    STR,
    UNKNOWN,
    Array,
    Const,
    Dict,
    External,
    Frame,
    Instance,
    Option,
    Sequence,
    Slice,
    Traced,
    Unknown,
    Value,
    as_one_object,
    text_of,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.folding import constant, joined_text
from jitlint.analysis.values.joins import alternatives, join, join_all, join_if_told_apart, offered, tuple_of
from jitlint.analysis.values.keys import constant_key
from jitlint.events.event import EventKind

BUILTINS: Final = frozenset(dir(builtins))
"""The names that need no binding."""


def _const(interp: Interpreter, node: ir.Const) -> Value:
    """The value of a literal."""
    return constant(node.value)


def _name(interp: Interpreter, node: ir.Name) -> Value:
    """The value of a variable. What nothing in the project binds is a builtin, or Unknown."""
    value = lookup(interp, node.name, node.span)
    if value is not None:
        if value is UNKNOWN and interp.world.donates and interp.frame.home.fields.get(node.name) is UNKNOWN:
            value = as_one_object(value)
            interp.store.narrow(interp.frame.home, node.name, value)  # it is the same object the next time
        if interp.world.buffers.fields and interp.trace is None:
            value = still_held(interp, interp.frame.home, node.name, value)
        return as_read(interp, value)
    if node.name == REVEAL.rpartition(".")[2]:
        return External(REVEAL)
    return External(f"builtins.{node.name}") if node.name in BUILTINS else UNKNOWN


def _attribute(interp: Interpreter, node: ir.Attribute) -> Value:
    """The value of `a.b`.

    Arrays have attributes that containers lack, so `x.shape` tells that a pytree of unknown structure is an array. What
    is asked for a method that only text has is text: a key of what was taken for an array, and is a dict.
    """
    asked, interp.path.asked = interp.path.asked, node.name
    base = interp.evaluate(node.value)
    interp.path.asked = asked
    donations = bool(interp.world.buffers.fields) and node.name not in DESCRIPTIVE
    of_object = donations and isinstance(base, Unknown) and node.name not in interp.models.array["methods"]
    if donations and not of_object:
        check_used(interp, base, node.value.span)
    if node.name in ARRAY_ONLY_ATTRIBUTES and isinstance(node.value, ir.Name):
        narrow_to_array(interp, node.value)
    elif node.name in TEXT_METHODS and isinstance(base, Array) and isinstance(node.value, ir.Name):
        narrow_to_text(interp, node.value)
        base = STR
    value = get_attribute(interp, base, node.name, node.span)
    if not hasattr(None, node.name):
        narrow_to_present(interp, node.value, base)
    if interp.trace is None and value is UNKNOWN:
        value = as_one_object(value)
        if isinstance(base, Instance) and base.fields.get(node.name) is UNKNOWN:
            interp.store.narrow(base, node.name, value)  # the attribute is the same object the next time
    if of_object:
        hand_on(interp, base, value)
    if interp.world.buffers.fields and isinstance(base, Instance):
        if base.several and holds_donated(interp, value):
            value = of_another(interp, value)
        elif interp.trace is None:
            value = still_held(interp, base, node.name, value)
    return as_read(interp, value)


def _subscript(interp: Interpreter, node: ir.Subscript) -> Value:
    """The value of `a[i]`. What has text for a key is a dict: to take an array from it is no use of the array yet."""
    base = interp.evaluate(node.value)
    donations = bool(interp.world.buffers.fields)
    of_dict = isinstance(base, Unknown) and isinstance(node.item, ir.Const) and isinstance(node.item.value, str)
    if donations and not of_dict:
        check_used(interp, base, node.value.span)
    item = get_item(interp, base, interp.evaluate(node.item), node)
    narrow_to_present(interp, node.value, base)
    item = as_one_object(item) if interp.trace is None else item
    if donations and of_dict:
        hand_on(interp, base, item)
    if donations and any(isinstance(part, Dict) and part.several for part in alternatives(base)):
        item = of_another(interp, item) if holds_donated(interp, item) else item
    return as_read(interp, item)


def _slice(interp: Interpreter, node: ir.Slice) -> Value:
    """The value of `lower:upper:step` in a subscript; a bound that is left out is None."""
    return Slice(tuple(NONE if b is None else interp.evaluate(b) for b in (node.lower, node.upper, node.step)))


def _binary(interp: Interpreter, node: ir.Binary) -> Value:
    """The value of `a + b` and its like. Operands that were donated before are reported."""
    left, right = interp.evaluate(node.left), interp.evaluate(node.right)
    if interp.world.buffers.fields:
        check_used(interp, left, node.left.span)
        check_used(interp, right, node.right.span)
    return operators.binary(interp, node.op, left, right, node.span)


def _unary(interp: Interpreter, node: ir.Unary) -> Value:
    """The value of `not a`, `-a`, `+a` or `~a`. `not` asks for the operand's truth, as `if` does."""
    if node.op != "not":
        return operators.unary(interp, node.op, interp.evaluate(node.operand), node.span)
    operand = evaluate_test(interp, node.operand)
    known = decide(interp, operand, "not", node.operand.span)
    return BOOL if known is None else Const(not known, option_of(interp, operand))


def _compare(interp: Interpreter, node: ir.Compare) -> Value:
    """The value of a comparison, which may be a chain.

    `a < b < c` is `a < b and b < c`: all links but the last are decided, and the chain stops at the first that is
    false.
    """
    left = interp.evaluate(node.first)
    if len(node.ops) == 1:
        right = interp.evaluate(node.rest[0])
        if isinstance(left, Traced) and _asks_for_member(interp, node, right):
            return UNKNOWN  # JAX traces no such member: it is kept beside the arrays
        outcome = operators.compare(interp, node.ops[0], left, right, node.span)
        option = option_of(interp, left) or option_of(interp, right)
        if option is not None:
            _note_compared(interp, option, node.ops[0], left, right)
        return Const(outcome.value, option) if option is not None and isinstance(outcome, Const) else outcome
    result: Value = NEVER
    stopped: Value = NEVER
    asked = False
    for i, (op, right_node) in enumerate(zip(node.ops, node.rest, strict=True)):
        right = interp.evaluate(right_node)
        result = operators.compare(interp, op, left, right, node.span)
        if i + 1 < len(node.ops):
            asked = asked or interp.traced(result) is not None
            known = decide(interp, result, "comparison-chain", node.span)
            if known is False:
                break
            if known is None:
                stopped = FALSE
        left = right
    return BOOL if asked else join(stopped, result)


_MEMBER: Final = re.compile(r".*\.[A-Z]\w*[a-z]\w*\.[A-Z]\w*")
"""How the name of a library's member of an enumeration is written: `NeighborListFormat.Dense`."""


def _asks_for_member(interp: Interpreter, node: ir.Compare, right: Value) -> bool:
    """Whether code asks which member of an enumeration a value is, maybe by way of the value: `x.mode == x.mode.Dense`.

    Args:
        right: what it is compared with.
    """
    if isinstance(right, External):
        return _MEMBER.fullmatch(right.name) is not None
    member, text = node.rest[0], interp.module.snippet
    if not isinstance(member, ir.Attribute) or not member.name[0].isupper():
        return False
    return text(member.value.span) == text(node.first.span)


def _note_compared(interp: Interpreter, option: Option, op: str, left: Value, right: Value) -> None:
    """Notes what an option is compared with, or looked for among."""
    if op in ("==", "!=", "is", "is not"):
        note_asked(interp, option, (left, right))
    elif op in ("in", "not in") and option_of(interp, left) is not None:
        note_asked(interp, option, getattr(content_of(right), "elements", ()))


def _if_exp(interp: Interpreter, node: ir.IfExp) -> Value:
    """The value of `a if test else b`: one operand, or the join of both where the test's outcome is not known."""
    test = evaluate_test(interp, node.test)
    known = decide(interp, test, "ternary", node.test.span)
    note_way(interp, test, known, node.test.span)
    results: list[Value] = []
    if known is not None:
        _evaluate_branch(interp, node, known, results)
    else:
        not_told_apart = asked_elsewhere(interp, node.test, test)
        with interp.assuming(*not_told_apart) if not_told_apart else nullcontext():
            interp.store.branch(
                [
                    lambda: _evaluate_branch(interp, node, True, results),
                    lambda: _evaluate_branch(interp, node, False, results),
                ]
            )
        if asks_for_unknown_type(interp, node.test):
            return join_if_told_apart(*results)
    return one_of(interp, results, offered(join_all(results)))


def _evaluate_branch(interp: Interpreter, node: ir.IfExp, outcome: bool, results: list[Value]) -> bool:
    """Evaluates one operand of `a if test else b` and adds its value to `results`. The code goes on."""
    narrow(interp, node.test, outcome)
    results.append(interp.evaluate(node.body if outcome else node.orelse))
    return True


def _display(interp: Interpreter, node: ir.Display) -> Value:
    """The value of `(a, *b)`, `[a, *b]` or `{a, *b}`.

    The length is known unless an operand under a star has an unknown number of elements.
    """
    items: list[Value] = []
    rest: Value = NEVER
    for element in node.elements:
        if not isinstance(element, ir.Starred):
            items.append(interp.evaluate(element))
            continue
        value = interp.evaluate(element.value)
        exact = exact_elements(interp, value, element.span, "star")
        if exact is None:
            rest = join(rest, joined_elements(interp, value, element.span, "star"))
        else:
            items.extend(exact)
    if node.kind == "set":
        for item, element in zip(items, node.elements, strict=False):
            check_hash(interp, item, element, "set")
    content = tuple_of(items) if rest is NEVER else Sequence("tuple", join_all([rest, *items]))
    if node.kind == "tuple":
        return content
    return interp.new_list(node.kind, content, node.span)


def _dict_display(interp: Interpreter, node: ir.DictDisplay) -> Value:
    """The value of `{key: value, **other}`. Values whose key is no constant are joined in `Dict.rest`."""
    entries: dict[object, Value] = {}
    rest: Value = NEVER
    keys: Value = NEVER
    grows: int | None = None
    bases: list[Value] = []
    for key_node, value_node in node.items:
        value = interp.evaluate(value_node)
        if key_node is None:
            bases += alternatives(value)
            if isinstance(value, Dict):
                entries.update(value.entries)
                rest = join(rest, value.rest)
            else:
                rest = UNKNOWN
            continue
        key = interp.evaluate(key_node)
        check_hash(interp, key, key_node, "dict")
        name = constant_key(key)
        if name is None:
            rest, keys = join(rest, value), join(keys, key)
            added_to = (base for base in bases if isinstance(base, Dict))
            grows = next((loop_that_adds(interp, base, key) for base in added_to), grows)
        else:
            entries[name[0]] = value
    result = interp.new_dict(entries, rest, node.span)
    result.fields["keys"], result.grows = keys, grows
    return result


def _lambda(interp: Interpreter, node: ir.Lambda) -> Value:
    """The function that a `lambda` makes."""
    return make_function(interp, node.function)


def _format_string(interp: Interpreter, node: ir.FormatString) -> Value:
    """The value of an f-string. A tracer has no value to format, so any format specification fails (`f"{x:.2f}"`).

    `f"{x}"` works, and shows the tracer itself.
    """
    values: list[Value] = []
    plain = True
    for part in node.parts:
        if isinstance(part, ir.FormatField):
            value = interp.evaluate(part.value)
            values.append(value)
            plain = plain and part.spec is None and not part.conversion
            spec = interp.evaluate(part.spec) if part.spec is not None else None
            empty = spec is None or (isinstance(spec, Const) and spec.value == "")
            tracer = interp.traced(value, concrete=True)
            if tracer is not None and not empty and not part.conversion:
                interp.emit(EventKind.FORMAT, part.value.span, "f-string", value=value)
            elif isinstance(value, Instance):
                format_value(interp, value, "" if empty else None, part.value.span)
        else:
            values.append(constant(part.value))
    return (joined_text(values) if plain else None) or text_of(values)


def _named_expr(interp: Interpreter, node: ir.NamedExpr) -> Value:
    """The value of `(name := value)`, which also binds the name."""
    value = interp.evaluate(node.value)
    set_name(interp, node.target.name, value, node.target.span)
    return value


def _await(interp: Interpreter, node: ir.Await) -> Value:
    """The value of `await a`: Unknown. The operand is evaluated for its events."""
    interp.evaluate(node.value)
    return UNKNOWN


def _yield(interp: Interpreter, node: ir.Yield) -> Value:
    """Adds what is yielded to the generator's elements.

    The value of the expression, which is what the caller sends in, is Unknown.
    """
    value = interp.evaluate(node.value) if node.value is not None else NONE
    if node.is_from:
        value = joined_elements(interp, value, node.span, "yield from")
    frame: Frame | None = interp.frame
    while frame is not None and frame.function is None:
        frame = frame.parent
    if frame is not None:
        frame.yields = join(frame.yields, value)
    return UNKNOWN


def _starred(interp: Interpreter, node: ir.Starred) -> Value:
    """Evaluates `*a` where no display or call takes it apart, for its events."""
    interp.evaluate(node.value)
    return UNKNOWN


def _opaque(interp: Interpreter, node: ir.Opaque) -> Value:
    """Evaluates the parts of code that the IR cannot represent, for their events."""
    for child in node.children:
        interp.evaluate(child)
    return UNKNOWN


EVALUATORS.update(
    {
        ir.Const: _const,
        ir.Name: _name,
        ir.Attribute: _attribute,
        ir.Subscript: _subscript,
        ir.Slice: _slice,
        ir.Call: call_expression,
        ir.Binary: _binary,
        ir.Unary: _unary,
        ir.Compare: _compare,
        ir.BoolOp: evaluate_bool_op,
        ir.IfExp: _if_exp,
        ir.Display: _display,
        ir.DictDisplay: _dict_display,
        ir.Lambda: _lambda,
        ir.FormatString: _format_string,
        ir.NamedExpr: _named_expr,
        ir.Await: _await,
        ir.Yield: _yield,
        ir.Starred: _starred,
        ir.Opaque: _opaque,
    }
)
