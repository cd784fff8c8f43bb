"""What a function takes from around it becomes arguments: of the function, and of all its calls."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from jitlint.fixes.parts.creations import Creation, transformed
from jitlint.fixes.parts.moving import Change
from jitlint.fixes.scopes import free_names, uses
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Statement, Tree

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_ARRAY_ATTRIBUTES = frozenset(
    {
        "T",
        "shape",
        "dtype",
        "ndim",
        "size",
        "at",
        "sum",
        "mean",
        "min",
        "max",
        "reshape",
        "astype",
        "dot",
        "real",
        "imag",
    }
)
Changes = dict[cst.CSTNode, Change]


def as_arguments(
    site: Site, creation: Creation, makers: Sequence[Statement], varying: Collection[str], calls: Sequence[cst.Call]
) -> Changes | None:
    """The changes by which a created function takes values as arguments, None if it is not certain what to write.

    Args:
        creation: the transformed function.
        makers: the statements that make what it is made of.
        varying: the names of the values, as they stand where it is called.
        calls: its calls.
    """
    function: cst.CSTNode | None
    if isinstance(creation.node, cst.FunctionDef):
        function = creation.node if _has_harmless_decorator(site, creation.node) else None
    else:
        function = transformed(site, creation)
        if isinstance(function, cst.Name):
            name = function.value
            made = (each for each in makers if isinstance(each, cst.FunctionDef) and each.name.value == name)
            function = next(made, None)
            if function is None or function.decorators or _count(site, function, name) != 2:
                return None
    if isinstance(function, cst.Call) and site.names.qualified(function.func) == "functools.partial":
        return _without_partial(site, creation, function, makers, varying, calls)
    if not isinstance(function, (cst.FunctionDef, cst.Lambda)) or not calls:
        return None
    others = [*(each for each in makers if each is not function), creation.node]
    if any(set(varying) & _free_beside(each, function) for each in others):
        return None
    return _extended(site.tree, function, sorted(varying), calls)


def _count(site: Site, function: cst.FunctionDef, name: str) -> int:
    scope = site.tree.around(function, cst.FunctionDef) or site.tree.module
    return len(uses(scope, name))


def _has_harmless_decorator(site: Site, function: cst.FunctionDef) -> bool:
    node = function.decorators[0].decorator
    if isinstance(node, cst.Call):
        options = {arg.keyword.value for arg in node.args if arg.keyword is not None}
        if not options <= {"static_argnums", "static_argnames", "donate_argnums", "donate_argnames"}:
            return False
        node = node.args[0].value if node.args and node.args[0].keyword is None else node.func
    return site.names.qualified(node) == "jax.jit"


def _free_beside(node: cst.CSTNode, function: cst.CSTNode) -> set[str]:
    """The names that code needs outside of a function in it."""
    if node is function:
        return set()
    return free_names(node.deep_replace(function, cst.Name("_")))


def _extended(
    tree: Tree, function: cst.FunctionDef | cst.Lambda, varying: list[str], calls: Sequence[cst.Call]
) -> Changes | None:
    params = function.params
    if params.kwonly_params or params.posonly_params or params.star_kwarg is not None:
        return None
    if isinstance(params.star_arg, (cst.Param, cst.ParamStar)):
        return None
    plain = [each for each in params.params if each.default is None]
    defaults = [each for each in params.params if each.default is not None]
    given = [each.default for each in defaults if isinstance(each.default, cst.Name) and each.default.value in varying]
    if len(given) != len(defaults) or any(not _fits(call, len(plain)) for call in calls):
        return None
    inner = [name for name in varying if name in free_names(function.body)]
    inner = [name for name in inner if name not in [each.name.value for each in params.params]]
    if not all(_is_plain(tree, function.body, name) for name in (*inner, *(each.name.value for each in defaults))):
        return None
    passed = [*(each.value for each in given if each is not None), *inner]
    if set(varying) - set(passed):
        return None
    new = [*plain, *(_without_default(each) for each in defaults), *(cst.Param(cst.Name(name)) for name in inner)]
    changes: Changes = {function: lambda node: _with_parameters(node, _separated(new, params.params))}
    for call in calls:
        changes[call] = lambda node: _with_arguments(node, [], [cst.Arg(cst.Name(name)) for name in passed])
    return changes


def _without_default(param: cst.Param) -> cst.Param:
    return param.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT)


def _fits(call: cst.Call, count: int) -> bool:
    """Whether a call gives just the arguments of a function's parameters without defaults, by position."""
    return len(call.args) == count and not any(arg.star or arg.keyword is not None for arg in call.args)


def _is_plain(tree: Tree, body: cst.CSTNode, name: str) -> bool:
    """Whether nothing shows that a value is no array: it is not called, iterated or asked for attributes of its own."""
    for use in uses(body, name) + ([body] if isinstance(body, cst.Name) and body.value == name else []):
        parent = next(tree.parents(use))
        match parent:
            case cst.Call(func=func) if func is use:
                return False
            case cst.Attribute(attr=cst.Name(value=attribute)) if attribute not in _ARRAY_ATTRIBUTES:
                return False
            case cst.Slice() | cst.For() | cst.CompFor() | cst.If() | cst.While():
                return False
            case cst.Arg() if tree.code(next(each for each in tree.parents(parent))).startswith("range("):
                return False
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]
            ) if value is use:
                return False
    return True


def _with_parameters(node: cst.CSTNode, params: list[cst.Param]) -> cst.CSTNode:
    assert isinstance(node, (cst.FunctionDef, cst.Lambda))
    changed = node.with_changes(params=node.params.with_changes(params=params))
    if isinstance(changed, cst.Lambda):
        return changed.with_changes(whitespace_after_lambda=cst.SimpleWhitespace(" "))
    return changed


def _separated(new: list[cst.Param], old: Sequence[cst.Param]) -> list[cst.Param]:
    """Parameters with commas as the old ones have them."""
    between = old[0].comma if len(old) > 1 else _COMMA
    last = old[-1].comma if old else cst.MaybeSentinel.DEFAULT
    after = old[-1].whitespace_after_param if old else cst.SimpleWhitespace("")
    spaced = [each.with_changes(comma=between, whitespace_after_param=cst.SimpleWhitespace("")) for each in new[:-1]]
    return [*spaced, new[-1].with_changes(comma=last, whitespace_after_param=after)]


def _with_arguments(node: cst.CSTNode, before: Sequence[cst.Arg], after: Sequence[cst.Arg]) -> cst.CSTNode:
    """A call with further arguments, with commas as those have them that are there."""
    assert isinstance(node, cst.Call)
    old = list(node.args)
    between = old[0].comma if len(old) > 1 else _COMMA
    first = [each.with_changes(comma=between) for each in before]
    if not old:
        every = [each.with_changes(comma=_COMMA) for each in (*before, *after)]
        return node.with_changes(args=[*every[:-1], every[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])
    if not after:
        return node.with_changes(args=[*first, *old])
    last = old[-1]
    end = after[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    middle = [each.with_changes(comma=between) for each in after[:-1]]
    joined = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return node.with_changes(args=[*first, *old[:-1], joined, *middle, end])


def _without_partial(
    site: Site,
    creation: Creation,
    partial: cst.Call,
    makers: Sequence[Statement],
    varying: Collection[str],
    calls: Sequence[cst.Call],
) -> Changes | None:
    """What a `partial` binds anew each time goes into the calls."""
    if any(set(varying) & _free_beside(each, partial) for each in (*makers, creation.node)) or not calls:
        return None
    if any(arg.star for arg in partial.args) or any(arg.star for call in calls for arg in call.args):
        return None
    function, *bound = partial.args
    positional = [arg for arg in bound if arg.keyword is None]
    first = next((at for at, arg in enumerate(positional) if free_names(arg) & set(varying)), len(positional))
    moved = [arg for arg in bound if arg.keyword is not None and free_names(arg) & set(varying)]
    kept = [function, *positional[:first], *(arg for arg in bound if arg.keyword is not None and arg not in moved)]
    before = positional[first:]
    if free_names(function) & set(varying) or not all(isinstance(arg.value, cst.Name) for arg in (*before, *moved)):
        return None
    if before and not _takes_any_position(site, creation, partial):
        return None
    rest: cst.BaseExpression = function.value
    if len(kept) > 1:
        last = partial.args[-1]
        ends = kept[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
        rest = partial.with_changes(args=[*kept[:-1], ends])
    if site.tree.comments(rest) != site.tree.comments(partial):
        return None
    fresh = [cst.Arg(arg.value) for arg in before]
    named = [cst.Arg(arg.value, keyword=arg.keyword, equal=_EQUAL) for arg in moved]
    changes: Changes = {partial: lambda node: rest}
    for call in calls:
        changes[call] = lambda node: _with_arguments(node, fresh, named)
    return changes


def _takes_any_position(site: Site, creation: Creation, function: cst.Call) -> bool:
    """Whether nothing numbers the arguments of a function: it is jitted, without options that would."""
    call = creation.node
    if not isinstance(call, cst.Call) or call.args[0].value is not function:
        return False
    options = [arg.keyword.value for arg in call.args if arg.keyword is not None]
    return site.names.qualified(call.func) == "jax.jit" and not any(name.endswith("nums") for name in options)
