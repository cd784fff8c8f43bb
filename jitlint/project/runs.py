"""Whole runs that are kept: where no file has changed, nothing is imported that could find something."""

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
    """What a run gave, and the files and folders that it looked for besides its own, with digests of what is there."""

    result: Any
    probed: tuple[tuple[str, str | None], ...]


class Runs:
    """The kept run over some files, if there is one."""

    def __init__(self, store: Cache, files: Sequence[SourceFile], *settings: object) -> None:
        self._store = store
        given = [(file.display, *map(str, name_of(file.path)), digest(file.text)) for file in files]
        self._name = f"run-{digest(tool(), settings, given)}"

    def get(self) -> Any:
        """What the run gave; None if it is not kept, or another file has changed that it looked at."""
        kept = self._store.get(self._name)
        if isinstance(kept, Run) and all(_digest(Path(path)) == known for path, known in kept.probed):
            return kept.result
        return None

    def put(self, result: object, probed: Mapping[Path, str | None]) -> None:
        """Keeps what the run gave."""
        self._store.put(self._name, Run(result, tuple((str(path), known) for path, known in probed.items())))


def _digest(path: Path) -> str | None:
    if path.is_dir():
        return ""
    if not path.is_file():
        return None
    try:
        return digest(read_source(path, "").text)
    except SourceError:
        return None
