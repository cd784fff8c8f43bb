"""Sequences of statements."""

from __future__ import annotations

import ast

from jitlint import ir
from jitlint.syntax.from_ast.lowering import STATEMENTS, Walk


def statements(walk: Walk, nodes: list[ast.stmt]) -> tuple[ir.Stmt, ...]:
    """Lower statements in order."""
    lowered: list[ir.Stmt] = []
    for node in nodes:
        walk.line = node.lineno
        STATEMENTS[type(node)](walk, node, lowered)
    return tuple(lowered)
