"""Which findings a run shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from jitlint.config.settings import Settings
from jitlint.config.value_types import codes
from jitlint.events.assumption import Confidence
from jitlint.findings.finding import Finding
from jitlint.project.files import Patterns, real_path
from jitlint.rules.rule import Severity

_CONFIDENCES = tuple(Confidence)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which findings are shown in the files of one file of settings.

    Attributes:
        select: beginnings of the codes to show; with none, all but those of hints.
        extend: more of them, which do not replace the default.
        ignore: beginnings of the codes to leave out. The longest beginning that matches a code decides; if two are
            equally long, the code is left out.
        confidence: the least confidence to show.
        per_file: beginnings of codes to leave out in the files of some patterns.
    """

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    per_file: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()

    def shows(self, finding: Finding) -> bool:
        """Whether a finding is shown."""
        if _CONFIDENCES.index(finding.event.confidence) > _CONFIDENCES.index(self.confidence):
            return False
        selected = _longest(finding.code, (*self.select, *self.extend))
        if selected < 0 and (self.select or finding.severity is Severity.HINT):
            return False
        if _longest(finding.code, self.ignore) >= max(selected, 0):
            return False
        path = Path(os.path.abspath(finding.event.place.path))
        return not any(
            finding.code.startswith(prefixes) and patterns.verdict(real_path(path))
            for patterns, prefixes in self.per_file
        )


class Choices:
    """Which findings are shown, by the settings that hold for each file."""

    def __init__(
        self,
        settings: Callable[[Path], Settings],
        *,
        select: str | None = None,
        extend: str | None = None,
        ignore: str | None = None,
        confidence: Confidence | None = None,
    ) -> None:
        """
        Args:
            settings: returns the settings that hold for a file.
            select: what the command line says instead of the settings; codes are comma-separated.
            extend: the same for `extend-select`.
            ignore: the same for `ignore`.
            confidence: the same for `confidence`.

        Raises:
            ValueError: one of these is not a code.
        """
        self._settings = settings
        self._select, self._extend, self._ignore = map(_given, (select, extend, ignore))
        self._confidence = confidence
        self._known: dict[int, Choice] = {}

    def shows(self, finding: Finding) -> bool:
        """Whether a finding is shown."""
        settings = self._settings(Path(finding.event.place.path))
        if id(settings) not in self._known:
            self._known[id(settings)] = self._choice(settings)
        return self._known[id(settings)].shows(finding)

    def _choice(self, settings: Settings) -> Choice:
        return Choice(
            settings.select if self._select is None else self._select,
            settings.extend_select if self._extend is None else self._extend,
            settings.ignore if self._ignore is None else self._ignore,
            self._confidence or Confidence(settings.confidence),
            tuple((Patterns.of(each.folder, [each.text]), to) for each, to in settings.per_file_ignores.items()),
        )


def _given(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else codes(listed.replace(",", " ").split())


def _longest(code: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
