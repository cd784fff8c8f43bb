"""Events become findings."""

from __future__ import annotations

from pathlib import Path

from jitlint.events.event import Event, EventKind
from jitlint.findings.collect import collect
from jitlint.findings.finding import Finding
from jitlint.findings.suppress import unsuppressed, unused
from jitlint.fixes.edit import Edit
from jitlint.rules.rule import Severity
from jitlint.source.defects import Defects
from jitlint.source.places import Place
from jitlint.source.text import SourceFile

TEXT = "if x:\n    pass\nif x:\n    pass\nwhile y:  # noqa\n    pass\n"


def source(text: str = TEXT) -> SourceFile:
    return SourceFile(Path("a.py"), "a.py", text)


def event(line: int, construct: str = "if", kind: EventKind = EventKind.BOOL) -> Event:
    return Event(kind, Place("a.py", line, 4, line, 5), construct, subject="x", symbol="a.f")


def test_findings_come_in_order_and_once() -> None:
    findings = collect([event(5, "while"), event(3), event(1), event(3)], [source()], Defects())
    assert [(finding.event.place.line, finding.code) for finding in findings] == [
        (1, "JIT101"),
        (3, "JIT101"),
        (5, "JIT102"),
    ]


def test_equal_lines_have_fingerprints_of_their_own_that_survive_moves() -> None:
    before = collect([event(1), event(3)], [source()], Defects())
    after = collect([event(2), event(4)], [source("\n" + TEXT)], Defects())
    prints = [finding.fingerprint for finding in before]
    assert len(set(prints)) == 2
    assert [finding.fingerprint for finding in after] == prints


def test_comments_leave_findings_out() -> None:
    findings = collect([event(1), event(5, "while")], [source()], Defects())
    assert [finding.code for finding in unsuppressed(findings, [source()])] == ["JIT101"]
    assert len(unsuppressed(findings, [source()], noqa=False)) == 2


def test_comments_that_leave_nothing_out_are_found() -> None:
    text = (
        "a = 1  # jitlint: ignore[JIT101, JIT2] why\nb = 2  # noqa: JIT3, E501\nc = 3  # noqa\n"
        "d = 4  # jitlint: ignore\ne = 5  # jitlint: ignore[JIT901]\nf = '# jitlint: ignore'\n"
    )
    found = Finding("JIT101", "n", Severity.ERROR, "m", Event(EventKind.BOOL, Place("a.py", 1, 1, 1, 2), "if"))
    sources = [SourceFile(Path("a.py"), "a.py", text)]
    shown = [(each.event.place.line, each.event.place.column, each.message) for each in unused([found], sources)]
    assert shown == [
        (1, 8, "`ignore JIT2` leaves nothing out; remove it"),
        (2, 8, "`noqa JIT3` leaves nothing out; remove it"),
        (4, 8, "`ignore` leaves nothing out; remove it"),
    ]
    assert [each.event.place.line for each in unused([found], sources, noqa=False)] == [1, 4]
    # What is removed is a comment that says nothing else, with the space before it.
    fixes = [each.fix for each in unused([found], sources)]
    assert [fix and fix.edits for fix in fixes] == [None, None, (Edit(Place("a.py", 4, 6, 4, 25), ""),)]
    skipped = [SourceFile(Path("a.py"), "a.py", text + "# jitlint: skip-file\n")]
    assert list(unused([], skipped)) == []
