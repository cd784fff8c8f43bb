"""From paths to findings: what the command line and other front ends have in common."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jitlint.collector import rare_collections
from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import Incomplete
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding
from jitlint.findings.suppress import unsuppressed, unused
from jitlint.models.brought import stamp
from jitlint.project.cache import Cache
from jitlint.project.files import Exclude, discover, display_path, is_document, project_of
from jitlint.project.runs import CachedRun
from jitlint.rules import plugins
from jitlint.source.defects import Defect, Defects
from jitlint.source.text import SourceError, SourceFile, read_source

if TYPE_CHECKING:
    from jitlint.analysis.api import Analysis


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a run that could be read, and what could not be."""

    files: tuple[SourceFile, ...]
    errors: tuple[FileError, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in the files of a run, what could not be analyzed, what the files asked to reveal, what comments
    leave out, the entry points, and what was not followed to its end."""

    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...]
    revealed: tuple[Revealed, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    entries: tuple[EntryPoint, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()


def read(paths: Sequence[str], exclude: Exclude | None = None) -> Sources:
    """Reads the Python files and documents under paths; `exclude` holds for folders that are searched, not for what is
    given."""
    discovery = discover(paths, exclude)
    errors = [FileError(path, f"JIT001 {message}") for path, message in discovery.errors]
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
                errors.append(FileError(display, f"JIT001 {error}"))
    return Sources(tuple(files), (*errors, *map(internal_error, defects.found)))


def _document(path: Path, display: str) -> tuple[SourceFile, list[FileError]]:
    """A notebook or other document, and its cells that cannot be parsed."""
    from jitlint.project.documents import read_document  # most projects are Python alone

    source, broken = read_document(path, display)
    return source, [FileError(display, f"JIT001 {each}; the rest was analyzed without it") for each in broken]


def read_project(paths: Sequence[str], exclude: Exclude | None = None) -> Sources:
    """Reads the whole projects that paths belong to: what is found in a file hangs on those that call it."""
    roots = dict.fromkeys(str(project_of(Path(path))) for path in paths)
    return read((*roots, *paths), exclude)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find(
    files: Sequence[SourceFile], *, noqa: bool = True, sound: bool = False, cache: Path | None = None, jobs: int = 1
) -> Findings:
    """Analyzes files as one project; findings that a comment leaves out are gone.

    Args:
        files: the project's files.
        noqa: whether `# noqa` comments count beside jitlint's own.
        sound: whether what nothing is known of counts as traced, too.
        cache: the folder in which results are kept from run to run, if they are.
        jobs: how many processes may work at a time.
    """
    store = Cache(cache)
    run = CachedRun(store, files, stamp(), plugins.stamp(), noqa, sound)
    return run.get() or _find(files, store, run, noqa=noqa, sound=sound, jobs=jobs)


def _find(files: Sequence[SourceFile], store: Cache, run: CachedRun, *, noqa: bool, sound: bool, jobs: int) -> Findings:
    # A run that was kept needs none of these.
    from jitlint.analysis.api import analyze
    from jitlint.findings.collect import collect
    from jitlint.project.modules import Project

    project = Project(files, store)
    with rare_collections():
        analysis = analyze(project, sound=sound, jobs=jobs)
    defects = Defects()
    collected = collect(analysis.events, files, defects)
    failed = {path for path, _ in analysis.errors} | {defect.path for defect in analysis.defects}
    idle = unused(collected, [file for file in files if file.display not in failed], noqa=noqa)
    kept = unsuppressed(collected, files, noqa=noqa)
    shown = tuple(sorted((*kept, *idle), key=Finding.order))
    ids = set(map(id, kept))
    suppressed = tuple(finding for finding in collected if id(finding) not in ids)
    errors = (*_errors(analysis), *map(internal_error, defects.found))
    findings = Findings(shown, errors, analysis.revealed, suppressed, analysis.entries, analysis.incomplete)
    if not analysis.defects and not defects.found:
        run.put(findings, project.probed)
    store.prune()
    return findings


def stages(files: Sequence[SourceFile], file: SourceFile, line: int, name: str = "") -> Findings:
    """Analyzes files as one project, and reveals the variables of one line: no findings, only these.

    Args:
        files: the project's files.
        file: one of them.
        line: a line of it, from 1.
        name: the only variable that is wanted.

    Raises:
        NoStatementError: there is none on that line.
    """
    from jitlint.analysis.api import reveal

    with rare_collections():
        analysis = reveal(files, file, line, name)
    return Findings((), _errors(analysis), analysis.revealed)


def expressions(files: Sequence[SourceFile], file: SourceFile, *, cache: Path | None = None) -> tuple[Revealed, ...]:
    """Analyzes files as one project, and reveals what every expression of one of them is.

    Args:
        files: the project's files.
        file: one of them.
        cache: the folder in which results are kept from run to run, if they are.
    """
    from jitlint.analysis.api import stages
    from jitlint.project.modules import Project

    with rare_collections():
        return stages(Project(files, Cache(cache)), file)


def _errors(analysis: Analysis) -> tuple[FileError, ...]:
    from jitlint.models.loading import models

    files = [FileError(path, f"JIT001 {message}; correct or exclude the file") for path, message in analysis.errors]
    known = [FileError(name, f"JIT003 model: {message}") for name, message in models().errors]
    known += [FileError(name, f"JIT003 rules: {message}") for name, message in plugins.plugin_rules().errors]
    return (*files, *known, *map(internal_error, analysis.defects))


def internal_error(defect: Defect) -> FileError:
    """A defect of jitlint as reports show it."""
    return FileError(defect.path or "jitlint", f"JIT000 {defect.message}", defect.report)
