"""Splits a key of random numbers before its first use, which takes one part; what follows takes the other."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.scopes import LOOPS, bindings, captured_within, free_names, parameters, scope_of, uses
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk
from jitlint.source.places import Place


def propose(site: Site) -> Iterator[Proposal]:
    """`key, subkey = jax.random.split(key)` before the statement that uses a key for the first time."""
    if not site.event.detail.get("used") or not site.event.flow:
        return
    first, again = _name_at(site, site.event.flow[0].place), _name_at(site, site.event.place)
    if first is None or again is None or first.value != again.value:
        return
    statement = _owner(site, first)
    if statement is None or not _is_own(site, first, again):
        return
    key = first.value
    if key == "subkey":
        return
    part = _part(site, statement)
    message = f"Split '{key}' before its first use"
    changed = statement.deep_replace(first, first.with_changes(value=part))
    assert isinstance(changed, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    above = _split_above(site, statement, key)
    if above is not None:
        yield site.proposal(message, Grade.UNSAFE, {above: _with_part(above, part), statement: changed})
        return
    split = site.names.of("jax.random.split")
    line = site.tree.statements(f"{key}, {part} = {split}({key})\n")[0]
    replacement: Replacement = [
        line.with_changes(leading_lines=statement.leading_lines),
        changed.with_changes(leading_lines=[]),
    ]
    yield site.proposal(message, Grade.UNSAFE, {statement: replacement})


def _split_above(site: Site, statement: cst.BaseStatement, key: str) -> cst.Assign | None:
    """The assignment right above a statement that splits the same key: `key, subkey = jax.random.split(key)`."""
    found = site.tree.block(statement)
    above = found[0].body[found[1] - 1] if found is not None and found[1] > 0 else None
    match above:
        case cst.SimpleStatementLine(
            body=[
                cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Tuple(elements=parts))],
                    value=cst.Call(func=function, args=[cst.Arg(value=cst.Name(value=given)), *number]),
                ) as assignment
            ]
        ) if given == key and site.names.qualified(function) == "jax.random.split":
            names = [each.value.value for each in parts if isinstance(each.value, cst.Name)]
            numbers = [each.value.value for each in number if isinstance(each.value, cst.Integer)]
            whole = len(names) == len(parts) and names[0] == key and names.count(key) == 1
            return assignment if whole and (numbers or ["2"]) == [str(len(parts))] else None
    return None


def _with_part(assignment: cst.Assign, part: str) -> cst.Assign:
    """A split into one part more."""
    call, target = assignment.value, assignment.targets[0].target
    assert isinstance(call, cst.Call) and isinstance(target, cst.Tuple)
    elements = [*target.elements, cst.Element(cst.Name(part))]
    between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    separated = [each.with_changes(comma=between) for each in elements[:-1]]
    number = cst.Arg(cst.Integer(str(len(elements))))
    args = [call.args[0].with_changes(comma=between), number]
    split = call.with_changes(args=args)
    return assignment.with_changes(
        targets=[cst.AssignTarget(target.with_changes(elements=[*separated, elements[-1]]))], value=split
    )


def _name_at(site: Site, place: Place) -> cst.Name | None:
    if place.path != site.tree.path:
        return None
    return site.tree.at(place, cst.Name)


def _owner(site: Site, name: cst.Name) -> cst.SimpleStatementLine | cst.If | cst.For | cst.With | None:
    """The statement that evaluates a name, once whenever it runs, and in a block of its own."""
    inside: cst.CSTNode = name
    for parent in site.tree.parents(name):
        if isinstance(parent, (cst.Lambda, *LOOPS)) and not (isinstance(parent, cst.For) and inside is parent.iter):
            return None
        if isinstance(parent, (cst.SimpleStatementLine, cst.If, cst.For, cst.With)):
            return parent if site.tree.block(parent) is not None else None
        if isinstance(parent, cst.BaseStatement):
            return None
        inside = parent
    return None


def _is_own(site: Site, first: cst.Name, again: cst.Name) -> bool:
    """Whether both uses are of one variable of the function that they stand in, which no function within it reads."""
    tree, key = site.tree, first.value
    scope = scope_of(tree, first)
    if isinstance(scope, cst.ClassDef) or scope is not scope_of(tree, again):
        return False
    if isinstance(site.tree.function(again), cst.Lambda):
        return False
    if captured_within(scope, key):
        return False
    body = scope.body.children if isinstance(scope, cst.FunctionDef) else scope.children
    own = isinstance(scope, cst.FunctionDef) and key in parameters(scope)
    declared = any(isinstance(each, (cst.Global, cst.Nonlocal)) for each in walk(scope))
    return not declared and (own or any(key in bindings(each) for each in body))


def _part(site: Site, statement: cst.BaseStatement) -> str:
    """A name for the part that is used here: `subkey`, which takes another value where nothing below needs the old."""
    tree, wanted = site.tree, "subkey"
    scope = scope_of(tree, statement)
    known = uses(scope, wanted)
    below = [each for each in known if tree.line(each) > tree.line(statement)]
    in_loop = any(isinstance(each, LOOPS) for each in tree.parents(statement))
    here = any(statement in tree.parents(each) for each in known)
    taken = here or (in_loop and any(each not in below for each in known))
    if taken or captured_within(scope, wanted) or (below and not _binds(site, below[0], statement)):
        return site.names.fresh(wanted)
    return wanted


def _binds(site: Site, name: cst.Name, above: cst.BaseStatement) -> bool:
    """Whether an assignment in the block of a statement gives a name another value."""
    tree = site.tree
    own, other = tree.statement(name), tree.block(above)
    if not isinstance(own, cst.SimpleStatementLine) or other is None or own not in other[0].body:
        return False
    match own.body:
        case [cst.Assign(value=value)]:
            return name.value not in free_names(value)
    return False
