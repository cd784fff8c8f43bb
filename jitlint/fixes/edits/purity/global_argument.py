"""A global that changes becomes an argument of the jitted function that reads it, where all its calls are in view."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.scopes import all_parameters, scope_of
from jitlint.fixes.parts.variables import bound_in, declared_in, is_target
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, Tree, walk

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_TRANSFORMS = frozenset({"jax.jit", "jax.grad", "jax.value_and_grad", "jax.checkpoint", "jax.remat"})
_NO_ARRAYS = (cst.SimpleString, cst.FormattedString, cst.Lambda, cst.Set)


def propose(site: Site) -> Iterator[Proposal]:
    """Adds a parameter of the global's name, and passes the global in each call."""
    event, tree = site.event, site.tree
    node = site.expression
    function = tree.around(node, cst.FunctionDef) if node is not None else None
    name = event.detail.get("name", "")
    if event.kind is not EventKind.STATE_READ or event.construct != "global" or function is None:
        return
    if event.entry is None or event.entry.function.rpartition(":")[2] != function.name.value:
        return
    if not name.isidentifier() or not _can_be_argument(tree, name) or not _can_take(tree, function, name):
        return
    calls = _calls(site, function)
    if not calls or any(_shadows(tree, call, name) for call in calls):
        return
    changed: dict[cst.CSTNode, Replacement] = {call: _with_argument(call, name) for call in calls}
    changed[function.params] = _with_parameter(function.params, name)
    message = f"Pass '{name}' as an argument, so that each call has its present value"
    yield site.proposal(message, Grade.UNSAFE, changed)


def _can_be_argument(tree: Tree, name: str) -> bool:
    """Whether the file's top level gives a global a value that can be traced, as far as it shows."""
    values = [
        statement.value
        for line in tree.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for statement in line.body
        if isinstance(statement, (cst.Assign, cst.AnnAssign)) and statement.value is not None
        for target in (statement.targets if isinstance(statement, cst.Assign) else [statement])
        if isinstance(target.target, cst.Name) and target.target.value == name
    ]
    return bool(values) and not any(isinstance(value, _NO_ARRAYS) or _is_none(value) for value in values)


def _is_none(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value in ("None", "True", "False")


def _can_take(tree: Tree, function: cst.FunctionDef, name: str) -> bool:
    """Whether a function of the top level can have one more parameter."""
    params = function.params
    plain = not isinstance(params.star_arg, cst.Param) and params.star_kwarg is None and not params.kwonly_params
    at_top = scope_of(tree, function) is tree.module
    free = name not in {each.name.value for each in all_parameters(params)} | declared_in(function)
    return plain and at_top and free and name not in bound_in(function)


def _calls(site: Site, function: cst.FunctionDef) -> list[cst.Call]:
    """All calls of a function, or of the name that its jitted form has; none if it is used in any other way."""
    tree = site.tree
    names = {function.name.value}
    calls: list[cst.Call] = []
    waiting = [function.name.value]
    while waiting:
        name = waiting.pop()
        for node in walk(tree.module):
            if not isinstance(node, cst.Name) or node.value != name or node is function.name:
                continue
            parent = next(tree.parents(node))
            if isinstance(parent, cst.Attribute) and parent.attr is node:
                continue
            if isinstance(parent, cst.Call) and parent.func is node:
                if any(arg.star for arg in parent.args):
                    return []
                calls.append(parent)
            elif (bound := _jitted(site, node)) is not None:
                if bound not in names:
                    names.add(bound)
                    waiting.append(bound)
            elif not (is_target(tree, node) and node.value in names - {function.name.value}):
                return []
    return calls


def _jitted(site: Site, node: cst.Name) -> str | None:
    """The name that `name = jax.jit(node, …)` binds; between the two there may be transforms that pass keywords on."""
    inner: cst.CSTNode = node
    while True:
        match list(site.tree.parents(inner))[:2]:
            case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]), *_] if inner is not node:
                return name
            case [cst.Arg() as arg, cst.Call(args=[first, *_]) as call] if arg is first:
                if site.names.qualified(call.func) not in _TRANSFORMS:
                    return None
                inner = call
            case _:
                return None


def _shadows(tree: Tree, call: cst.Call, name: str) -> bool:
    """Whether a name is another variable where a call stands."""
    for parent in tree.parents(call):
        if isinstance(parent, cst.FunctionDef) and name in bound_in(parent) - declared_in(parent):
            return True
        if isinstance(parent, cst.Lambda) and name in {each.name.value for each in all_parameters(parent.params)}:
            return True
    return False


def _with_argument(call: cst.Call, name: str) -> cst.Call:
    new = cst.Arg(cst.Name(name), keyword=cst.Name(name), equal=_EQUAL)
    if not call.args:
        return call.with_changes(args=[new])
    *before, last = call.args
    between = before[-1].comma if before else _COMMA
    trailing = last.comma if isinstance(last.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT
    moved = new.with_changes(comma=trailing, whitespace_after_arg=last.whitespace_after_arg)
    separated = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*before, separated, moved])


def _with_parameter(params: cst.Parameters, name: str) -> cst.Parameters:
    """The parameters with one more: for keywords only if others have defaults."""
    new = cst.Param(cst.Name(name))
    before = [each if isinstance(each.comma, cst.Comma) else each.with_changes(comma=_COMMA) for each in params.params]
    if any(each.default is not None for each in params.params):
        return params.with_changes(params=before, star_arg=cst.ParamStar(), kwonly_params=[new])
    return params.with_changes(params=[*before, new])
