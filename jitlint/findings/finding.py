"""What jitlint reports: an event that a rule objects to, and the verdict on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jitlint.events.event import Event, Incomplete
from jitlint.events.revealed import Revealed
from jitlint.findings.entry_report import EntryReport
from jitlint.fixes.edit import Fix
from jitlint.rules.rule import Severity

OWN = "JIT0"
"""The family of findings about jitlint's own work, and about comments for it."""

VERIFIED = "JIT9"
"""The family of findings that only verifying makes."""

STATUSES = ("confirmed", "inconclusive", "not-run", "refuted")
"""The verdicts, gravest first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What real JAX said about a finding.

    Attributes:
        status: one of `STATUSES`.
        reason: one line for people.
        device: the device that was verified for.
        inputs: descriptions of the inputs that were tried.
        evidence: what was observed.
        jax: the version that ran.
    """

    status: str
    reason: str
    device: str = "cpu"
    inputs: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    jax: str = ""


class Proof(NamedTuple):
    """What real JAX said about a fix.

    Attributes:
        status: `proven` (the fixed program gives under jit what the original gives without), `disproven` (it does not)
            or `open`.
        reason: one line for people.
        one_sided: the conditions of the original that came out in one way only.
    """

    status: str
    reason: str
    one_sided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """An event plus the rule that objects to it.

    Attributes:
        code: the rule's code.
        name: the rule's name.
        severity: what happens to the user's program.
        message: what is wrong, because of which value, and what to do.
        event: what the analyzer predicts, or verifying observed, and where.
        fingerprint: identifies the finding, also after its line has moved.
        verdicts: what JAX said, one per device; none if the finding was not verified.
        proof: what JAX said about the fix; None if nobody has asked.
        fix: edits that remove the finding; None if there are none, or nobody has asked for them.
    """

    code: str
    name: str
    severity: Severity
    message: str
    event: Event
    fingerprint: str = ""
    verdicts: tuple[Verdict, ...] = ()
    fix: Fix | None = None
    proof: Proof | None = None

    def order(self) -> tuple[str, int, int, str]:
        """The key to sort findings by: their places, then their codes."""
        place = self.event.place
        return place.path, place.line, place.column, self.code

    @property
    def verdict(self) -> Verdict | None:
        """The gravest verdict, which stands for all devices; None if the finding was not verified."""
        return min(self.verdicts, key=lambda verdict: STATUSES.index(verdict.status), default=None)


@dataclass(frozen=True, slots=True)
class FileError:
    """A file, or a part of the run, that jitlint could not deal with.

    Attributes:
        path: the file as reports show it, or the option that asked for the part of the run.
        message: why, and what to do about it.
        code: the rule (of the family `OWN`) that documents such errors; "" if none does.
        line: where in the file, from 1; None if the error is about all of it.
        column: where in the line, from 1; None if the error is about all of it.
        cell: the notebook cell that the line counts in; None in other files.
        report: if jitlint itself failed, a few lines for its makers.
    """

    path: str
    message: str
    code: str = ""
    line: int | None = None
    column: int | None = None
    cell: int | None = None
    report: str = ""

    @property
    def text(self) -> str:
        """What all reports write after the path: `JIT001 3:5: expected ':'`, `JIT003 line 3: there is no …`."""
        column = f":{self.column}" if self.column is not None else ""
        if self.line is None:
            where = ""
        elif self.cell is not None:
            where = f"cell {self.cell}:{self.line}{column}: "
        else:
            where = f"{self.line}{column}: " if column else f"line {self.line}: "
        return f"{self.code} {where}{self.message}".lstrip()


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one run.

    Attributes:
        findings: those that are shown, in the order of their places.
        errors: what could not be done.
        files: how many files the report is about.
        revealed: the values that the files ask to reveal.
        entries: the outcome for every entry point; None unless all were verified.
        notes: remarks about the run as a whole.
        incomplete: the functions that the analyzer did not follow to their end.
        fixed: the findings that were fixed, each with its fix.
        unproven: the findings that were not fixed, since JAX has not proven their fixes.
        stages: what names in the source are, for formats that colour it.
    """

    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...] = ()
    files: int = 0
    revealed: tuple[Revealed, ...] = ()
    entries: tuple[EntryReport, ...] | None = None
    notes: tuple[str, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    fixed: tuple[Finding, ...] = ()
    unproven: tuple[Finding, ...] = ()
    stages: tuple[Revealed, ...] = ()

    @property
    def only_verified(self) -> int:
        """How many findings only verifying made: what the analyzer missed."""
        return sum(finding.code.startswith(VERIFIED) for finding in self.findings)


def fingerprint(code: str, event: Event, line_text: str, occurrence: int) -> str:
    """A stable identity of a finding: rule, file, symbol, the line's text and its rank among equal ones."""
    parts = (code, event.place.path, event.symbol, " ".join(line_text.split()), event.subject, str(occurrence))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]
