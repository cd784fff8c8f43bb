"""What is written where in a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jitlint import ir
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


class Written(NamedTuple):
    """The nodes of a body, all and by where they are written."""

    nodes: tuple[Any, ...]
    """Each before those within it; without those of functions and classes in it."""
    outermost: Mapping[Span, Any]
    """For each place, the outermost node that is written there."""
    calls: Mapping[Span, ir.Call]
    """For each place, the call that is written there; those that decorate a function, too."""


def written(node: Any) -> Written:
    """The nodes of a body, a statement or an expression."""
    nodes = list(own_nodes(node))
    outermost: dict[Span, Any] = {}
    calls: dict[Span, ir.Call] = {}
    decorating: list[ir.Expr] = []
    for part in nodes:
        if getattr(part, "span", None) is not None:
            outermost.setdefault(part.span, part)
        if isinstance(part, ir.Call):
            calls.setdefault(part.span, part)
        elif isinstance(part, ir.FunctionDef):
            decorating += part.decorators
    for decorator in decorating:
        if isinstance(decorator, ir.Call):
            calls.setdefault(decorator.span, decorator)
    return Written(tuple(nodes), outermost, calls)
