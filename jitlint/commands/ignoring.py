"""`--add-noqa`: a comment beside each finding that leaves it out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from jitlint.commands import fixing
from jitlint.commands.looking import Looked
from jitlint.findings.finding import FileError, Finding
from jitlint.fixes.changes import edited
from jitlint.fixes.comments import suppressing
from jitlint.source.text import SourceFile

_NO_PLACE = "{} cannot be left out by a comment: no line of it can have one; use `per-file-ignores` or a baseline"


def write_comments(looked: Looked, findings: Sequence[Finding]) -> tuple[int, tuple[FileError, ...]]:
    """Writes the comments.

    Args:
        looked: the files that were analyzed.
        findings: what to leave out.

    Returns:
        How many findings have comments now, and what could not be done.
    """
    of_file: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        of_file[finding.event.place.path].append(finding)
    changed: list[tuple[SourceFile, str]] = []
    errors: list[FileError] = []
    for file in looked.sources:
        text, missed = _commented(file, of_file[file.display])
        errors += missed
        if text != file.text:
            changed.append((file, text))
    failed = fixing.write(tuple(changed))
    unwritten = {error.path for error in failed} | {error.path for error in errors if error.line is None}
    left_out = sum(len(each) for path, each in of_file.items() if path not in unwritten) - len(errors)
    return left_out, (*errors, *failed)


def _commented(file: SourceFile, findings: Sequence[Finding]) -> tuple[str, list[FileError]]:
    """A file's text with comments, and the findings that no comment can leave out."""
    text, errors = file.text, []
    for finding in findings:
        place = finding.event.place
        lines = dict.fromkeys((place.end_line, place.line))
        fix = suppressing(place.path, text, tuple(lines), finding.code)
        if fix is None:
            errors.append(FileError(place.path, _NO_PLACE.format(finding.code), line=place.line))
        else:
            text = edited(text, fix.edits)
    return text, errors
