"""The result for people: each finding with its source line, its flow and its verdict, then a summary."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from click import style

from jitlint.events.assumption import Confidence
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import Finding, Result, Verdict
from jitlint.fixes.edit import Grade
from jitlint.report import entries
from jitlint.report.places import shown
from jitlint.rules.rule import Severity
from jitlint.source.places import Place, Step
from jitlint.source.printable import printable, printable_path
from jitlint.source.text import SourceFile

STEPS = 5
_WIDTH = 120
_SEVERITY_COLORS = {Severity.ERROR: "red", Severity.WRONG: "magenta", Severity.SLOW: "yellow", Severity.HINT: "cyan"}
_STATUS_COLORS = {"confirmed": "red", "refuted": "green", "inconclusive": "yellow", "not-run": "yellow"}
_STATUSES = tuple(_STATUS_COLORS)


def render(result: Result, sources: Iterable[SourceFile], *, quiet: bool = False) -> str:
    """The report, with terminal colours (`click.echo` removes them if there is no terminal).

    Args:
        result: the run, as `printable_result` made it.
        sources: the files that were analyzed.
        quiet: whether notes and the summary are left out.
    """
    lines = _Lines({printable_path(source.display): source for source in sources})
    blocks = ["\n".join(_finding(finding, lines)) for finding in result.findings]
    revealed = "\n".join(_revealed(result.revealed))
    surveyed = entries.render(result.entries or ())
    notes = "\n".join(f"Note: {note}." for note in result.notes)
    fixed = "\n".join([*(_fixed(each, "fixed") for each in result.fixed), *_unproven(result.unproven)])
    end = [] if quiet else [notes, summary(result)]
    shown_blocks = [*filter(None, [revealed, *blocks, surveyed, fixed, *end])]
    return "".join(["\n\n".join(shown_blocks), "\n" if shown_blocks else ""])


def statistics(result: Result) -> str:
    """How many findings there are of each code, most frequent first."""
    names = {finding.code: finding.name for finding in result.findings}
    counts = Counter(finding.code for finding in result.findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{count:>6}  {code}  {names[code]}\n" for code, count in ordered)


class _Lines:
    """The lines of the files; a file is split when its first line is needed."""

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = sources
        self._split: dict[tuple[str, int | None], Sequence[str]] = {}

    def of(self, place: Place) -> str:
        key = place.path, place.cell
        if key not in self._split:
            source = self._sources.get(place.path)
            self._split[key] = source.written(place.cell) if source is not None else ()
        lines = self._split[key]
        return printable(lines[place.line - 1]) if place.line <= len(lines) else ""


def _finding(finding: Finding, lines: _Lines) -> Iterator[str]:
    event = finding.event
    code = style(finding.code, fg=_SEVERITY_COLORS[finding.severity], bold=True)
    doubt = "" if event.confidence is Confidence.CERTAIN else f" [{event.confidence}]"
    yield f"{style(shown(event.place), bold=True)} {code} {finding.message}{doubt}"
    if line := lines.of(event.place):
        excerpt, marks = _underlined(line, event.place)
        number = f"{event.place.line:>6} | "
        yield style(number, dim=True) + excerpt
        yield " " * (len(number) - 2) + style("| ", dim=True) + style(marks, fg="red", bold=True)
    yield from _flow(event.flow)
    yield from ("   " + line for line in _verdicts(finding.verdicts))


def _unproven(findings: Sequence[Finding]) -> Iterator[str]:
    return (_fixed(finding, "not fixed") for finding in findings)


def _fixed(finding: Finding, outcome: str) -> str:
    """What became of a finding's fix, and of its proof."""
    assert finding.fix is not None
    where, code = style(shown(finding.event.place), bold=True), style(finding.code, bold=True)
    grade = "" if finding.fix.grade is Grade.SAFE else f" [{finding.fix.grade}]"
    color = "green" if outcome == "fixed" else "yellow"
    proof = f"\n   {style(finding.proof.status, bold=True)}: {finding.proof.reason}" if finding.proof else ""
    return f"{where} {code} {style(outcome, fg=color)}: {finding.fix.message}{grade}{proof}"


def _revealed(revealed: Sequence[Revealed]) -> Iterator[str]:
    """One line for each value; if an expression has several contexts, each line names its own."""
    contexts = Counter(each.place for each in revealed)
    for each in revealed:
        context = f" ({each.context})" if contexts[each.place] > 1 else ""
        yield f"{style(shown(each.place), bold=True)}: revealed: {each.text}{context}"


def _underlined(line: str, place: Place) -> tuple[str, str]:
    """The line, or the part of a long line around the place, and carets under the place."""
    start = place.column - 1
    end = place.end_column - 1 if place.end_line == place.line else len(line.rstrip())
    end = max(end, start + 1)
    cut = max(0, min(start - _WIDTH // 4, len(line) - _WIDTH))
    head = "…" if cut else ""
    tail = "…" if len(line) > cut + _WIDTH else ""
    excerpt = head + line[cut : cut + _WIDTH].rstrip() + tail
    padding = "".join("\t" if char == "\t" else " " * _columns(char) for char in head + line[cut:start])
    marked = line[start : min(end, cut + _WIDTH)] or " "
    return excerpt, padding + "^" * sum(map(_columns, marked))


def _columns(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _flow(flow: Sequence[Step]) -> Iterator[str]:
    """At most five steps: the source, and those nearest to the sink."""
    hidden = len(flow) - STEPS
    steps = [*flow[:1], *flow[-(STEPS - 1) :]] if hidden > 0 else flow
    for index, step in enumerate(steps):
        label = "from" if index == 0 else "    "
        yield f"   {style(label, dim=True)} {shown(step.place)}  {step.note}"
        if index == 0 and hidden > 0:
            yield style(f"        … {hidden} more", dim=True)


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A line for each verdict with its evidence; what is the same on several devices is said once."""
    alike: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        alike.setdefault((verdict.status, verdict.reason, verdict.inputs, verdict.jax), []).append(verdict)
    return (_verdict(group[0], ", ".join(verdict.device for verdict in group)) for group in alike.values())


def _verdict(verdict: Verdict, devices: str) -> str:
    status = style(verdict.status, fg=_STATUS_COLORS.get(verdict.status), bold=True)
    unsaid = [each for each in verdict.inputs if each not in verdict.reason]
    inputs = f", with {'; '.join(unsaid)}" if unsaid else ""
    where = ", ".join(filter(None, (devices, f"jax {verdict.jax}" if verdict.jax else "")))
    line = f"{status}: {verdict.reason}{inputs} ({where})"
    return " ".join(line.split())


def summary(result: Result) -> str:
    """How many findings there are, in one line."""
    count = len(result.findings)
    files = f"{result.files} file{'' if result.files == 1 else 's'}"
    fixed = f" {len(result.fixed)} fixed." if result.fixed else ""
    if not count:
        return style(f"No findings in {files}.{fixed}", fg="green")
    verdicts = Counter(finding.verdict.status for finding in result.findings if finding.verdict)
    by_verdict = ", ".join(f"{verdicts[status]} {status}" for status in _STATUSES if verdicts[status])
    words = f"{count} finding{'' if count == 1 else 's'} in {files}" + (f": {by_verdict}" if by_verdict else "")
    missed = f" {result.only_verified} found by verifying only." if result.only_verified else ""
    return style(f"{words}.{missed}{fixed}", bold=True)
