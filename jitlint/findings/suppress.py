"""Applies comments that leave out findings, and finds comments that leave nothing out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from jitlint.events.event import Event, EventKind
from jitlint.findings.finding import VERIFIED, Finding, fingerprint
from jitlint.fixes.comments import removing
from jitlint.rules.tool.unused_suppression import UnusedSuppression
from jitlint.source.places import Place
from jitlint.source.pragmas import may_suppress, read_pragmas, suppressions
from jitlint.source.text import SourceFile


def unsuppressed(
    findings: Iterable[Finding], sources: Iterable[SourceFile], *, noqa: bool = True
) -> tuple[Finding, ...]:
    """The findings that no `# noqa` or `# jitlint:` comment leaves out.

    A comment counts on the first and on the last line of a finding's place.

    Args:
        findings: as collected.
        sources: the files that they lie in.
        noqa: whether `# noqa` counts too; in flake8 it does not, as flake8 applies these comments itself.
    """
    texts = {source.display: source.text for source in sources}
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.event.place.path, []).append(finding)
    left: list[Finding] = []
    for path, found in by_file.items():
        text = texts.get(path, "")
        if may_suppress(text, {line for finding in found for line in _lines(finding)}):
            pragmas = read_pragmas(text)
            found = [each for each in found if not pragmas.suppresses(each.code, _lines(each), noqa=noqa)]
        left += found
    return tuple(left)


def unused(findings: Iterable[Finding], sources: Iterable[SourceFile], *, noqa: bool = True) -> Iterator[Finding]:
    """A finding for each comment that leaves out none of the findings. Codes that only verifying finds are not judged.

    Args:
        findings: all findings, as collected.
        sources: the files that could be analyzed.
        noqa: whether `# noqa` counts too.
    """
    found: dict[tuple[str, int], set[str]] = {}
    for finding in findings:
        for line in _lines(finding):
            found.setdefault((finding.event.place.path, line), set()).add(finding.code)
    rule = UnusedSuppression()
    for source in sources:
        ranks: Counter[str] = Counter()
        for part in suppressions(source.text):
            here = found.get((source.display, part.line), set())
            idle = [code for code in part.codes if not any(each.startswith(code) for each in here)]
            idle = [code for code in idle if not code.startswith(VERIFIED)]
            if idle and (noqa or part.kind != "noqa"):
                subject = f"{part.kind} {', '.join(idle)}".rstrip()
                place = Place(source.display, part.line, part.column, part.line, part.end_column)
                event = Event(EventKind.SUPPRESSION, place, part.kind, subject=subject)
                identity = fingerprint(rule.code, event, "", ranks[subject])
                ranks[subject] += 1
                message = f"`{subject}` leaves nothing out; remove it"
                needless = part.alone and tuple(idle) == part.codes
                fix = removing(source.display, source.text, part) if needless else None
                yield Finding(rule.code, rule.name, rule.severity, message, event, identity, fix=fix)


def _lines(finding: Finding) -> tuple[int, int]:
    return finding.event.place.line, finding.event.place.end_line
