"""Reads settings: finds the file that counts for a path, follows `extend`, and collects errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jitlint.config.settings import Key, Settings, VerifySettings, keys
from jitlint.config.value_types import path_text
from jitlint.findings.finding import FileError
from jitlint.findings.internal_errors import internal_error
from jitlint.project.files import Patterns, display_path, real_path
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.source.defects import Defects
from jitlint.source.reading import reason
from jitlint.source.toml import TomlError, read_toml

PYPROJECT = "pyproject.toml"
OWN = "jitlint.toml"

_VERIFY = "verify"
_EXTEND = "extend"
_LONGEST_CHAIN = 50


class UnreadableError(Exception):
    """A file of settings cannot be read; the message says why and what to do."""


@dataclass(slots=True)
class _Read:
    """What was read so far, from a file and those that it extends: values by field, their sources, and errors."""

    values: dict[str, Any] = field(default_factory=dict)
    verify: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)

    def settings(self) -> Settings:
        return Settings(**self.values, verify=VerifySettings(**self.verify), sources=self.sources)


class Configuration:
    """The settings of each path: those of the nearest file above it that has some.

    `errors` has what was wrong in the files that were read so far. Such a setting has its default.
    """

    def __init__(
        self,
        file: Path | None = None,
        *,
        isolated: bool = False,
        exclude: Sequence[str] | None = None,
        extend_exclude: Sequence[str] = (),
    ) -> None:
        """
        Args:
            file: the only file to read, None for the nearest ones.
            isolated: whether to read no file at all.
            exclude: patterns of files to leave out in the place of those of the settings, from the working folder.
            extend_exclude: patterns of more files to leave out.
        """
        self._exclude = exclude
        self._extend_exclude = extend_exclude
        self._only = real_path(file) if file is not None else None  # patterns count from its real folder
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
        real = real_path(path)
        return self._of(real if real.is_dir() else real.parent)

    def leaves_out(self, path: Path, is_folder: bool) -> bool:
        """Whether the settings that hold for a path's folder exclude it."""
        settings = self.of(path.parent)
        if id(settings) not in self._excluded:
            by_folder: dict[Path, list[str]] = {}
            for each in settings.exclude if self._exclude is None else ():
                by_folder.setdefault(each.folder, []).append(each.text)
            if given := [*(self._exclude or ()), *self._extend_exclude]:
                by_folder.setdefault(real_path(Path.cwd()), []).extend(given)
            self._excluded[id(settings)] = [Patterns.of(folder, lines) for folder, lines in by_folder.items()]
        return any(patterns.verdict(path, folder=is_folder) for patterns in self._excluded[id(settings)])

    @property
    def read(self) -> tuple[Path, ...]:
        """The files whose settings count so far."""
        return tuple(file for file, settings in self._of_file.items() if settings is not None)

    def _of(self, folder: Path) -> Settings:
        passed: list[Path] = []
        found: Settings | None = None
        for around in (folder, *folder.parents):
            passed.append(around)
            found = self._of_folder.get(around) or self._read(around / OWN) or self._read(around / PYPROJECT)
            if found is not None:
                break
        self._of_folder.update(dict.fromkeys(passed, found or self._default))
        return self._of_folder[folder]

    def _read(self, file: Path) -> Settings | None:
        """The settings of a file, None if it has none."""
        if file not in self._of_file:
            read = _Read()
            defects = Defects()
            known = True
            with defects.contained(_display(file), "reading settings"):
                try:
                    known = (file == self._only or file.is_file()) and _add(read, file, ())
                except UnreadableError as error:
                    read.errors.append(FileError(_display(file), str(error), BadConfiguration.code))
            self.errors += (*read.errors, *map(internal_error, defects.found))
            self._of_file[file] = read.settings() if known else None
        return self._of_file[file]


def _display(file: Path) -> str:
    return display_path(file, Path.cwd())


def _add(read: _Read, file: Path, extended: tuple[Path, ...]) -> bool:
    """Reads a file, and first those that it extends.

    Args:
        read: takes what they say.
        file: the file.
        extended: the files that extend it, so that a circle is seen.

    Returns:
        Whether the file has settings of jitlint.

    Raises:
        UnreadableError: it cannot be read.
    """
    try:
        table: Any = read_toml(file)
    except OSError as error:
        raise UnreadableError(f"cannot read the file: {reason(error)}") from error
    except TomlError as error:
        raise UnreadableError(f"is not valid TOML: {error}; correct the file") from error
    if file.name == PYPROJECT:
        tools = table.get("tool", {})
        if not isinstance(tools, dict):
            raise UnreadableError("is not valid TOML: `tool` must be a table; correct the file")
        table = tools.get("jitlint")
    if table is None:
        return False
    where = "[tool.jitlint]" if file.name == PYPROJECT else "the file"
    settings = _File(read, file)
    if not isinstance(table, dict):
        settings.problem(f"{where} must be a table")
        return True
    if _EXTEND in table:
        _extend(settings, table[_EXTEND], (*extended, real_path(file)))
    settings.take(read.values, table, tuple(keys(Settings)), where, "", (_EXTEND, _VERIFY))
    verify = table.get(_VERIFY, {})
    where = "[tool.jitlint.verify]" if file.name == PYPROJECT else "[verify]"
    if isinstance(verify, dict):
        settings.take(read.verify, verify, tuple(keys(VerifySettings)), where, f"{_VERIFY}.", ())
    else:
        settings.problem(f"{where} must be a table")
    return True


def _extend(settings: _File, value: object, extended: tuple[Path, ...]) -> None:
    """Reads the file that `extend` names."""
    try:
        other = real_path(settings.file.parent / path_text(value, "../jitlint.toml"))
    except ValueError as error:
        settings.problem(f"`extend` {error}")
        return
    if len(extended) > _LONGEST_CHAIN:
        settings.problem(f"`extend`: more than {_LONGEST_CHAIN} files extend one another; leave out some")
        return
    if other in extended:
        settings.problem(f"`extend`: {_display(other)} extends this file in turn; leave out one of the two")
        return
    try:
        if not _add(settings.read, other, extended):
            settings.problem(f"`extend`: {_display(other)} has no [tool.jitlint] table")
    except UnreadableError as error:
        settings.problem(f"`extend`: {_display(other)} {error}")


@dataclass(frozen=True, slots=True)
class _File:
    """One file of settings, and where its settings go."""

    read: _Read
    file: Path

    def problem(self, message: str) -> None:
        self.read.errors.append(FileError(_display(self.file), message, BadConfiguration.code))

    def take(
        self,
        values: dict[str, Any],
        table: Mapping[str, Any],
        known: tuple[Key, ...],
        where: str,
        prefix: str,
        others: tuple[str, ...],
    ) -> None:
        """Reads the values of a table; the wrong ones become errors.

        Args:
            values: takes the values that are right, by field.
            table: what the file has.
            known: the settings that there are.
            where: the table's name in messages.
            prefix: goes before the settings' names in `Settings.sources`.
            others: keys that are not settings.
        """
        by_name = {key.name: key for key in known}
        for name, value in table.items():
            if name in others:
                continue
            if name not in by_name:
                self.problem(f"unknown key `{name}` in {where}{_nearest(name, (*by_name, *others))}")
                continue
            key = by_name[name]
            try:
                values[key.field] = key.value_type.read(value, self.file.parent)
            except ValueError as error:
                self.problem(f"`{name}` in {where}: {error}")
            else:
                self.read.sources[prefix + name] = _display(self.file)


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(known)}"
