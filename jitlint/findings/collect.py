"""Turns events into findings: where a rule objects to an event, there is a finding, each once and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from jitlint.events.event import PUT_OUT, Event
from jitlint.findings.finding import Finding, fingerprint
from jitlint.rules.registry import objections
from jitlint.rules.rule import Rule, Severity
from jitlint.source.defects import Defects
from jitlint.source.places import Place
from jitlint.source.purpose import runs_once
from jitlint.source.text import SourceFile


def collect(events: Iterable[Event], sources: Iterable[SourceFile], defects: Defects) -> tuple[Finding, ...]:
    """The findings of a run, in the order of their places.

    Args:
        events: what the analyzer predicts.
        sources: the files that were analyzed.
        defects: takes the internal errors of rules.
    """
    objected: dict[tuple[str, Place], tuple[Rule, str, Event]] = {}
    for event in events:
        for rule, message in objections(event, defects):
            objected.setdefault((rule.code, event.place), (rule, message, event))
    texts = {source.display: source.text for source in sources}
    lines: dict[str, list[str]] = {}
    ranks: Counter[str] = Counter()
    findings = []
    for rule, message, event in sorted(objected.values(), key=_order):
        line = _line(event.place, texts, lines)
        equal = fingerprint(rule.code, event, line, 0)
        identity = fingerprint(rule.code, event, line, ranks[equal])
        ranks[equal] += 1
        findings.append(Finding(rule.code, rule.name, severity(rule, event), message, event, identity))
    return tuple(findings)


def severity(rule: Rule, event: Event) -> Severity:
    """How grave it is what a rule objects to. In code that runs once, what is merely slow or put out is a hint."""
    grave = rule.severity_of(event)
    light = grave is Severity.SLOW or event.detail.get("category") in PUT_OUT
    return Severity.HINT if light and runs_once(event.place.path) else grave


def _order(objection: tuple[Rule, str, Event]) -> tuple[str, int, int, str]:
    rule, _, event = objection
    return event.place.path, event.place.line, event.place.column, rule.code


def _line(place: Place, texts: Mapping[str, str], lines: dict[str, list[str]]) -> str:
    if place.path not in lines:
        lines[place.path] = texts.get(place.path, "").split("\n")
    of_file = lines[place.path]
    return of_file[place.line - 1] if place.line <= len(of_file) else ""
