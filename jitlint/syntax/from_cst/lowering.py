"""What the lowering functions share: the state of the walk and the dispatch tables.

A lowering function takes the state of the walk and a LibCST node, moves the cursor over all tokens of the node in
source order and returns IR. It calls `EXPRESSIONS[type(node)]` directly, not through a helper: so each level of nesting
takes one Python frame, and expressions may nest as deep as the recursion limit allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitlint import ir
from jitlint.syntax.from_cst.cursor import Cursor
from jitlint.syntax.scopes import module_scope


class Walk(Cursor):
    """The cursor and the innermost scope."""

    __slots__ = ("scope",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.scope = module_scope(self.text)


EXPRESSIONS: dict[type, Callable[[Walk, Any], ir.Expr]] = {}
"""LibCST expression class to the function that lowers it; each module of lowering functions adds its own."""

STATEMENTS: dict[type, Callable[[Walk, Any, list[ir.Stmt]], None]] = {}
"""LibCST statement class to the function that appends its lowered statements to a list."""
