"""Caches whole runs, so that a run over unchanged files imports neither the front ends nor the analyzer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jitlint.project.cache import Cache, digest, tool
from jitlint.project.files import name_of
from jitlint.source.text import SourceError, SourceFile, read_source


@dataclass(frozen=True, slots=True)
class Run:
    """A run's result, and the files and folders that it looked for besides the given ones, with their digests."""

    result: Any
    probed: tuple[tuple[str, str | None], ...]


class CachedRun:
    """The cached run over some files with some settings, if there is one."""

    def __init__(self, cache: Cache, files: Sequence[SourceFile], *settings: object) -> None:
        self._cache = cache
        given = [(file.display, *map(str, name_of(file.path)), digest(file.text)) for file in files]
        self._name = f"run-{digest(tool(), settings, given)}"

    def get(self) -> Any:
        """The run's result; None if it is not cached, or if one of the other files that it looked for has changed."""
        run = self._cache.get(self._name)
        if isinstance(run, Run) and all(_digest(Path(path)) == known for path, known in run.probed):
            return run.result
        return None

    def put(self, result: object, probed: Mapping[Path, str | None]) -> None:
        """Stores the run's result; `probed` as in Project."""
        self._cache.put(self._name, Run(result, tuple((str(path), known) for path, known in probed.items())))


def _digest(path: Path) -> str | None:
    if path.is_dir():
        return ""
    if not path.is_file():
        return None
    try:
        return digest(read_source(path, "").text)
    except SourceError:
        return None
