"""Internal errors: a defect of jitlint loses one piece of its work, and the report says that jitlint is at fault."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jitlint import __version__

VARIABLE = "JITLINT_DEFECTS"
"""An environment variable. If it is `raise`, an internal error ends the run, so that no test overlooks one."""

FRAMES = 12
"""How many of an exception's frames a report shows: the last ones."""

_HOME = Path(__file__).parents[2]
_FRAME = re.compile(r'^  File "(.*)", line (\d+),? in (.*)$', re.MULTILINE)
"""A frame as `faulthandler` writes it; the last call comes first."""


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
        if raised_at_once():
            raise error
        self.add(describe(error, path, work, symbol))

    def add(self, defect: Defect) -> None:
        """Adds an internal error that is described already."""
        self._found.setdefault((defect.path, defect.message), defect)


def raised_at_once() -> bool:
    """Whether an internal error ends the run, as in tests."""
    return os.environ.get(VARIABLE) == "raise"


def describe(error: Exception, path: str, work: str, symbol: str = "") -> Defect:
    """An internal error in words; the arguments are those of `Defects.note`."""
    import traceback  # slow to import, and hardly ever needed

    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    what = f"{' '.join(text.split())[:200]}, {_file(last.filename)}:{last.lineno}"
    lines = [f"  {_file(f.filename)}:{f.lineno} {f.name}: {f.line}" for f in frames[-FRAMES:]]
    return _defect(path, work, symbol, what, (type(error).__name__, *lines))


def describe_death(how: str, trace: str, path: str, work: str, symbol: str = "") -> Defect:
    """The death of a process in words.

    Args:
        how: what ended it: "SIGSEGV".
        trace: what `faulthandler` wrote, if it could.
        path: the file that the work was for; the others are those of `Defects.note`.
    """
    lines = [f"  {_file(name)}:{line} {function}" for name, line, function in _FRAME.findall(trace)[:FRAMES]]
    return _defect(path, work, symbol, f"the process ended by {how}", (how, *lines))


def _defect(path: str, work: str, symbol: str, what: str, lines: Sequence[str]) -> Defect:
    # slow to import, and hardly ever needed
    import platform
    from importlib.metadata import version

    message = f"internal error ({work}{f', `{symbol}`' if symbol else ''}): {what}; please report it"
    versions = (
        f"jitlint {__version__}, libcst {version('libcst')}, Python {platform.python_version()} on {sys.platform}"
    )
    return Defect(path, message, "\n".join((versions, f"{work}: {lines[0]}", *lines[1:])))


def _file(name: str) -> str:
    """A file of jitlint or of a library, without the folders that it is installed in: these may name the user."""
    path = Path(name)
    return path.relative_to(_HOME).as_posix() if path.is_relative_to(_HOME) else "/".join(path.parts[-2:])
