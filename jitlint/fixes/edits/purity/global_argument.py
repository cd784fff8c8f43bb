"""A global that changes becomes an argument of the jitted function that reads it, where all its calls are in view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.scopes import all_parameters, scope_of
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, Tree, walk
from jitlint.fixes.variables import bound_in, declared_in, is_target

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_TRANSFORMS = frozenset({"jax.jit", "jax.grad", "jax.value_and_grad", "jax.checkpoint", "jax.remat"})
_NOTHING = cst.SimpleWhitespace("")
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
    if not all(_passes_keywords_on(site, each.decorator) for each in function.decorators):
        return
    calls = _calls(site, function)
    if not calls or _is_named_elsewhere(site, function.name.value) or any(_shadows(tree, call, name) for call in calls):
        return
    if any(parent is function for call in calls for parent in tree.parents(call)):
        return  # it calls itself
    changed: dict[cst.CSTNode, Replacement] = {call: _with_argument(call, name) for call in calls}
    changed[function] = _with_parameter(function, name)
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


def _passes_keywords_on(site: Site, decorator: cst.BaseExpression) -> bool:
    """Whether a decorator takes one more keyword as it is; `jax.vmap` would map over it."""
    if not isinstance(decorator, cst.Call):
        return site.names.qualified(decorator) in _TRANSFORMS
    args = list(decorator.args)
    applied = decorator.func
    if site.names.qualified(applied) == "functools.partial" and args and args[0].keyword is None:
        applied = args.pop(0).value
    return site.names.qualified(applied) in _TRANSFORMS and not any(_is_sharding(arg) for arg in args)


def _is_sharding(arg: cst.Arg) -> bool:
    """Whether an option speaks of each argument by position, so that JAX takes no keywords with it."""
    return bool(arg.star) or (arg.keyword is not None and arg.keyword.value.startswith("in_"))


def _is_named_elsewhere(site: Site, function: str) -> bool:
    """Whether another file of the project names the module and the function: its calls would lack the argument."""
    path = Path(site.tree.path)
    module = path.parent.name if path.stem == "__init__" else path.stem
    words = [re.compile(rf"\b{re.escape(name)}\b") for name in (function, module)]
    others = (text for other, text in site.texts.items() if other != site.tree.path)
    return any(all(word.search(text) for word in words) for text in others)


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
                if site.names.qualified(call.func) not in _TRANSFORMS or any(map(_is_sharding, call.args)):
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
    """The call with one more argument; below the others if these stand one below the other."""
    new = cst.Arg(cst.Name(name), keyword=cst.Name(name), equal=_EQUAL)
    if not call.args:
        return call.with_changes(args=[new])
    *before, last = call.args
    ended = isinstance(last.comma, cst.Comma)
    end = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_arg
    between, closing = _layout(end, before[-1].comma if before else None, call.whitespace_before_args)
    separated = last.with_changes(comma=cst.Comma(whitespace_after=between), whitespace_after_arg=_NOTHING)
    moved = (
        new.with_changes(comma=cst.Comma(whitespace_after=closing))
        if ended
        else new.with_changes(whitespace_after_arg=closing)
    )
    return call.with_changes(args=[*before, separated, moved])


def _with_parameter(function: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """The function with one more parameter: for keywords only if others have defaults."""
    params, new = function.params, cst.Param(cst.Name(name))
    plain = params.params or params.posonly_params
    if not params.params:
        return function.with_changes(params=params.with_changes(params=[new]))
    *before, last = plain
    ended = isinstance(last.comma, cst.Comma)
    end = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_param
    between, closing = _layout(end, before[-1].comma if before else None, function.whitespace_before_params)
    comma = cst.Comma(whitespace_after=between)
    new = (
        new.with_changes(comma=cst.Comma(whitespace_after=closing))
        if ended
        else new.with_changes(whitespace_after_param=closing)
    )
    others = [*before, last.with_changes(comma=comma, whitespace_after_param=_NOTHING)]
    if any(each.default is not None for each in plain):
        below = between
        if isinstance(between, cst.ParenthesizedWhitespace):
            below = between.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
        star = cst.ParamStar(cst.Comma(whitespace_after=below))
        keyword = params.with_changes(params=others, star_arg=star, kwonly_params=[new])
        return function.with_changes(params=keyword)
    return function.with_changes(params=params.with_changes(params=[*others, new]))


def _layout(
    end: cst.BaseParenthesizableWhitespace,
    comma: cst.Comma | cst.MaybeSentinel | None,
    opening: cst.BaseParenthesizableWhitespace,
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """The spaces before one more item of a list, and those behind it; a comment stays with the item that it follows.

    Args:
        end: what stands between the last item and the parenthesis.
        comma: the comma before the last item.
        opening: what stands before the first item.
    """
    if not isinstance(end, cst.ParenthesizedWhitespace):
        return _COMMA.whitespace_after, end
    before = comma.whitespace_after if isinstance(comma, cst.Comma) else opening
    if not isinstance(before, cst.ParenthesizedWhitespace):
        before = opening
    line = before if isinstance(before, cst.ParenthesizedWhitespace) else end
    between = end.with_changes(indent=line.indent, last_line=line.last_line)
    return between, end.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
