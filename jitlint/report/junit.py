"""The result as JUnit XML, as continuous integration shows test reports: a case for each finding and each error."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from jitlint.findings.finding import Finding, Result
from jitlint.report.places import shown

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""


def render(result: Result) -> str:
    """The report as text. Refuted findings are skipped cases; a run without findings is one case that passes."""
    cases = [*map(_finding, result.findings)]
    for error in result.errors:
        cases.append(_case(error.path, error.code or "jitlint", "error", error.text, ""))
    if not cases:
        cases.append(_element("testcase", classname="jitlint", name=f"{result.files} files"))
    kinds = [child.tag for case in cases for child in case]
    counts = {
        "tests": str(len(cases)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
    }
    suite = _element("testsuite", name="jitlint", **counts)
    suite.extend(cases)
    suites = _element("testsuites", name="jitlint", **counts)
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _finding(finding: Finding) -> ElementTree.Element:
    place, verdict = finding.event.place, finding.verdict
    steps = [f"{shown(step.place)}  {step.note}" for step in finding.event.flow]
    verdict_lines = [f"{verdict.status}: {verdict.reason}"] if verdict else []
    kind = "skipped" if verdict and verdict.status == "refuted" else "failure"
    return _case(
        place.path, f"{finding.code} {shown(place)}", kind, finding.message, "\n".join([*steps, *verdict_lines])
    )


def _case(path: str, name: str, kind: str, message: str, text: str) -> ElementTree.Element:
    case = _element("testcase", classname=path, name=name, file=path)
    outcome = _element(kind, message=message)
    outcome.text = _FORBIDDEN.sub("�", text) or None
    case.append(outcome)
    return case


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(tag, {name: _FORBIDDEN.sub("�", value) for name, value in attributes.items()})
