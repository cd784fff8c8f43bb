"""Makes a function or an object once that is passed as a static argument: before the loop, or at the top level."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.moving import Move, can_leave, loops_around, place_in_module, top_level
from jitlint.fixes.parts.values import assignment_of
from jitlint.fixes.scopes import (
    bindings,
    bound_in_loop,
    changed_in,
    evaluated_names,
    free_names,
    local_names,
    module_names,
    scope_of,
    uses,
)
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Statement, walk

_MOVABLE = (cst.Lambda, cst.Call)


def made_once(site: Site, given: cst.BaseExpression) -> Iterator[Proposal]:
    """Moves what makes an argument to before the outermost loop that brings it nothing new, or out of the function."""
    tree = site.tree
    maker = _maker(site, given)
    made: cst.CSTNode = maker if maker is not None else given
    if maker is None and not isinstance(given, _MOVABLE):
        return
    if site.event.construct == "instance" and not _is_made_here(site, maker, given):
        return
    needed = free_names(made) - ({given.value} if isinstance(given, cst.Name) else set())
    for loop in reversed(loops_around(tree, made)):
        before = tree.statement(loop)
        if needed & (bound_in_loop(loop) | changed_in(loop)) or before is None or tree.block(before) is None:
            continue
        assert isinstance(before, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        yield _moved(site, given, maker, before, private=False)
        break
    above = top_level(tree, made)
    in_function = any(isinstance(each, cst.FunctionDef) for each in tree.parents(made))
    if above is None or not in_function or needed & local_names(tree, made):
        return
    if site.event.construct == "instance" or (maker is not None and _is_taken(site, given)):
        return
    if (place := place_in_module(tree, above, evaluated_names(made))) is not None:
        yield _moved(site, given, maker, place, private=maker is None)


def _is_taken(site: Site, name: cst.BaseExpression) -> bool:
    """Whether the module, or a function of the file that may be about to lose it, too, binds a name already."""
    tree = site.tree
    assert isinstance(name, cst.Name)
    own = scope_of(tree, name)
    above = itertools.takewhile(lambda each: each is not own, walk(tree.module))
    kinds = (cst.FunctionDef, cst.SimpleStatementLine)
    defined = any(isinstance(each, kinds) and name.value in bindings(each) for each in above)
    return defined or name.value in module_names(tree)


def _maker(site: Site, given: cst.BaseExpression) -> Statement | None:
    """The statement that makes what a variable holds, if it does nothing else and nothing else binds the variable."""
    if not isinstance(given, cst.Name):
        return None
    tree, name = site.tree, given.value
    scope = scope_of(tree, given)
    body = scope.body.children if isinstance(scope, cst.FunctionDef) else scope.children
    if [each for node in body for each in bindings(node)].count(name) != 1:
        return None
    found: cst.CSTNode | None = None
    assignment = assignment_of(tree, given)
    if assignment is not None and isinstance(assignment.value, _MOVABLE):
        found = tree.around(assignment, cst.SimpleStatementLine)
    elif assignment is None:
        defined = (each for each in walk(scope) if isinstance(each, cst.FunctionDef) and each is not scope)
        found = next((each for each in defined if each.name.value == name and scope_of(tree, each) is scope), None)
    match found:
        case cst.SimpleStatementLine(body=[_]) | cst.FunctionDef(decorators=[], asynchronous=None):
            return found if can_leave(tree, found) else None
    return None


def _is_made_here(site: Site, maker: Statement | None, given: cst.BaseExpression) -> bool:
    """Whether an object is made by a call of its class, which its name says, from values that are written out."""
    call: cst.CSTNode = given
    if isinstance(maker, cst.SimpleStatementLine) and isinstance(maker.body[0], cst.Assign):
        call = maker.body[0].value
    return isinstance(call, cst.Call) and site.tree.code(call.func).rpartition(".")[2][:1].isupper()


def _moved(
    site: Site, given: cst.BaseExpression, maker: Statement | None, before: Statement, *, private: bool
) -> Proposal:
    tree = site.tree
    move = Move(before)
    if maker is not None:
        move.statements.append(maker)
    else:
        wanted = site.event.detail.get("parameter", "value")
        wanted = wanted if wanted.isidentifier() and wanted != "self" else "value"
        name = _fresh(site, given, wanted, private=private)
        move.added += _bound(site, name, given)
        move.changes[given] = lambda node: cst.Name(name)
    message = "Make the static argument once: each new one compiles"
    grade = Grade.UNSAFE
    return Proposal(message, grade, {tree.path: move.applied(tree).code})


def _fresh(site: Site, given: cst.BaseExpression, wanted: str, *, private: bool) -> str:
    """A name that is free where an argument is to be made; the arguments above it that may get it count as named."""
    tree = site.tree
    own = scope_of(tree, given)
    scope = tree.module if private else own
    alike = [each for each in walk(own) if type(each) is type(given) and isinstance(next(tree.parents(each)), cst.Arg)]
    if private and isinstance(own, cst.FunctionDef):
        wanted = f"_{own.name.value.strip('_')}_{wanted}"
    numbered = (f"{wanted}{f'_{at}' if at else ''}" for at in (0, *range(2, 10_000)))
    return next(itertools.islice((name for name in numbered if not uses(scope, name)), alike.index(given), None))


def _bound(site: Site, name: str, value: cst.BaseExpression) -> list[Statement]:
    """The statement that binds a value to a name: a definition, if it is a lambda."""
    if isinstance(value, cst.Lambda):
        body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(value.body)])])
        return [cst.FunctionDef(cst.Name(name), value.params, body)]
    bare = value.with_changes(lpar=[], rpar=[])
    return [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], bare)])]
