"""What a traced function would write into objects once is written when the program runs, by `jax.debug.callback`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.scopes import targets
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk
from jitlint.fixes.variables import bound_in, declared_in, mentions, owner, root

_MESSAGE = "Write it when the program runs, with jax.debug.callback; read it after jax.effects_barrier()"
_METHODS = frozenset({"append", "add", "extend", "update"})


def propose(site: Site) -> Iterator[Proposal]:
    """Moves a statement that changes something outside of the function into a callback on the host."""
    node = site.node
    line = site.tree.statement(node) if node is not None else None
    function = site.tree.around(line, cst.FunctionDef) if line is not None else None
    if not isinstance(line, cst.SimpleStatementLine) or function is None or len(line.body) != 1:
        return
    if site.event.detail.get("mapped"):
        return  # a callback that is given nothing runs once for all examples, too
    text = _written(site, function, line.body[0])
    if text is not None:
        yield site.proposal(_MESSAGE, Grade.UNSAFE, {line: site.tree.in_place_of([line], text)})


def _written(site: Site, function: cst.FunctionDef, statement: cst.BaseSmallStatement) -> str | None:
    code = site.tree.code
    match statement:
        case cst.Expr(value=cst.Call(func=cst.Attribute(attr=cst.Name(value=method)) as called, args=[arg])):
            if method in _METHODS and not arg.star and arg.keyword is None and _is_traceable(arg.value):
                return f"{site.names.of('jax.debug.callback')}({code(called)}, {code(arg.value)})\n"
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            return _stored(site, function, target, "=", value)
        case cst.AugAssign(target=target, operator=operator, value=value):
            return _stored(site, function, target, code(operator), value)
    return None


def _stored(
    site: Site, function: cst.FunctionDef, target: cst.BaseExpression, operator: str, value: cst.BaseExpression
) -> str | None:
    """A function that stores, and the callback of it; None if the traced function reads what it stores."""
    tree = site.tree
    text = tree.code(target)
    found = [
        node
        for node in walk(function.body)
        if isinstance(node, type(target)) and tree.code(node) == text and tree.around(node, cst.NameItem) is None
    ]
    if len(found) != 1 or not isinstance(target, (cst.Attribute, cst.Subscript, cst.Name)):
        return None
    kept = _kept(site, function, target)
    if kept is None:
        return None
    declared = ""
    if isinstance(target, cst.Name):
        if text not in declared_in(function):
            return None
        keyword = "global" if _is_global(function, text) else "nonlocal"
        declared = f"{keyword} {text}\n"
    name = site.names.fresh("store", "store_value")
    callback = site.names.of("jax.debug.callback")
    parameters = [f"{each}={each}" for each in kept]
    given = ""
    if _is_constant(value):
        body = f"{declared}{text} {operator} {tree.code(value)}\n"
    elif _is_traceable(value):
        parameter = site.names.fresh("value", "new_value")
        parameters.insert(0, parameter)
        body, given = f"{declared}{text} {operator} {parameter}\n", f", {tree.code(value)}"
    else:
        return None
    return f"def {name}({', '.join(parameters)}):\n{textwrap.indent(body, tree.indent)}\n{callback}({name}{given})\n"


def _kept(site: Site, function: cst.FunctionDef, target: cst.BaseExpression) -> list[str] | None:
    """The names in a target that a loop around binds anew, so that the function must keep their values.

    None if a name in an index may be a tracer, which no callback can keep.
    """
    start = root(target)
    if start is None:
        return None
    kept = []
    for name in sorted({each.value for each in walk(target) if isinstance(each, cst.Name) and _is_read(site, each)}):
        scope = owner(site.tree, target, name)
        looped = name in bound_in(function) and _is_counted(site, function, name)
        if looped:
            kept.append(name)
        elif name != start.value and isinstance(scope, (cst.FunctionDef, cst.Lambda)):
            return None
    return kept


def _is_read(site: Site, name: cst.Name) -> bool:
    parent = next(site.tree.parents(name))
    attribute = isinstance(parent, cst.Attribute) and parent.attr is name
    return not attribute and not (isinstance(parent, cst.Arg) and parent.keyword is name)


def _is_counted(site: Site, function: cst.FunctionDef, name: str) -> bool:
    """Whether loops of a function bind a name, and nothing else."""
    loops = [node for node in walk(function.body) if isinstance(node, cst.For) and name in targets(node.target)]
    bound = [
        each
        for each in mentions(site.tree, name, function)
        if any(isinstance(parent, (cst.AssignTarget, cst.AugAssign)) for parent in [next(site.tree.parents(each))])
    ]
    return bool(loops) and not bound


def _is_global(function: cst.FunctionDef, name: str) -> bool:
    return any(
        item.name.value == name for node in walk(function.body) if isinstance(node, cst.Global) for item in node.names
    )


def _is_constant(value: cst.BaseExpression) -> bool:
    named = isinstance(value, cst.Name) and value.value in ("True", "False", "None")
    return named or isinstance(value, (cst.Integer, cst.Float, cst.SimpleString))


def _is_traceable(value: cst.BaseExpression) -> bool:
    """Whether a value may be one that a callback can be given, as far as its text says."""
    return not isinstance(value, (cst.SimpleString, cst.FormattedString, cst.Lambda, cst.ConcatenatedString, cst.Set))
