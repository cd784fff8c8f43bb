"""Expressions as text, and in the place of others."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jitlint.fixes.layout import WIDTH, wrapped
from jitlint.fixes.tree import Replacement, Statement, Tree, parenthesized, walk

_ATOMS = (
    cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.BaseNumber, cst.BaseString, cst.List, cst.Dict, cst.Set,
)  # fmt: skip
_SHORT = 72
"""A longer expression keeps its lines."""
_TIGHT = (cst.Multiply, cst.Divide, cst.MatrixMultiply, cst.FloorDivide, cst.Modulo, cst.Power)
_NO_COMMA, _NO_SPACE = cst.MaybeSentinel.DEFAULT, cst.SimpleWhitespace("")
_SPACED = (cst.BinaryOperation, cst.Comparison, cst.BooleanOperation, cst.IfExp, cst.UnaryOperation)


def text_of(tree: Tree, node: cst.BaseExpression) -> str:
    """An expression as text that stands on one line, but for what brackets hold."""
    short = _in_one_line(tree, node)
    if short is not None:
        return short
    if node.lpar:
        bare = text_of(tree, node.with_changes(lpar=[], rpar=[]))
        return bare if isinstance(node, (*_ATOMS, cst.GeneratorExp)) and "\n" not in bare else f"({bare})"
    flat = node.visit(_OneLine()) if isinstance(node, _SPACED) else node
    assert isinstance(flat, cst.CSTNode)
    return tree.code(flat)


def _in_one_line(tree: Tree, node: cst.BaseExpression) -> str | None:
    """An expression over several lines as one short line; None if it is none, or has comments."""
    if "\n" not in tree.code(node) or tree.comments(node) or has_lines_in_strings([node]):
        return None
    flat = node.visit(_NoLines())
    assert isinstance(flat, cst.CSTNode)
    text = tree.code(flat)
    return text if len(text) <= _SHORT else None


def operand_of(tree: Tree, node: cst.BaseExpression, *, factor: bool = False) -> str:
    """An expression as text that can be compared or added to others.

    Args:
        tree: its file.
        node: the expression.
        factor: whether it is to be multiplied, subtracted or the like, too.
    """
    text = text_of(tree, node)
    if node.lpar or isinstance(node, _ATOMS):
        return text
    if isinstance(node, cst.BinaryOperation) and (not factor or isinstance(node.operator, _TIGHT)):
        return text
    return text if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not) else f"({text})"


def is_tight(node: cst.CSTNode) -> bool:
    """Whether an operator binds its operands more than `+` does."""
    return isinstance(node, _TIGHT)


def in_place_of(tree: Tree, old: cst.BaseExpression, text: str) -> dict[cst.CSTNode, Replacement]:
    """The replacements that put an expression, as text, in the place of another.

    Its comments go above the statement; it gets parentheses where it needs them.
    """
    new = cst.parse_expression(text)
    if _needs_parentheses(tree, old, new):
        new = parenthesized(new)
    statement = tree.statement(old)
    comments = [each for each in tree.comments(old) if each not in text]
    if isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        changed = statement.deep_replace(old, new)
        assert isinstance(changed, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        if isinstance(changed, cst.SimpleStatementLine) and not comments:
            column = tree.positions[statement].start.column
            written = tree.module.code_for_node(changed.with_changes(leading_lines=[])).rstrip("\n")
            if column + len(written) > WIDTH and "\n" not in written:
                lines = tree.statements(wrapped(written, column, tree.indent) + "\n")
                return {statement: [lines[0].with_changes(leading_lines=statement.leading_lines), *lines[1:]]}
        if comments:
            above = [*changed.leading_lines, *(cst.EmptyLine(comment=cst.Comment(each)) for each in comments)]
            return {statement: changed.with_changes(leading_lines=above)}
    return {old: new}


def _needs_parentheses(tree: Tree, old: cst.BaseExpression, new: cst.BaseExpression) -> bool:
    if old.lpar and _touches(tree, old):
        return True
    parent = next(tree.parents(old), None)
    if isinstance(new, cst.Tuple):
        return not isinstance(parent, (cst.Assign, cst.Return))
    if isinstance(new, (cst.IfExp, cst.BooleanOperation, cst.UnaryOperation, cst.Comparison, cst.BinaryOperation)):
        return not isinstance(parent, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Return, cst.Arg, cst.Element))
    return False


def _touches(tree: Tree, node: cst.BaseExpression) -> bool:
    """Whether a keyword or a name stands right before or behind an expression's parentheses."""
    lines = tree.text.split("\n")
    place = tree.positions[node]
    before = lines[place.start.line - 1][: place.start.column].rstrip()
    after = lines[place.end.line - 1][place.end.column :].lstrip()
    before, after = before.removesuffix("(" * len(node.lpar)), after.removeprefix(")" * len(node.rpar))
    return any(side and (side.isalnum() or side == "_") for side in (before[-1:], after[:1]))


class _OneLine(cst.CSTTransformer):
    """Takes the line breaks out of operators' spaces; what brackets hold stays as it is."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        bracketed = isinstance(node, cst.BaseExpression) and bool(node.lpar)
        return not bracketed and not isinstance(node, (*_ATOMS, cst.GeneratorExp, cst.ListComp))

    def leave_ParenthesizedWhitespace(  # noqa: N802  LibCST's name
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.BaseParenthesizableWhitespace:
        return cst.SimpleWhitespace(" ")


class _NoLines(cst.CSTTransformer):
    """Takes the line breaks out of all spaces, and the commas before closing brackets with them."""

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.RemovalSentinel:
        match original_node, updated_node:
            case cst.ParenthesizedWhitespace(), _:
                return cst.SimpleWhitespace(" ")
            case (cst.LeftParen() | cst.LeftSquareBracket() | cst.LeftCurlyBrace()) as opening, _ if _breaks(
                opening.whitespace_after
            ):
                return updated_node.with_changes(whitespace_after=cst.SimpleWhitespace(""))
            case (cst.RightParen() | cst.RightSquareBracket() | cst.RightCurlyBrace()) as closing, _ if _breaks(
                closing.whitespace_before
            ):
                return updated_node.with_changes(whitespace_before=cst.SimpleWhitespace(""))
            case cst.Call(), cst.Call(args=[*_, last]) as call:
                args = [*call.args[:-1], last.with_changes(comma=_NO_COMMA, whitespace_after_arg=_NO_SPACE)]
                return call.with_changes(args=args, whitespace_before_args=_NO_SPACE)
            case _, (cst.List() | cst.Tuple() | cst.Set() | cst.Dict()) as display if len(
                display.elements
            ) > isinstance(display, cst.Tuple):
                without = display.elements[-1].with_changes(comma=_NO_COMMA)
                return display.with_changes(elements=[*display.elements[:-1], without])
        return updated_node


def _breaks(space: cst.BaseParenthesizableWhitespace) -> bool:
    return isinstance(space, cst.ParenthesizedWhitespace)


def has_lines_in_strings(nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether a string goes over several lines: to indent it would change it."""
    kinds = (cst.SimpleString, cst.FormattedStringText)
    return any(isinstance(each, kinds) and "\n" in each.value for node in nodes for each in walk(node))


def lines_in_place_of(tree: Tree, old: Sequence[cst.BaseStatement], text: str) -> list[Statement]:
    """Statements from text in the place of others; a function has an empty line above it."""
    new = tree.in_place_of(old, text)
    found = tree.block(old[0])
    first = found is None or found[1] == 0
    if isinstance(new[0], cst.FunctionDef) and not first and all(each.comment for each in new[0].leading_lines[:1]):
        new[0] = new[0].with_changes(leading_lines=[cst.EmptyLine(indent=False), *new[0].leading_lines])
    return new
