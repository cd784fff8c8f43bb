"""`[tool.jitlint]` in pyproject.toml, and which findings a run shows."""

from __future__ import annotations

import difflib
import math
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
_FUNCTION = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.<>]*")
_TEST = re.compile(r"[^:]+\.py(::[^\W\d]\w*)+(\[.*\])?")
_SIZE = re.compile(r"[0-9]+(\.[0-9]+)?\s*[KMGT]i?B")
_CONFIDENCES = tuple(Confidence)
_LIMITS = {"probe_timeout": "probe_timeout", "module_timeout": "module_timeout", "compile_timeout": "compile_timeout",
           "process_memory": "memory_mb"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What `[tool.jitlint.verify]` says; the options of the command line win over it.

    Attributes:
        drivers: what to run to reach code, as "module:function" or as the id of a test.
        inputs: declared inputs such as "x=f32[8,128], n=3", by "module:qualname" of their function.
        device: the devices to verify for.
        python: the interpreter that verifies; a relative path with a folder counts from the file's folder.
        imports: the key `import`, how modules are loaded: "needed", "full", or "" if it is not said.
        sandbox: what code may do while it is verified: "auto" or "off".
        memory: the device's memory, such as "16GiB"; "" if it is not said.
        recorded: the file of recorded signatures, if it is not the one in the project's cache.
        limits: what a run may take: those of VerifyOptions that the keys `probe-timeout`, `module-timeout`,
            `compile-timeout` and `process-memory` give.
    """

    drivers: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    device: tuple[str, ...] = ()
    python: str = ""
    imports: str = ""
    sandbox: str = "auto"
    memory: str = ""
    recorded: Path | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """What `[tool.jitlint]` says. `folder` is where the file lies: patterns are relative to it."""

    folder: Path
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verify: VerifySettings = VerifySettings()

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
        "verify": lambda value: value,
    }
    known, problems = _read(table, readers, "[tool.jitlint]")
    verify, more = _verify_settings(folder, known.pop("verify", {}))
    return Settings(folder, **known, verify=verify), [*problems, *more]


def _verify_settings(folder: Path, table: object) -> tuple[VerifySettings, list[str]]:
    where = "[tool.jitlint.verify]"
    if not isinstance(table, dict):
        return VerifySettings(), [f"{where} must be a table"]
    readers: dict[str, Callable[[Any], Any]] = {
        "drivers": _drivers,
        "inputs": _inputs,
        "device": _devices,
        "python": lambda value: _python(folder, _path(value, ".venv/bin/python")),
        "import": lambda value: _one_of(value, "needed", "full"),
        "sandbox": lambda value: _one_of(value, "auto", "off"),
        "memory": _memory,
        **dict.fromkeys(("probe-timeout", "module-timeout", "compile-timeout"), _seconds),
        "process-memory": _mebibytes,
        "recorded": lambda value: folder / _path(value, ".jitlint_signatures.json"),
    }
    known, problems = _read(table, readers, where)
    if "import" in known:
        known["imports"] = known.pop("import")
    known["limits"] = {_LIMITS[name]: known.pop(name) for name in _LIMITS.keys() & known.keys()}
    return VerifySettings(**known), problems


def _read(
    table: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]], where: str
) -> tuple[dict[str, Any], list[str]]:
    """The values of a table that are right, by field name, and what is wrong with the others."""
    known: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in table.items():
        if key not in readers:
            problems.append(f"unknown key `{key}` in {where}{_nearest(key, readers)}")
            continue
        try:
            known[key.replace("-", "_")] = readers[key](value)
        except ValueError as error:
            problems.append(f"`{key}` in {where}: {error}")
    return known, problems


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


def _drivers(value: object) -> tuple[str, ...]:
    drivers = _strings(value, '["pkg.examples:smoke", "tests/test_step.py::test_step"]')
    for driver in drivers:
        if not _FUNCTION.fullmatch(driver) and not _TEST.fullmatch(driver):
            raise ValueError(
                f"`{driver}` is neither a function such as pkg.examples:smoke "
                "nor the id of a test such as tests/test_step.py::test_step"
            )
    return drivers


def _inputs(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError('must be a table such as {"pkg.model:step" = "x=f32[8,128], n=3"}')
    for name in value:
        if not _FUNCTION.fullmatch(name):
            raise ValueError(f"`{name}` is no function; write it as in pkg.model:step or pkg.model:Model.step")
    return dict(value)


def _devices(value: object) -> tuple[str, ...]:
    from jitlint.verify.devices import device

    names = _strings([value] if isinstance(value, str) else value, '["cpu"]')
    return tuple(device(name).name for name in names)


def _path(value: object, example: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f'must be a path such as "{example}"')
    return value


def _python(folder: Path, path: str) -> str:
    """A name without a folder is looked for where programs are."""
    return str(folder / path) if os.sep in path else path


def _one_of(value: object, *known: str) -> str:
    if not isinstance(value, str) or value not in known:
        choices = " or ".join(f'"{each}"' for each in known)
        raise ValueError(f"must be {choices}")
    return value


def _memory(value: object) -> str:
    if not isinstance(value, str) or not _SIZE.fullmatch(value):
        raise ValueError('must be a size such as "16GiB"')
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ValueError("must be a number of seconds such as 30")
    return float(value)


def _mebibytes(value: object) -> int:
    from jitlint.verify.devices import size

    if (found := size(_memory(value)) >> 20) < 1:
        raise ValueError("must be at least 1MiB")
    return found


def _strings(value: object, example: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of strings such as {example}")
    return tuple(value)


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(known)}"


def _longest(code: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
