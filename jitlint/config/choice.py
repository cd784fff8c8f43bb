"""Which findings a run shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from jitlint.config.settings import Settings
from jitlint.config.values import codes
from jitlint.events.event import Confidence
from jitlint.findings.finding import Finding
from jitlint.project.files import Patterns
from jitlint.rules.rule import Severity

_CONFIDENCES = tuple(Confidence)


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
            finding.code.startswith(prefixes) and patterns.verdict(path.resolve())
            for patterns, prefixes in self.per_file
        )


class Choices:
    """The choice for each file, by the settings that hold for it; what the command line gives (codes are
    comma-separated) takes the place of what they say.

    Raises:
        ValueError: something given is no code.
    """

    def __init__(
        self,
        settings: Callable[[Path], Settings],
        *,
        select: str | None = None,
        extend: str | None = None,
        ignore: str | None = None,
        confidence: Confidence | None = None,
    ) -> None:
        self._settings = settings
        self._select, self._extend, self._ignore = map(_given, (select, extend, ignore))
        self._confidence = confidence
        self._known: dict[int, Choice] = {}

    def shows(self, finding: Finding) -> bool:
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
