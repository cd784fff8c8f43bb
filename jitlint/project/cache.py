"""Results kept from run to run, by the content that they were computed from.

A value is stored whole or not at all, with a checksum; what cannot be read, is damaged or comes from elsewhere is as
good as absent, and a folder that cannot be written keeps nothing. Reading makes no objects but jitlint's own records:
no code comes with a folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import pickle
import shutil
import sys
import tempfile
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from jitlint.project.files import has_settings, project_folder

FOLDER = ".jitlint_cache"
"""Where a project's cache lies, next to its settings."""

_MOST = 20_000
"""So many values are kept at most."""

_CHECKSUM = 16
_NEW = ".new"
_SHARED = "jitlint-shared-"
_PLAIN = frozenset({"Ellipsis", "complex", "frozenset", "range", "set", "slice"})
_PACKAGE = Path(__file__).parents[1]
_RECORDS: dict[tuple[str, str], Any] = {}
"""The classes that were read before: a kept tree consists of many values, one for each body."""


def cache_folder(start: Path) -> Path:
    """Where the cache of the project at a path lies: next to its settings, else in the user's cache folder."""
    import platformdirs

    project = project_folder(start)
    if has_settings(project):
        return project / FOLDER
    return platformdirs.user_cache_path("jitlint", appauthor=False)


def digest(*parts: object) -> str:
    """A name for content: equal for equal parts only."""
    found = hashlib.blake2b(digest_size=_CHECKSUM)
    for part in parts:
        data = b"s" + part.encode("utf-8", "surrogatepass") if isinstance(part, str) else b"r" + repr(part).encode()
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


@functools.cache
def tool() -> str:
    """What the results of this very jitlint, on this Python, are told by."""
    told = []
    for file in sorted(_PACKAGE.rglob("*.*")):
        if file.suffix != ".pyc":
            state = file.stat()
            told.append((str(file.relative_to(_PACKAGE)), state.st_size, state.st_mtime_ns))
    return digest(sys.version, told)


class Cache:
    """The values in one folder. Without a folder nothing is kept. Usable from several processes at once."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._added = False
        self._shared: Path | None = None

    def get(self, name: str) -> Any:
        """The value that was kept under a name; None if there is none that can be trusted."""
        if self._folder is None:
            return None
        try:
            data = (self._folder / name).read_bytes()
            if data[:_CHECKSUM] != _checksum(name, data[_CHECKSUM:]):
                return None
            return unpack(data[_CHECKSUM:])
        except Exception:  # noqa: BLE001 - whatever reading says, there is nothing to be had
            return None

    def has(self, name: str) -> bool:
        """Whether something was kept under a name."""
        return self._folder is not None and (self._folder / name).is_file()

    def put(self, name: str, value: object) -> None:
        """Keeps a value under a name, if that can be done."""
        if self._folder is None:
            return
        try:
            data = pack(value)
        except RecursionError:
            return  # nested too deep
        try:
            make(self._folder)
            self._added = True
            write_whole(self._folder / name, _checksum(name, data) + data)
        except OSError:
            self._folder = None  # it cannot be written, or is full

    def share(self) -> None:
        """Keeps values at least until `end_sharing`, so that other processes of the run find them."""
        if self._folder is None:
            with contextlib.suppress(OSError):  # then other processes work in vain
                _remove_left_over()
                self._folder = self._shared = Path(tempfile.mkdtemp(prefix=f"{_SHARED}{os.getpid()}-"))

    def end_sharing(self) -> None:
        """Removes what was kept for this run only."""
        if self._shared is not None:
            shutil.rmtree(self._shared, ignore_errors=True)
            self._folder = self._shared = None

    def prune(self) -> None:
        """Removes the oldest values beyond what is kept at most, if some were added."""
        if self._folder is not None and self._added:
            with contextlib.suppress(OSError, ValueError):
                prune(self._folder, _MOST)


def _remove_left_over() -> None:
    """Removes what runs shared that were killed."""
    import psutil

    for folder in Path(tempfile.gettempdir()).glob(f"{_SHARED}*-*"):
        writer = folder.name.removeprefix(_SHARED).partition("-")[0]
        if writer.isdecimal() and not psutil.pid_exists(int(writer)):
            shutil.rmtree(folder, ignore_errors=True)


def _checksum(name: str, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM, key=name.encode()[:64]).digest()


def pack(value: object) -> bytes:
    """A value as bytes.

    Raises:
        RecursionError: it nests too deep.
    """
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Any:
    """The value of such bytes. Whatever they are, no code runs.

    Raises:
        Exception: they are none, or hold something that is not jitlint's own record.
    """
    return _Reader(io.BytesIO(data)).load()


class _Reader(pickle.Unpickler):
    """Reads jitlint's own records, and nothing that could do something."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _RECORDS:
            _RECORDS[module, name] = self._record(module, name)
        return _RECORDS[module, name]

    def _record(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _PLAIN:
            return super().find_class(module, name)
        if module.startswith("jitlint."):
            found = super().find_class(module, name)
            record = isinstance(found, type) and (issubclass(found, tuple | Enum) or is_dataclass(found))
            if record and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def make(folder: Path) -> None:
    """Makes a folder of a cache; what is in it is no part of the user's repository.

    Raises:
        OSError: it cannot be made.
    """
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    ignored = folder.parent / ".gitignore"
    if folder.parent.name == FOLDER and not ignored.exists():
        write_whole(ignored, b"*\n")


def write_whole(file: Path, data: bytes) -> None:
    """Writes the whole or nothing.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{os.getpid()}-", suffix=_NEW)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def prune(folder: Path, most: int) -> None:
    """Removes the files that were not written for longest, but for so many, and what killed runs had begun to write.

    Raises:
        OSError: the folder cannot be read.
    """
    unfinished: list[os.DirEntry[str]] = []
    kept: list[os.DirEntry[str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            (unfinished if entry.name.endswith(_NEW) else kept).append(entry)
    if unfinished:
        import psutil

        for entry in unfinished:
            if not psutil.pid_exists(int(entry.name[1:].partition("-")[0])):
                Path(entry).unlink(missing_ok=True)
    if len(kept) > most:
        kept.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in kept[: len(kept) - most]:
            Path(entry).unlink(missing_ok=True)
