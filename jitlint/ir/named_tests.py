"""Tests that a body gives a name: `training = noise is not None`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from jitlint import ir
from jitlint.ir.own_nodes import own_nodes


def named_tests(body: Any) -> Mapping[str, ir.Expr]:
    """The tests for None of a body that have a name which always stands for their outcome.

    That is so if the body binds the name once, and binds none of the variables that the test asks about: they are
    parameters, or another function's.

    Args:
        body: the statements of a function.

    Returns:
        the tests, by name.
    """
    nodes = list(own_nodes(body))
    bound = Counter(name for node in nodes for name in _bound_by(node))
    return {
        node.targets[0].name: node.value
        for node in nodes
        if isinstance(node, ir.Assign) and len(node.targets) == 1
        if isinstance(node.targets[0], ir.Name) and bound[node.targets[0].name] == 1
        if _asks_for_none(node.value) and not any(bound[part.name] for part in _names(node.value))
    }


def _asks_for_none(test: ir.Expr) -> bool:
    """Whether a test asks whether variables are None, and nothing else."""
    if isinstance(test, ir.BoolOp):
        return _asks_for_none(test.left) and _asks_for_none(test.right)
    if isinstance(test, ir.Unary):
        return test.op == "not" and _asks_for_none(test.operand)
    if not isinstance(test, ir.Compare) or test.ops not in (("is",), ("is not",)):
        return False
    return isinstance(test.first, ir.Name) and isinstance(test.rest[0], ir.Const) and test.rest[0].value is None


def _names(node: Any) -> Iterator[ir.Name]:
    return (part for part in own_nodes(node) if isinstance(part, ir.Name))


def _bound_by(node: Any) -> Iterator[str]:
    """The variables that a statement or an expression binds by itself."""
    targets = [getattr(node, "target", None), *(getattr(node, "targets", None) or ())]
    for target in targets:
        if isinstance(target, ir.Name):
            yield target.name
        elif isinstance(target, (ir.Display, ir.Starred)):
            yield from (part.name for part in _names(target))
