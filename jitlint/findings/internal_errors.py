"""Internal errors as reports show them."""

from __future__ import annotations

from jitlint.findings.finding import FileError
from jitlint.rules.tool.internal_error import InternalError
from jitlint.source.defects import Defect


def internal_error(defect: Defect) -> FileError:
    """A defect of jitlint as reports show it."""
    return FileError(defect.path or "jitlint", defect.message, InternalError.code, report=defect.report)
