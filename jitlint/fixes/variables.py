"""Variables: which function or module a name belongs to, where it is bound, and where it is read."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.scopes import all_parameters, bindings, targets_of
from jitlint.fixes.tree import Tree, walk

Function = cst.FunctionDef | cst.Lambda
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_DEFINITIONS = (cst.FunctionDef, cst.Lambda, cst.ClassDef)


def bound_in(scope: cst.CSTNode) -> set[str]:
    """The names that are variables of a function, a class or the module itself."""
    match scope:
        case cst.FunctionDef():
            params = {each.name.value for each in all_parameters(scope.params)}
            return (params | set(bindings(scope.body))) - declared_in(scope)
        case cst.Lambda():
            return {each.name.value for each in all_parameters(scope.params)}
        case cst.ClassDef():
            return set(bindings(scope.body))
        case cst.Module():
            return {name for each in scope.body for name in bindings(each)}
    return set()


def declared_in(function: cst.FunctionDef) -> set[str]:
    """The names that a function declares as `global` or `nonlocal`."""
    return {
        item.name.value
        for each in own_nodes(function)
        if isinstance(each, (cst.Global, cst.Nonlocal))
        for item in each.names
    }


def own_nodes(scope: cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.Module) -> Iterator[cst.CSTNode]:
    """What stands in a function, class or module itself, not in functions and classes within it."""
    waiting: list[cst.CSTNode] = [scope] if isinstance(scope, cst.Module) else [scope.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _DEFINITIONS):
            waiting += reversed(node.children)


def owner(tree: Tree, node: cst.CSTNode, name: str) -> cst.CSTNode:
    """What a name, as it stands at a node, is a variable of: a function, class or comprehension, or the module."""
    child, direct = node, True
    for parent in tree.parents(node):
        within = child is getattr(parent, "body", None)
        if isinstance(parent, _COMPREHENSIONS) and name in targets_of(parent):
            return parent
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)) and within:
            if isinstance(parent, cst.FunctionDef) and _is_global(parent, name):
                return tree.module
            if name in bound_in(parent):
                return parent
            direct = False
        if isinstance(parent, cst.ClassDef) and within and direct and name in bound_in(parent):
            return parent
        child = parent
    return tree.module


def _is_global(function: cst.FunctionDef, name: str) -> bool:
    return any(
        item.name.value == name for each in own_nodes(function) if isinstance(each, cst.Global) for item in each.names
    )


def mentions(tree: Tree, name: str, scope: cst.CSTNode) -> Iterator[cst.Name]:
    """Where a variable of a function or of the module is read or assigned; not where it is a parameter or imported, nor
    the name of the function or class that binds it."""
    for node in walk(scope):
        named = isinstance(node, cst.Name) and node.value == name
        if isinstance(node, cst.Name) and named and _is_variable(tree, node) and owner(tree, node, name) is scope:
            yield node


def _is_variable(tree: Tree, node: cst.Name) -> bool:
    match next(tree.parents(node)):
        case cst.Attribute(attr=child) | cst.Arg(keyword=child) | cst.Param(name=child):
            return child is not node
        case cst.FunctionDef(name=child) | cst.ClassDef(name=child):
            return child is not node
        case cst.ImportAlias() | cst.AsName() | cst.NameItem():
            return False
    return True


def is_target(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether an assignment, a loop or `del` writes to a node."""
    child = node
    for parent in tree.parents(node):
        match parent:
            case cst.AssignTarget() | cst.Del():
                return True
            case cst.AugAssign(target=target) | cst.AnnAssign(target=target) | cst.NamedExpr(target=target):
                return child is target
            case cst.For(target=target) | cst.CompFor(target=target):
                return child is target
            case cst.Tuple() | cst.List() | cst.Element() | cst.StarredElement():
                child = parent
            case _:
                return False
    return False


def assigned_values(tree: Tree, name: str, scope: cst.CSTNode) -> list[cst.BaseExpression | None]:
    """The values that assignments give a variable; None for what is no plain assignment of one value."""
    found: list[cst.BaseExpression | None] = []
    for node in mentions(tree, name, scope):
        if not is_target(tree, node):
            continue
        parent = next(tree.parents(node))
        line = next(tree.parents(parent), None)
        match parent, line:
            case cst.AssignTarget(), cst.Assign(value=value):
                found.append(value)
            case cst.AnnAssign(target=target, value=value), _ if target is node:
                found.append(value)
            case _:
                found.append(None)
    others = [each for each in _definitions(scope) if each == name]
    return [*found, *(None for _ in others)]


def _definitions(scope: cst.CSTNode) -> Iterator[str]:
    """The names that a scope binds as parameters, functions, classes and imports."""
    if isinstance(scope, (cst.FunctionDef, cst.Lambda)):
        yield from (each.name.value for each in all_parameters(scope.params))
    if isinstance(scope, (cst.FunctionDef, cst.Module)):
        for node in own_nodes(scope):
            if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
                yield node.name.value
            elif isinstance(node, (cst.Import, cst.ImportFrom)):
                yield from bindings(node)


def root(node: cst.BaseExpression) -> cst.Name | None:
    """The variable at the start of `state["x"].grid`; None if the expression does more than look it up."""
    match node:
        case cst.Name():
            return node
        case cst.Attribute(value=value):
            return root(value)
        case cst.Subscript(value=value):
            does_more = (cst.Call, cst.NamedExpr, cst.Await, cst.Yield)
            return None if any(isinstance(each, does_more) for each in walk(node)) else root(value)
    return None


def read_later(tree: Tree, name: str, statement: cst.CSTNode) -> bool:
    """Whether the function around a statement reads one of its variables below it, or in another round of a loop.

    To assign to an item of it is not to read it.
    """
    function = tree.function(statement)
    if function is None:
        return True
    end = tree.positions[statement].end.line
    loops = [each for each in tree.parents(statement) if isinstance(each, (cst.For, cst.While))]
    again = [each for each in loops if any(parent is function for parent in tree.parents(each))]
    for node in mentions(tree, name, function):
        if _only_written(tree, node):
            continue
        if tree.line(node) > end or any(
            _is_in(tree, node, loop) and not _is_in(tree, node, statement) for loop in again
        ):
            return True
    return False


def _is_in(tree: Tree, node: cst.CSTNode, other: cst.CSTNode) -> bool:
    return any(parent is other for parent in tree.parents(node))


def _only_written(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a variable, or an item of it, is only assigned to."""
    while True:
        if is_target(tree, node):
            return True
        parent = next(tree.parents(node), None)
        if not isinstance(parent, (cst.Subscript, cst.Attribute)) or parent.value is not node:
            return False
        node = parent
