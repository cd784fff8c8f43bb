"""IR in the form that is cached: functions' bodies are pickled apart, so that only those that run are unpickled."""

from __future__ import annotations

from typing import Any

from jitlint import ir
from jitlint.project.cache import pack


def packed(node: Any) -> Any:
    """A copy of an IR node (or tuple of nodes) in which the outermost functions' bodies are packed.

    Raises:
        RecursionError: it nests too deep.
    """
    if type(node) is ir.Function and node.name != "<lambda>":
        return node._replace(body=ir.Packed(pack(node.body)))
    if not isinstance(node, tuple):
        return node
    parts = tuple(map(packed, node))
    if all(part is old for part, old in zip(parts, node, strict=True)):
        return node
    kind: Any = type(node)
    return parts if kind is tuple else kind._make(parts)
