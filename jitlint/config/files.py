"""From files to settings: which file counts for a path, what it extends, and what is wrong in it."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jitlint.config.settings import Key, Settings, VerifySettings, keys
from jitlint.findings.finding import FileError
from jitlint.project.files import Patterns, display_path
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.source.text import reason

PYPROJECT = "pyproject.toml"
OWN = "jitlint.toml"

_VERIFY = "verify"
_EXTEND = "extend"


class UnreadableError(Exception):
    """A file of settings cannot be had; the message says why and what to do."""


@dataclass(slots=True)
class _Table:
    """What files have said so far: values by field, where each comes from, and what was wrong."""

    values: dict[str, Any] = field(default_factory=dict)
    verify: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)

    def settings(self) -> Settings:
        return Settings(**self.values, verify=VerifySettings(**self.verify), sources=self.sources)


class Configuration:
    """The settings of each path: those of the nearest file above it that has some.

    `errors` is what was wrong in the files that were asked so far: what is wrong is left at its default.
    """

    def __init__(self, file: Path | None = None, *, isolated: bool = False) -> None:
        """
        Args:
            file: the only file that counts.
            isolated: whether no file counts.
        """
        self._only = file.resolve() if file is not None else None  # patterns count from its real folder
        self._isolated = isolated
        self._of_folder: dict[Path, Settings] = {}
        self._of_file: dict[Path, Settings | None] = {}
        self._excluded: dict[int, list[Patterns]] = {}
        self._default = Settings()
        self.errors: list[FileError] = []

    def of(self, path: Path) -> Settings:
        """The settings that hold for a file or folder."""
        if self._isolated:
            return self._default
        if self._only is not None:
            return self._read(self._only) or self._default
        real = path.resolve()
        return self._of(real if real.is_dir() else real.parent)

    def leaves_out(self, path: Path, is_folder: bool) -> bool:
        """Whether the settings that hold for a path's folder exclude it."""
        settings = self.of(path.parent)
        if id(settings) not in self._excluded:
            by_folder: dict[Path, list[str]] = {}
            for each in settings.exclude:
                by_folder.setdefault(each.folder, []).append(each.text)
            self._excluded[id(settings)] = [Patterns.of(folder, lines) for folder, lines in by_folder.items()]
        return any(patterns.verdict(path, folder=is_folder) for patterns in self._excluded[id(settings)])

    def _of(self, folder: Path) -> Settings:
        if folder not in self._of_folder:
            named = (self._read(folder / name) for name in (OWN, PYPROJECT))
            found = next((settings for settings in named if settings is not None), None)
            if found is None:
                found = self._of(folder.parent) if folder != folder.parent else self._default
            self._of_folder[folder] = found
        return self._of_folder[folder]

    def _read(self, file: Path) -> Settings | None:
        """The settings of a file, None if there are none."""
        if file not in self._of_file:
            read = _Table()
            try:
                known = (file == self._only or file.is_file()) and _add(read, file, ())
            except UnreadableError as error:
                read.errors.append(FileError(_display(file), str(error), BadConfiguration.code))
                known = True
            self.errors += read.errors
            self._of_file[file] = read.settings() if known else None
        return self._of_file[file]


def _display(file: Path) -> str:
    return display_path(file, Path.cwd())


def _add(read: _Table, file: Path, extended: tuple[Path, ...]) -> bool:
    """Adds what a file says to what was read; whether it has a table of ours.

    Raises:
        UnreadableError: it cannot be read.
    """
    try:
        table = tomllib.loads(file.read_text("utf-8"))
        if file.name == PYPROJECT:
            table = table.get("tool", {}).get("jitlint")
    except OSError as error:
        raise UnreadableError(f"cannot read the file: {reason(error)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
        raise UnreadableError(f"is not valid TOML: {error}; correct the file") from error
    if table is None:
        return False
    where = "[tool.jitlint]" if file.name == PYPROJECT else "the file"
    said = _Said(read, file)
    if not isinstance(table, dict):
        said.problem(f"{where} must be a table")
        return True
    if _EXTEND in table:
        _extend(said, table[_EXTEND], (*extended, file.resolve()))
    said.take(read.values, table, tuple(keys(Settings)), where, "", (_EXTEND, _VERIFY))
    verify = table.get(_VERIFY, {})
    where = "[tool.jitlint.verify]" if file.name == PYPROJECT else "[verify]"
    if isinstance(verify, dict):
        said.take(read.verify, verify, tuple(keys(VerifySettings)), where, f"{_VERIFY}.", ())
    else:
        said.problem(f"{where} must be a table")
    return True


def _extend(said: _Said, value: object, extended: tuple[Path, ...]) -> None:
    """Takes what another file says first."""
    if not isinstance(value, str) or not value:
        said.problem('`extend` must be a path such as "../jitlint.toml"')
        return
    other = (said.file.parent / value).resolve()
    if other in extended:
        said.problem(f"`extend`: {_display(other)} extends this file in turn; leave out one of the two")
        return
    try:
        if not _add(said.read, other, extended):
            said.problem(f"`extend`: {_display(other)} has no [tool.jitlint] table")
    except UnreadableError as error:
        said.problem(f"`extend`: {_display(other)} {error}")


@dataclass(frozen=True, slots=True)
class _Said:
    """What one file says."""

    read: _Table
    file: Path

    def problem(self, message: str) -> None:
        self.read.errors.append(FileError(_display(self.file), message, BadConfiguration.code))

    def take(
        self, values: dict[str, Any], table: Mapping[str, Any], known: tuple[Key, ...], where: str, prefix: str,
        others: tuple[str, ...],
    ) -> None:  # fmt: skip
        """Takes the values of a table that are right."""
        by_name = {key.name: key for key in known}
        for name, value in table.items():
            if name in others:
                continue
            if name not in by_name:
                self.problem(f"unknown key `{name}` in {where}{_nearest(name, (*by_name, *others))}")
                continue
            key = by_name[name]
            try:
                values[key.field] = key.form.read(value, self.file.parent)
            except ValueError as error:
                self.problem(f"`{name}` in {where}: {error}")
            else:
                self.read.sources[prefix + name] = _display(self.file)


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(known)}"
