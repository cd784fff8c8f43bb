"""From paths to findings: the steps that the command line, the language server and the plugins have in common."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jitlint.collector import rare_collections
from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import Incomplete
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding
from jitlint.findings.internal_errors import internal_error
from jitlint.findings.suppress import unsuppressed, unused
from jitlint.models.plugins import stamp
from jitlint.project.cache import Cache
from jitlint.project.files import Exclude, discover, display_path, is_document, project_of
from jitlint.project.runs import CachedRun
from jitlint.rules import plugins
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.rules.tool.cannot_analyze import CannotAnalyze
from jitlint.source.defects import Defects
from jitlint.source.text import SourceError, SourceFile, read_source

if TYPE_CHECKING:
    from jitlint.analysis.api import Analysis


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a run, and what could not be read."""

    files: tuple[SourceFile, ...]
    errors: tuple[FileError, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of analyzing files.

    Attributes:
        findings: those that no comment leaves out.
        errors: what could not be analyzed.
        revealed: the values that the files ask to reveal.
        suppressed: findings that a comment leaves out.
        entries: the entry points.
        incomplete: the functions that the analyzer did not follow to their end.
    """

    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...]
    revealed: tuple[Revealed, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    entries: tuple[EntryPoint, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()


def read(paths: Sequence[str], exclude: Exclude | None = None) -> Sources:
    """Reads the Python files and documents under paths.

    Args:
        paths: files and folders.
        exclude: says which files to leave out when a folder is searched; a file that is given is always read.
    """
    discovery = discover(paths, exclude)
    errors = [FileError(path, message, CannotAnalyze.code) for path, message in discovery.errors]
    working = Path.cwd()
    files = []
    defects = Defects()
    for path in discovery.files:
        display = display_path(path, working)
        with defects.contained(display, "reading"):
            try:
                if is_document(path):
                    source, broken = _document(path, display)
                    errors += broken
                else:
                    source = read_source(path, display)
                files.append(source)
            except SourceError as error:
                errors.append(FileError(display, str(error), CannotAnalyze.code))
    return Sources(tuple(files), (*errors, *map(internal_error, defects.found)))


def _document(path: Path, display: str) -> tuple[SourceFile, list[FileError]]:
    """Reads a notebook or another document; its cells that cannot be parsed are errors."""
    from jitlint.project.documents import read_document  # most projects have no documents

    source, broken = read_document(path, display)
    errors = []
    for cell in broken:
        message = f"{cell.message}; the rest was analyzed without it"
        errors.append(FileError(display, message, CannotAnalyze.code, cell.line, cell.column, cell.cell))
    return source, errors


def read_project(paths: Sequence[str], exclude: Exclude | None = None) -> Sources:
    """Reads the whole projects that paths belong to: findings in a file depend on the files that call into it."""
    roots = dict.fromkeys(str(project_of(Path(path))) for path in paths)
    return read((*roots, *paths), exclude)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find(
    files: Sequence[SourceFile], *, noqa: bool = True, sound: bool = False, cache: Path | None = None, jobs: int = 1
) -> Findings:
    """Analyzes files as one project.

    Args:
        files: the project's files.
        noqa: whether `# noqa` comments count beside jitlint's own.
        sound: whether unknown values count as traced.
        cache: the folder that stores results for later runs, None to store none.
        jobs: how many processes may work at a time.
    """
    results = Cache(cache)
    run = CachedRun(results, files, stamp(), plugins.stamp(), noqa, sound)
    found = run.get() or _find(files, results, run, noqa=noqa, sound=sound, jobs=jobs)
    return replace(found, errors=_as_written(found.errors, files))


def _find(
    files: Sequence[SourceFile], results: Cache, run: CachedRun, *, noqa: bool, sound: bool, jobs: int
) -> Findings:
    # A run whose result is in the cache needs none of these.
    from jitlint.analysis.api import analyze
    from jitlint.findings.collect import collect
    from jitlint.project.modules import Project

    project = Project(files, results)
    with rare_collections():
        analysis = analyze(project, sound=sound, jobs=jobs)
    defects = Defects()
    collected = collect(analysis.events, files, defects)
    failed = {path for path, _ in analysis.errors} | {defect.path for defect in analysis.defects}
    idle = unused(collected, [file for file in files if file.display not in failed], noqa=noqa)
    left = unsuppressed(collected, files, noqa=noqa)
    shown = tuple(sorted((*left, *idle), key=Finding.order))
    ids = set(map(id, left))
    suppressed = tuple(finding for finding in collected if id(finding) not in ids)
    errors = (*_errors(analysis), *map(internal_error, defects.found))
    findings = Findings(shown, errors, analysis.revealed, suppressed, analysis.entries, analysis.incomplete)
    if not analysis.defects and not defects.found:
        run.put(findings, project.probed)
    results.prune()
    return findings


def reveal_line(files: Sequence[SourceFile], file: SourceFile, line: int, name: str = "") -> Findings:
    """Analyzes files as one project, and reveals the variables of one line. There are no findings in the result.

    Args:
        files: the project's files.
        file: one of them.
        line: a line of it, from 1.
        name: a variable to reveal instead of all.

    Raises:
        NoStatementError: no statement is on that line.
    """
    from jitlint.analysis.api import reveal  # loads the analyzer, which a cached run does not need

    with rare_collections():
        analysis = reveal(files, file, line, name)
    return Findings((), _as_written(_errors(analysis), files), analysis.revealed)


def reveal_expressions(
    files: Sequence[SourceFile], shown: Sequence[SourceFile], *, cache: Path | None = None
) -> tuple[Revealed, ...]:
    """Analyzes files as one project, and reveals the values of all expressions in some of them.

    Args:
        files: the project's files.
        shown: some of them.
        cache: the folder that stores results for later runs, None to store none.
    """
    # loads the analyzer, which a cached run does not need
    from jitlint.analysis.api import stages
    from jitlint.project.modules import Project

    with rare_collections():
        return stages(Project(files, Cache(cache)), shown)


def _errors(analysis: Analysis) -> tuple[FileError, ...]:
    from jitlint.models.loading import models  # reads all model files, which a cached run does not need

    errors = []
    for path, problem in analysis.errors:
        message = f"{problem.message}; correct or exclude the file"
        errors.append(FileError(path, message, CannotAnalyze.code, problem.line, problem.column))
    unusable = [(name, f"model: {message}") for name, message in models().errors]
    unusable += [(name, f"rules: {message}") for name, message in plugins.plugin_rules().errors]
    errors += [FileError(name, message, BadConfiguration.code) for name, message in unusable]
    return (*errors, *map(internal_error, analysis.defects))


def _as_written(errors: Sequence[FileError], files: Sequence[SourceFile]) -> tuple[FileError, ...]:
    """The errors with places in the program of a notebook or another document as places in the document itself.

    The cache holds places in programs: cells without code may come and go without a new analysis.
    """
    documents = {file.display: file for file in files if file.document is not None}
    return tuple(_in_document(error, documents.get(error.path)) for error in errors)


def _in_document(error: FileError, document: SourceFile | None) -> FileError:
    if document is None or error.line is None:
        return error
    cell, line, column = document.position(error.line, error.column or 1)
    return replace(error, cell=cell, line=line, column=column)
