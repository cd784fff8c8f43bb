"""Internal errors: a defect of jitlint loses one piece of its work, and the report says that jitlint is at fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jitlint import __version__

VARIABLE = "JITLINT_DEFECTS"
"""An environment variable. If it is `raise`, an internal error ends the run, so that no test overlooks one."""

FRAMES = 12
"""How many of an exception's frames a report shows: the last ones."""

_HOME = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Defect:
    """One internal error.

    Attributes:
        path: the file that jitlint was working on.
        message: one line that says what happened.
        report: a few lines to send to jitlint's makers. Nothing of the user's code is in them.
    """

    path: str
    message: str
    report: str


class Defects:
    """The internal errors of one run, each once per file."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Defect] = {}

    @property
    def found(self) -> tuple[Defect, ...]:
        return tuple(self._found.values())

    @contextmanager
    def contained(self, path: str, work: str, symbol: str = "") -> Iterator[None]:
        """Notes an exception that is raised within, and goes on behind; the arguments are those of `note`."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever nobody foresaw
            self.note(error, path, work, symbol)

    def note(self, error: Exception, path: str, work: str, symbol: str = "") -> None:
        """Notes an internal error.

        Args:
            error: as it was caught.
            path: the file that jitlint was working on, as reports show it.
            work: what jitlint was doing, without any of the user's code: "interpreting", "rule JIT101".
            symbol: the user's function that it was working on, if it was one.
        """
        if os.environ.get(VARIABLE) == "raise":
            raise error
        defect = describe(error, path, work, symbol)
        self._found.setdefault((path, defect.message), defect)


def describe(error: Exception, path: str, work: str, symbol: str = "") -> Defect:
    """An internal error in words; the arguments are those of `Defects.note`."""
    # slow to import, and hardly ever needed
    import platform
    import traceback
    from importlib.metadata import version

    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    message = (
        f"internal error ({work}{f', `{symbol}`' if symbol else ''}): {' '.join(text.split())[:200]}, "
        f"{_file(last.filename)}:{last.lineno}; please report it"
    )
    versions = (
        f"jitlint {__version__}, libcst {version('libcst')}, Python {platform.python_version()} on {sys.platform}"
    )
    lines = [f"  {_file(f.filename)}:{f.lineno} {f.name}: {f.line}" for f in frames[-FRAMES:]]
    return Defect(path, message, "\n".join((versions, f"{work}: {type(error).__name__}", *lines)))


def _file(name: str) -> str:
    """A file of jitlint or of a library, without the folders that it is installed in: these may name the user."""
    path = Path(name)
    return path.relative_to(_HOME).as_posix() if path.is_relative_to(_HOME) else "/".join(path.parts[-2:])
