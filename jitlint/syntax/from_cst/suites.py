"""Sequences of statements."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from jitlint import ir
from jitlint.syntax.from_cst.lowering import STATEMENTS, Walk


def suite(walk: Walk, node: cst.BaseSuite) -> tuple[ir.Stmt, ...]:
    """Lower the colon and the body that follows it."""
    walk.take(":")
    return statements(walk, node.body)


def statements(walk: Walk, nodes: Iterable[cst.CSTNode]) -> tuple[ir.Stmt, ...]:
    """Lower statements in order."""
    lowered: list[ir.Stmt] = []
    for node in nodes:
        if type(node) is cst.SimpleStatementLine:
            for small in node.body:
                STATEMENTS[type(small)](walk, small, lowered)
        else:
            STATEMENTS[type(node)](walk, node, lowered)
    return tuple(lowered)
