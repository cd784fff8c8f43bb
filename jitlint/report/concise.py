"""The result for people and their editors: one line for each finding."""

from __future__ import annotations

from collections.abc import Iterator

from jitlint.events.assumption import Confidence
from jitlint.findings.finding import Finding, Result
from jitlint.report.places import shown
from jitlint.report.text import summary


def render(result: Result, *, quiet: bool = False) -> str:
    """The findings, as `place: code message`; place is `path:line:column`.

    Args:
        result: the run.
        quiet: whether the summary is left out.
    """
    lines = [" ".join(_parts(finding)) for finding in result.findings]
    return "".join(f"{line}\n" for line in (*lines, *(() if quiet else (summary(result),))))


def _parts(finding: Finding) -> Iterator[str]:
    event = finding.event
    yield f"{shown(event.place)}: {finding.code} {finding.message}"
    if event.confidence is not Confidence.CERTAIN:
        yield f"[{event.confidence}]"
    if finding.verdicts:
        yield f"({', '.join(f'{verdict.device}: {verdict.status}' for verdict in finding.verdicts)})"
