"""What must hold for every input."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from jitlint.analysis.program import parallel
from jitlint.findings.finding import Result
from jitlint.pipeline import Findings, find
from jitlint.report import github, json, sarif, text
from jitlint.source.defects import describe
from jitlint.source.places import Place
from jitlint.source.text import SourceError, SourceFile, decode
from tests.fuzz.inputs import Input

SECONDS, SECONDS_PER_LINE = 10.0, 0.01
"""CPU time that an input may take: about a hundred times what is usual."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A property that does not hold. `key` is the same for failures that have one cause, as far as can be told."""

    key: str
    detail: str


def failures(given: Input, *, again: bool = True) -> list[Failure]:
    """The properties that do not hold for an input; with `again`, also those that take another run, or reports."""
    try:
        files = list(_readable(given))
        return list(_failures(files, again))
    except Exception as error:  # noqa: BLE001 - that there is none is the property
        report = describe(error, "", "the run ended").report
        return [Failure(report.rpartition("\n")[2].strip(), report)]


def _readable(given: Input) -> Iterator[SourceFile]:
    for name, content in given.files:
        try:
            yield SourceFile(Path("/fuzz", name), name, decode(content))
        except SourceError:
            continue


def _failures(files: Sequence[SourceFile], again: bool) -> Iterator[Failure]:
    began = time.process_time()
    found = find(files)
    seconds = time.process_time() - began
    lines = sum(file.text.count("\n") for file in files)
    if seconds > SECONDS + SECONDS_PER_LINE * lines:
        yield Failure("slow", f"{seconds:.1f} CPU seconds for {lines} lines")
    for error in found.errors:
        if error.report:
            yield Failure(error.report.rpartition("\n")[2].strip(), f"{error.path}: {error.text}\n{error.report}")
    yield from _misplaced(found, files)
    if not again:
        return
    result = Result(found.findings, found.errors, len(files), found.revealed, incomplete=found.incomplete)
    for report in (text.render(result, files), json.render(result), sarif.render(result), github.render(result)):
        report.encode(errors="backslashreplace")
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        others = {
            "another run": find(files),
            "another order": find(files[::-1]),
            "a cold cache": find(files, cache=cache),
            "a warm cache": find(files, cache=cache),
            "two processes": _in_two_processes(files),
            "part of a cache": find([*files[1:], SourceFile(Path("/fuzz/new.py"), "new.py", "")], cache=cache),
        }
    expected = {**dict.fromkeys(others, _same(found)), "part of a cache": _same(find(files[1:]))}
    for how, other in others.items():
        if _same(other) != expected[how]:
            yield Failure(how, "\n".join(sorted(set(map(str, expected[how])) ^ set(map(str, _same(other))))))


def _in_two_processes(files: Sequence[SourceFile]) -> Findings:
    with mock.patch.object(parallel, "LEAST_LINES", 0):
        return find(files, jobs=2)


def _same(found: Findings) -> list[object]:
    """What must not differ between two runs."""
    of_findings = [
        (each.code, each.message, each.event.place, each.event.confidence, each.event.flow)
        for each in (*found.findings, *found.suppressed)
    ]
    return [*of_findings, *found.revealed, *sorted(map(str, found.errors))]


def _misplaced(found: Findings, files: Sequence[SourceFile]) -> Iterator[Failure]:
    lines = {file.display: file.text.split("\n") for file in files}
    for finding in (*found.findings, *found.suppressed):
        event = finding.event
        places = [event.place, *(step.place for step in event.flow), *([event.entry.place] if event.entry else [])]
        for place in places:
            if not _lies_in(place, lines.get(place.path, [])):
                yield Failure(f"misplaced {finding.code}", f"{place} of {finding}")
    for entry in found.entries:
        if not _lies_in(entry.place, lines.get(entry.place.path, [])):
            yield Failure("misplaced entry point", str(entry))
    for error in found.errors:
        if error.code == "JIT001" and error.line is not None and error.column is not None:
            of_file = lines[error.path]
            if not (1 <= error.line <= len(of_file) and 1 <= error.column <= len(of_file[error.line - 1]) + 2):
                yield Failure("misplaced syntax error", f"{error} in {len(of_file)} lines")


def _lies_in(place: Place, lines: Sequence[str]) -> bool:
    start, end = (place.line, place.column), (place.end_line, place.end_column)
    inside = all(1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1 for line, column in (start, end))
    return inside and start <= end
