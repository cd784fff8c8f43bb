"""Which of the project's files a run reports on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from jitlint.findings.finding import FileError
from jitlint.project.git import GitError, changed_since


class ReportedFiles:
    """The files under the given paths; with a revision, only those that are new or have changed since."""

    def __init__(self, paths: Sequence[str], revision: str | None = None) -> None:
        """
        Raises:
            click.UsageError: git does not know the revision, or there is no git.
        """
        self._paths = [os.path.abspath(path) for path in paths]
        self._changed: frozenset[str] | None = None
        if revision is not None:
            start = Path(paths[0])
            try:
                self._changed = changed_since(revision, start if start.is_dir() else start.parent)
            except GitError as error:
                raise click.UsageError(f"--changed-since: {error}.") from error

    def holds(self, path: str) -> bool:
        """Whether the run reports on a file, given its path as reports show it."""
        real = os.path.abspath(path)
        given = any(real == each or real.startswith(each.rstrip(os.sep) + os.sep) for each in self._paths)
        return given and (self._changed is None or os.path.realpath(real) in self._changed)

    def errors(self, errors: Sequence[FileError], files: Iterable[str]) -> tuple[FileError, ...]:
        """The errors, except those about other files.

        Args:
            errors: some may not be about a file, but about the run.
            files: the paths of all files that were read or could not be.
        """
        others = {path for path in files if not self.holds(path)}
        return tuple(error for error in errors if error.path not in others)
