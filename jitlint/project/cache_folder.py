"""A folder of cached files. jitlint writes only to one of its own making, and removes only what has names of its own.

Each file begins with a checksum of its name and its content: what is cut, changed or another file's counts as absent.

A project may come with anything under the name of the cache: a link to somewhere else, a folder that serves another
purpose, pipes among its files.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from jitlint.project.temporary import is_abandoned
from jitlint.source.reading import RECORDS_BYTES, read_file

FOLDER = ".jitlint_cache"
"""The name of a project's cache folder, which lies next to its settings."""

_TAG = "CACHEDIR.TAG"
_TAGGED = b"""Signature: 8a477f597d28d172789f06886806bc55
# jitlint made this folder, and removes old files from it. See https://bford.info/cachedir/
"""
_CHECKSUM = 16
_UNFINISHED = re.compile(r"\.([0-9]{1,9})-\w+\.new")
"""A file that a process, whose number it names, is writing."""


class ForeignFolderError(OSError):
    """A folder that somebody else made lies where the cache should be."""


class DamagedError(OSError):
    """A cached file is not as it was written."""


class CacheFolder:
    """The files in one folder. Several processes may use it at once."""

    def __init__(self, path: Path, names: re.Pattern[str], most: int) -> None:
        """
        Args:
            path: the folder; it is made when something is written.
            names: what the files are called.
            most: the number of files above which `prune` removes the oldest.
        """
        self.path = path
        self._names = names
        self._most = most

    @functools.cached_property
    def is_own(self) -> bool:
        """Whether jitlint made the folder, or can make it since nothing is there.

        It and the folder around it are no links: such a link comes from whoever made the project, and leads anywhere.
        """
        try:
            if self.path.is_symlink() or self.path.parent.is_symlink():
                return False
            with os.scandir(self.path) as entries:
                # Another run may be making it: its tag comes later than the folder, perhaps between these two looks.
                return (self.path / _TAG).is_file() or all(map(self._is_written_by_us, entries))
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def read(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            OSError: there is no such file, or it cannot be read, or it is damaged.
        """
        if not self.is_own:
            raise ForeignFolderError
        data = read_file(self.path / name, RECORDS_BYTES)
        content = data[_CHECKSUM:]
        if data[:_CHECKSUM] != _checksum(name, content):
            raise DamagedError(name)
        return content

    def has(self, name: str) -> bool:
        """Whether there is a file of a name (it may turn out to be damaged)."""
        return self.is_own and (self.path / name).is_file()

    def write(self, name: str, data: bytes) -> None:
        """Writes a file.

        Raises:
            OSError: the folder is not jitlint's, or it cannot be written.
        """
        if not self.is_own:
            raise ForeignFolderError
        if not (self.path / _TAG).is_file():
            self._make()
        write_whole(self.path / name, _checksum(name, data) + data)

    def _make(self) -> None:
        """Makes the folder, with a .gitignore above it that keeps it out of the user's repository."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / _TAG, _TAGGED)
        ignored = self.path.parent / ".gitignore"
        if self.path.parent.name == FOLDER and not ignored.exists():
            write_whole(ignored, b"*\n")

    def prune(self, *, oldest: bool = True) -> None:
        """Removes the unfinished files of runs that were killed, and the oldest files where there are too many.

        Args:
            oldest: whether there may be too many.

        Raises:
            OSError: the folder cannot be read.
        """
        if not self.is_own:
            return
        files = list(self.path.iterdir())
        for file in files:
            unfinished = _UNFINISHED.fullmatch(file.name)
            if unfinished and is_abandoned(int(unfinished[1]), file):
                _remove(file)
        finished = [file for file in files if self._names.fullmatch(file.name)] if oldest else []
        if len(finished) > self._most:
            finished.sort(key=lambda file: file.lstat().st_mtime)
            for file in finished[: len(finished) - self._most]:
                _remove(file)

    def _is_written_by_us(self, entry: os.DirEntry[str]) -> bool:
        return self._is_named_by_us(entry) or (entry.name == _TAG and entry.is_file())

    def _is_named_by_us(self, entry: os.DirEntry[str]) -> bool:
        return bool(self._names.fullmatch(entry.name) or _UNFINISHED.fullmatch(entry.name))


def _checksum(name: str, data: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + b"\0" + data, digest_size=_CHECKSUM).digest()


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):  # another run was faster, or it is a folder
        file.unlink()


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file whole or not at all; it keeps its permissions. A link is replaced, not followed.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{os.getpid()}-", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if file.is_file() and not file.is_symlink():
            shutil.copymode(file, temporary)
        Path(temporary).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
