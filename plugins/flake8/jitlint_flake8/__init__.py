"""jitlint as a flake8 plugin: analyzes each file within its project, and does not verify.

flake8 itself applies `--select`, `--ignore`, `--per-file-ignores` and `# noqa`; `# jitlint:` comments count as well. Of
jitlint's own settings `confidence` and `exclude` count.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from jitlint import __version__, pipeline
from jitlint.config import Configuration
from jitlint.config.choice import Choice
from jitlint.events.assumption import Confidence
from jitlint.findings.finding import Finding
from jitlint.findings.placed import placed
from jitlint.project.cache import cache_folder
from jitlint.project.files import display_path, project_of, real_path
from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Severity
from jitlint.source.printable import printable_line
from jitlint.source.text import SourceFile, normalize


class Checker:
    """The plugin: flake8 creates one for each file and runs it."""

    name = "jitlint"
    version = __version__

    configuration: ClassVar[Configuration] = Configuration()
    confidence: ClassVar[str | None] = None
    projects: ClassVar[dict[Path, _Project]] = {}

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        """`tree` is not used, but flake8 gives whole files only to plugins with this parameter."""
        path = Path(os.path.abspath(filename))
        self._source = SourceFile(path, display_path(path, Path.cwd()), normalize("".join(lines)))

    @classmethod
    def add_options(cls, options: Any) -> None:
        """Hints are off unless flake8's options select them."""
        options.extend_default_ignore([rule.code for rule in all_rules() if rule.severity is Severity.HINT])
        options.add_option(
            "--jitlint-confidence",
            choices=[str(level) for level in Confidence],
            parse_from_config=True,
            help="The least confidence to show (default: what jitlint's settings say, or likely).",
        )
        options.add_option(
            "--jitlint-config",
            metavar="FILE",
            parse_from_config=True,
            normalize_paths=True,
            help="The only settings of jitlint that count (default: the nearest jitlint.toml or pyproject.toml).",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Reads flake8's options, and analyzes the projects of the given files.

        This happens once, before flake8 forks the processes among which it divides the files.
        """
        cls.configuration = Configuration(Path(options.jitlint_config) if options.jitlint_config else None)
        cls.confidence = options.jitlint_confidence
        cls.projects = {}
        jobs = pipeline.processors() if options.jobs.is_auto else max(options.jobs.n_jobs, 1)
        for given in map(Path, options.filenames):
            root = project_of(given / "_" if given.is_dir() else given)
            if root.is_dir() and root not in cls.projects and given != Path("-"):
                cls.projects[root] = _Project(root, cls.configuration)
                cls.projects[root].analyze(jobs)

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line, column (from 0), message and plugin of each finding.

        A file that cannot be parsed has none: flake8 itself reports it, as E999.
        """
        settings = self.configuration.of(self._source.path)
        for error in self.configuration.errors:
            yield 1, 0, printable_line(f"{error.text} ({error.path})"), type(self)
        self.configuration.errors.clear()
        choice = Choice(select=("JIT",), confidence=Confidence(self.confidence or settings.confidence))
        for finding in self._findings():
            if choice.shows(finding):
                place = finding.event.place
                yield place.line, place.column - 1, f"{finding.code} {printable_line(finding.message)}", type(self)

    def _findings(self) -> Iterator[Finding]:
        if self.configuration.leaves_out(real_path(self._source.path), False):
            return iter(())
        root = project_of(self._source.path)
        if root not in self.projects:
            self.projects[root] = _Project(root, self.configuration)
        return self.projects[root].findings(self._source)


class _Project:
    """A project as it is on disk, and its findings."""

    def __init__(self, root: Path, configuration: Configuration) -> None:
        self._files = pipeline.read((str(root),), configuration.leaves_out).files if root.is_dir() else ()
        self._cache = cache_folder(root) / "analysis"
        self._found: tuple[Finding, ...] | None = None

    def analyze(self, jobs: int = 1) -> tuple[Finding, ...]:
        """The findings in the files on disk."""
        if self._found is None:
            self._found = self._find(self._files, jobs)
        return self._found

    def findings(self, source: SourceFile) -> Iterator[Finding]:
        """The findings in one file, whose text may differ from the one on disk (flake8 can read standard input)."""
        if any(file.display == source.display and file.text == source.text for file in self._files):
            found = self.analyze()
        else:
            others = tuple(file for file in self._files if file.display != source.display)
            found = self._find((*others, source), 1)
        return (finding for finding in found if finding.event.place.path == source.display)

    def _find(self, files: tuple[SourceFile, ...], jobs: int) -> tuple[Finding, ...]:
        return placed(pipeline.find(files, noqa=False, cache=self._cache, jobs=jobs).findings, files)
