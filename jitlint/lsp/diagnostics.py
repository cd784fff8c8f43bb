"""Findings as the protocol's diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from jitlint.events.revealed import Revealed
from jitlint.findings.finding import Finding, Verdict
from jitlint.lsp.positions import Lines
from jitlint.lsp.session import Problem
from jitlint.rules.rule import Severity
from jitlint.rules.tool.cannot_analyze import CannotAnalyze
from jitlint.source.places import Place, Step
from jitlint.source.printable import printable

SOURCE = "jitlint"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WRONG: types.DiagnosticSeverity.Warning,
    Severity.SLOW: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


class Renderer:
    """Turns findings and revealed values of a project into diagnostics."""

    def __init__(self, folder: str, lines: Callable[[str], Lines], *, related: bool) -> None:
        """
        Args:
            folder: the folder that paths are relative to.
            lines: returns the lines of the file at an absolute path.
            related: whether the client shows related places.
        """
        self._folder = folder
        self._lines = lines
        self._related = related

    def finding(self, finding: Finding) -> types.Diagnostic:
        """One finding, with its flow as related places; a refuted finding is a hint."""
        refuted = finding.verdict is not None and finding.verdict.status == "refuted"
        return types.Diagnostic(
            range=self._range(finding.event.place),
            message=printable("\n".join((finding.message, *map(_in_words, finding.verdicts)))),
            severity=types.DiagnosticSeverity.Hint if refuted else _SEVERITIES[finding.severity],
            code=finding.code,
            source=SOURCE,
            related_information=self._flow(finding.event.flow) if self._related else None,
        )

    def revealed(self, revealed: Revealed) -> types.Diagnostic:
        """One value that a file asks to reveal."""
        return types.Diagnostic(
            range=self._range(revealed.place),
            message=printable(f"revealed, {revealed.context}: {revealed.text}"),
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )

    def _flow(self, steps: Iterable[Step]) -> list[types.DiagnosticRelatedInformation]:
        return [
            types.DiagnosticRelatedInformation(
                types.Location(from_fs_path(self._path(step.place)) or "", self._range(step.place)),
                printable(step.note),
            )
            for step in steps
        ]

    def _range(self, place: Place) -> types.Range:
        return range_of(place, self._lines(self._path(place)))

    def _path(self, place: Place) -> str:
        return os.path.abspath(Path(self._folder, place.path))


def range_of(place: Place, lines: Lines) -> types.Range:
    """The protocol's range for a place."""
    return types.Range(lines.position(place.line, place.column), lines.position(place.end_line, place.end_column))


def problem(found: Problem, lines: Lines) -> types.Diagnostic:
    """Why a document cannot be parsed."""
    start = lines.position(found.line, found.column)
    end = lines.end(found.line)
    return types.Diagnostic(
        range=types.Range(start, max(start, end, key=lambda at: at.character)),
        message=f"cannot be parsed, so what was found before is shown: {printable(found.message)}",
        severity=types.DiagnosticSeverity.Error,
        code=CannotAnalyze.code,
        source=SOURCE,
    )


def _in_words(verdict: Verdict) -> str:
    return f"{verdict.status} by JAX on {verdict.device}: {verdict.reason}"
