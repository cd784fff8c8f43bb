"""Verifies a function, in a separate process. Nothing else in the language server runs the user's code."""

from __future__ import annotations

import ast
import sys
import warnings
from pathlib import Path

from jitlint.config.verifying import VerifySetupError, chosen_devices, verify_setup
from jitlint.findings.finding import Finding
from jitlint.lsp import process, session
from jitlint.lsp.session import Documents, Home
from jitlint.project.files import is_document
from jitlint.source.notebook import code_cells
from jitlint.source.printable import printable_line
from jitlint.source.reading import DOCUMENT_BYTES
from jitlint.source.text import SourceError, normalize, read_bytes, read_source
from jitlint.verify.api import verify


class CannotVerifyError(process.RemediableError):
    """The function cannot be verified now; the message says what to do."""


def verified_at(home: Home, documents: Documents, path: str, line: int) -> tuple[str, tuple[Finding, ...]]:
    """Verifies the findings of the function on a line; outside of functions, those of the whole file.

    Returns:
        The identity of the project's texts, and the findings with verdicts.

    Raises:
        CannotVerifyError: a text is not saved or cannot be parsed, or there is nothing to verify with.
    """
    for each, text in documents.items():
        if _content(each, text) != _saved(each):
            raise CannotVerifyError(f"save {each} first: JAX runs files as they are saved")
    given = session.read(home, documents)
    file = given.file(path)
    if file is None or given.broken:
        raise CannotVerifyError("correct the syntax first")
    with warnings.catch_warnings(action="ignore"):
        first, last = function_at(ast.parse(file.text), line, file.text)
    findings = tuple(
        finding
        for finding in session.find(home, given).findings
        if finding.event.place.path == file.display and first <= finding.event.place.line <= last
    )
    if not findings:
        return given.identity, ()
    start = Path(home.folder)
    settings = given.configuration.of(start)
    try:
        setup = verify_setup(settings, start, given.files, chosen_devices(settings.verify))
    except VerifySetupError as error:
        raise CannotVerifyError(str(error)) from error
    for notice in setup.passed_over:
        print(printable_line(notice), file=sys.stderr)  # editors log it

    def progress(module: str, done: int, total: int) -> None:
        process.send((module, done, total))

    return given.identity, verify(findings, given.files, setup.options, progress)


def _content(path: str, text: str) -> object:
    """What counts of a text: of a notebook, the code in its cells."""
    return code_cells(text.encode("utf-8", "surrogatepass")) if is_document(Path(path)) else normalize(text)


def _saved(path: str) -> object:
    """What counts of a file as it was saved, None if it was not."""
    try:
        if is_document(Path(path)):
            return code_cells(read_bytes(Path(path), DOCUMENT_BYTES))
        return read_source(Path(path), path).text
    except SourceError:
        return None


def function_at(tree: ast.Module, line: int, text: str) -> tuple[int, int]:
    """The first and the last line of the outermost function or method on a line, or else of the whole text."""
    body = tree.body
    while True:
        here = next((node for node in body if first_line(node) <= line <= (node.end_lineno or node.lineno)), None)
        if isinstance(here, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return first_line(here), here.end_lineno or here.lineno
        if not isinstance(here, ast.ClassDef):
            return 1, text.count("\n") + 1
        body = here.body


def first_line(node: ast.stmt) -> int:
    """The line of a statement, or of its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
