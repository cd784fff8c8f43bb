"""`if` statements, taken apart for edits: which statements each arm has, and what becomes of the rest of the block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.site import Site
from jitlint.fixes.tree import Replacement, Tree, names_in, walk

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
    """

    node: cst.If
    test: cst.BaseExpression
    body: tuple[cst.BaseStatement, ...]
    orelse: tuple[cst.BaseStatement, ...]
    below: tuple[cst.BaseStatement, ...] = ()

    def replaced(self, tree: Tree, text: str) -> Mapping[cst.CSTNode, Replacement]:
        """The replacements that put statements, as text, in the place of all of it."""
        old = (self.node, *self.below)
        new = tree.in_place_of(old, text)
        if _is_elif(tree, self.node):
            return {self.node: cst.Else(cst.IndentedBlock(new), leading_lines=self.node.leading_lines)}
        return {self.node: new, **{each: cst.RemoveFromParent() for each in self.below}}


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
    """An `if` with what it decides about; None if its block is written behind the colon."""
    tree = site.tree
    body = suite(node.body)
    if body is None:
        return None
    if isinstance(node.orelse, cst.Else):
        orelse = suite(node.orelse.body)
        return Branch(node, node.test, body, orelse) if orelse is not None else None
    if isinstance(node.orelse, cst.If):
        return Branch(node, node.test, body, (node.orelse,))
    found = tree.block(node)
    if found is None or _is_elif(tree, node):
        return Branch(node, node.test, body, ())
    block, at = found
    below = tuple(block.body[at + 1 :])
    if _ends(body, cst.Continue) or (_ends(body, cst.Return) and below):
        return Branch(node, node.test, body, below, below)
    return Branch(node, node.test, body, ())


def recurs(site: Site, nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether nodes call the function that they stand in: computed in any case, that would never end."""
    function = site.tree.around(nodes[0], cst.FunctionDef) if nodes else None
    if function is None:
        return False
    calls = (each.func for node in nodes for each in walk(node) if isinstance(each, cst.Call))
    names = (func.attr if isinstance(func, cst.Attribute) else func for func in calls)
    return any(isinstance(name, cst.Name) and name.value == function.name.value for name in names)


def suite(body: cst.BaseSuite) -> tuple[cst.BaseStatement, ...] | None:
    """The statements of a block; None if they stand behind a colon."""
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
        for node in _here(statement)
    )


def _here(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and what it holds, but not what functions in it hold."""
    yield node
    if not isinstance(node, (cst.FunctionDef, cst.Lambda)):
        for child in node.children:
            yield from _here(child)


def assigned(statements: Sequence[cst.CSTNode]) -> dict[str, None]:
    """The names that statements bind, in the order of their first binding."""
    found: dict[str, None] = {}
    for statement in statements:
        for node in _here(statement):
            match node:
                case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.For(target=target):
                    found.update(dict.fromkeys(_bound(target)))
                case cst.AnnAssign(target=target) | cst.NamedExpr(target=target):
                    found.update(dict.fromkeys(_bound(target)))
                case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
                    found[name.value] = None
    return found


def _bound(target: cst.CSTNode) -> Iterator[str]:
    match target:
        case cst.Name(value=value):
            yield value
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from _bound(element.value)


def bound_before(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The parameters of the function that a node stands in, and the names that it binds above."""
    function = tree.function(node)
    if not isinstance(function, cst.FunctionDef):
        return set()
    params = (each.name.value for each in walk(function.params) if isinstance(each, cst.Param))
    line = tree.line(node)
    above = [
        each
        for each in walk(function.body)
        if isinstance(each, (cst.SimpleStatementLine, cst.For, cst.FunctionDef)) and tree.line(each) < line
    ]
    return {*params, *assigned(above)}


def read_below(tree: Tree, node: cst.CSTNode) -> set[str]:
    """The names that the function around a node mentions below it, or anywhere if a loop is around both."""
    function = tree.function(node)
    if not isinstance(function, cst.FunctionDef):
        return set()
    loop = next((each for each in tree.parents(node) if isinstance(each, (cst.For, cst.While))), None)
    end = tree.positions[node].end.line
    inside = loop is not None and any(each is function for each in tree.parents(loop))
    return {
        name
        for each in walk(function.body)
        if isinstance(each, cst.BaseStatement) and not isinstance(each, cst.BaseCompoundStatement)
        if inside or tree.line(each) > end
        for name in names_in(each)
    } | {
        name
        for each in walk(function.body)
        if isinstance(each, (cst.If, cst.While)) and (inside or tree.line(each) > end)
        for name in names_in(each.test)
    } | {
        name
        for each in walk(function.body)
        if isinstance(each, cst.For) and (inside or tree.line(each) > end)
        for name in names_in(each.iter)
    }  # fmt: skip
