"""Small programs for the analyzer, with what it must find written where it must find it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from jitlint.analysis.api import analyze
from jitlint.config.choice import Choice
from jitlint.events.event import Event
from jitlint.findings.finding import Finding
from jitlint.pipeline import find
from jitlint.project.cache import Cache
from jitlint.project.modules import Project
from jitlint.source.text import SourceFile

_LABEL = re.compile(r"# expect: (JIT\d+(?:, JIT\d+)*)")

Label = tuple[str, int, str]
"""A file, a line in it, and the code of a rule."""


def write(folder: Path, files: Mapping[str, str] | str) -> list[SourceFile]:
    """Writes a project's files (one text is `program.py`) and gives them as the linter sees them."""
    texts = {"program.py": files} if isinstance(files, str) else files
    sources = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        sources.append(SourceFile(path, name, path.read_text()))
    return sources


def findings(sources: Sequence[SourceFile]) -> list[Finding]:
    """What is shown by default."""
    found = find(sources)
    assert not found.errors
    return [finding for finding in found.findings if Choice().shows(finding)]


def labels(sources: Sequence[SourceFile]) -> list[Label]:
    """What the programs say must be found."""
    return sorted(
        (source.display, number, code)
        for source in sources
        for number, line in enumerate(source.text.splitlines(), 1)
        for match in _LABEL.findall(line)
        for code in match.split(", ")
    )


def check(folder: Path, files: Mapping[str, str] | str) -> None:
    """Asserts that exactly what is labelled `# expect: CODE` is found."""
    sources = write(folder, files)
    found = [(f.event.place.path, f.event.place.line, f.code) for f in findings(sources)]
    assert sorted(found) == labels(sources)


def events(folder: Path, files: Mapping[str, str] | str) -> tuple[Event, ...]:
    """All events of a project."""
    analysis = analyze(Project(write(folder, files), Cache(None)))
    assert not analysis.errors
    return analysis.events


def steps(event: Event) -> list[tuple[int, str]]:
    """A flow as lines and notes."""
    return [(step.place.line, step.note) for step in event.flow]
