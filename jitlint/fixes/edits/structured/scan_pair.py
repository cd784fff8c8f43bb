"""The body of a scan returns a pair: the carry, and what is collected."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import function_given, loop_call, returned, used_by_this_alone
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement


def propose(site: Site) -> Iterator[Proposal]:
    """Returns what the body returns as the carry, with nothing to collect."""
    call = loop_call(site)
    if call is None or call.name != "scan":
        return
    body = function_given(site.tree, call.body)
    values = returned(body) if body is not None else None
    if body is None or not values or not used_by_this_alone(site, body, call.call):
        return
    changed: dict[cst.CSTNode, Replacement] = {}
    for value in values:
        if isinstance(value, (cst.Tuple, cst.List, cst.IfExp)):
            return  # nobody knows which of them is the carry
        text = f"{site.tree.code(value)}, None"
        returns = isinstance(next(site.tree.parents(value)), cst.Return)
        changed[value] = cst.parse_expression(text if returns else f"({text})")
    yield site.proposal("Return the carry and nothing to collect", Grade.SAFE, changed)
