"""jitlint as a flake8 plugin: each file on its own, without verification.

flake8 brings its own `--select`, `--ignore`, `--per-file-ignores` and `# noqa`; `# jitlint:` comments count as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jitlint import __version__
from jitlint.analysis.events import Confidence
from jitlint.pipeline import find
from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Severity
from jitlint.source.text import SourceFile, normalize


class Checker:
    """flake8 makes one for each file and runs it."""

    name = "jitlint"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        """`tree` is not used: to be asked for it is how flake8 tells a plugin that wants whole files."""
        self._source = SourceFile(Path(filename), filename, normalize("".join(lines)))

    @classmethod
    def add_options(cls, options: Any) -> None:
        """Hints are off unless flake8's options select them."""
        options.extend_default_ignore([rule.code for rule in all_rules() if rule.severity is Severity.HINT])

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line, column (from 0), message and plugin of each finding.

        A file that cannot be parsed gives nothing: flake8 itself says so, as E999.
        """
        for finding in find([self._source], noqa=False).findings:
            if finding.event.confidence is not Confidence.POSSIBLE:
                place = finding.event.place
                yield place.line, place.column - 1, f"{finding.code} {finding.message}", type(self)
