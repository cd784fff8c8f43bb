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
    nodes = tuple(own_nodes(node))
    outermost: dict[Span, Any] = {}
    for part in nodes:
        if getattr(part, "span", None) is not None:
            outermost.setdefault(part.span, part)
    decorating = (each for part in nodes if isinstance(part, ir.FunctionDef) for each in part.decorators)
    calls = {part.span: part for part in decorating if isinstance(part, ir.Call)}
    calls.update((part.span, part) for part in reversed(nodes) if isinstance(part, ir.Call))
    return Written(nodes, outermost, calls)
