"""The body of a `fori_loop` takes the counter first, and then the carry."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import function_given, used_by_this_alone
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk


def propose(site: Site) -> Iterator[Proposal]:
    """Swaps the two parameters of the body."""
    if site.event.construct != "jax.lax.fori_loop" or "takes" in site.event.detail:
        return
    for call in walk(site.tree.module):
        if not isinstance(call, cst.Call) or site.names.qualified(call.func) != site.event.construct:
            continue
        if len(call.args) < 3 or any(arg.star or arg.keyword is not None for arg in call.args[:3]):
            continue
        body = function_given(site.tree, call.args[2].value)
        if body is None or not _holds(site, body) or not used_by_this_alone(site, body, call):
            continue
        params = body.params.params
        if len(params) != 2 or any(each.default is not None for each in params):
            continue
        first, second = params
        if any("#" in site.tree.module.code_for_node(each) for each in params):
            continue  # a comment on the wrong one
        changed = [second.with_changes(comma=first.comma), first.with_changes(comma=second.comma)]
        new = body.with_changes(params=body.params.with_changes(params=changed))
        yield site.proposal("Take the counter first, then the carry", Grade.SAFE, {body: new})


def _holds(site: Site, body: cst.CSTNode) -> bool:
    """Whether the event stands in a function, or is one of its calls."""
    node = site.node
    return node is not None and (node is body or any(parent is body for parent in site.tree.parents(node)))
