"""Traced code waits for nothing: `.block_until_ready()` goes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.nodes import keeps_comments, placed
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement

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
            replacements = _without(site, line, alone)
            if replacements is not None:
                yield site.proposal(_MESSAGE, Grade.SAFE, replacements)
            return
    if keeps_comments(tree, call, value):
        yield site.proposal(_MESSAGE, Grade.SAFE, {call: placed(tree, call, value)})


def _without(
    site: Site, line: cst.SimpleStatementLine, alone: cst.BaseSmallStatement
) -> dict[cst.CSTNode, Replacement] | None:
    """The removal of a statement; its comments go to the statement below."""
    if len(line.body) > 1:
        kept = [each for each in line.body if each is not alone]
        kept[-1] = kept[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return {line: line.with_changes(body=kept)}
    found = site.tree.block(line)
    if found is None:
        return None
    block, at = found
    if len(block.body) == 1:
        return {line: line.with_changes(body=[cst.Pass()])}
    comments = [each for each in line.leading_lines if each.comment]
    if line.trailing_whitespace.comment is not None:
        comments.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
    if not comments:
        return {line: cst.RemoveFromParent()}
    if at + 1 == len(block.body):
        return None
    below = block.body[at + 1]
    assert isinstance(below, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    return {
        line: cst.RemoveFromParent(),
        below: below.with_changes(leading_lines=[*comments, *below.leading_lines]),
    }
