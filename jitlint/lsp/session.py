"""The functions that run in the analyzing process: they take a project with unsaved texts, and return findings."""

from __future__ import annotations

import ast
import contextlib
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from jitlint import pipeline
from jitlint.config import Choices, Configuration
from jitlint.events.revealed import Revealed
from jitlint.findings import baseline
from jitlint.findings.finding import FileError, Finding
from jitlint.findings.placed import in_files, placed
from jitlint.fixes.edit import Grade
from jitlint.fixing.rounds import Fixer, applied
from jitlint.lsp.moved import Moved
from jitlint.project.cache import cache_folder, digest
from jitlint.project.files import display_path, is_document, project_of
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.source.places import Place
from jitlint.source.text import SourceFile, normalize

Documents = Mapping[str, str]
"""The texts of the open documents of a project, as the editor shows them, by absolute path."""


class Home(NamedTuple):
    """The folder of a document: a project, all of whose files are analyzed, or else a folder of separate files."""

    folder: str
    is_project: bool

    @classmethod
    def of(cls, path: str) -> Home:
        """The home of a file; it need not be saved yet."""
        project = project_of(Path(path))
        if str(project) == path:
            return cls(str(Path(path).parent), False)
        return cls(os.path.abspath(project), True)


class Problem(NamedTuple):
    """Why a document cannot be parsed. `line` and `column` count from 1."""

    line: int
    column: int
    message: str


class Report(NamedTuple):
    """The result of checking a project. Paths in it are relative to `folder`.

    A document that cannot be parsed has the findings of its last text that could be, moved to their present lines.

    Attributes:
        folder: the working folder.
        findings: those in the open documents.
        revealed: the values that the open documents ask to reveal.
        errors: what could not be done.
        broken: by path, why a document cannot be parsed.
        identity: tells these texts of the project from all others.
    """

    folder: str
    findings: tuple[Finding, ...]
    revealed: tuple[Revealed, ...]
    errors: tuple[FileError, ...]
    broken: Mapping[str, Problem]
    identity: str

    def path(self, place: Place) -> str:
        """The absolute path of a place's file."""
        return os.path.abspath(Path(self.folder, place.path))


class ProjectInput(NamedTuple):
    """The files of a project, as they are analyzed: a document that cannot be parsed has its last text that could be.

    Attributes:
        folder: the working folder; the files' displayed paths are relative to it.
        files: the files, with the unsaved texts of open documents.
        configuration: the settings.
        errors: files that cannot be read.
        broken: by path, why a document cannot be parsed.
    """

    folder: str
    files: tuple[SourceFile, ...]
    configuration: Configuration
    errors: tuple[FileError, ...]
    broken: Mapping[str, Problem]

    @property
    def identity(self) -> str:
        """A digest that tells these texts from all others."""
        return digest(*(part for file in self.files for part in (file.display, file.text)))

    def file(self, path: str) -> SourceFile | None:
        """The file at an absolute path, if it is analyzed."""
        return next((file for file in self.files if os.path.abspath(file.path) == path), None)


_parsed: dict[str, str] = {}
"""By path, the last text of a document that could be parsed."""


def check(home: Home, documents: Documents) -> Report:
    """The findings of a project's open documents, as the command line gives them for the whole project."""
    given = read(home, documents)
    found = find(home, given)
    opened = {display_path(Path(path), Path(given.folder)): path for path in documents}
    findings: Iterable[Finding] = (each for each in found.findings if each.event.place.path in opened)
    revealed: Iterable[Revealed] = (each for each in found.revealed if each.place.path in opened)
    for display, path in opened.items():
        if path in given.broken:
            moved = Moved(display, _parsed[path], normalize(documents[path]))
            findings = moved.findings(findings)
            revealed = moved.revealed(revealed)
    saved = [file for file in given.files if file.display not in opened]
    known = in_files(placed(tuple(findings), given.files), saved)
    errors = (*given.errors, *found.errors)
    return Report(given.folder, known, tuple(revealed), errors, given.broken, given.identity)


def reveal(home: Home, documents: Documents, path: str) -> tuple[Revealed, ...]:
    """The values of a document's expressions, in each context in which the project runs them; a notebook's by cell."""
    given = read(home, documents)
    file = given.file(path)
    if file is None:
        return ()
    revealed = pipeline.reveal_expressions(given.files, [file], cache=cache_of(home))
    if path in given.broken:
        return tuple(Moved(file.display, file.text, normalize(documents[path])).revealed(revealed))
    return placed(revealed, [file])


class Offer(NamedTuple):
    """A fix that an editor offers: what it does, whether it keeps the meaning, and the new texts of files by path."""

    title: str
    safe: bool
    texts: Mapping[str, str]


def offers(home: Home, documents: Documents, finding: Finding) -> tuple[Offer, ...]:
    """The fixes of a finding, the best first. With each of them the finding goes, and nothing new comes."""
    given = read(home, documents)
    fixer = _fixer(home, given)
    if fixer is None:
        return ()
    found = []
    findings = find(home, given).findings
    while fixes := fixer.offers([finding], findings, given.files):
        fixer.refused.add(fixes[0].key)
        texts = _texts(given, applied(given.files, fixes))
        found.append(Offer(fixes[0].fix.message, fixes[0].fix.grade is Grade.SAFE, texts))
    return tuple(found)


def fixed(home: Home, documents: Documents, path: str) -> Mapping[str, str]:
    """The new text of a document, by its path, with all fixes of it that keep the meaning; empty if there are none."""
    given = read(home, documents)
    fixer = _fixer(home, given)
    file = given.file(path)
    if fixer is None or file is None:
        return {}
    fixer.unsafe, fixer.may_change = False, lambda display: display == file.display
    return _texts(given, fixer.fixed(given.files).files)


def _fixer(home: Home, given: ProjectInput) -> Fixer | None:
    """Finds fixes in files whose texts are what the user edits; None while a document cannot be parsed."""
    if given.broken:
        return None
    written = {file.display for file in given.files if file.document is None}
    return Fixer(lambda files: find(home, given._replace(files=files)).findings, written.__contains__)


def _texts(given: ProjectInput, files: Iterable[SourceFile]) -> Mapping[str, str]:
    pairs = zip(given.files, files, strict=True)
    return {os.path.abspath(old.path): new.text for old, new in pairs if old.text != new.text}


def find(home: Home, given: ProjectInput) -> pipeline.Findings:
    """All findings that the settings show."""
    found = pipeline.find(given.files, cache=cache_of(home), jobs=pipeline.processors())
    shown = tuple(filter(Choices(given.configuration.of).shows, found.findings))
    errors = (*given.configuration.errors, *found.errors)
    if file := given.configuration.of(Path(home.folder)).baseline:
        try:
            shown = baseline.read(file).new(shown)
        except baseline.BaselineError as error:
            unusable = FileError(display_path(file, Path(given.folder)), str(error), BadConfiguration.code)
            errors = (*errors, unusable)
    return pipeline.Findings(shown, errors, found.revealed)


def read(home: Home, documents: Documents) -> ProjectInput:
    """Reads a project's files, with the editor's texts in place of saved ones."""
    folder = Path(home.folder)
    os.chdir(folder if folder.is_dir() else folder.anchor)  # unsaved and deleted documents have no folder
    working = Path.cwd()
    configuration = Configuration()
    sources = pipeline.Sources((), ())
    if home.is_project:
        sources = pipeline.read((home.folder,), configuration.leaves_out)
    files = {os.path.abspath(file.path): file for file in sources.files}
    broken: dict[str, Problem] = {}
    for path, shown in documents.items():
        if path not in files and configuration.leaves_out(Path(path), False):
            continue
        if is_document(Path(path)):
            files[path] = _notebook(path, display_path(Path(path), working), shown)
            continue
        text = normalize(shown)
        if problem := _problem(path, text):
            broken[path] = problem
        else:
            _parsed[path] = text
        saved = files[path].text if path in files else ""
        files[path] = SourceFile(Path(path), display_path(Path(path), working), _parsed.setdefault(path, saved))
    shown_here = {display_path(Path(path), working) for path in documents}
    errors = tuple(error for error in sources.errors if error.path not in shown_here)
    return ProjectInput(str(working), tuple(files.values()), configuration, errors, broken)


def _notebook(path: str, display: str, shown: str) -> SourceFile:
    """A notebook as the editor shows it; cells that cannot be parsed are left out."""
    from jitlint.project.documents import document  # most projects have no documents

    return document(Path(path), display, shown.encode("utf-8", "surrogatepass"))[0]


def cache_of(home: Home) -> Path | None:
    """The folder of the cache, None for documents that were never saved."""
    return cache_folder(Path(home.folder)) / "analysis" if Path(home.folder).is_dir() else None


def _problem(path: str, text: str) -> Problem | None:
    """Why a text cannot be parsed, None if it can."""
    if _parsed.get(path) == text:
        return None
    with (
        warnings.catch_warnings(action="ignore"),
        contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError),
    ):
        ast.parse(text)
        return None
    from jitlint.syntax import SyntaxProblem, lower  # loads LibCST: only for text that this Python cannot parse

    try:
        lower(text)
    except SyntaxProblem as problem:
        return Problem(problem.line, problem.column, problem.message)
    return None


def prepare() -> None:
    """Loads what the first check needs, before the user waits for it."""
    # loads the analyzer: after the server has answered its client's first message
    from jitlint.analysis import api  # noqa: F401  the whole interpreter
    from jitlint.findings import collect  # noqa: F401
    from jitlint.models.loading import models
    from jitlint.rules.registry import all_rules

    models()
    all_rules()
