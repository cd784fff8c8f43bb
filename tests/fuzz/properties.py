"""What must hold for every input."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from click.testing import CliRunner

from jitlint.__main__ import main
from jitlint.analysis.program import parallel
from jitlint.findings.finding import Result
from jitlint.pipeline import Findings, find
from jitlint.report import github, json, sarif, text
from jitlint.source.defects import describe
from jitlint.source.places import Place
from jitlint.source.text import SourceError, SourceFile, decode
from tests.fuzz import fixing
from tests.fuzz.inputs import Input


@dataclass(frozen=True, slots=True)
class Limits:
    """What an input may take, and more of both for each line above LONG."""

    seconds: float = 2.0
    megabytes: float = 500.0

    def times(self, factor: float) -> Limits:
        return Limits(self.seconds * factor, self.megabytes * factor)


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What no terminal is to get."""

LONG = 5_000
"""Inputs of more lines may take more."""

BROKEN_LIMITS = ("slow", "large")
"""The keys of failures that may be the machine's, or that of inputs before: they are looked at once more, alone."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A property that does not hold. `key` is the same for failures that have one cause, as far as can be told."""

    key: str
    detail: str


def failures(given: Input, *, again: bool = True, limits: Limits | None = None) -> list[Failure]:
    """The properties that do not hold for an input.

    Args:
        again: whether to look at those, too, that take another run, or reports.
        limits: what it may take, if that matters. A process that met an input that broke one is to be replaced.
    """
    try:
        match given.use:
            case "settings":
                return list(_under_settings(given, limits))
            case "fixes":
                return [Failure(*each) for each in fixing.broken(given.files)]
        return list(_failures(given, again, limits))
    except Exception as error:  # noqa: BLE001 - that there is none is the property
        report = describe(error, "", "the run ended").report
        return [Failure(report.rpartition("\n")[2].strip(), report)]


def _readable(given: Input) -> Iterator[SourceFile]:
    for name, content in given.files:
        try:
            yield SourceFile(Path("/fuzz", name), name, decode(content))
        except SourceError:
            continue


def _failures(given: Input, again: bool, limits: Limits | None) -> Iterator[Failure]:
    files = list(_readable(given))
    with Measured() as measured:
        found = find(files)
    yield from _broken(limits, measured, given.lines)
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


class Measured:
    """What work takes, in this process and in those that it starts."""

    def __enter__(self) -> Measured:
        self._began = self._seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = self._seconds() - self._began
        every = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        self.megabytes = max(every) / 1024  # the most of any process until now

    def _seconds(self) -> float:
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system


def _broken(limits: Limits | None, measured: Measured, lines: int) -> Iterator[Failure]:
    if limits is not None:
        limits = limits.times(max(1.0, lines / LONG))
        if measured.seconds > limits.seconds:
            yield Failure("slow", f"{measured.seconds:.1f} CPU seconds for {lines} lines")
        if measured.megabytes > limits.megabytes:
            yield Failure("large", f"{measured.megabytes:.0f} MB for {lines} lines")


def _under_settings(given: Input, limits: Limits | None) -> Iterator[Failure]:
    """Lints a folder as the command line does."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in given.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(content)
        with Measured() as measured:
            done = CliRunner().invoke(main, ["--no-cache", "."])
    yield from _broken(limits, measured, given.lines)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code not in (0, 1, 2):
        yield Failure(f"exit status {done.exit_code}", done.output)
    if "JIT000" in done.output or "internal error" in done.output:
        yield Failure(f"JIT000 {done.output.partition('internal error')[2][:80]}", done.output)
    if CONTROL.search(done.output):
        yield Failure("control characters", repr(done.output))


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
