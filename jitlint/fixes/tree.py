"""A file's syntax tree, with what edits ask of it."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from jitlint.source.places import Place

_Node = TypeVar("_Node", bound=cst.CSTNode)

Block = cst.Module | cst.IndentedBlock
"""What holds statements one below the other."""

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
"""What stands in a block: a line of small statements, or one with blocks of its own."""

Replacement = cst.CSTNode | list[Statement] | cst.RemovalSentinel
"""What takes the place of a node; several statements can take that of one."""


class Tree:
    """A parsed file.

    Args:
        path: the file, as places name it.
        text: its text.

    Raises:
        libcst.ParserSyntaxError: the text is not Python.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.module = cst.parse_module(text)

    @cached_property
    def positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        """Where each node stands, without the spaces and parentheses around it."""
        return MetadataWrapper(self.module, unsafe_skip_copy=True).resolve(PositionProvider)

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return {child: node for node in walk(self.module) for child in node.children}

    def parents(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What a node stands in, from the inside out."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def around(self, node: cst.CSTNode, *kinds: type[_Node]) -> _Node | None:
        """The nearest node of these kinds that a node stands in."""
        return next((parent for parent in self.parents(node) if isinstance(parent, kinds)), None)

    def at(self, place: Place, kind: type[_Node]) -> _Node | None:
        """The outermost node of a kind at exactly a place."""
        return next((node for node in self.nodes_at(place) if isinstance(node, kind)), None)

    def nodes_at(self, place: Place) -> Iterator[cst.CSTNode]:
        """The nodes at exactly a place, from the outside in."""
        return (node for node in walk(self.module) if self.is_at(node, place))

    def is_at(self, node: cst.CSTNode, place: Place) -> bool:
        """Whether a node begins and ends where a place does."""
        found = self.positions.get(node)
        if found is None or (found.start.line, found.start.column + 1) != (place.line, place.column):
            return False
        return (found.end.line, found.end.column + 1) == (place.end_line, place.end_column)

    def line(self, node: cst.CSTNode) -> int:
        """The line, from 1, on which a node begins."""
        return self.positions[node].start.line

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | cst.Lambda | None:
        """The function that a node stands in."""
        found = (parent for parent in self.parents(node) if isinstance(parent, (cst.FunctionDef, cst.Lambda)))
        return next(found, None)

    def statement(self, node: cst.CSTNode) -> cst.BaseStatement | None:
        """The statement, with the line that it stands on, that a node is or stands in."""
        return next((each for each in (node, *self.parents(node)) if isinstance(each, cst.BaseStatement)), None)

    def block(self, statement: cst.BaseStatement) -> tuple[Block, int] | None:
        """What holds a statement, and the statement's number in it; None if it stands behind a colon."""
        for parent in self.parents(statement):
            if isinstance(parent, (cst.Module, cst.IndentedBlock)):
                return next(((parent, at) for at, each in enumerate(parent.body) if each is statement), None)
        return None

    def code(self, node: cst.CSTNode) -> str:
        """A node's text."""
        return self.module.code_for_node(node).strip()

    def statements(self, text: str) -> list[Statement]:
        """Statements from text that begins at the left margin and is indented as the file is."""
        module = cst.parse_module(text, self.module.config_for_parsing).visit(_BlankLines())
        return [each for each in module.body if isinstance(each, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]

    @property
    def indent(self) -> str:
        """One step of the file's indentation."""
        return self.module.default_indent

    def comments(self, node: cst.CSTNode) -> list[str]:
        """The comments within a node, in their order."""
        tokens = tokenize.generate_tokens(io.StringIO(self.module.code_for_node(node)).readline)
        try:
            return [token.string for token in tokens if token.type == tokenize.COMMENT]
        except (tokenize.TokenError, SyntaxError):  # an expression over several lines, or an `elif`
            return [each.value for each in walk(node) if isinstance(each, cst.Comment)]

    def in_place_of(self, old: Sequence[cst.BaseStatement], text: str) -> list[Statement]:
        """Statements from text, with the empty lines and the comments of those that they take the place of."""
        new = self.statements(text)
        first = old[0]
        assert isinstance(first, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        written = "\n".join(each for statement in new for each in [self.module.code_for_node(statement)])
        above = {line.comment.value for line in first.leading_lines if line.comment}
        lost = [each for one in old for each in self.comments(one) if each not in above and each not in written]
        lines = [*first.leading_lines, *(cst.EmptyLine(comment=cst.Comment(each)) for each in lost)]
        return [new[0].with_changes(leading_lines=lines), *new[1:]]

    def replaced(self, replacements: Mapping[cst.CSTNode, Replacement]) -> cst.Module:
        """The module with other nodes in the place of some."""
        changed = self.module.visit(_Replacing(replacements))
        assert isinstance(changed, cst.Module)
        return changed


class _Replacing(cst.CSTTransformer):
    def __init__(self, replacements: Mapping[cst.CSTNode, Replacement]) -> None:
        super().__init__()
        self._replacements = {
            id(old): cst.FlattenSentinel(new) if isinstance(new, list) else new for old, new in replacements.items()
        }

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) not in self._replacements

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[Statement] | cst.RemovalSentinel:
        return self._replacements.get(id(original_node), updated_node)


class _BlankLines(cst.CSTTransformer):
    """Leaves no spaces in empty lines, wherever they will be indented to."""

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        blank = isinstance(updated_node, cst.EmptyLine) and updated_node.comment is None
        return updated_node.with_changes(indent=False) if blank else updated_node


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all that it holds, from the outside in."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def names_in(node: cst.CSTNode) -> set[str]:
    """The names that are read or written in a node; those of attributes and keywords, too."""
    return {each.value for each in walk(node) if isinstance(each, cst.Name)}


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression in parentheses, unless it has some."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
