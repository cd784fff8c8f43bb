"""`--fix` and `--diff`: fixes are found, applied to texts, and written or shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jitlint import __version__, pipeline
from jitlint.commands.looking import Looked
from jitlint.commands.request import Request
from jitlint.commands.shown import Shown
from jitlint.findings.finding import FileError, Finding, Proof
from jitlint.findings.internal_errors import internal_error
from jitlint.findings.placed import placed
from jitlint.fixing.proofs import Prove, proven
from jitlint.fixing.rewriting import diff, rewritten
from jitlint.fixing.rounds import Applied, Files, Fixer
from jitlint.project.cache import cache_folder
from jitlint.project.cache_folder import write_whole
from jitlint.project.files import real_path
from jitlint.project.git import GitError, restorable
from jitlint.source.text import SourceError, SourceFile

UNSAVED = "has changes that git does not have; commit or stage them, or allow the edit with --allow-dirty"
_UNSAFE_LEFT = "{} more {} fixes that may change what the program means: `--unsafe-fixes` applies them"
OUTSIDE = "lies outside of the given paths"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What fixing made of the files of a run.

    Attributes:
        fixed: the findings that were fixed, each with its fix.
        changed: the files whose texts changed, as they were, with their new texts.
        errors: files that were not edited, and why.
        unproven: the findings whose fixes JAX has not proven.
        notes: remarks on the run as a whole.
    """

    fixed: tuple[Finding, ...]
    changed: tuple[tuple[SourceFile, str], ...]
    errors: tuple[FileError, ...]
    unproven: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

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
        self._known: dict[Path, frozenset[str] | None] = {}

    def run(self, looked: Looked, prove: Prove | None = None) -> Outcome:
        """Finds what to change, and changes nothing.

        Args:
            looked: the files, and what was found in them.
            prove: runs the program before and after; only fixes that this proves count then.
        """
        files = {file.display: file for file in looked.sources}
        fixer = Fixer(self._findings, lambda path: self._may_change(files[path]), unsafe=self._request.unsafe_fixes)
        if prove is None:
            fixed = fixer.fixed(looked.sources)
            findings = tuple(replace(one.finding, fix=one.fix) for one in fixed.applied)
            unproven: tuple[Finding, ...] = ()
            wrong: tuple[Finding, ...] = ()
        else:
            done = proven(fixer, looked.sources, lambda files: self._found(files).entries, prove)
            fixed, unproven = done.fixed, tuple(_with_proof(*each) for each in done.left)
            findings = tuple(map(_with_proof, fixed.applied, done.proofs))
            wrong = tuple(_with_proof(*each) for each in done.disproven)
        pairs = zip(looked.sources, fixed.files, strict=True)
        changed = tuple((old, new.text) for old, new in pairs if new.text != old.text)
        errors = [FileError(path, f"not fixed: the file {why}") for path, why in sorted(self._refused.items())]
        errors += map(internal_error, fixer.defects.found)
        errors += map(_disproven, placed(wrong, looked.sources))
        findings, unproven = placed((findings, unproven), looked.sources)
        left = fixer.passed_over - {finding.fingerprint for finding in findings}
        notes = (_UNSAFE_LEFT.format(len(left), "has" if len(left) == 1 else "have"),) if left else ()
        return Outcome(findings, changed, tuple(errors), unproven, notes)

    def _findings(self, files: Files) -> Sequence[Finding]:
        return self._shown.among(self._found(files).findings)

    def _found(self, files: Files) -> pipeline.Findings:
        request = self._request
        cache = None if request.no_cache else cache_folder(request.start) / "analysis"
        jobs = request.jobs or pipeline.processors()
        return pipeline.find(files, sound=request.sound, cache=cache, jobs=jobs)

    def _may_change(self, file: SourceFile) -> bool:
        """Whether a file may be edited; why not is remembered."""
        real = os.path.realpath(file.path)
        given = [str(real_path(Path(path))) for path in self._request.searched]
        if not any(real == path or real.startswith(path.rstrip(os.sep) + os.sep) for path in given):
            self._refused[file.display] = OUTSIDE
            return False
        if self._request.diff or self._request.allow_dirty:
            return True
        known = self._restorable(Path(real).parent)
        if known is None or real in known:
            return True
        self._refused[file.display] = UNSAVED
        return False

    def _restorable(self, folder: Path) -> frozenset[str] | None:
        """The files that git can give back, of the repository that a folder is in; None outside of one."""
        if folder not in self._known:
            try:
                self._known[folder] = restorable(folder)
            except GitError:
                self._known[folder] = None
        return self._known[folder]


def _with_proof(one: Applied, proof: Proof) -> Finding:
    return replace(one.finding, fix=one.fix, proof=proof)


def _disproven(finding: Finding) -> FileError:
    """A fix that changes results is a defect of jitlint."""
    assert finding.fix is not None and finding.proof is not None
    place = finding.event.place
    message = f"the fix `{finding.fix.message}` ({finding.code}) is wrong here: {finding.proof.reason}"
    report = f"jitlint {__version__}: the fix {finding.fix.remedy} of {finding.code} was disproven by JAX"
    return FileError(place.path, message, line=place.line, report=report)


def write(changed: Sequence[tuple[SourceFile, str]]) -> tuple[FileError, ...]:
    """Writes the changed files, each whole or not at all; returns those that could not be written, and why."""
    errors = []
    for source, text in changed:
        try:
            write_whole(Path(os.path.realpath(source.path)), rewritten(source, text))
        except SourceError as error:
            errors.append(FileError(source.display, f"not fixed: {error}"))
        except OSError as error:
            errors.append(FileError(source.display, f"cannot write the file: {error.strerror}"))
    return tuple(errors)
