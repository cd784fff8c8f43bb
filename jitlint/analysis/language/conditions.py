"""Expressions whose truth Python asks: operands of `and` and `or`, and tests made of them."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.decisions import decide, truth
from jitlint.analysis.language.narrowing import narrow
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import BOOL, Const, Union, Value
from jitlint.analysis.values.joins import join, join_all


def evaluate_bool_op(interp: Interpreter, node: ir.BoolOp) -> Value:
    """The value of `a and b` or `a or b`."""
    return _operate(interp, node)[0]


def evaluate_test(interp: Interpreter, node: ir.Expr) -> Value:
    """What an expression's truth rests on: of `a and b`, what `b` is where the truth of `a` is settled already."""
    return _value_and_condition(interp, node)[1]


def _value_and_condition(interp: Interpreter, node: ir.Expr) -> tuple[Value, Value]:
    """An expression's value, and what its truth rests on."""
    if isinstance(node, ir.BoolOp):
        return _operate(interp, node)
    value = interp.evaluate(node)
    return value, value


def _operate(interp: Interpreter, node: ir.BoolOp) -> tuple[Value, Value]:
    left, condition = _value_and_condition(interp, node.left)
    tracer = interp.traced(condition)
    known = decide(interp, condition, node.op, node.left.span)
    stops = node.op == "or"
    if known is stops:
        return left, condition
    found: list[tuple[Value, Value]] = []
    if known is None:
        interp.store.branch([lambda: True, lambda: _run_right(interp, node, found)])
    else:
        _run_right(interp, node, found)
    if tracer is not None:
        return BOOL, BOOL
    right, right_condition = found[0]
    if known is not None:
        return right, right_condition
    if condition is BOOL and truth(interp, right_condition) is stops:
        return Const(stops), Const(stops)
    return join(_where_truth_is(interp, left, stops), right), join(BOOL, right_condition)


def _run_right(interp: Interpreter, node: ir.BoolOp, found: list[tuple[Value, Value]]) -> bool:
    narrow(interp, node.left, node.op == "and")
    found.append(_value_and_condition(interp, node.right))
    return True


def _where_truth_is(interp: Interpreter, value: Value, truthy: bool) -> Value:
    """What a value is when it is known to be true (or false)."""
    if isinstance(value, Union):
        return join_all(part for part in value.alternatives if truth(interp, part) is not (not truthy))
    return value
