"""Which names a function binds, before a statement and after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.scopes import bindings, parameters, targets
from jitlint.fixes.tree import Tree, names_in, walk

_OUTER = (cst.Global, cst.Nonlocal)


def here(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and what it holds, but not what functions in it hold."""
    yield node
    if not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
        for child in node.children:
            yield from here(child)


def assigned(statements: Sequence[cst.CSTNode]) -> dict[str, None]:
    """The names that statements bind, in the order of their first binding."""
    return dict.fromkeys(name for statement in statements for name in bindings(statement))


def bound_before(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The parameters of the function that a node stands in, and the names that it binds on the way to it."""
    found: set[str] = set()
    inner = node
    for parent in tree.parents(node):
        match parent:
            case cst.FunctionDef():
                return found | set(parameters(parent))
            case cst.IndentedBlock():
                above = parent.body[: next(at for at, each in enumerate(parent.body) if each is inner)]
                found |= assigned(above).keys()
            case cst.For():
                found |= set(targets(parent.target))
            case cst.With():
                found |= assigned(parent.items).keys()
            case cst.ExceptHandler(name=cst.AsName()):
                found |= assigned([parent.name] if parent.name else []).keys()
            case cst.If() | cst.While():
                found |= assigned([parent.test]).keys()
        inner = parent
    return set()


def bound_in_loops(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The names that loops around a node bind: an earlier round may have left a value in them."""
    return {name for loop in _loops(tree, node) for name in assigned([loop])}


def read_below(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The names that the function around a node mentions below it, or around it if a loop is around both."""
    function = tree.function(node)
    if not isinstance(function, cst.FunctionDef):
        return set()
    end = tree.positions[node].end.line
    inside = {id(each) for each in walk(node)}
    around = {id(each) for loop in _loops(tree, node) for each in walk(loop)}
    return {
        each.value
        for each in walk(function.body)
        if isinstance(each, cst.Name) and id(each) not in inside
        if id(each) in around or tree.line(each) > end
    }


def _loops(tree: Tree, node: cst.CSTNode) -> Iterator[cst.For | cst.While]:
    for parent in tree.parents(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return
        if isinstance(parent, (cst.For, cst.While)):
            yield parent


def bound_outside(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The names that the function around a node declares as those of a scope around it."""
    function = tree.function(node)
    if function is None:
        return set()
    return {name for each in walk(function.body) if isinstance(each, _OUTER) for name in names_in(each)}


def local_name(tree: Tree, node: cst.CSTNode, *wanted: str) -> str:
    """The first of these names that the functions around a node do not mention, or the last with a number."""
    outer = [each for each in tree.parents(node) if isinstance(each, cst.FunctionDef)]
    return inner_name(outer[-1] if outer else tree.module, *wanted)


def inner_name(node: cst.CSTNode, *wanted: str) -> str:
    """The first of these names that a node does not mention, or the last with a number."""
    taken = names_in(node)
    numbered = (f"{wanted[-1]}_{at}" for at in range(2, 10_000))
    return next(name for name in (*wanted, *numbered) if name not in taken)
