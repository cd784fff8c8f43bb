"""What jitlint reports: an event that a rule objects to, and the verdict on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jitlint.events.event import Event, Incomplete
from jitlint.events.revealed import Revealed
from jitlint.findings.entry_report import EntryReport
from jitlint.fixes.edit import Fix
from jitlint.rules.rule import Severity

OWN = "JIT0"
"""The family of what jitlint says of its own work and of comments for it."""

VERIFIED = "JIT9"
"""The family of what verifying alone finds."""

STATUSES = ("confirmed", "inconclusive", "not-run", "refuted")
"""What a verdict may be, gravest first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What real JAX said. `status` is confirmed, refuted, inconclusive or not-run; `reason` one line for people;
    `inputs` describes the inputs tried, `evidence` what was seen; `jax` the version that ran."""

    status: str
    reason: str
    device: str = "cpu"
    inputs: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    jax: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """An event plus the rule that objects to it. `fingerprint` survives moved lines; `verdicts` has one per device."""

    code: str
    name: str
    severity: Severity
    message: str
    event: Event
    fingerprint: str = ""
    verdicts: tuple[Verdict, ...] = ()
    fix: Fix | None = None

    def order(self) -> tuple[str, int, int, str]:
        """What findings are sorted by: their places."""
        place = self.event.place
        return place.path, place.line, place.column, self.code

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that counts where one has to stand for all: the gravest, None if nothing was verified."""
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
    """One run: findings in the order of their places, errors, how many files were looked at, what the files asked to
    reveal, what became of the entry points (None unless all were verified), what there is to say of the run, and what
    was not followed to its end."""

    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...] = ()
    files: int = 0
    revealed: tuple[Revealed, ...] = ()
    entries: tuple[EntryReport, ...] | None = None
    notes: tuple[str, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()

    @property
    def only_verified(self) -> int:
        """How many findings came of verifying only: what the analyzer missed."""
        return sum(finding.code.startswith(VERIFIED) for finding in self.findings)


def fingerprint(code: str, event: Event, line_text: str, occurrence: int) -> str:
    """A stable identity of a finding: rule, file, symbol, the line's text and its rank among equal ones."""
    parts = (code, event.place.path, event.symbol, " ".join(line_text.split()), event.subject, str(occurrence))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]
