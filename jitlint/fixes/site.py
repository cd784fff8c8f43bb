"""What an edit module is asked: a finding's event, and the files around it; and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from jitlint.events.event import Event, EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.names import Names
from jitlint.fixes.tree import Replacement, Tree


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fix as new texts of files.

    Attributes:
        message: what the edits do.
        grade: how far to trust it.
        texts: the new texts, by the paths of the files.
    """

    message: str
    grade: Grade
    texts: Mapping[str, str]


class Site:
    """The place of an event, for one proposal.

    Args:
        event: what is to be fixed.
        tree_of: gives the tree of any file of the project, None if there is no such file.
        others: all events of the project.
        texts: the texts of the project's files, by their paths.
    """

    def __init__(
        self,
        event: Event,
        tree_of: Callable[[str], Tree | None],
        others: Collection[Event] = (),
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.event = event
        self.tree_of = tree_of
        self.texts = texts or {}
        self._others = others

    @cached_property
    def tree(self) -> Tree:
        """The file of the event's place."""
        tree = self.tree_of(self.event.place.path)
        assert tree is not None, "events are in files of the project"
        return tree

    @cached_property
    def names(self) -> Names:
        """The names of other modules' functions in that file."""
        return Names(self.tree)

    @cached_property
    def node(self) -> cst.CSTNode | None:
        """What stands at the event's place: the outermost node there."""
        return next(self.tree.nodes_at(self.event.place), None)

    @property
    def expression(self) -> cst.BaseExpression | None:
        """The outermost expression at the event's place."""
        found = (node for node in self.tree.nodes_at(self.event.place) if isinstance(node, cst.BaseExpression))
        return next(found, None)

    def chooses_by_array(self, node: cst.If) -> bool:
        """Whether the analyzer says that an `if` needs a traced value, too."""
        start, end = self.tree.positions[node.test].start, self.tree.positions[node.test].end
        return any(
            (start.line, start.column + 1) <= (event.place.line, event.place.column) <= (end.line, end.column + 1)
            for event in (self.event, *self._others)
            if event.kind is EventKind.BOOL and event.place.path == self.tree.path
        )

    def proposal(self, message: str, grade: Grade, replacements: Mapping[cst.CSTNode, Replacement]) -> Proposal:
        """A fix of the event's own file, with the imports that it needs.

        Args:
            message: what the edits do.
            grade: how far to trust it.
            replacements: what takes the place of which nodes.
        """
        module = self.names.added_to(self.tree.replaced(replacements))
        return Proposal(message, grade, {self.tree.path: module.code})
