"""What `jitlint check` is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from jitlint.config import Settings
from jitlint.events.assumption import Confidence

FINDINGS, ALL = "findings", "all"
"""What `--verify` can verify: what was found, or every entry point."""

STDIN = "-"
"""The path that stands for standard input."""

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
    exclude: str | None
    extend_exclude: str | None
    stdin_filename: str | None
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
    add_noqa: bool
    watch: bool
    exit_zero: bool
    quiet: bool
    verbose: bool

    @classmethod
    def of(cls, **options: Any) -> Request:
        """The request of a command line; without paths it is about the working folder."""
        return cls(**{**options, "paths": options["paths"] or (".",)})

    def __post_init__(self) -> None:
        """
        Raises:
            click.UsageError: options are given that need others, or that contradict each other.
        """
        if STDIN in self.paths:
            if len(self.paths) > 1:
                raise click.UsageError("- (standard input) stands alone; name no other paths.")
            if self.fix or self.verify or self.add_noqa or self.watch:
                raise click.UsageError("--fix, --verify, --add-noqa and --watch need files; with - use --diff.")
        elif self.stdin_filename:
            raise click.UsageError("--stdin-filename is for standard input; give - as the path.")
        if self.add_noqa and (self.fixes or self.verify):
            raise click.UsageError("--add-noqa stands without --fix, --diff and --verify.")
        if self.quiet and self.verbose:
            raise click.UsageError("--quiet and --verbose contradict each other.")
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
        return Path(self.searched[0])

    @property
    def searched(self) -> tuple[str, ...]:
        """The files and folders that the run is about; for standard input the file that it is the text of."""
        return (self.stdin_filename or STDIN,) if self.reads_stdin else self.paths

    @property
    def reads_stdin(self) -> bool:
        """Whether the text to check is on standard input."""
        return self.paths == (STDIN,)

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
