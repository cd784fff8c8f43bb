"""The result as SARIF 2.1.0, for code scanning, within the limits of GitHub's:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from jitlint import __version__
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Result, Verdict
from jitlint.fixes.edit import Fix
from jitlint.rules.page import page
from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Rule, Severity
from jitlint.source.places import Place, Step

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_MOST_RESULTS = 25_000
_MOST_STEPS = 1_000
_LEVELS = {Severity.ERROR: "error", Severity.WRONG: "error", Severity.SLOW: "warning", Severity.HINT: "note"}
_PROBLEMS = {**_LEVELS, Severity.HINT: "recommendation"}


def render(result: Result) -> str:
    """The report as text."""
    return json.dumps(document(result), indent=2, ensure_ascii=False) + "\n"


def document(result: Result) -> dict[str, Any]:
    """The report as plain data; a refuted finding counts as suppressed, with what refuted it as the justification."""
    rules = all_rules()
    index = {rule.code: number for number, rule in enumerate(rules)}
    driver = {"name": "jitlint", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    results = [
        *(_result(finding, index[finding.code]) for finding in result.findings),
        *map(_revealed, result.revealed),
    ]
    notes = list(result.notes)
    if len(results) > _MOST_RESULTS:
        notes.append(f"{len(results) - _MOST_RESULTS} more results are left out, as code scanning takes no more")
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The directory in which jitlint ran."}}},
        "results": results[:_MOST_RESULTS],
        "invocations": [
            {
                "executionSuccessful": not result.errors,
                "toolExecutionNotifications": [
                    *(_notification(error) for error in result.errors),
                    *({"level": "note", "message": {"text": note}} for note in notes),
                ],
            }
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": page(rule), "markdown": page(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["jax", str(rule.severity)], "problem.severity": _PROBLEMS[rule.severity]},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    event = finding.event
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(event.place)],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
            "jitlint/v1": finding.fingerprint,
        },
        "properties": {"confidence": str(event.confidence)},
    }
    if event.flow:
        steps = [
            {"location": {**_location(step.place), "message": {"text": step.note}}} for step in _nearest(event.flow)
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.fix:
        result["fixes"] = [_fix(finding.fix)]
    if verdict := finding.verdict:
        result["properties"] |= {"verdict": verdict.status, "verdicts": list(map(_verdict, finding.verdicts))}
        if verdict.status == "refuted":
            result["suppressions"] = [{"kind": "external", "justification": verdict.reason}]
    return result


def _nearest(flow: Sequence[Step]) -> Sequence[Step]:
    """The steps that fit: the source, and those nearest to the sink."""
    return flow if len(flow) <= _MOST_STEPS else (flow[0], *flow[1 - _MOST_STEPS :])


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status,
        "reason": verdict.reason,
        "device": verdict.device,
        "inputs": list(verdict.inputs),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    changes = [
        {
            "artifactLocation": _artifact(edit.place.path),
            "replacements": [{"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}}],
        }
        for edit in fix.edits
    ]
    return {"description": {"text": fix.message}, "artifactChanges": changes}


def _revealed(revealed: Revealed) -> dict[str, Any]:
    return {
        "kind": "informational",
        "level": "none",
        "message": {"text": f"revealed: {revealed.text} ({revealed.context})"},
        "locations": [_location(revealed.place)],
    }


def _location(place: Place) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(place.path), "region": _region(place)}}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _notification(error: FileError) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": _artifact(error.path)}}
    return {"level": "error", "message": {"text": error.text}, "locations": [location]}


def _artifact(path: str) -> dict[str, str]:
    uri = quote(path, errors="surrogateescape")  # names need not be text
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}
