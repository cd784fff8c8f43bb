"""`if` statements, taken apart for edits: which statements each arm has, and what becomes of the rest of the block."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from jitlint.fixes.bindings import here
from jitlint.fixes.conditions import guarded
from jitlint.fixes.expressions import lines_in_place_of
from jitlint.fixes.layout import wrapped
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Replacement, Tree, walk

TESTS = (cst.If, cst.IfExp, cst.While, cst.Assert, cst.CompIf)


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if`, with all statements that it decides about.

    Attributes:
        node: the `if`, or an `elif` with what is behind it.
        test: its condition.
        body: the statements that run if it holds.
        orelse: those that run if it does not: under its `else`, or below it if it leaves the block.
        below: the statements of the block that `orelse` took; they are replaced with the `if`.
        guard: what Python asks first: all of it is about the case that this holds.
    """

    node: cst.If
    test: cst.BaseExpression
    body: tuple[cst.BaseStatement, ...]
    orelse: tuple[cst.BaseStatement, ...]
    below: tuple[cst.BaseStatement, ...] = ()
    guard: str = ""

    def replaced(self, tree: Tree, text: str) -> Mapping[cst.CSTNode, Replacement]:
        """The replacements that put statements, as text, in the place of all of it."""
        if self.guard:
            text = f"if {self.guard}:\n{textwrap.indent(text, tree.indent)}"
        old = (self.node, *self.below)
        elif_ = _is_elif(tree, self.node)
        column = tree.positions[self.node].start.column + (len(tree.indent) if elif_ else 0)
        new = lines_in_place_of(tree, old, _short(text, column, tree.indent))
        if elif_:
            return {self.node: cst.Else(cst.IndentedBlock(new))}
        return {self.node: new, **{each: cst.RemoveFromParent() for each in self.below}}


def _short(text: str, column: int, indent: str) -> str:
    """Statements without long lines."""
    return "".join(f"{wrapped(line, column, indent)}\n" for line in text.removesuffix("\n").split("\n"))


def tested(site: Site) -> tuple[cst.CSTNode | None, cst.BaseExpression | None]:
    """What decides by the event's value, and the whole expression that it decides by.

    An operand of `and`, of `not` or of a comparison stands for all of the condition. If nothing decides by it, the
    first is None: the condition is a value.
    """
    node: cst.CSTNode | None = site.expression
    if not isinstance(node, cst.BaseExpression):
        return None, None
    for parent in site.tree.parents(node):
        if isinstance(parent, TESTS):
            if parent.test is node and isinstance(node, cst.BaseExpression):
                return parent, node
            break
        if not _is_condition(parent, node):
            break
        if isinstance(parent, cst.Arg):
            call = next(site.tree.parents(parent), None)
            if call is None or not _is_condition(call, parent):
                break
        node = parent
    return None, node if isinstance(node, cst.BaseExpression) else None


def _is_condition(parent: cst.CSTNode, child: cst.CSTNode) -> bool:
    """Whether an expression is a condition if a part of it is."""
    match parent:
        case cst.BooleanOperation() | cst.ComparisonTarget() | cst.Arg() | cst.GeneratorExp():
            return True
        case cst.Comparison():
            return True
        case cst.UnaryOperation(operator=cst.Not()):
            return True
        case cst.Call(func=cst.Name(value="any" | "all" | "bool")):
            return child is not parent.func
    return False


def branch_of(site: Site, node: cst.If) -> Branch | None:
    """An `if` with what it decides about; None if it is no block that can be taken apart."""
    tree = site.tree
    body, orelse = suite(node.body), orelse_of(node)
    if body is None or orelse is None:
        return None
    found = tree.block(node)
    if found is None or _is_elif(tree, node):
        return Branch(node, node.test, body, orelse)
    block, at = found
    below = tuple(block.body[at + 1 :])
    if orelse:
        falls_through = below and _ends(body, cst.Return) and not _ends(orelse, cst.Return)
        return (
            Branch(node, node.test, body, (*orelse, *below), below)
            if falls_through
            else Branch(node, node.test, body, orelse)
        )
    if _ends(body, cst.Continue) and isinstance(next(tree.parents(block), None), (cst.For, cst.While)):
        orelse = below[:-1] if _ends(below, cst.Continue) else below
        return Branch(node, node.test, body[:-1], orelse, below)
    if _ends(body, cst.Return) and below:
        return Branch(node, node.test, body, below, below)
    return Branch(node, node.test, body, ())


def orelse_of(node: cst.If) -> tuple[cst.BaseStatement, ...] | None:
    """What is behind an `else`, or an `elif` as a statement."""
    if isinstance(node.orelse, cst.Else):
        return suite(node.orelse.body)
    return (node.orelse,) if node.orelse is not None else ()


def guarded_branch(site: Site, node: cst.If) -> Branch | None:
    """As `branch_of`, but what the condition asks of Python objects first is left to Python.

    None also if the other case would need the statements of both arms.
    """
    guard, test = guarded(node.test, site)
    if not guard:
        return branch_of(site, node)
    branch = branch_of(site, node)
    if branch is None:
        return None
    if not branch.orelse:
        return replace(branch, test=test, guard=guard)
    if branch.below and len(branch.below) == 1 and isinstance(only(branch.below[0]), cst.Return):
        return replace(branch, test=test, guard=guard, below=())
    return None


def recurs(site: Site, nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether nodes call the function that they stand in: computed in any case, that would never end."""
    function = site.tree.around(nodes[0], cst.FunctionDef) if nodes else None
    if function is None:
        return False
    calls = (each.func for node in nodes for each in walk(node) if isinstance(each, cst.Call))
    names = (func.attr if isinstance(func, cst.Attribute) else func for func in calls)
    return any(isinstance(name, cst.Name) and name.value == function.name.value for name in names)


def suite(body: cst.BaseSuite) -> tuple[cst.BaseStatement, ...] | None:
    """The statements of a block, or behind a colon, each on a line of its own; None if they are none."""
    if isinstance(body, cst.SimpleStatementSuite):
        alone = (each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for each in body.body)
        return tuple(cst.SimpleStatementLine([each]) for each in alone)
    return tuple(body.body) if isinstance(body, cst.IndentedBlock) else None


def _ends(statements: Sequence[cst.BaseStatement], kind: type[cst.BaseSmallStatement]) -> bool:
    return bool(statements) and isinstance(only(statements[-1]), kind)


def _is_elif(tree: Tree, node: cst.If) -> bool:
    return isinstance(next(tree.parents(node), None), cst.If)


def only(statement: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The small statement that a line holds, None if it holds several or is no such line."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        return statement.body[0]
    return None


def leaves(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether statements leave the block, the loop or the function, other than in functions of their own."""
    return any(
        isinstance(node, (cst.Return, cst.Break, cst.Continue, cst.Raise, cst.Yield))
        for statement in statements
        for node in here(statement)
    )
