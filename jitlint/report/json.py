"""The result as one JSON object, for other tools: a fixed contract."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from jitlint import __version__
from jitlint.events.assumption import Assumption
from jitlint.events.revealed import Revealed
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import FileError, Finding, Result, Verdict
from jitlint.fixes.edit import Fix
from jitlint.report.entries import outcomes
from jitlint.source.places import Place

VERSION = 1


def render(result: Result) -> str:
    """The report as text."""
    return json.dumps(document(result), indent=2, ensure_ascii=False, default=str) + "\n"


def document(result: Result) -> dict[str, Any]:
    """The report as plain data. `revealed` and `entries` are only there if the run has such."""
    revealed = {"revealed": [revealed_document(each) for each in result.revealed]} if result.revealed else {}
    return {
        "version": VERSION,
        "tool": {"name": "jitlint", "version": __version__},
        "findings": [_finding(finding) for finding in result.findings],
        "errors": [_error(error) for error in result.errors],
        **revealed,
        **({"fixed": [_finding(finding) for finding in result.fixed]} if result.fixed else {}),
        **({"unproven": [_finding(finding) for finding in result.unproven]} if result.unproven else {}),
        **({"entries": [_entry(report) for report in result.entries]} if result.entries is not None else {}),
        "summary": summary(result),
    }


def summary(result: Result) -> dict[str, Any]:
    """Counts of files, findings and errors, of findings by code, severity and verdict; and the notes about the run."""
    findings = result.findings
    return {
        "files": result.files,
        "findings": len(findings),
        "errors": len(result.errors),
        "by_code": dict(sorted(Counter(finding.code for finding in findings).items())),
        "by_severity": dict(sorted(Counter(str(finding.severity) for finding in findings).items())),
        "by_verdict": dict(sorted(Counter(finding.verdict.status for finding in findings if finding.verdict).items())),
        **_summary_of_entries(result),
        **({"notes": list(result.notes)} if result.notes else {}),
        **({"incomplete": [each._asdict() for each in result.incomplete]} if result.incomplete else {}),
    }


def _summary_of_entries(result: Result) -> dict[str, Any]:
    if result.entries is None:
        return {}
    return {"entries": outcomes(result.entries), "found_by_verifying_only": result.only_verified}


def _assumption(assumption: Assumption) -> dict[str, str]:
    return {"name": assumption.kind, "text": assumption.text}


def _finding(finding: Finding) -> dict[str, Any]:
    event = finding.event
    entry = event.entry
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "confidence": str(event.confidence),
        "message": finding.message,
        **_extent(event.place),
        "symbol": event.symbol,
        "entry": {**_start(entry.place), "transform": entry.transform} if entry else None,
        "flow": [{**_start(step.place), "note": step.note} for step in event.flow],
        "fix": _fix(finding.fix) if finding.fix else None,
        **({"proof": finding.proof._asdict()} if finding.proof else {}),
        "fingerprint": finding.fingerprint,
        "verdict": _verdict(finding.verdict) if finding.verdict else None,
        **({"assumptions": [_assumption(each) for each in event.assumptions]} if event.assumptions else {}),
        **({"verdicts": [_verdict(each) for each in finding.verdicts]} if len(finding.verdicts) > 1 else {}),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{**_extent(edit.place), "text": edit.text} for edit in fix.edits]
    return {"message": fix.message, "grade": str(fix.grade), "edits": edits}


def _error(error: FileError) -> dict[str, str]:
    report = {"report": error.report} if error.report else {}
    return {"path": error.path, "message": error.text, **report}


def _entry(report: EntryReport) -> dict[str, Any]:
    entry = report.entry
    return {
        **_start(entry.place),
        "transform": entry.transform,
        "origin": str(entry.origin),
        "function": entry.function,
        "name": entry.name,
        "status": report.status,
        "code": report.code,
        "reason": report.reason,
        "target": report.target,
        "inputs": list(report.inputs),
        "source": report.source,
        "equations": report.equations,
        "constants": report.constants,
        "compared": report.compared,
        "jax": report.jax,
        "devices": [
            {
                "device": build.device,
                "status": build.status,
                "code": build.code,
                "reason": build.reason,
                "seconds": dict(build.seconds),
                "memory": dict(build.memory),
                "peak_memory": build.peak_memory,
                "flops": build.flops,
            }
            for build in report.builds
        ],
    }


def revealed_document(revealed: Revealed) -> dict[str, Any]:
    """One revealed expression as plain data."""
    return {
        **_extent(revealed.place),
        "expression": revealed.expression,
        "symbol": revealed.symbol,
        "context": revealed.context,
        "stage": revealed.stage,
        "text": revealed.text,
    }


def _start(place: Place) -> dict[str, Any]:
    cell = {"cell": place.cell} if place.cell is not None else {}
    return {"path": place.path, **cell, "line": place.line, "column": place.column}


def _extent(place: Place) -> dict[str, Any]:
    return {**_start(place), "end_line": place.end_line, "end_column": place.end_column, "cell": place.cell}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status,
        "reason": verdict.reason,
        "device": verdict.device,
        "inputs": list(verdict.inputs),
        "evidence": dict(verdict.evidence),
        "jax": verdict.jax,
    }
