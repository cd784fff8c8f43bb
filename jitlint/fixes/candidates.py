"""The fixes that the rules' remedies offer for an event. Whether one helps is for the analyzer to say, and for JAX."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence

import libcst as cst

from jitlint.events.event import Event
from jitlint.fixes.changes import edits_between
from jitlint.fixes.edit import Fix, Grade, Remedy
from jitlint.fixes.names import NameTakenError
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Tree
from jitlint.source.defects import Defects
from jitlint.source.text import SourceFile


class Trees:
    """The syntax trees of a project's files; each is parsed when it is needed."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._files = {file.display: file for file in files}
        self._trees: dict[str, Tree | None] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of all files, by their paths."""
        return {path: file.text for path, file in self._files.items()}

    def of(self, path: str) -> Tree | None:
        """The tree of a file, None if there is no such file or no tree."""
        if path not in self._trees:
            file = self._files.get(path)
            try:
                self._trees[path] = Tree(path, file.text) if file is not None else None
            except (cst.ParserSyntaxError, cst.CSTValidationError):
                self._trees[path] = None
        return self._trees[path]


def candidates(
    event: Event, remedies: Sequence[Remedy], trees: Trees, others: Collection[Event], defects: Defects
) -> Iterator[Fix]:
    """The fixes of an event, the best first.

    Args:
        event: what is to be fixed.
        remedies: what the rule that objects to it offers.
        trees: the files of the project.
        others: all events of the project.
        defects: takes the internal errors of edits.
    """
    if trees.of(event.place.path) is None:
        return
    seen: set[tuple[tuple[str, str], ...]] = set()
    for remedy in remedies:
        edits = importlib.import_module(f"jitlint.fixes.edits.{remedy.room}.{remedy.name}")
        proposals: list[Proposal] = []
        with (
            defects.contained(event.place.path, f"fix {remedy.name}", event.symbol),
            # LibCST writes nested expressions recursively: what is nested too deeply for it has no fix.
            contextlib.suppress(NameTakenError, cst.ParserSyntaxError, cst.CSTValidationError, RecursionError),
        ):
            proposals = list(edits.propose(Site(event, trees.of, others, trees.texts)))
        for proposal in proposals:
            texts = tuple(sorted(proposal.texts.items()))
            if texts in seen:
                continue
            seen.add(texts)
            changed = [
                edit
                for path, text in texts
                if (tree := trees.of(path)) is not None and _reads(text)
                for edit in edits_between(path, tree.text, text)
            ]
            if changed:
                unsafe = Grade.UNSAFE in (proposal.grade, remedy.grade)
                yield Fix(proposal.message, tuple(changed), Grade.UNSAFE if unsafe else Grade.SAFE, remedy.name)


def _reads(text: str) -> bool:
    """Whether a text is Python: an edit that is none is a defect, and is not offered."""
    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        return False
    return True
