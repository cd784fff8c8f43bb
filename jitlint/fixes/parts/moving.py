"""Moves statements out of loops and functions, and changes what stays and what goes in the same pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from jitlint.fixes.scopes import LOOPS, Loop, bindings
from jitlint.fixes.tree import Statement, Tree

Change = Callable[[cst.CSTNode], cst.CSTNode]
"""Makes a node anew, when what it holds is done."""


def loops_around(tree: Tree, node: cst.CSTNode) -> list[Loop]:
    """The loops in whose rounds a node runs, as far as its own function shows, from the inside out."""
    found: list[Loop] = []
    inside = node
    for parent in tree.parents(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
        if isinstance(parent, LOOPS) and not _runs_once(parent, inside):
            found.append(parent)
        inside = parent
    return found


def _runs_once(loop: cst.CSTNode, part: cst.CSTNode) -> bool:
    """Whether a part of a loop runs before its first round, or after the last."""
    if isinstance(loop, cst.For):
        return part is not loop.body
    if isinstance(loop, cst.While):
        return part is loop.orelse
    return isinstance(loop, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)) and part is loop.for_in.iter


def top_level(tree: Tree, node: cst.CSTNode) -> Statement | None:
    """The statement of the module's top level that a node stands in."""
    found = next((each for each in (node, *tree.parents(node)) if each in tree.module.body), None)
    return found if isinstance(found, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) else None


def place_in_module(tree: Tree, above: Statement, evaluated: set[str]) -> Statement | None:
    """The statement of the top level before which names can be evaluated that code above a statement may not know yet.

    None if a statement runs in between that may need what is to stand there.
    """
    body = list(tree.module.body)
    start = at = body.index(above)
    for number, statement in enumerate(body):
        if number >= start and evaluated & set(bindings(statement)):
            at = number + 1
    between = body[start:at]
    if at >= len(body) or not all(isinstance(each, (cst.FunctionDef, cst.ClassDef)) for each in between):
        return None
    found = body[at]
    return found if isinstance(found, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) else None


def can_leave(tree: Tree, statement: Statement) -> bool:
    """Whether a block has statements left without one of its own."""
    found = tree.block(statement)
    return found is not None and len(found[0].body) > 1


@dataclass(slots=True)
class Move:
    """Statements that go before another one.

    Attributes:
        before: the statement that they go before.
        statements: those that move.
        added: new ones, to follow them.
        changes: what becomes of other nodes, in statements that stay or move.
    """

    before: Statement
    statements: list[Statement] = field(default_factory=list)
    added: list[Statement] = field(default_factory=list)
    changes: dict[cst.CSTNode, Change] = field(default_factory=dict)

    def applied(self, tree: Tree) -> cst.Module:
        """The module after the move."""
        changed = tree.module.visit(_Moving(self, tree))
        assert isinstance(changed, cst.Module)
        return changed


class _Moving(cst.CSTTransformer):
    def __init__(self, move: Move, tree: Tree) -> None:
        super().__init__()
        self._move = move
        found = tree.block(move.before)
        self._in_module = found is not None and found[0] is tree.module
        self._is_first = found is not None and found[1] == 0
        self._changes = {id(node): change for node, change in move.changes.items()}
        self._leaving = {id(each) for each in move.statements}
        self._left: list[Statement] = []

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[Statement] | cst.RemovalSentinel:
        change = self._changes.get(id(original_node))
        node = change(updated_node) if change is not None else updated_node
        if id(original_node) in self._leaving:
            assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            self._left.append(node)
            return cst.RemoveFromParent()
        if isinstance(node, cst.IndentedBlock) and isinstance(original_node, cst.IndentedBlock):
            return _begun(node) if id(original_node.body[0]) in self._leaving else node
        if original_node is self._move.before:
            assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            return cst.FlattenSentinel(list(self._spaced([*self._left, *self._move.added], node)))
        return node

    def _spaced(self, new: list[Statement], below: Statement) -> Iterator[Statement]:
        """The statements, with empty lines where they begin, and where a module's definitions do."""
        for at, statement in enumerate(new):
            own = [line for line in statement.leading_lines if line.comment is not None]
            definition = isinstance(statement, (cst.FunctionDef, cst.ClassDef))
            after = at > 0 and isinstance(new[at - 1], (cst.FunctionDef, cst.ClassDef))
            lines = _blank(below) if at == 0 else []
            if after or (definition and not self._is_first):
                lines = _empty(2 if self._in_module else 1)
            yield statement.with_changes(leading_lines=[*lines, *own])
        comments = below.leading_lines[len(_blank(below)) :]
        definition = isinstance(new[-1], (cst.FunctionDef, cst.ClassDef))
        if self._in_module and (definition or isinstance(below, (cst.FunctionDef, cst.ClassDef))):
            lines = _empty(2)
        else:
            lines = _empty(1 if definition else 0)
        yield below.with_changes(leading_lines=[*lines, *comments])


def _begun(block: cst.IndentedBlock) -> cst.IndentedBlock:
    """A block without empty lines where it begins."""
    first = block.body[0]
    assert isinstance(first, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    lines = first.leading_lines[len(_blank(first)) :]
    return block.with_changes(body=[first.with_changes(leading_lines=lines), *block.body[1:]])


def _blank(statement: Statement) -> list[cst.EmptyLine]:
    """The empty lines with which a statement begins."""
    lines = list(statement.leading_lines)
    first = next((at for at, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:first]


def _empty(count: int) -> list[cst.EmptyLine]:
    return [cst.EmptyLine(indent=False) for _ in range(count)]
