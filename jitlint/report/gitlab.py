"""The result as GitLab's code quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from jitlint.findings.finding import FileError, Finding, Result
from jitlint.rules.rule import Severity

_SEVERITIES = {Severity.ERROR: "critical", Severity.WRONG: "major", Severity.SLOW: "minor", Severity.HINT: "info"}


def render(result: Result) -> str:
    """The report as text; a refuted finding is informative only."""
    issues = [*map(_finding, result.findings), *map(_error, result.errors)]
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    place, verdict = finding.event.place, finding.verdict
    verdict_text = f" ({verdict.status}: {verdict.reason})" if verdict else ""
    return {
        "description": finding.message + verdict_text,
        "check_name": finding.code,
        "fingerprint": finding.fingerprint,
        "severity": "info" if verdict and verdict.status == "refuted" else _SEVERITIES[finding.severity],
        "location": {"path": place.path, "lines": {"begin": place.line, "end": place.end_line}},
    }


def _error(error: FileError) -> dict[str, Any]:
    identity = f"{error.path}\0{error.text}".encode(errors="surrogateescape")
    return {
        "description": error.text,
        "check_name": error.code or "jitlint",
        "fingerprint": hashlib.sha256(identity).hexdigest()[:16],
        "severity": "blocker",
        "location": {"path": error.path, "lines": {"begin": 1}},
    }
