"""Which of the project's files a run reports on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from jitlint.findings.finding import FileError


class ReportedFiles:
    """The files under the given paths; with a revision, only those that are new or have changed since."""

    def __init__(self, paths: Sequence[str], revision: str | None = None) -> None:
        """
        Raises:
            click.UsageError: git does not know the revision, or there is no git.
        """
        self._paths = [os.path.abspath(path) for path in paths]
        self._changed = None if revision is None else _changed(revision, Path(paths[0]))

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


def _changed(revision: str, start: Path) -> frozenset[str]:
    """The files that differ from the commit at which the current branch left a revision, and files new to git."""
    folder = start if start.is_dir() else start.parent
    top = Path(_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))
    base = _git(top, "merge-base", "--end-of-options", revision, "HEAD").strip()
    names = _git(top, "config", "--list", "--name-only", "-z").split("\0")
    filters = {name: "" for name in names if name.startswith("filter.") and name.endswith((".clean", ".process"))}
    filters |= {f"{name.rpartition('.')[0]}.required": "false" for name in filters}
    listed = (
        _git(top, "diff", "--name-only", "-z", "--diff-filter=d", base, settings={**_HARMLESS, **filters}),
        _git(top, "ls-files", "--others", "--exclude-standard", "-z"),
    )
    return frozenset(os.path.realpath(top / name) for names in listed for name in names.split("\0") if name)


_HARMLESS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.external": "",
    "diff.ignoreSubmodules": "all",  # they have settings of their own
}
"""Settings of git without which it runs programs that a repository's own settings name."""


def _git(folder: Path, *arguments: str, settings: Mapping[str, str] = _HARMLESS) -> str:
    """What git prints; it runs no other program, and fetches nothing."""
    given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", *given, "-C", str(folder), *arguments], env=environment, capture_output=True, check=False
        )
    except OSError as error:
        raise click.UsageError(f"--changed-since needs git, which cannot be started: {error.strerror}.") from error
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ") or "there is no common ancestor"
        raise click.UsageError(f"--changed-since: git says: {message}.")
    return done.stdout.decode(errors="surrogateescape")
