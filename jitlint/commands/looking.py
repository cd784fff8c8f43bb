"""Reading and analyzing files: what `check` and `baseline` begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jitlint import pipeline
from jitlint.commands.reported_files import ReportedFiles
from jitlint.config import Configuration
from jitlint.findings.finding import FileError
from jitlint.project.cache import cache_folder
from jitlint.project.files import real_path
from jitlint.source.text import SourceFile


@dataclass(frozen=True, slots=True)
class Looked:
    """The files of a run, what the analyzer found in them, and what could not be read or analyzed."""

    sources: tuple[SourceFile, ...]
    found: pipeline.Findings
    errors: tuple[FileError, ...]


def look(
    paths: Sequence[str],
    configuration: Configuration,
    reported: ReportedFiles | None = None,
    *,
    jobs: int | None = None,
    cached: bool = True,
    sound: bool = False,
    shown: SourceFile | None = None,
) -> Looked:
    """Reads and analyzes the files under paths.

    Args:
        paths: files and folders.
        configuration: says which files to leave out.
        reported: if it is given, the whole projects of the paths are analyzed, and an excluded file stays out even if
            a path names it (hooks name every file that changed).
        jobs: how many processes may work at a time; None for one per processor.
        cached: whether results of earlier runs count, and those of this one are stored.
        sound: whether values that nothing is known about count as traced.
        shown: a text that stands for that of its file: alone, or with `reported` in its project.
    """
    if shown is not None and reported is None:
        sources = pipeline.Sources((shown,), ())
    elif reported is None:
        sources = pipeline.read(paths, configuration.leaves_out)
    else:
        wanted = [path for path in paths if not configuration.leaves_out(real_path(Path(path)), Path(path).is_dir())]
        sources = pipeline.read_project(wanted, configuration.leaves_out)
        if shown is not None:
            others = (file for file in sources.files if file.display != shown.display)
            sources = replace(sources, files=(*others, shown))
    cache = cache_folder(Path(paths[0])) / "analysis" if cached else None
    found = pipeline.find(sources.files, sound=sound, cache=cache, jobs=jobs or pipeline.processors())
    errors = (*sources.errors, *found.errors)
    if reported is not None:
        files = (*(file.display for file in sources.files), *(error.path for error in sources.errors))
        errors = reported.errors(errors, files)
    return Looked(sources.files, found, errors)
