"""`[tool.jitlint]` in pyproject.toml, and which findings a run shows."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jitlint.analysis.events import Confidence
from jitlint.findings.finding import FileError, Finding
from jitlint.project.files import Patterns, display_path
from jitlint.rules.rule import Severity
from jitlint.source.text import reason

FILE = "pyproject.toml"

_CODE = re.compile(r"[A-Z]{1,3}[0-9]{0,3}")
_CONFIDENCES = tuple(Confidence)


@dataclass(frozen=True, slots=True)
class Settings:
    """What `[tool.jitlint]` says. `folder` is where the file lies: patterns are relative to it."""

    folder: Path
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def excluded(self) -> Patterns | None:
        return Patterns.of(self.folder, self.exclude) if self.exclude else None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which findings are shown: by code prefix (the longest that matches decides, a tie ignores), and from which
    confidence on. `extend` adds to `select`; rules of severity `hint` are shown only if one of them names them."""

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    per_file: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()

    def shows(self, finding: Finding) -> bool:
        if _CONFIDENCES.index(finding.event.confidence) > _CONFIDENCES.index(self.confidence):
            return False
        selected = _longest(finding.code, (*self.select, *self.extend))
        if selected < 0 and (self.select or finding.severity is Severity.HINT):
            return False
        if _longest(finding.code, self.ignore) >= max(selected, 0):
            return False
        path = Path(os.path.abspath(finding.event.place.path))
        return not any(
            finding.code.startswith(codes) and patterns.verdict(path.resolve()) for patterns, codes in self.per_file
        )


def choice(
    settings: Settings, select: str | None, ignore: str | None, confidence: Confidence, extend: str | None = None
) -> Choice:
    """The settings with the command line's codes (comma-separated) in their place where given.

    Raises:
        ValueError: something given that is no code.
    """
    per_file = tuple(
        (Patterns.of(settings.folder, [pattern]), codes) for pattern, codes in settings.per_file_ignores.items()
    )

    def codes(given: str | None, configured: tuple[str, ...]) -> tuple[str, ...]:
        return configured if given is None else _codes(given.replace(",", " ").split())

    return Choice(
        codes(select, settings.select),
        codes(extend, settings.extend_select),
        codes(ignore, settings.ignore),
        confidence,
        per_file,
    )


def load(start: Path) -> tuple[Settings, tuple[FileError, ...]]:
    """The settings of the nearest pyproject.toml that has a `[tool.jitlint]` table, from a path upward.

    What is wrong in it is left at its default, and reported.
    """
    real = start.resolve()
    working = Path.cwd()
    for folder in (real, *real.parents):
        file = folder / FILE
        if not file.is_file():
            continue
        display = display_path(file, working)
        try:
            table = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get("jitlint")
        except OSError as error:
            return Settings(folder), (FileError(display, f"JIT003 cannot read the file: {reason(error)}"),)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
            return Settings(folder), (FileError(display, f"JIT003 is not valid TOML: {error}; correct the file"),)
        if table is not None:
            settings, problems = _settings(folder, table)
            return settings, tuple(FileError(display, f"JIT003 {problem}") for problem in problems)
    return Settings(real), ()


def _settings(folder: Path, table: object) -> tuple[Settings, list[str]]:
    if not isinstance(table, dict):
        return Settings(folder), ["[tool.jitlint] must be a table"]
    readers: dict[str, Callable[[Any], Any]] = {
        "select": _codes,
        "extend-select": _codes,
        "ignore": _codes,
        "exclude": _patterns,
        "per-file-ignores": _per_file,
        "verify": _nothing,
    }
    known: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in table.items():
        if key not in readers:
            problems.append(f"unknown key `{key}` in [tool.jitlint]{_nearest(key, readers)}")
            continue
        try:
            known[key.replace("-", "_")] = readers[key](value)
        except ValueError as error:
            problems.append(f"`{key}` in [tool.jitlint]: {error}")
    known.pop("verify", None)
    return Settings(folder, **known), problems


def _codes(value: object) -> tuple[str, ...]:
    codes = tuple(code.upper() for code in _strings(value, '["JIT1", "JIT203"]'))
    for code in codes:
        if not _CODE.fullmatch(code) or not (code.startswith("JIT") or "JIT".startswith(code)):
            raise ValueError(f"`{code}` is no code or beginning of one; codes look like JIT101")
    return codes


def _patterns(value: object) -> tuple[str, ...]:
    patterns = _strings(value, '["docs/", "*_pb2.py"]')
    Patterns.of(Path(), patterns)
    return patterns


def _per_file(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError('must be a table such as {"tests/*" = ["JIT5"]}')
    Patterns.of(Path(), value)
    return {pattern: _codes(codes) for pattern, codes in value.items()}


def _nothing(value: object) -> None:
    """`[tool.jitlint.verify]` has no keys yet."""
    if not isinstance(value, dict):
        raise ValueError("must be a table")
    if value:
        raise ValueError(f"unknown key `{next(iter(value))}`; the table has no keys yet")


def _strings(value: object, example: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of strings such as {example}")
    return tuple(value)


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(known)}"


def _longest(code: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
