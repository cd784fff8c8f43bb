"""Branches of a conditional that fit together."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import LoopCall, function_given, loop_call, returned, used_by_this_alone
from jitlint.fixes.parts.dtypes import ORDER, retyped
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement


def propose(site: Site) -> Iterator[Proposal]:
    """Selects values that were given in place of branches; gives numbers of the branches the wider kind."""
    call = loop_call(site)
    if call is None or call.name not in ("cond", "switch"):
        return
    difference = site.event.detail.get("difference", "")
    if call.name == "cond" and "no function" in difference:
        yield from _selected(site, call)
    kinds = difference.removeprefix("an ").split(" against ")
    if len(kinds) == 2 and set(kinds) <= set(ORDER):
        yield from _widened(site, call, max(kinds, key=ORDER.index))


def _selected(site: Site, call: LoopCall) -> Iterator[Proposal]:
    """`jnp.where` of two values."""
    arguments = [call.argument(name) for name in ("pred", "true_fun", "false_fun")]
    if call.operands or any(each is None for each in arguments):
        return
    values = [each.value for each in arguments if each is not None]
    if any(isinstance(value, (cst.Lambda, cst.Tuple, cst.List, cst.Dict)) for value in values):
        return
    text = ", ".join(map(site.tree.code, values))
    where = cst.parse_expression(f"{site.names.of('jax.numpy.where')}({text})")
    yield site.proposal("Select the value with jnp.where", Grade.UNSAFE, {call.call: where})


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
