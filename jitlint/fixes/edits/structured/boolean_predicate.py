"""The condition of a `while_loop` gives one boolean."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import function_given, loop_call, returned, used_by_this_alone
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement

_TIGHT = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)


def propose(site: Site) -> Iterator[Proposal]:
    """Compares a number with zero; asks of an array whether the condition holds anywhere."""
    call = loop_call(site)
    argument = call.argument("cond_fun") if call is not None and call.name == "while_loop" else None
    condition = function_given(site.tree, argument.value) if argument is not None else None
    values = returned(condition) if condition is not None else None
    if call is None or condition is None or not values or not used_by_this_alone(site, condition, call.call):
        return
    given = site.event.detail.get("given", "")
    if not given.startswith(("dtype ", "rank ")):
        return  # what holds several values, or none, is not zero in any case
    changed: dict[cst.CSTNode, Replacement] = {}
    for value in values:
        text = site.tree.code(value)
        if isinstance(value, (cst.Tuple, cst.List)):
            return
        if given.startswith("rank "):
            changed[value] = cst.parse_expression(f"{site.names.of('jax.numpy.any')}({text})")
        else:
            changed[value] = cst.parse_expression(
                f"{text if value.lpar or isinstance(value, _TIGHT) else f'({text})'} != 0"
            )
    message = "Ask whether it holds anywhere" if given.startswith("rank ") else "Compare the number with 0"
    yield site.proposal(message, Grade.UNSAFE if given.startswith("rank ") else Grade.SAFE, changed)
