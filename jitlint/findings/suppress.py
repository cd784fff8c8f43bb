"""Findings that a comment in the source leaves out."""

from __future__ import annotations

from collections.abc import Iterable

from jitlint.findings.finding import Finding
from jitlint.source.pragmas import may_suppress, read_pragmas
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
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.event.place.path, []).append(finding)
    kept: list[Finding] = []
    for path, found in by_file.items():
        text = texts.get(path, "")
        if may_suppress(text, {line for finding in found for line in _lines(finding)}):
            pragmas = read_pragmas(text)
            found = [each for each in found if not pragmas.suppresses(each.code, _lines(each), noqa=noqa)]
        kept += found
    return tuple(kept)


def _lines(finding: Finding) -> tuple[int, int]:
    return finding.event.place.line, finding.event.place.end_line
