"""Loops of Python, taken apart for loops of JAX: their bodies, and what goes from round to round."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.bindings import assigned, bound_before, bound_outside, inner_name, read_below
from jitlint.fixes.branches import leaves
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import has_lines_in_strings, lines_in_place_of
from jitlint.fixes.purity import Doing, changes_objects, doing
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in

LoopStatement = cst.While | cst.For


@dataclass(frozen=True, slots=True)
class Carried:
    """What a loop does in a round, and the names that go from round to round.

    Attributes:
        node: the loop.
        names: what each round changes for the next one, or for what is below the loop.
        grade: how far to trust that all of it can run in a loop of JAX.
    """

    node: LoopStatement
    names: tuple[str, ...]
    grade: Grade

    @property
    def value(self) -> str:
        """The carry as an expression."""
        return packed(self.names)

    def proposal(self, site: Site, text: str, call: str) -> Proposal:
        """The fix that puts functions, as text, and the call of a loop of JAX in the loop's place."""
        new = lines_in_place_of(site.tree, [self.node], f"{text}{', '.join(self.names)} = {call}\n")
        return site.proposal(f"Repeat with {call.partition('(')[0]}", self.grade, {self.node: new})


def carried(
    site: Site, node: LoopStatement, body: Sequence[cst.BaseStatement], tested: Collection[str]
) -> Carried | None:
    """What goes from round to round; None if a round does more than change local names.

    Args:
        site: the place that is fixed.
        node: the loop.
        body: the statements of a round.
        tested: the names that decide whether there is another round.
    """
    if not body or node.orelse is not None or leaves(body) or site.tree.block(node) is None:
        return None
    most = max(doing(each, site.names) for each in body)
    if most is Doing.EFFECT or changes_objects(body) or has_lines_in_strings(body):
        return None
    known, below = bound_before(site.tree, node), read_below(site.tree, node)
    changed = assigned(body)
    if changed.keys() & bound_outside(site.tree, node) or any(name in below - known for name in changed):
        return None
    names = (each for each in changed if each in known and (each in below or each in tested or _read_first(each, body)))
    grade = Grade.UNSAFE if most is Doing.UNKNOWN else Grade.SAFE
    return Carried(node, found, grade) if (found := tuple(names)) else None


def _read_first(name: str, body: Sequence[cst.BaseStatement]) -> bool:
    """Whether a round may read what the round before has left in a name."""
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                value = small.value if isinstance(small, (cst.Assign, cst.AnnAssign)) else small
                if isinstance(small, cst.AugAssign) and name in names_in(small.target):
                    return True
                if value is not None and name in names_in(value):
                    return True
                if name in assigned([small]):
                    return False
        elif name in names_in(statement):
            return True
    return False


def packed(names: Sequence[str]) -> str:
    """A name, or a tuple of several."""
    return f"({', '.join(names)})" if len(names) > 1 else names[0]


def function(
    site: Site, node: cst.CSTNode, name: str, carry: Sequence[str], lines: str, before: Sequence[str] = ()
) -> str:
    """A function of a carry, as text.

    Args:
        site: the place that is fixed.
        node: the loop that it is for.
        name: its name.
        carry: the names that the carry is taken apart into.
        lines: what it does, as text.
        before: its parameters before the carry.
    """
    parameter = carry[0] if len(carry) == 1 else inner_name(node, "carry", "loop_carry")
    unpacked = "" if len(carry) == 1 else f"{', '.join(carry)} = {parameter}\n"
    return f"def {name}({', '.join([*before, parameter])}):\n{textwrap.indent(unpacked + lines, site.tree.indent)}\n"


def code_of(site: Site, statements: Sequence[cst.BaseStatement]) -> str:
    """The text of statements, at the left margin."""
    return "".join(site.tree.module.code_for_node(each) for each in statements)


def counted(node: cst.For) -> tuple[cst.BaseExpression | None, cst.BaseExpression] | None:
    """The bounds of a `for` over a range without a step; None if it is none, or the counter is no name."""
    call = node.iter
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name) or call.func.value != "range":
        return None
    if not isinstance(node.target, cst.Name) or node.asynchronous is not None:
        return None
    match [arg.value for arg in call.args if not arg.star and arg.keyword is None]:
        case [stop] if len(call.args) == 1:
            return None, stop
        case [start, stop] if len(call.args) == 2:
            return start, stop
    return None
