"""Baselines: findings that were there before, identified by their fingerprints, which survive moved lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jitlint.findings.finding import Finding
from jitlint.project.cache_folder import write_whole
from jitlint.source.reading import RECORDS_BYTES, read_file, reason

NAME = ".jitlint_baseline.json"
VERSION = 1


class BaselineError(Exception):
    """A baseline that cannot be used; the message, which follows its path, says why and what to do."""


@dataclass(frozen=True, slots=True)
class Old:
    """A finding as a baseline knows it; `line` is where it was then."""

    fingerprint: str
    code: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The findings that were there when the baseline was written."""

    findings: tuple[Old, ...]

    def new(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings that are not in the baseline."""
        known = {old.fingerprint for old in self.findings}
        return tuple(finding for finding in findings if finding.fingerprint not in known)

    def gone(self, findings: Iterable[Finding]) -> tuple[Old, ...]:
        """The findings of the baseline that are no longer found."""
        found = {finding.fingerprint for finding in findings}
        return tuple(old for old in self.findings if old.fingerprint not in found)


def read(file: Path) -> Baseline:
    """Reads a baseline.

    Raises:
        BaselineError: the file cannot be read, or is not a baseline that this version knows.
    """
    remedy = "write it anew with `jitlint baseline write`"
    try:
        data: Any = json.loads(read_file(file, RECORDS_BYTES).decode())
    except OSError as error:
        raise BaselineError(f"cannot be read: {reason(error)}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BaselineError(f"is not valid JSON: {error}; {remedy}") from error
    except (ValueError, RecursionError) as error:  # its numbers have too many digits, or it nests too deep
        raise BaselineError(f"is not a baseline of jitlint; {remedy}") from error
    if not isinstance(data, dict) or "version" not in data:
        raise BaselineError(f"is not a baseline of jitlint; {remedy}")
    if data["version"] != VERSION:
        raise BaselineError(f"has version {data['version']}, this jitlint knows {VERSION}; {remedy}")
    try:
        return Baseline(tuple(map(_old, data["findings"])))
    except (KeyError, TypeError, ValueError) as error:
        raise BaselineError(f"is damaged; {remedy}") from error


def _old(data: Any) -> Old:
    """A finding as it was written.

    Raises:
        TypeError: it was not written by jitlint.
        ValueError: a value has the wrong type.
    """
    old = Old(**data)
    if not all(isinstance(value, int if name == "line" else str) for name, value in data.items()):
        raise ValueError
    return old


def write(file: Path, findings: Iterable[Finding]) -> int:
    """Writes a baseline; the file is replaced as a whole or stays as it is.

    Returns:
        How many findings are in it.

    Raises:
        BaselineError: it cannot be written, or is another file, which stays as it is.
    """
    _check_replaceable(file)
    old = [
        {
            "fingerprint": finding.fingerprint,
            "code": finding.code,
            "path": finding.event.place.path,
            "line": finding.event.place.line,
            "message": finding.message,
        }
        for finding in findings
    ]
    text = json.dumps({"version": VERSION, "findings": old}, indent=1, ensure_ascii=False)
    try:
        write_whole(file, (text + "\n").encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise BaselineError(f"cannot be written: {reason(error)}") from error
    return len(old)


def _check_replaceable(file: Path) -> None:
    """Raises BaselineError if a file is there that is no baseline, not even a damaged one: settings may name any."""
    try:
        present = read_file(file, RECORDS_BYTES)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BaselineError(f"cannot be replaced: {reason(error)}") from error
    if present and b'"findings"' not in present:
        raise BaselineError("is there already, and is no baseline; delete it or name another file")
