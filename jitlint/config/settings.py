"""The settings: their names, their defaults, how each is written, and what it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from jitlint.config.value_types import (
    BASELINE,
    CODES,
    CODES_BY_PATTERN,
    CONFIDENCE,
    DEVICES,
    DRIVERS,
    INPUTS,
    PATTERNS,
    PYTHON,
    SECONDS,
    SIGNATURES,
    SIZE,
    VARIABLES,
    Rooted,
    ValueType,
    one_of,
)
from jitlint.verify.options import BUDGETS
from jitlint.verify.sandbox.wish import FORMS


def _setting(default: Any, value_type: ValueType, description: str) -> Any:
    """The field of a setting. In files its name has `-` for `_`, and no `_` at the end (`import_` is `import`)."""
    metadata = {"value_type": value_type, "description": description}
    made: Any
    if isinstance(default, dict):
        made = field(default_factory=default.copy, metadata=metadata)
    else:
        made = field(default=default, metadata=metadata)
    return made


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """The table `[tool.jitlint.verify]`; options of the command line win over it."""

    device: tuple[str, ...] = _setting((), DEVICES, "The devices to verify for; cpu if there are none.")
    memory: str = _setting("", SIZE, "The memory of each device, instead of what it has.")
    python: str = _setting("", PYTHON, "The interpreter that verifies; a path with a folder counts from this file.")
    import_: str = _setting(
        "needed",
        one_of(("needed", "full")),
        "How much of a module's top level runs: what its findings need, or all of it.",
    )
    sandbox: str = _setting(
        "auto",
        one_of(FORMS),
        "Whether verified code is kept from files and the network, and whether it runs where it cannot be.",
    )
    environment: tuple[str, ...] = _setting(
        (), VARIABLES, "The names of environment variables that verified code gets besides the usual ones."
    )
    inconclusive: str = _setting(
        "fail",
        one_of(("fail", "warn", "ignore")),
        "Whether findings without a clear verdict fail the run, are only shown, or are left out.",
    )
    drivers: tuple[Rooted, ...] = _setting((), DRIVERS, "What to run to reach code: functions, or ids of tests.")
    inputs: Mapping[str, str] = _setting({}, INPUTS, "The inputs to try first, by function.")
    recorded: Path | None = _setting(
        None, SIGNATURES, "The file of recorded signatures; .jitlint_cache/signatures.json if it is not set."
    )
    budget: str = _setting(
        "normal",
        one_of(tuple(BUDGETS)),
        "How much is done for findings before they stay inconclusive: the limits below, a third, or six times as much.",
    )
    probe_timeout: float = _setting(10.0, SECONDS, "Processor seconds for one finding.")
    module_timeout: float = _setting(
        60.0, SECONDS, "Processor seconds for all findings of a module, its import included."
    )
    compile_timeout: float = _setting(30.0, SECONDS, "Processor seconds for compiling one function for one device.")
    process_memory: str = _setting("4GiB", SIZE, "The resident memory that a process of verified code may use.")


@dataclass(frozen=True, slots=True)
class Settings:
    """The table `[tool.jitlint]` in a pyproject.toml, or all of a jitlint.toml.

    `sources` says where each setting comes from that is not at its default, by its name (such as `verify.device`).
    """

    select: tuple[str, ...] = _setting((), CODES, "Show only these codes, or beginnings of codes.")
    extend_select: tuple[str, ...] = _setting(
        (), CODES, "Show these codes too, such as hints, which are off by default."
    )
    ignore: tuple[str, ...] = _setting((), CODES, "Leave these codes out; the longest beginning that matches decides.")
    confidence: str = _setting("likely", CONFIDENCE, "The least confidence to show.")
    exclude: tuple[Rooted, ...] = _setting((), PATTERNS, "Files to leave out, as in .gitignore.")
    per_file_ignores: Mapping[Rooted, tuple[str, ...]] = _setting(
        {}, CODES_BY_PATTERN, "Codes to leave out, by pattern of files."
    )
    baseline: Path | None = _setting(
        None, BASELINE, "A file of findings that are not shown, since they were there before."
    )
    verify: VerifySettings = VerifySettings()
    sources: Mapping[str, str] = field(default_factory=dict)


class Key(NamedTuple):
    """A setting as files have it.

    Attributes:
        name: its name in files.
        field: the name of its field.
        value_type: how its value is written and read.
        description: what it means.
        default: its value if it is not set.
    """

    name: str
    field: str
    value_type: ValueType
    description: str
    default: Any


def keys(table: type[Settings | VerifySettings]) -> Iterator[Key]:
    """The settings of a table, in their order."""
    for each in fields(table):
        if each.metadata:
            name = each.name.rstrip("_").replace("_", "-")
            default = {} if each.default is MISSING else each.default
            yield Key(name, each.name, each.metadata["value_type"], each.metadata["description"], default)
