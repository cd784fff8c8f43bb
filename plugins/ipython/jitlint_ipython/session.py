"""What a session has run so far, as a program that can be analyzed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from jitlint.project.documents import of_cells
from jitlint.project.files import display_path, project_of
from jitlint.source.text import SourceError, SourceFile, read_source

NAME = "this-session.ipynb"
"""What reports call the session. No module can have that name, so that it stands in no module's way."""


@dataclass(frozen=True, slots=True)
class Program:
    """A session that is about to run a cell.

    Attributes:
        session: the cells in the order in which they ran; their numbers are those of `In [3]`.
        before: the same without the cell that will run.
        modules: the project's modules that the session has imported.
        cell: the number of the cell that will run.
        folder: the working folder.
    """

    session: SourceFile
    before: SourceFile
    modules: tuple[SourceFile, ...]
    cell: int
    folder: Path

    @property
    def files(self) -> tuple[SourceFile, ...]:
        return (*self.modules, self.session)


class Session:
    """The cells of a shell. A cell that ran several times counts as it ran last."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._number = 0
        self._numbers: dict[str, int] = {}
        self._outdated: set[int] = set()

    def begins(self, info: ExecutionInfo) -> None:
        """Takes note of a cell that is about to run and to be kept in the history."""
        self._number = len(self._written)
        if info.cell_id is not None:  # clients with cells that people edit and run again give them an identity
            self._outdated.add(self._numbers.get(info.cell_id, 0))
            self._numbers[info.cell_id] = self._number

    def program(self, text: str) -> Program:
        """The session up to the cell that is about to run.

        Args:
            text: the cell, as the user wrote it.
        """
        number = self._number
        before = enumerate(self._written[:number])
        cells = {at: written for at, written in before if at not in self._outdated and written != text}
        folder = Path.cwd()
        session = _notebook(folder, {**cells, number: text})
        return Program(session, _notebook(folder, cells), tuple(_modules(folder)), number, folder)

    @property
    def _written(self) -> list[str]:
        """The cells that have run, by their numbers; there is no cell 0."""
        history = self._shell.history_manager
        return history.input_hist_raw if history is not None else [""]


def _notebook(folder: Path, cells: Mapping[int, str]) -> SourceFile:
    """Cells as a notebook, without those that cannot be parsed: IPython itself reports them."""
    return of_cells(folder / NAME, NAME, cells)[0]


def _modules(folder: Path) -> Iterator[SourceFile]:
    """The imported modules that belong to the same project as a folder."""
    root = project_of(folder / "_")
    files = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    for name in sorted(files):
        path = Path(name)
        if path.suffix == ".py" and path.is_relative_to(root) and not path.is_relative_to(sys.prefix):
            try:
                yield read_source(path, display_path(path, folder))
            except SourceError:  # Python has read it before: what has become of it since is not the session's program
                continue
