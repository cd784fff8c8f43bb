"""Applies a transform once: before the loop, or at the module's top level, and not anew in each round or call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.arguments import as_arguments
from jitlint.fixes.parts.creations import (
    Creation,
    binding_count,
    calls_of,
    creation_at,
    name_for,
    needs,
    transformed,
)
from jitlint.fixes.parts.lifted_methods import cached_in_object
from jitlint.fixes.parts.moving import Change, Move, can_leave, loops_around, place_in_module, top_level
from jitlint.fixes.scopes import (
    Loop,
    bindings,
    bound_in_loop,
    changed_in,
    evaluated_names,
    free_names,
    local_names,
    module_names,
    parameters,
    scope_of,
    uses,
)
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Statement


def propose(site: Site) -> Iterator[Proposal]:
    """Moves what makes a transformed function out of the loop, or out of the function that is called in one."""
    if site.event.detail.get("own"):
        return
    creation = creation_at(site)
    if creation is None:
        return
    if site.event.detail.get("where") == "loop":
        for loop in reversed(loops_around(site.tree, creation.node)):
            proposal = _before_loop(site, creation, loop)
            if proposal is not None:
                yield proposal
                return
        return
    proposal = _in_module(site, creation)
    if proposal is not None:
        yield proposal
    else:
        yield from cached_in_object(site, creation)


def _before_loop(site: Site, creation: Creation, loop: Loop) -> Proposal | None:
    before = site.tree.statement(loop)
    if not isinstance(before, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) or site.tree.block(before) is None:
        return None
    bound = bound_in_loop(loop)
    return _moved(site, creation, before, bound, loop, "Apply the transform once, before the loop")


def _in_module(site: Site, creation: Creation) -> Proposal | None:
    tree = site.tree
    functions = [each for each in tree.parents(creation.node) if isinstance(each, cst.FunctionDef)]
    above = top_level(tree, creation.node)
    if not functions or above is None:
        return None
    bound = local_names(tree, creation.node)
    before = place_in_module(tree, above, evaluated_names(creation.node))
    message = "Apply the transform once, at the module's top level"
    return _moved(site, creation, before, bound, functions[-1], message) if before is not None else None


def _moved(
    site: Site, creation: Creation, before: Statement, bound: set[str], container: cst.CSTNode, message: str
) -> Proposal | None:
    """The fix that moves a creation, with all that makes its function, before a statement."""
    tree = site.tree
    needed = needs(site, creation.node, creation.name, bound, container)
    in_module = before in tree.module.body and not isinstance(container, (cst.For, cst.While, cst.BaseComp))
    changes: dict[cst.CSTNode, Change] = {}
    if needed.varying:
        if not all(_is_steady(container, name) for name in needed.varying):
            return None
        calls = calls_of(site, creation, container)
        found = as_arguments(site, creation, needed.makers, needed.varying, calls) if calls is not None else None
        if found is None:
            return None
        changes = found
        message += ", with what varies as argument"
    statements = [*needed.makers, *([creation.statement] if creation.statement is not None else [])]
    if _is_unsettled(site, creation, statements, needed.varying, container, in_module=in_module):
        return None
    move = Move(before, sorted(statements, key=tree.line), [], changes)
    if creation.statement is None:
        _name(site, creation, move, private=in_module)
    outside = set().union(*(free_names(each) for each in (*statements, creation.node)))
    known = module_names(tree) | {name for each in statements for name in _bound_by(each)}
    local = (outside & local_names(tree, creation.node)) - known
    grade = Grade.UNSAFE if needed.varying or local else Grade.SAFE
    return Proposal(message, grade, {tree.path: move.applied(tree).code})


def _is_steady(container: cst.CSTNode, name: str) -> bool:
    """Whether a name has one value from where the function is made to where it is called."""
    return binding_count(container, name) == 1


def _bound_by(statement: Statement) -> list[str]:
    if isinstance(statement, cst.FunctionDef):
        return [statement.name.value]
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))])]):
            return [name]
    return []


def _is_unsettled(
    site: Site,
    creation: Creation,
    statements: list[Statement],
    varying: set[str],
    container: cst.CSTNode,
    *,
    in_module: bool,
) -> bool:
    """Whether statements cannot move, since they are not all that their names mean, or what they use changes."""
    tree = site.tree
    names = [name for each in statements for name in _bound_by(each)]
    if any(binding_count(container, name) != 1 for name in names) or not all(
        can_leave(tree, each) for each in statements
    ):
        return True
    if in_module:
        return any(name in module_names(tree) or _is_made_above(site, name, container) for name in names)
    function = tree.around(creation.node, cst.FunctionDef)
    around: cst.CSTNode = function.body if function is not None else tree.module
    if any(binding_count(around, name) != 1 or _declares(around, name) for name in names):
        return True
    used = set().union(*(free_names(each) for each in (*statements, creation.node))) - {*names, *varying}
    return bool(used & changed_in(container)) or ("self" in used and _changes_self(site, container))


def _is_made_above(site: Site, name: str, container: cst.CSTNode) -> bool:
    """Whether another function defines a name before a container does: both may be about to move."""
    above = itertools.takewhile(lambda each: each is not container, _all(site.tree.module))
    return any(
        isinstance(each, (cst.FunctionDef, cst.SimpleStatementLine)) and name in bindings(each) for each in above
    )


def _declares(around: cst.CSTNode, name: str) -> bool:
    return any(isinstance(each, (cst.Global, cst.Nonlocal)) for each in _all(around)) and bool(uses(around, name))


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _changes_self(site: Site, loop: cst.CSTNode) -> bool:
    """Whether a method that the loop calls assigns to attributes of its object."""
    cls = site.tree.around(loop, cst.ClassDef)
    methods = {each.name.value: each for each in _all(cls) if isinstance(each, cst.FunctionDef)} if cls else {}
    for node in _all(loop):
        match node:
            case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
                if name in methods and "self" in changed_in(methods[name]) and name != "__init__":
                    return True
    return False


def _name(site: Site, creation: Creation, move: Move, *, private: bool) -> None:
    """Gives what is called at once a name: its function's own, with a decorator, or that of a new assignment."""
    call, tree = creation.node, site.tree
    assert isinstance(call, cst.Call)
    function = transformed(site, creation)
    alone = len(call.args) == 1 and call.args[0].value is function
    for maker in move.statements if alone and isinstance(function, cst.Name) else ():
        if isinstance(maker, cst.FunctionDef) and _is_only_use(site, maker, function):
            move.changes[maker] = _decorated(call.func, move.changes.get(maker))
            move.changes[call] = _to_name(maker.name.value)
            return
    fresh = _fresh(site, call, private=private)
    change = _at_once(move, call)
    value = change if isinstance(change, cst.BaseExpression) else call
    assignment = cst.Assign([cst.AssignTarget(cst.Name(fresh))], value.with_changes(lpar=[], rpar=[]))
    move.added.append(cst.SimpleStatementLine([assignment]))
    for node in [each for each in move.changes if each is not call and call in tree.parents(each)]:
        del move.changes[node]
    move.changes[call] = _to_name(fresh)


def _fresh(site: Site, call: cst.Call, *, private: bool) -> str:
    """A name for what a call makes; the calls above it that will need one like it count as named, too."""
    tree, wanted = site.tree, name_for(call, site)
    scope = tree.module if private else scope_of(tree, call)
    alike = [
        each
        for each in _all(scope)
        if each is call
        or (isinstance(each, cst.Call) and _is_alike(site, each, wanted) and (scope_of(tree, each) is scope) != private)
    ]
    prefix = "_" if private else ""
    numbered = (f"{prefix}{wanted}{f'_{at}' if at else ''}" for at in (0, *range(2, 10_000)))
    free = (name for name in numbered if not uses(scope, name))
    return next(itertools.islice(free, alike.index(call), None))


def _is_alike(site: Site, call: cst.Call, wanted: str) -> bool:
    """Whether a function is jitted and called at once, and would get a name like another one."""
    parent = next(site.tree.parents(call))
    at_once = isinstance(parent, cst.Call) and parent.func is call
    return at_once and site.names.qualified(call.func) == "jax.jit" and name_for(call, site) == wanted


def _to_name(name: str) -> Change:
    return lambda node: cst.Name(name)


def _is_only_use(site: Site, maker: cst.FunctionDef, function: cst.BaseExpression | None) -> bool:
    if not isinstance(function, cst.Name) or maker.name.value != function.value or maker.decorators:
        return False
    scope = site.tree.around(maker, cst.FunctionDef) or site.tree.module
    return len(uses(scope, function.value)) == 2 and function.value not in parameters(maker)


def _decorated(transform: cst.BaseExpression, change: Change | None) -> Change:
    def decorate(node: cst.CSTNode) -> cst.CSTNode:
        changed = change(node) if change is not None else node
        assert isinstance(changed, cst.FunctionDef)
        return changed.with_changes(decorators=[cst.Decorator(transform)])

    return decorate


def _at_once(move: Move, call: cst.Call) -> cst.CSTNode:
    """The call with the changes of what is in it."""
    changes = {id(node): change for node, change in move.changes.items()}

    class Changing(cst.CSTTransformer):
        def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
            change = changes.get(id(original_node)) if original_node is not call else None
            return change(updated_node) if change is not None else updated_node

    found = call.visit(Changing())
    assert isinstance(found, cst.CSTNode)
    return found
