"""`--fix` and `--diff`: fixes are found, applied to texts, and written or shown."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from jitlint import pipeline
from jitlint.commands.looking import Looked
from jitlint.commands.request import Request
from jitlint.commands.shown import Shown
from jitlint.findings.finding import FileError, Finding
from jitlint.fixing.rewriting import diff, rewritten
from jitlint.fixing.rounds import Files, Fixer
from jitlint.project.cache import cache_folder
from jitlint.project.files import real_path
from jitlint.project.git import GitError, restorable
from jitlint.source.text import SourceError, SourceFile

UNSAVED = "has changes that git does not have; commit or stage them, or allow the edit with --allow-dirty"
OUTSIDE = "lies outside of the given paths"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What fixing made of the files of a run.

    Attributes:
        fixed: the findings that were fixed, each with its fix.
        changed: the files whose texts changed, as they were, with their new texts.
        errors: files that were not edited, and why.
    """

    fixed: tuple[Finding, ...]
    changed: tuple[tuple[SourceFile, str], ...]
    errors: tuple[FileError, ...]

    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(line for source, text in self.changed for line in diff(source, text))


class Fixing:
    """Fixes what a run shows.

    Args:
        request: what was asked for.
        shown: which findings are shown, and so fixed.
    """

    def __init__(self, request: Request, shown: Shown) -> None:
        self._request = request
        self._shown = shown
        self._refused: dict[str, str] = {}

    def run(self, looked: Looked) -> Outcome:
        """Finds what to change, and changes nothing."""
        files = {file.display: file for file in looked.sources}
        fixer = Fixer(self._findings, lambda path: self._may_change(files[path]), unsafe=self._request.unsafe_fixes)
        fixed = fixer.fixed(looked.sources)
        pairs = zip(looked.sources, fixed.files, strict=True)
        changed = tuple((old, new.text) for old, new in pairs if new.text != old.text)
        errors = tuple(FileError(path, f"not fixed: the file {why}") for path, why in sorted(self._refused.items()))
        return Outcome(tuple(replace(one.finding, fix=one.fix) for one in fixed.applied), changed, errors)

    def _findings(self, files: Files) -> Sequence[Finding]:
        request = self._request
        cache = None if request.no_cache else cache_folder(request.start) / "analysis"
        jobs = request.jobs or pipeline.processors()
        found = pipeline.find(files, sound=request.sound, cache=cache, jobs=jobs)
        return self._shown.among(found.findings)

    def _may_change(self, file: SourceFile) -> bool:
        """Whether a file may be edited; why not is remembered."""
        real = os.path.realpath(file.path)
        given = [str(real_path(Path(path))) for path in self._request.paths]
        if not any(real == path or real.startswith(path.rstrip(os.sep) + os.sep) for path in given):
            self._refused[file.display] = OUTSIDE
            return False
        if self._request.diff or self._request.allow_dirty or self._restorable is None or real in self._restorable:
            return True
        self._refused[file.display] = UNSAVED
        return False

    @cached_property
    def _restorable(self) -> frozenset[str] | None:
        """The files that git can give back; None outside of a repository."""
        start = self._request.start
        try:
            return restorable(start if start.is_dir() else start.parent)
        except GitError:
            return None


def write(outcome: Outcome) -> tuple[FileError, ...]:
    """Writes the changed files, each whole or not at all; returns those that could not be written, and why."""
    errors = []
    for source, text in outcome.changed:
        try:
            _replace(Path(os.path.realpath(source.path)), rewritten(source, text))
        except SourceError as error:
            errors.append(FileError(source.display, f"not fixed: {error}"))
        except OSError as error:
            errors.append(FileError(source.display, f"cannot write the file: {error.strerror}"))
    return tuple(errors)


def _replace(path: Path, data: bytes) -> None:
    """Puts a new file with the old one's permissions in its place, in one step."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        shutil.copymode(path, temporary)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
