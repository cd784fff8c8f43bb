"""Tests: the values whose truth `if`, `while`, `assert`, `and` and `or` ask for.

`evaluate_test` is for a place that only needs the truth, `evaluate_bool_op` for one that needs the value. They differ
in `x or y`: as a value it may be `x`, as a test only the truth of both counts. decisions.py then decides by the value.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.decisions import decide, is_meant_as_container, truth
from jitlint.analysis.language.narrowing import narrow
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.options import note_way
from jitlint.analysis.values import BOOL, Const, Traced, Union, Value
from jitlint.analysis.values.joins import alternatives, join, join_all, offered_like


def evaluate_bool_op(interp: Interpreter, node: ir.BoolOp) -> Value:
    """The value of `a and b` or `a or b`."""
    return _operate(interp, node)[0]


def evaluate_test(interp: Interpreter, node: ir.Expr) -> Value:
    """The value that decides the truth of an expression.

    For `a and b` that is `b` where `a` is known to be true: the truth of `a` was asked for already, and must not be
    reported twice.
    """
    return _value_and_condition(interp, node)[1]


def _value_and_condition(interp: Interpreter, node: ir.Expr) -> tuple[Value, Value]:
    """An expression's value, and the value that decides its truth."""
    if isinstance(node, ir.BoolOp):
        return _operate(interp, node)
    value = interp.evaluate(node)
    return value, value


def _operate(interp: Interpreter, node: ir.BoolOp) -> tuple[Value, Value]:
    """The value of `a and b` or `a or b`, and the value that decides its truth.

    The right operand runs only if the left one does not settle the outcome; where that is not known, it runs in a
    branch of its own. A left operand that is traced was reported: the result is then a plain bool, so that one fault is
    one event.
    """
    left, condition = _value_and_condition(interp, node.left)
    if node.op == "or" and _has_container_default(interp, node):
        left, condition = _as_container(left), _as_container(condition)
    tracer = interp.traced(condition)
    known = decide(interp, condition, node.op, node.left.span)
    stops = node.op == "or"
    note_way(interp, condition, known, node.left.span, other=known is stops)
    if known is stops:
        return left, condition
    found: list[tuple[Value, Value]] = []
    if known is None:
        interp.store.branch([lambda: True, lambda: _run_right(interp, node, found)])
    else:
        _run_right(interp, node, found)
    if tracer is not None and not tracer.container:
        return BOOL, BOOL
    right, right_condition = found[0]
    if known is not None:
        return right, right_condition
    settled = truth(interp, right_condition) is stops  # then it is the outcome, whatever the left operand is
    if settled and condition is BOOL:
        return Const(stops), Const(stops)
    value = join(_where_truth_is(interp, left, stops), right)
    return value, Const(stops) if settled else join(BOOL, right_condition)


def _has_container_default(interp: Interpreter, node: ir.BoolOp) -> bool:
    """Whether the left operand of `x or {}` is a dict or list: by its default, or as the function takes it for one."""
    if isinstance(node.right, (ir.Display, ir.DictDisplay)):
        return True
    return isinstance(node.left, ir.Name) and is_meant_as_container(interp, node.left.name)


def _as_container(value: Value) -> Value:
    """A value, of which no pytree of unknown structure is an array."""
    return join_all(
        part.replace(container=True) if isinstance(part, Traced) and part.tree else part for part in alternatives(value)
    )


def _run_right(interp: Interpreter, node: ir.BoolOp, found: list[tuple[Value, Value]]) -> bool:
    """Evaluates the right operand, under what the left one's outcome says of its variables."""
    narrow(interp, node.left, node.op == "and")
    found.append(_value_and_condition(interp, node.right))
    return True


def _where_truth_is(interp: Interpreter, value: Value, truthy: bool) -> Value:
    """The value where it is known to be true (or false): alternatives of the other truth are dropped."""
    if isinstance(value, Union):
        fitting = [part for part in value.alternatives if truth(interp, part) is not (not truthy)]
        return offered_like(value, fitting)
    return value
