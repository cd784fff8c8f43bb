"""Traced code waits for nothing: `.block_until_ready()` goes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.nodes import keeps_comments, placed, removal
from jitlint.fixes.site import Proposal, Site

_MESSAGE = "Leave out what waits for a result"


def propose(site: Site) -> Iterator[Proposal]:
    """Leaves out the call of the method, or the statement that does nothing else."""
    tree = site.tree
    call = tree.at(site.event.place, cst.Call)
    match call:
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value="block_until_ready")), args=[]):
            pass
        case _:
            return
    line = tree.statement(call)
    if isinstance(value, (cst.Name, cst.Attribute)) and isinstance(line, cst.SimpleStatementLine):
        alone = next((each for each in line.body if isinstance(each, cst.Expr) and each.value is call), None)
        if alone is not None:
            replacements = removal(tree, line, alone)
            if replacements is not None:
                yield site.proposal(_MESSAGE, Grade.SAFE, replacements)
            return
    if keeps_comments(tree, call, value):
        yield site.proposal(_MESSAGE, Grade.SAFE, {call: placed(tree, call, value)})
