"""Expressions at places, and the assignments that variables have their values from."""

from __future__ import annotations

import libcst as cst

from jitlint.fixes.scopes import all_parameters, bindings, scope_of, uses
from jitlint.fixes.tree import Tree, walk
from jitlint.source.places import Place


def expression_at(tree: Tree, place: Place) -> cst.BaseExpression | None:
    """The outermost expression at a place, which may include its parentheses."""
    for node in tree.nodes_at(place):
        if isinstance(node, cst.BaseExpression):
            return node
    for node in walk(tree.module):
        if isinstance(node, cst.BaseExpression) and node.lpar and _within(tree, node, place):
            text = tree.module.code_for_node(node)
            if text.count("\n") == place.end_line - place.line and _ends(tree, node, place, len(node.rpar)):
                return node
    return None


def _within(tree: Tree, node: cst.BaseExpression, place: Place) -> bool:
    found = tree.positions[node]
    start, end = (found.start.line, found.start.column + 1), (found.end.line, found.end.column + 1)
    return (place.line, place.column) <= start and end <= (place.end_line, place.end_column)


def _ends(tree: Tree, node: cst.BaseExpression, place: Place, count: int) -> bool:
    """Whether nothing but a node's parentheses stands between it and the ends of a place."""
    found = tree.positions[node]
    before = _text(tree, (place.line, place.column), (found.start.line, found.start.column + 1))
    after = _text(tree, (found.end.line, found.end.column + 1), (place.end_line, place.end_column))
    return before.strip().strip("(").strip() == "" and before.count("(") == after.count(")") == count


def _text(tree: Tree, start: tuple[int, int], end: tuple[int, int]) -> str:
    lines = tree.text.split("\n")[start[0] - 1 : end[0]]
    lines[-1] = lines[-1][: end[1] - 1]
    lines[0] = lines[0][start[1] - 1 :]
    return "\n".join(lines)


def assignment_of(tree: Tree, name: cst.Name) -> cst.Assign | cst.AnnAssign | None:
    """The statement `name = …` that a variable has its value from: the only binding of it in its function or module."""
    scope = scope_of(tree, name)
    if isinstance(scope, cst.ClassDef):
        return None
    if isinstance(scope, cst.FunctionDef) and name.value in [each.name.value for each in all_parameters(scope.params)]:
        return None
    inside = scope.body.children if isinstance(scope, cst.FunctionDef) else scope.children
    if sum(each == name.value for node in inside for each in bindings(node)) != 1:
        return None
    for use in uses(scope, name.value):
        parent = next(tree.parents(use))
        if isinstance(parent, cst.AssignTarget):
            parent = next(tree.parents(parent))
        if isinstance(parent, cst.Assign) and len(parent.targets) == 1 and parent.targets[0].target is use:
            return parent
        if isinstance(parent, cst.AnnAssign) and parent.target is use:
            return parent
    return None


def is_bound(tree: Tree, name: str) -> bool:
    """Whether a file gives a meaning of its own to a name, such as one of Python's own functions."""
    parameters = (each for node in walk(tree.module) if isinstance(node, cst.Param) for each in [node.name.value])
    small = (
        node for node in walk(tree.module) if isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    )
    return name in parameters or any(name in bindings(node) for node in small)
