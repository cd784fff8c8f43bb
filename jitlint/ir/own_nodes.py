"""The nodes of a body that run when the body runs: those of functions and classes in it are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jitlint import ir
from jitlint.source.places import Span

_OTHERS = (Span, ir.Const, ir.FunctionDef, ir.ClassDef, ir.Lambda)


def own_nodes(node: Any) -> Iterator[Any]:
    """A body, statement or expression, and all nodes in it, each before those within it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, tuple) and not isinstance(part, _OTHERS):
            waiting.extend(reversed(part))
