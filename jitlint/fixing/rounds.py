"""Fixes in rounds: what rules offer is tried, analyzed, and kept if the finding goes and nothing new comes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from jitlint.events.event import Event
from jitlint.findings.finding import Finding
from jitlint.fixes.changes import edited, overlap
from jitlint.fixes.edit import Edit, Fix, Grade
from jitlint.fixes.remedies import STATIC
from jitlint.rules.registry import by_code
from jitlint.source.defects import Defects
from jitlint.source.text import SourceFile

if TYPE_CHECKING:
    from jitlint.fixes.candidates import Trees

Files = tuple[SourceFile, ...]

ROUNDS = 20
"""So many times fixes are looked for in what fixes have changed."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A finding, and the fix that removes it."""

    finding: Finding
    fix: Fix

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """Recognizes the fix in a later round, when its lines have moved."""
        return self.finding.fingerprint, self.fix.message, tuple(edit.text for edit in self.fix.edits)


@dataclass(frozen=True, slots=True)
class Fixed:
    """What rounds of fixes have made of files: their texts, and what was applied, in its order."""

    files: Files
    applied: tuple[Applied, ...]


@dataclass(slots=True)
class Fixer:
    """Finds fixes that the analyzer agrees with.

    Attributes:
        analyze: the findings to fix in files, each time that they have changed.
        may_change: whether the file of a path may be edited.
        unsafe: whether fixes that may change what the program means count.
        refused: the fixes that must not be used, by their keys.
        defects: the internal errors of edits.
        passed_over: the fingerprints of findings with fixes that were left out since they are unsafe.
    """

    analyze: Callable[[Files], Sequence[Finding]]
    may_change: Callable[[str], bool] = lambda path: True
    unsafe: bool = True
    refused: set[tuple[str, str, tuple[str, ...]]] = field(default_factory=set)
    defects: Defects = field(default_factory=Defects)
    passed_over: set[str] = field(default_factory=set)

    def fixed(self, files: Files) -> Fixed:
        """Applies fixes until there are no more."""
        done: list[Applied] = []
        for _ in range(ROUNDS):
            findings = self.analyze(files)
            chosen = self.offers(findings, findings, files, together=True)
            if not chosen:
                break
            chosen = [one for one in chosen if one.fix.remedy == STATIC.name] or chosen  # with it, other findings go
            done += chosen
            files = applied(files, chosen)
        return Fixed(files, tuple(done))

    def offers(
        self, wanted: Sequence[Finding], findings: Sequence[Finding], files: Files, *, together: bool = False
    ) -> list[Applied]:
        """The best fix of each finding.

        Args:
            wanted: the findings to fix.
            findings: all that the analyzer shows in the files.
            files: the project's files.
            together: leave out fixes that touch what the fix of an earlier finding edits.
        """
        from jitlint.fixes.candidates import Trees  # loads LibCST: only when something is fixed

        trees = Trees(files)
        events = [finding.event for finding in findings]
        waiting = {at: self._candidates(finding, trees, events) for at, finding in enumerate(wanted)}
        found: dict[int, Applied] = {}
        while waiting:
            batch: dict[int, Applied] = {}
            for at, fixes in list(waiting.items()):
                if (one := next(fixes, None)) is None:
                    del waiting[at]
                elif together and _touches(one, found.values()):
                    del waiting[at]  # the next round sees to it
                elif _touches(one, batch.values()):
                    waiting[at] = itertools.chain([one], fixes)
                else:
                    batch[at] = one
            base = list(found.values()) if together else []
            helpful = self._helpful(list(batch.values()), findings, files, base)
            kept = set(map(id, helpful))
            for at, one in batch.items():
                if id(one) in kept:
                    found[at] = one
                    waiting.pop(at, None)
        return [found[at] for at in sorted(found)]

    def _candidates(self, finding: Finding, trees: Trees, events: Sequence[Event]) -> Iterator[Applied]:
        from jitlint.fixes.candidates import candidates  # as above

        if finding.fix is not None:
            fixes: Iterator[Fix] = iter([finding.fix])
        else:
            rule = by_code(finding.code)
            fixes = candidates(finding.event, rule.fixes if rule is not None else (), trees, events, self.defects)
        for fix in fixes:
            one = Applied(finding, fix)
            if one.key in self.refused:
                continue
            if fix.grade is Grade.UNSAFE and not self.unsafe:
                self.passed_over.add(finding.fingerprint)
                continue
            if all(self.may_change(edit.place.path) for edit in fix.edits):
                yield one

    def _helpful(
        self, batch: list[Applied], findings: Sequence[Finding], files: Files, base: list[Applied]
    ) -> list[Applied]:
        """Those of a batch whose findings go with them, and with which nothing new comes."""
        if not batch:
            return []
        after = self.analyze(applied(files, [*base, *batch]))
        if _less(findings, after, [*base, *batch]):
            return batch
        if len(batch) == 1:
            return []
        middle = len(batch) // 2
        first = self._helpful(batch[:middle], findings, files, base)
        return [*first, *self._helpful(batch[middle:], findings, files, [*base, *first])]


def _touches(one: Applied, others: Iterable[Applied]) -> bool:
    return any(overlap(one.fix.edits, other.fix.edits) for other in others)


def _less(before: Sequence[Finding], after: Sequence[Finding], fixes: Sequence[Applied]) -> bool:
    """Whether there are fewer findings of what was fixed, and not more of anything, in each file."""
    expected = Counter(map(_kind, before))
    expected.subtract(_kind(one.finding) for one in fixes)
    return Counter(map(_kind, after)) <= expected


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.event.place.path


def applied(files: Files, fixes: Sequence[Applied]) -> Files:
    """The files with the edits of fixes, which do not overlap."""
    edits: dict[str, dict[Edit, None]] = {}
    for one in fixes:
        for edit in one.fix.edits:
            edits.setdefault(edit.place.path, {})[edit] = None
    return tuple(
        replace(file, text=edited(file.text, edits[file.display])) if file.display in edits else file for file in files
    )
