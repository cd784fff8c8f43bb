"""The result as annotations for GitHub's checks: one workflow command per finding and error."""

from __future__ import annotations

from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Result
from jitlint.rules.rule import Severity

_LEVELS = {Severity.ERROR: "error", Severity.WRONG: "error", Severity.SLOW: "warning", Severity.HINT: "notice"}


def render(result: Result) -> str:
    """The report as text; a refuted finding is a notice."""
    notes = (f"::notice::{_data(note)}" for note in result.notes)
    lines = [*map(_finding, result.findings), *map(_revealed, result.revealed), *map(_error, result.errors), *notes]
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding) -> str:
    place = finding.event.place
    verdict = finding.verdict
    level = "notice" if verdict and verdict.status == "refuted" else _LEVELS[finding.severity]
    # Annotations take columns only for a place within one line; their end is inclusive.
    columns = {"col": place.column, "endColumn": max(place.column, place.end_column - 1)}
    properties = {
        "file": place.path,
        "line": place.line,
        "endLine": place.end_line,
        **(columns if place.line == place.end_line else {}),
        "title": f"{finding.code} {finding.name}",
    }
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    doubt = f" ({verdict.status}: {verdict.reason})" if verdict else ""
    return f"::{level} {shown}::{_data(finding.message + doubt)}"


def _revealed(revealed: Revealed) -> str:
    place = f"file={_property(revealed.place.path)},line={revealed.place.line},title=revealed"
    return f"::notice {place}::{_data(f'{revealed.text} ({revealed.context})')}"


def _error(error: FileError) -> str:
    return f"::error file={_property(error.path)}::{_data(error.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
