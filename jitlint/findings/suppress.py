"""Findings that a comment in the source leaves out."""

from __future__ import annotations

from collections.abc import Iterable

from jitlint.findings.finding import Finding
from jitlint.source.pragmas import Pragmas, read_pragmas
from jitlint.source.text import SourceFile


def unsuppressed(
    findings: Iterable[Finding], sources: Iterable[SourceFile], *, noqa: bool = True
) -> tuple[Finding, ...]:
    """The findings without those that `# noqa` or `# jitlint:` comments leave out.

    A comment counts on the first and on the last line of a finding's place.

    Args:
        findings: as collected.
        sources: the files that they lie in.
        noqa: whether `# noqa` counts too; flake8 sees to that itself.
    """
    texts = {source.display: source.text for source in sources}
    pragmas: dict[str, Pragmas] = {}
    kept = []
    for finding in findings:
        place = finding.event.place
        if place.path not in pragmas:
            pragmas[place.path] = read_pragmas(texts.get(place.path, ""))
        if not pragmas[place.path].suppresses(finding.code, (place.line, place.end_line), noqa=noqa):
            kept.append(finding)
    return tuple(kept)
