"""What git knows of files. It runs no other program for it, and fetches nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_HARMLESS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.external": "",
    "diff.ignoreSubmodules": "all",  # they have settings of their own
}
"""Settings of git without which it runs programs that a repository's own settings name."""


class GitError(Exception):
    """Git cannot be started, or does not know; the message says which."""


def changed_since(revision: str, folder: Path) -> frozenset[str]:
    """The files that differ from the commit at which the current branch left a revision, and files new to git.

    Args:
        revision: a name of a commit.
        folder: a folder of the repository.

    Raises:
        GitError: it is no repository, or has no such revision.
    """
    top = _top(folder)
    base = _git(top, "merge-base", "--end-of-options", revision, "HEAD").strip()
    differ = _git(top, "diff", "--name-only", "-z", "--diff-filter=d", base, settings=_without_filters(top))
    return _paths(top, differ, _git(top, "ls-files", "--others", "--exclude-standard", "-z"))


def restorable(folder: Path) -> frozenset[str]:
    """The files of a repository whose present content git has: `git checkout` gives it back after a change.

    Args:
        folder: a folder of the repository.

    Raises:
        GitError: it is no repository.
    """
    top = _top(folder)
    tracked = _paths(top, _git(top, "ls-files", "-z"))
    differ = _git(top, "diff", "--name-only", "-z", settings=_without_filters(top))
    return tracked - _paths(top, differ)


def _top(folder: Path) -> Path:
    return Path(_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))


def _paths(top: Path, *listed: str) -> frozenset[str]:
    return frozenset(os.path.realpath(top / name) for names in listed for name in names.split("\0") if name)


def _without_filters(top: Path) -> Mapping[str, str]:
    """The harmless settings, and none of the repository's programs that change contents."""
    names = _git(top, "config", "--list", "--name-only", "-z").split("\0")
    filters = {name: "" for name in names if name.startswith("filter.") and name.endswith((".clean", ".process"))}
    filters |= {f"{name.rpartition('.')[0]}.required": "false" for name in filters}
    return {**_HARMLESS, **filters}


def _git(folder: Path, *arguments: str, settings: Mapping[str, str] = _HARMLESS) -> str:
    given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", *given, "-C", str(folder), *arguments], env=environment, capture_output=True, check=False
        )
    except OSError as error:
        raise GitError(f"needs git, which cannot be started: {error.strerror}") from error
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ") or "there is no common ancestor"
        raise GitError(f"git says: {message}")
    return done.stdout.decode(errors="surrogateescape")
