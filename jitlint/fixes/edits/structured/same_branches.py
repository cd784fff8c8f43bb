"""Branches of a conditional that fit together."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import LoopCall, function_given, loop_call, returned, used_by_this_alone, written
from jitlint.fixes.parts.dtypes import ORDER, retyped
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_VALUES = ("a branch is an array, no function", "a branch is a number, no function")


def propose(site: Site) -> Iterator[Proposal]:
    """Selects values that were given in place of branches; gives numbers of the branches the wider kind."""
    call = loop_call(site)
    if call is None or call.name not in ("cond", "switch"):
        return
    difference = site.event.detail.get("difference", "")
    if call.name == "cond" and difference in _VALUES:
        yield from _selected(site, call)
    kinds = difference.removeprefix("an ").split(" against ")
    if len(kinds) == 2 and set(kinds) <= set(ORDER):
        yield from _widened(site, call, max(kinds, key=ORDER.index))


def _selected(site: Site, call: LoopCall) -> Iterator[Proposal]:
    """`jnp.where` of two values."""
    args = call.call.args
    if len(args) != 3 or any(arg.keyword is not None or arg.star for arg in args):
        return
    if any(_is_function(site, arg.value) for arg in args[1:]):
        return
    where = cst.parse_expression(site.names.of("jax.numpy.where"))
    changed = call.call.with_changes(func=where)
    yield site.proposal("Select the value with jnp.where", Grade.UNSAFE, {call.call: changed})


def _is_function(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an argument may be a function, or a container of arrays, as far as its text says."""
    if isinstance(node, (cst.Lambda, cst.Tuple, cst.List, cst.Dict)):
        return True
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return False
    name = node.attr.value if isinstance(node, cst.Attribute) else node.value
    defined = any(isinstance(each, cst.FunctionDef) and each.name.value == name for each in walk(site.tree.module))
    return defined or bool(site.names.qualified(node)) or isinstance(written(site.tree, node), cst.Lambda)


def _widened(site: Site, call: LoopCall, kind: str) -> Iterator[Proposal]:
    """A number that a branch returns, written as one of the other branch's kind."""
    for name in ("true_fun", "false_fun") if call.name == "cond" else ():
        argument = call.argument(name)
        branch = function_given(site.tree, argument.value) if argument is not None else None
        values = returned(branch) if branch is not None else None
        if branch is None or not values or not used_by_this_alone(site, branch, call.call):
            continue
        changed: dict[cst.CSTNode, Replacement] = {}
        for value in values:
            if (new := retyped(site, value, kind)) is not None:
                changed[value] = new
        if changed:
            yield site.proposal(f"Return a {kind} from both branches", Grade.SAFE, changed)
