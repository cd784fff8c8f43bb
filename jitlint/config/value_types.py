"""The types of the values of settings: how each is written, its JSON Schema, and how it is read."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jitlint.events.assumption import Confidence
from jitlint.project.files import Patterns
from jitlint.rules.plugins import prefixes

_CODE = r"([A-Z]+)([0-9]{0,3})"
_FUNCTION = r"[^\W\d][\w.]*:[^\W\d][\w.<>]*"
_TEST = r"[^:]+\.py(::[^\W\d]\w*)+(\[.*\])?"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_SIZE = r"[0-9]+(\.[0-9]+)?\s*[KMGT]i?B"


class Rooted(NamedTuple):
    """A pattern, path or name that counts from a folder: that of the file of settings that has it."""

    folder: Path
    text: str


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of value.

    Attributes:
        schema: the JSON Schema of what may be written, as far as a schema can say it.
        read: makes a value of what was written; it also takes the folder of the file of settings.

            Raises:
                ValueError: it is not of this type; the message says how to write it.
    """

    schema: Mapping[str, Any]
    read: Callable[[Any, Path], Any]


def codes(value: object, _: Path = Path()) -> tuple[str, ...]:
    """Codes and beginnings of codes, in capitals.

    Raises:
        ValueError: it is not a list of these.
    """
    found = tuple(code.upper() for code in _strings(value, '["JIT1", "JIT203"]'))
    for code in found:
        parts = re.fullmatch(_CODE, code)
        if parts is None or not any(known == parts[1] or known.startswith(code) for known in prefixes()):
            raise ValueError(f"`{code}` is neither a code nor the beginning of one; codes look like JIT101")
    return found


def _patterns(value: object, folder: Path) -> tuple[Rooted, ...]:
    patterns = _strings(value, '["docs/", "*_pb2.py"]')
    Patterns.of(folder, patterns)
    return tuple(Rooted(folder, pattern) for pattern in patterns)


def _per_file(value: object, folder: Path) -> dict[Rooted, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError('must be a table such as {"tests/*" = ["JIT5"]}')
    Patterns.of(folder, value)
    return {Rooted(folder, pattern): codes(listed) for pattern, listed in value.items()}


def _drivers(value: object, folder: Path) -> tuple[Rooted, ...]:
    drivers = _strings(value, '["pkg.examples:smoke", "tests/test_step.py::test_step"]')
    for driver in drivers:
        if not re.fullmatch(_FUNCTION, driver) and not re.fullmatch(_TEST, driver):
            raise ValueError(
                f"`{driver}` is neither a function such as pkg.examples:smoke "
                "nor the id of a test such as tests/test_step.py::test_step"
            )
    return tuple(Rooted(folder, driver) for driver in drivers)


def _inputs(value: object, _: Path) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError('must be a table such as {"pkg.model:step" = "x=f32[8,128], n=3"}')
    for name in value:
        if not re.fullmatch(_FUNCTION, name):
            raise ValueError(f"`{name}` is not a function; write it as in pkg.model:step or pkg.model:Model.step")
    return dict(value)


def _devices(value: object, _: Path) -> tuple[str, ...]:
    from jitlint.verify.devices import device  # loads the verifier: only for settings that name a device

    names = _strings([value] if isinstance(value, str) else value, '["cpu"]')
    return tuple(device(name).name for name in names)


def path_text(value: object, example: str) -> str:
    """A path as it is written.

    Raises:
        ValueError: it is none; the message gives the example.
    """
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f'must be a path such as "{example}"')
    return value


def _python(value: object, folder: Path) -> str:
    """A name without a folder stays as it is: such a program is looked for in `PATH`."""
    path = path_text(value, ".venv/bin/python")
    return str(folder / path) if os.sep in path else path


def _memory(value: object, _: Path) -> str:
    from jitlint.verify.devices import size  # loads the verifier: only for settings that name a size

    if not isinstance(value, str) or not re.fullmatch(_SIZE, value):
        raise ValueError('must be a size such as "16GiB"')
    if size(value) < 1 << 20:
        raise ValueError("must be at least 1MiB")
    return value


def _seconds(value: object, _: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ValueError("must be a number of seconds such as 30")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError("must be a smaller number of seconds, such as 30") from error


def _variables(value: object, _: Path) -> tuple[str, ...]:
    found = _strings(value, '["DATA_FOLDER"]')
    for name in found:
        if not re.fullmatch(_VARIABLE, name):
            raise ValueError(f"`{name}` is no name of an environment variable; write it as in DATA_FOLDER")
    return tuple(found)


def _strings(value: object, example: str) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of strings such as {example}")
    return value


def one_of(known: Iterable[str]) -> ValueType:
    """The type of a setting that has one of a few words."""
    words = tuple(known)

    def read(value: object, _: Path) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError("must be " + " or ".join(f'"{word}"' for word in words))
        return value

    return ValueType({"enum": list(words)}, read)


def path_like(example: str) -> ValueType:
    """The type of a path, which counts from the folder of the file of settings."""
    return ValueType(
        {"type": "string", "examples": [example]}, lambda value, folder: folder / path_text(value, example)
    )


def _list(pattern: str = "") -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", **({"pattern": f"^({pattern})$"} if pattern else {})}}


CODES = ValueType(_list("[A-Za-z]{1,5}[0-9]{0,3}"), codes)
PATTERNS = ValueType(_list(), _patterns)
CODES_BY_PATTERN = ValueType({"type": "object", "additionalProperties": CODES.schema}, _per_file)
DRIVERS = ValueType(_list(), _drivers)
INPUTS = ValueType({"type": "object", "additionalProperties": {"type": "string"}}, _inputs)
DEVICES = ValueType({"anyOf": [{"type": "string"}, _list()]}, _devices)
PYTHON = ValueType({"type": "string", "examples": [".venv/bin/python"]}, _python)
SIZE = ValueType({"type": "string", "pattern": f"^{_SIZE}$".replace(r"\s", " "), "examples": ["16GiB"]}, _memory)
SECONDS = ValueType({"type": "number", "exclusiveMinimum": 0}, _seconds)
VARIABLES = ValueType(_list(_VARIABLE), _variables)
CONFIDENCE = one_of(map(str, Confidence))
SIGNATURES = path_like(".jitlint_signatures.json")
BASELINE = path_like(".jitlint_baseline.json")
