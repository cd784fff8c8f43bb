"""What `jitlint check` is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from jitlint.config import Settings
from jitlint.events.assumption import Confidence

FINDINGS, ALL = "findings", "all"
"""What `--verify` can verify: what was found, or every entry point."""

_OF_VERIFYING = ("device", "memory", "mesh", "run", "dump", "python", "import_", "sandbox", "budget", "inconclusive")
_SETTINGS = ("device", "memory", "python", "import_", "sandbox", "budget", "inconclusive")
"""The options that are also settings, under the same names."""


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments and options of one run, by the names that click gives them; `check` says what each means."""

    paths: tuple[str, ...]
    verify: str | None
    device: tuple[str, ...]
    memory: str | None
    mesh: str | None
    run: bool
    dump: str | None
    python: str | None
    import_: str | None
    sandbox: str | None
    budget: str | None
    inconclusive: str | None
    project: bool
    changed_since: str | None
    baseline: str | None
    config: str | None
    isolated: bool
    jobs: int | None
    no_cache: bool
    format: str
    output: str | None
    select: str | None
    extend_select: str | None
    ignore: str | None
    confidence: str | None
    sound: bool
    statistics: bool
    fix: bool
    diff: bool
    unsafe_fixes: bool
    allow_dirty: bool

    def __post_init__(self) -> None:
        """
        Raises:
            click.UsageError: options of verifying are given without `--verify`, or those of fixing without `--fix`.
        """
        if (self.unsafe_fixes or self.allow_dirty) and not self.fixes:
            raise click.UsageError("--unsafe-fixes and --allow-dirty are for --fix and --diff; add one of them.")
        if not self.verify and any(getattr(self, name) for name in _OF_VERIFYING):
            raise click.UsageError(
                "--device, --memory, --mesh, --run, --dump, --python, --import, --sandbox, --budget and --inconclusive "
                "are for --verify; add it."
            )

    @property
    def fixes(self) -> bool:
        """Whether fixes are to be applied or shown."""
        return self.fix or self.diff

    @property
    def start(self) -> Path:
        """The path whose settings decide about the run as a whole."""
        return Path(self.paths[0])

    @property
    def least_confidence(self) -> Confidence | None:
        """The least confidence to show, None if the settings decide."""
        if self.sound:
            return Confidence.POSSIBLE
        return Confidence(self.confidence) if self.confidence else None

    def over(self, settings: Settings) -> Settings:
        """The settings, with the options in place of what they say about verifying."""
        given = {name: value for name in _SETTINGS if (value := getattr(self, name))}
        sources = {f"verify.{name.rstrip('_')}": f"--{name.rstrip('_')}" for name in given}
        return replace(settings, verify=replace(settings.verify, **given), sources={**settings.sources, **sources})
