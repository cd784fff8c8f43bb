"""The settings: what there is to set, what it means, how it is written, and what holds if nothing is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from jitlint.config import values
from jitlint.config.values import Form, Rooted


def _key(default: Any, form: Form, says: str) -> Any:
    """A setting's field. `_` in its name is `-` in files, and a final one is left out there."""
    metadata = {"form": form, "says": says}
    made: Any
    if isinstance(default, dict):
        made = field(default_factory=default.copy, metadata=metadata)
    else:
        made = field(default=default, metadata=metadata)
    return made


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What `[tool.jitlint.verify]` says; the options of the command line win over it."""

    device: tuple[str, ...] = _key((), values.DEVICES, "The devices to verify for; cpu unless told otherwise.")
    memory: str = _key("", values.SIZE, "The memory of each device, instead of its own.")
    python: str = _key("", values.PYTHON, "The interpreter that verifies; a path with a folder counts from this file.")
    import_: str = _key(
        "needed", values.one_of(("needed", "full")), "What of a module's top level is run: what findings need, or all."
    )
    sandbox: str = _key(
        "auto", values.one_of(("auto", "off")), "Whether verified code is kept from writing files and from the network."
    )
    inconclusive: str = _key(
        "fail", values.one_of(("fail", "warn", "ignore")), "What findings with no clear verdict do to the exit status."
    )
    drivers: tuple[Rooted, ...] = _key((), values.DRIVERS, "What to run to reach code: functions, or ids of tests.")
    inputs: Mapping[str, str] = _key({}, values.INPUTS, "Inputs to try first, by function.")
    recorded: Path | None = _key(
        None,
        values.SIGNATURES,
        "The file of recorded signatures, if it is not the usual one.",
    )
    probe_timeout: float = _key(10.0, values.SECONDS, "Seconds for one finding.")
    module_timeout: float = _key(60.0, values.SECONDS, "Seconds for all findings of a module.")
    compile_timeout: float = _key(30.0, values.SECONDS, "Seconds for compiling one function for one device.")
    process_memory: str = _key("4GiB", values.SIZE, "Resident memory that a process of verified code may use.")


@dataclass(frozen=True, slots=True)
class Settings:
    """What `[tool.jitlint]` in pyproject.toml, or a jitlint.toml, says.

    `sources` tells where each setting comes from that is not at its default, by its name (`verify.device`).
    """

    select: tuple[str, ...] = _key((), values.CODES, "Show these only: codes or their beginnings.")
    extend_select: tuple[str, ...] = _key((), values.CODES, "Show these too: hints, which are off by default.")
    ignore: tuple[str, ...] = _key((), values.CODES, "Leave these out; the longest beginning that matches decides.")
    confidence: str = _key("likely", values.CONFIDENCE, "The least confidence to show.")
    exclude: tuple[Rooted, ...] = _key((), values.PATTERNS, "Files to leave out, as in .gitignore.")
    per_file_ignores: Mapping[Rooted, tuple[str, ...]] = _key(
        {}, values.CODES_BY_PATTERN, "Codes to leave out, by pattern."
    )
    baseline: Path | None = _key(
        None,
        values.BASELINE,
        "A file of findings that are not shown, since they were there before.",
    )
    verify: VerifySettings = VerifySettings()
    sources: Mapping[str, str] = field(default_factory=dict)


class Key(NamedTuple):
    """A setting as it is written: its name, its field's, its form, what it means, and its default."""

    name: str
    field: str
    form: Form
    says: str
    default: Any


def keys(table: type[Settings | VerifySettings]) -> Iterator[Key]:
    """The settings of a table, in their order."""
    for each in fields(table):
        if each.metadata:
            name = each.name.rstrip("_").replace("_", "-")
            default = {} if each.default is MISSING else each.default
            yield Key(name, each.name, each.metadata["form"], each.metadata["says"], default)
