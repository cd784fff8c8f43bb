"""Names and where they are bound: what code needs from outside of it, and what a function or a loop binds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from jitlint.fixes.tree import Tree, walk

Function = cst.FunctionDef | cst.Lambda
Comprehension = cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp
Loop = cst.For | cst.While | cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp
LOOPS = (cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def free_names(node: cst.CSTNode) -> set[str]:
    """The names that code takes from around it; those of its own statements' targets, too."""
    match node:
        case cst.Name(value=name):
            return {name}
        case cst.Attribute(value=value):
            return free_names(value)
        case cst.Arg(value=value):
            return free_names(value)
        case cst.Lambda(params=params, body=body):
            return _of_all(evaluated_in(params)) | (free_names(body) - set(parameters(node)))
        case cst.FunctionDef(params=params, body=body):
            outside = [*(each.decorator for each in node.decorators), *evaluated_in(params), *_annotations(node)]
            own = (set(parameters(node)) | bound_names([body])) - _declared(body)
            return _of_all(outside) | (free_names(body) - own)
        case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
            inner = _of_all(node.children) - set(targets_of(node))
            return inner | free_names(node.for_in.iter)
        case cst.Import() | cst.ImportFrom():
            return set()
    return _of_all(node.children)


def _of_all(nodes: Iterable[cst.CSTNode]) -> set[str]:
    return {name for node in nodes for name in free_names(node)}


def _declared(body: cst.CSTNode) -> set[str]:
    return {
        item.name.value for each in walk(body) if isinstance(each, (cst.Global, cst.Nonlocal)) for item in each.names
    }


def evaluated_in(params: cst.Parameters) -> list[cst.BaseExpression]:
    """The default values of parameters, which are evaluated where the function is made."""
    return [each.default for each in all_parameters(params) if each.default is not None]


def _annotations(node: cst.FunctionDef) -> list[cst.CSTNode]:
    found = [each.annotation for each in all_parameters(node.params)]
    return [each.annotation for each in (*found, node.returns) if each is not None]


def evaluated_names(node: cst.CSTNode) -> set[str]:
    """The names that are needed when a statement or expression runs; not those in the bodies of functions."""
    match node:
        case cst.Name() | cst.Attribute():
            return free_names(node)
        case cst.Arg(value=value):
            return evaluated_names(value)
        case cst.Lambda(params=params):
            return _of_all(evaluated_in(params))
        case cst.FunctionDef(params=params):
            decorators = [each.decorator for each in node.decorators]
            return _of_all([*decorators, *evaluated_in(params), *_annotations(node)])
    return {name for each in node.children for name in evaluated_names(each)}


def all_parameters(params: cst.Parameters) -> list[cst.Param]:
    """All parameters, in their order."""
    stars = [each for each in (params.star_arg, params.star_kwarg) if isinstance(each, cst.Param)]
    return [*params.posonly_params, *params.params, *params.kwonly_params, *stars]


def parameters(function: Function) -> list[str]:
    """The names of a function's parameters."""
    return [each.name.value for each in all_parameters(function.params)]


def targets_of(comprehension: Comprehension) -> Iterator[str]:
    """The names that a comprehension binds for each element."""
    part: cst.CompFor | None = comprehension.for_in
    while part is not None:
        yield from targets(part.target)
        part = part.inner_for_in


def targets(node: cst.CSTNode | None) -> Iterator[str]:
    """The names that an assignment to this binds."""
    match node:
        case cst.Name(value=name):
            yield name
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for each in elements:
                yield from targets(each.value)


def bound_names(nodes: Iterable[cst.CSTNode]) -> set[str]:
    """The names that statements or expressions bind in the function that they stand in."""
    return {name for node in nodes for name in bindings(node)}


def bindings(node: cst.CSTNode) -> Iterator[str]:
    """The names that code binds in the function that it stands in, once for each binding."""
    match node:
        case cst.FunctionDef() | cst.ClassDef():
            yield node.name.value
            return
        case cst.Lambda():
            return
        case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.AugAssign(target=target):
            yield from targets(target)
        case cst.For(target=target) | cst.NamedExpr(target=target):
            yield from targets(target)
        case cst.AsName(name=name):
            yield from targets(name)
        case cst.Import() | cst.ImportFrom():
            yield from _imported(node)
        case cst.MatchAs(name=cst.Name(value=name)) | cst.MatchStar(name=cst.Name(value=name)):
            yield name
        case cst.MatchMapping(rest=cst.Name(value=name)):
            yield name
        case cst.Del(target=target):
            yield from targets(target)
    for child in node.children:
        yield from bindings(child)


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    if isinstance(node.names, Sequence):
        for alias in node.names:
            if alias.asname is None:
                yield alias.evaluated_name.partition(".")[0]


def local_names(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The names that the functions, classes and comprehensions around a node bind: all that are not the module's."""
    found: set[str] = set()
    for around in tree.parents(node):
        match around:
            case cst.FunctionDef(body=body):
                found |= (set(parameters(around)) | bound_names([body])) - _globals(body)
            case cst.ClassDef(body=body):
                found |= bound_names([body])
            case cst.Lambda(body=body):
                found |= set(parameters(around)) | bound_names([body])
            case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                found |= set(targets_of(around))
    return found


def _globals(body: cst.CSTNode) -> set[str]:
    return {item.name.value for each in walk(body) if isinstance(each, cst.Global) for item in each.names}


def module_names(tree: Tree) -> set[str]:
    """The names that the module's top level binds."""
    return bound_names(tree.module.body)


def rebound(tree: Tree, name: str) -> bool:
    """Whether the module's name is bound more than once, at top level or by a `global` statement."""
    declared = any(name in _globals(each) for each in tree.module.body)
    return declared or sum(each == name for node in tree.module.body for each in bindings(node)) > 1


def bound_in_loop(loop: Loop) -> set[str]:
    """The names whose values the rounds of a loop may bring."""
    if isinstance(loop, _COMPREHENSIONS):
        return set(targets_of(loop)) | bound_names([loop])
    return bound_names([loop])


def changed_in(node: cst.CSTNode) -> set[str]:
    """The variables whose items or attributes code assigns, and those whose methods it calls for nothing.

    What methods of `self` do is to be seen in them.
    """
    found: set[str] = set()
    for each in walk(node):
        match each:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                found |= _owners(target)
            case cst.Expr(value=cst.Call(func=cst.Attribute(value=value))):
                found |= _owners(value) if not isinstance(value, cst.Name) or value.value != "self" else set()
            case cst.Del(target=target):
                found |= _owners(target)
    return found


def _owners(target: cst.BaseExpression) -> set[str]:
    match target:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return {name for each in elements for name in _owners(each.value)}
        case cst.Name(value=name):
            return {name}
        case cst.Attribute(value=value) | cst.Subscript(value=value):
            return _owners(value)
    return set()


def scope_of(tree: Tree, node: cst.CSTNode) -> cst.CSTNode:
    """The function or class that a node stands in, or the module."""
    return next((each for each in tree.parents(node) if isinstance(each, (cst.FunctionDef, cst.ClassDef))), tree.module)


def functions_within(scope: cst.CSTNode) -> Iterator[Function]:
    """The functions and lambdas in a scope, without those in them."""
    for child in scope.children:
        if isinstance(child, (cst.FunctionDef, cst.Lambda)):
            yield child
        else:
            yield from functions_within(child)


def captured_within(scope: cst.CSTNode, name: str) -> bool:
    """Whether a function within a scope takes a name from around it."""
    return any(name in free_names(each) for each in functions_within(scope))


def uses(scope: cst.CSTNode, name: str) -> list[cst.Name]:
    """Where a name stands in a function or module as a variable, in its order: bindings, too."""
    found = []
    for node in walk(scope):
        for child in node.children:
            if not isinstance(child, cst.Name) or child.value != name:
                continue
            attribute = isinstance(node, cst.Attribute) and child is node.attr
            keyword = isinstance(node, cst.Arg) and child is node.keyword
            if not attribute and not keyword:
                found.append(child)
    return found
