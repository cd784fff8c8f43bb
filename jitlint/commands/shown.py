"""Which findings a run shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from jitlint.commands.looking import Looked
from jitlint.commands.reported_files import ReportedFiles
from jitlint.commands.request import Request
from jitlint.config import Choices, Configuration, Settings
from jitlint.findings import baseline as baselines
from jitlint.findings.finding import Finding
from jitlint.project.files import display_path


@dataclass(frozen=True, slots=True)
class Shown:
    """Which findings a run shows.

    Attributes:
        choices: by code and confidence.
        reported: the files to report on, None for all.
        baseline: findings that were there before, and are not shown; None if there is no baseline.
    """

    choices: Choices
    reported: ReportedFiles | None
    baseline: baselines.Baseline | None

    @classmethod
    def of(cls, request: Request, configuration: Configuration, settings: Settings) -> Shown:
        """What a request and the settings show.

        Raises:
            click.UsageError: a code does not exist, git does not know the revision, or the baseline cannot be used.
        """
        try:
            choices = Choices(
                configuration.of,
                select=request.select,
                extend=request.extend_select,
                ignore=request.ignore,
                confidence=request.least_confidence,
            )
        except ValueError as error:
            raise click.UsageError(f"--select, --extend-select or --ignore: {error}.") from error
        limited = request.project or request.changed_since
        reported = ReportedFiles(request.searched, request.changed_since) if limited else None
        file = Path(request.baseline) if request.baseline else settings.baseline
        return cls(choices, reported, _baseline(file) if file is not None else None)

    def among(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Those of the findings that are shown."""
        shown = tuple(each for each in findings if self._covers(each.event.place.path) and self.choices.shows(each))
        return shown if self.baseline is None else self.baseline.new(shown)

    def files(self, looked: Looked) -> int:
        """How many files are reported on."""
        return sum(self._covers(source.display) for source in looked.sources)

    def gone(self, findings: Sequence[Finding]) -> int:
        """How many findings of the baseline are no longer found; 0 where not all files are reported on."""
        return len(self.baseline.gone(findings)) if self.baseline is not None and self.reported is None else 0

    def _covers(self, path: str) -> bool:
        return self.reported is None or self.reported.holds(path)


def _baseline(file: Path) -> baselines.Baseline:
    try:
        return baselines.read(file)
    except baselines.BaselineError as error:
        raise click.UsageError(f"{display_path(file, Path.cwd())} {error}.") from error
