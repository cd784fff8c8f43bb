"""Turns what workers saw of entry points into reports, and into findings that the analyzer missed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jitlint.events.entry_point import EntryPoint, Origin
from jitlint.events.event import Entry, Event, EventKind
from jitlint.findings.collect import collect
from jitlint.findings.entry_report import Build, EntryReport
from jitlint.findings.finding import Finding, Verdict
from jitlint.findings.placed import ProgramLines
from jitlint.findings.suppress import unsuppressed
from jitlint.rules.rule import Severity
from jitlint.source.defects import Defects
from jitlint.source.places import Place
from jitlint.source.text import SourceFile
from jitlint.verify import verdicts
from jitlint.verify.protocol import Observation
from jitlint.verify.verdicts import Reason
from jitlint.verify.worker.messages import Line

_STAGES = {
    "trace": EventKind.FAILS_TO_TRACE,
    "lower": EventKind.FAILS_TO_LOWER,
    "compile": EventKind.FAILS_TO_COMPILE,
    "fit": EventKind.DOES_NOT_FIT,
}
_NOTICES = {"precision-lost": EventKind.PRECISION_LOST, "donation-unused": EventKind.DONATION_UNUSED}
_FOUND = {
    "recorded": "recorded inputs",
    "declared": "declared inputs",
    "call site": "the arguments of a call site",
}
"""Origins of inputs that are the user's own, in words; all others were made up."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What is known of one entry: a worker's observation, or the reason for none with its evidence."""

    observation: Observation | None
    reason: Reason = Reason.NOT_REACHED
    evidence: Mapping[str, Any] = field(default_factory=dict)
    jax: str = ""


@dataclass(frozen=True, slots=True)
class _Discovery:
    """An observed event with a verdict per device."""

    event: Event
    verdicts: tuple[Verdict, ...]


def judged(
    seen: Sequence[tuple[EntryPoint, Reached]],
    findings: Sequence[Finding],
    sources: Sequence[SourceFile],
    devices: Sequence[str],
    defects: Defects,
) -> tuple[tuple[EntryReport, ...], tuple[Finding, ...]]:
    """Returns reports on entries, and the findings that only verifying found.

    Args:
        seen: the entries with what is known of each.
        findings: the analyzer's findings; a failure that one of them explains is not reported again.
        sources: the files of the project.
        devices: the names of the devices that were compiled for.
        defects: takes failures of rules.
    """
    judge = _Judge(findings, sources, devices)
    reports = tuple(judge.report(entry, each) for entry, each in seen)
    found = [discovery for entry, each in seen for discovery in judge.discoveries(entry, each)]
    by_place = {(each.event.kind, each.event.place): each.verdicts for each in reversed(found)}
    new = unsuppressed(collect([each.event for each in found], sources, defects), sources)
    return reports, tuple(
        replace(finding, verdicts=by_place[finding.event.kind, finding.event.place]) for finding in new
    )


class _Judge:
    """Turns observations of entries into reports and findings."""

    def __init__(self, findings: Sequence[Finding], sources: Sequence[SourceFile], devices: Sequence[str]) -> None:
        self._findings = findings
        self._devices = devices
        self._lines = ProgramLines.of(sources)
        self._files = {str(Path(source.path).absolute()): source for source in sources}
        self._by_line: dict[tuple[str, int], Finding] = {}
        for finding in findings:
            for place in (finding.event.place, *(step.place for step in finding.event.flow)):
                for line in range(place.line, place.end_line + 1):
                    self._by_line.setdefault((place.path, line), finding)

    # --- reports -----------------------------------------------------------------------------------------------------

    def report(self, entry: EntryPoint, seen: Reached) -> EntryReport:
        """The report on an entry."""
        observation = seen.observation
        if observation is None or observation.outcome not in ("surveyed", "failed"):
            return self._not_reached(entry, seen)
        evidence = observation.evidence
        builds = self._builds(observation) if observation.outcome == "surveyed" else ()
        status, code, reason = "compiled", "", ""
        if observation.outcome == "failed":
            status, code, reason = "failed", str(EventKind.FAILS_TO_TRACE), self._failure_text(evidence.get("failure"))
        elif all(build.status != "compiled" for build in builds) or any(build.status == "failed" for build in builds):
            first = min(builds, key=lambda build: build.status != "failed")
            status, code, reason = first.status, first.code, f"{first.device}: {first.reason}"
        return EntryReport(
            entry,
            status,
            code,
            reason,
            _text(evidence, "target"),
            observation.inputs,
            _text(evidence, "source"),
            builds,
            self._largest(evidence, "equations"),
            self._largest(evidence, "constants"),
            _text(evidence, "compared"),
            seen.jax,
        )

    def _not_reached(self, entry: EntryPoint, seen: Reached) -> EntryReport:
        reason, evidence = seen.reason, dict(seen.evidence)
        if seen.observation is not None:
            code = seen.observation.code
            reason = Reason(code) if code in set(Reason) else Reason.BROKEN
            evidence = dict(seen.observation.evidence)
        explained = self._explaining_line(evidence.get("place"))
        if reason is Reason.NO_INPUTS and explained is not None:
            at = self._lines.at(explained.event.place.path, explained.event.place.line)
            tried = tuple(map(str, evidence.get("tried") or ()))
            return EntryReport(
                entry,
                "failed",
                str(EventKind.FAILS_TO_TRACE),
                f"{explained.code} at {at}",
                _text(evidence, "target"),
                tried,
                jax=seen.jax,
            )
        verdict = verdicts.inconclusive(reason, seen.jax, **verdicts.written(evidence, self._lines))
        return EntryReport(entry, "not-reached", str(reason), verdict.reason, jax=seen.jax)

    def _largest(self, evidence: Mapping[str, Any], name: str) -> int | None:
        """A figure of the trace, the same for every device."""
        return max((_number(build, name) or 0 for build in _items(evidence, "builds")), default=None)

    def _builds(self, observation: Observation) -> tuple[Build, ...]:
        built = {_text(item, "device"): item for item in _items(observation.evidence, "builds")}
        cut = {"reason": str(Reason.BROKEN), **_mapping(observation.evidence, "cut")}
        return tuple(self._build(built.get(device, {**cut, "device": device})) for device in self._devices)

    def _build(self, built: Mapping[str, Any]) -> Build:
        numbers = {name: _numbers(built, name) for name in ("seconds", "memory")}
        flops = built.get("flops")
        flops = float(flops) if isinstance(flops, (int, float)) else None
        status, code, why = "compiled", _text(built, "reason"), ""
        if code:
            status, why = "not-built", self._build_text({**built, "failed": ""})
        elif failed := _text(built, "failed"):
            status, code, why = "failed", str(_STAGES.get(failed, failed)), self._build_text(built)
        memory = {name: int(size) for name, size in numbers["memory"].items()}
        return Build(_text(built, "device"), status, code, why, numbers["seconds"], memory, flops)

    # --- findings ----------------------------------------------------------------------------------------------------

    def discoveries(self, entry: EntryPoint, seen: Reached) -> Iterator[_Discovery]:
        """The events that verifying an entry showed and no finding explains."""
        observation = seen.observation
        if observation is None:
            return
        if observation.outcome == "failed":
            yield from self._of_trace(entry, observation, seen.jax)
        elif observation.outcome == "surveyed":
            yield from self._of_builds(entry, observation, seen)
            yield from self._of_notices(entry, observation, seen.jax)
            yield from self._of_constants(entry, observation, seen.jax)
            if _text(observation.evidence, "compared") == "differs" and entry.origin is Origin.TRANSFORM:
                detail = {"difference": _text(observation.evidence, "difference")}
                yield self._on_all(entry, EventKind.DIFFERS_FROM_EAGER, "", None, detail, observation, seen.jax)

    def _of_trace(self, entry: EntryPoint, observation: Observation, jax: str) -> Iterator[_Discovery]:
        failure = _mapping(observation.evidence, "failure")
        place = self._place(failure.get("site"))
        hidden = any(
            finding.event.entry is not None
            and finding.event.entry.place == entry.place
            and finding.severity is Severity.ERROR
            for finding in self._findings
        )
        if not hidden and self._explaining(place or entry.place) is None:
            detail = {"message": _text(failure, "message")}
            kind = EventKind.FAILS_TO_TRACE
            yield self._on_all(entry, kind, _text(failure, "type"), failure.get("site"), detail, observation, jax)

    def _of_builds(self, entry: EntryPoint, observation: Observation, seen: Reached) -> Iterator[_Discovery]:
        builds = {build.device: build for build in self._builds(observation)}
        grouped: dict[tuple[EventKind, Place], list[Mapping[str, Any]]] = {}
        for item in _items(observation.evidence, "builds"):
            if (kind := _STAGES.get(_text(item, "failed"))) and not _text(item, "reason"):
                place = self._place(item.get("site")) or entry.place
                grouped.setdefault((kind, place), []).append(item)
        for (kind, place), items in grouped.items():
            if self._explaining(place) is None or kind is EventKind.DOES_NOT_FIT:
                failed = [_text(item, "device") for item in items]
                message = _text(items[0], "message").partition(": ")[2] or builds[failed[0]].reason
                detail = {"message": message, "devices": ", ".join(failed)}
                event = _event(entry, kind, _text(items[0], "type"), place, detail)
                yield _Discovery(
                    event, tuple(self._verdict(builds[d], failed, observation, seen) for d in self._devices)
                )

    def _verdict(self, build: Build, failed: Collection[str], observation: Observation, seen: Reached) -> Verdict:
        evidence = {"source": _text(observation.evidence, "source")}
        status, reason = "confirmed", build.reason
        if build.status == "not-built":
            status = "inconclusive"
        elif build.device not in failed:
            status, reason = "refuted", "it compiles for this device"
        return Verdict(status, reason, build.device, observation.inputs, evidence, seen.jax)

    def _of_notices(self, entry: EntryPoint, observation: Observation, jax: str) -> Iterator[_Discovery]:
        for item in _items(observation.evidence, "notices"):
            kind = _NOTICES.get(_text(item, "kind"))
            site = item.get("site")
            made_up = observation.evidence.get("known") is not True
            if kind is EventKind.DONATION_UNUSED:
                site = None
                if made_up:
                    continue  # with other shapes a result may take the buffer
            elif kind is None or self._place(site) is None:
                continue
            if self._explaining(self._place(site) or entry.place) is None or kind is EventKind.DONATION_UNUSED:
                detail = {"message": _text(item, "message")}
                yield self._on_all(entry, kind, "", site, detail, observation, jax)

    def _of_constants(self, entry: EntryPoint, observation: Observation, jax: str) -> Iterator[_Discovery]:
        explained = any(
            finding.event.kind is EventKind.CONSTANT
            and finding.event.entry is not None
            and finding.event.entry.place == entry.place
            for finding in self._findings
        )
        for item in () if explained else _items(observation.evidence, "constants"):
            place = self._place(item.get("site"))
            if self._explaining(place or entry.place) is None:
                detail = {"bytes": str(_number(item, "bytes") or 0)}
                kind = EventKind.COMPILED_CONSTANT
                yield self._on_all(entry, kind, _text(item, "type"), item.get("site"), detail, observation, jax)

    def _on_all(
        self,
        entry: EntryPoint,
        kind: EventKind,
        construct: str,
        site: Any,
        detail: Mapping[str, str],
        observation: Observation,
        jax: str,
    ) -> _Discovery:
        """A discovery with the same verdict for every device."""
        event = _event(entry, kind, construct, self._place(site) or entry.place, detail)
        evidence = {"source": _text(observation.evidence, "source"), **detail}
        reason = "; ".join(filter(None, (construct, *detail.values())))
        reason = f"seen with {_source(evidence['source'])}: {reason}"
        reason, evidence = self._lines.in_text(reason), verdicts.written(evidence, self._lines)
        given = [Verdict("confirmed", reason, d, observation.inputs, evidence, jax) for d in self._devices]
        return _Discovery(event, tuple(given))

    # --- places ------------------------------------------------------------------------------------------------------

    def _place(self, site: Any) -> Place | None:
        """A worker's place (columns in bytes from 0) as a `Place`; None outside the project's files."""
        if not isinstance(site, Mapping) or (source := self._files.get(_text(site, "file"))) is None:
            return None
        line, end_line = _number(site, "line") or 1, _number(site, "end_line") or 1
        lines = source.text.split("\n")
        start = _characters(lines, line, _number(site, "column") or 0)
        return Place(
            source.display, line, start, end_line, _characters(lines, end_line, _number(site, "end_column") or 0)
        )

    def _explaining(self, place: Place) -> Finding | None:
        return self._by_line.get((place.path, place.line))

    def _explaining_line(self, line: Any) -> Finding | None:
        """The finding on a line that a worker names."""
        source = self._files.get(line.file) if isinstance(line, Line) else None
        return self._by_line.get((source.display, line.line)) if source is not None else None

    def _build_text(self, built: Mapping[str, Any]) -> str:
        """Why a device's build failed or is missing, in words."""
        place = self._place(built.get("site"))
        at = self._lines.at(place.path, place.line) if place is not None else ""
        evidence = {**verdicts.written(built, self._lines), "place": at}
        return verdicts.stages_in_words(evidence, _text(built, "device")).removeprefix("but ")

    def _failure_text(self, failure: Any) -> str:
        failure = failure if isinstance(failure, Mapping) else {}
        place = self._place(failure.get("site"))
        at = f" at {self._lines.at(place.path, place.line)}" if place is not None else ""
        message = self._lines.in_text(_text(failure, "message"))
        return " ".join(f"{_text(failure, 'type')}{at}: {message}".split())[:300]


def _event(entry: EntryPoint, kind: EventKind, construct: str, place: Place, detail: Mapping[str, str]) -> Event:
    applied = Entry(entry.place, entry.transform, entry.function)
    symbol = f"{entry.root.module}.{entry.name}"
    return Event(
        kind, place, construct, subject=entry.name, symbol=symbol, entry=applied, root=entry.root, detail=detail
    )


def _source(source: str) -> str:
    return _FOUND.get(source, "inputs made up for it")


def _characters(lines: Sequence[str], line: int, column: int) -> int:
    text = lines[line - 1].encode() if 0 < line <= len(lines) else b""
    return len(text[:column].decode(errors="ignore")) + 1


# --- parts of observations: those of the wrong type count as missing ------------------------------------------------


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _number(item: Mapping[str, Any], name: str) -> int | None:
    value = item.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _mapping(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = item.get(name)
    return value if isinstance(value, dict) else {}


def _numbers(item: Mapping[str, Any], name: str) -> dict[str, float]:
    return {key: float(value) for key, value in _mapping(item, name).items() if isinstance(value, (int, float))}


def _items(item: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = item.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
