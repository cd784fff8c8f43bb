"""A folder of results that later runs reuse. Each is filed under a digest of the content that it was computed from.

A value is written whole or not at all, with a checksum. A file that is damaged, unreadable or not jitlint's counts as
absent, and where the folder cannot be written nothing is cached. Reading creates only jitlint's own records, so that a
cache folder from somebody else cannot run code.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import pickle
import re
import shutil
import sys
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from jitlint.project.cache_folder import FOLDER, CacheFolder
from jitlint.project.files import has_settings, project_folder
from jitlint.project.temporary import make_folder

_NAMES = re.compile(r"(outline|run|tree|unit)-[0-9a-f]{32}")
_MOST = 20_000
"""The number of values above which the oldest are removed."""

_PLAIN = frozenset({"Ellipsis", "complex", "range", "slice"})
_WITH_RECORDS = ("analysis", "events", "findings", "fixes", "ir", "pipeline", "project", "rules", "source")
"""The parts of jitlint whose records are cached."""
_PACKAGE = Path(__file__).parents[1]
_DATA = _PACKAGE / "models" / "data"
_RECORDS: dict[tuple[str, str], Any] = {}
"""The classes looked up so far: a cached tree is many pickles, one for each function's body."""


def cache_folder(start: Path) -> Path:
    """The cache folder of the project at a path: next to its settings, else in the user's cache folder."""
    import platformdirs  # start-up time: runs without a cache do not need it

    project = project_folder(start)
    if has_settings(project):
        return project / FOLDER
    return platformdirs.user_cache_path("jitlint", appauthor=False)


def digest(*parts: object) -> str:
    """A name for content: equal for equal parts, and different for different ones."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = b"s" + part.encode("utf-8", "surrogatepass") if isinstance(part, str) else b"r" + repr(part).encode()
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


@functools.cache
def tool() -> str:
    """A digest of this Python's version and of jitlint's own files: no other jitlint reuses the results of this one.

    When a folder of jitlint's came to this machine is a part of it. Nobody elsewhere knows that, so that nobody can put
    results for this jitlint into a project. (Files would not do: package managers link them again and again.)
    """
    installed = _DATA.stat()
    states: list[object] = [(installed.st_ino, installed.st_ctime_ns)]
    for file in sorted(_PACKAGE.rglob("*.*")):
        if file.parent.name != "__pycache__":  # there, other processes make and rename files
            state = file.stat()
            states.append((str(file.relative_to(_PACKAGE)), state.st_size, state.st_mtime_ns))
    return digest(sys.version, states)


class Cache:
    """The values in one folder; without a folder nothing is cached. Several processes may use a folder at once."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = _folder(folder) if folder is not None else None
        self._added = False
        self._shared: Path | None = None

    def get(self, name: str) -> Any:
        """The value under a name; None if there is none, or if its file is damaged."""
        if self._folder is None:
            return None
        try:
            return unpack(self._folder.read(name))
        except Exception:  # noqa: BLE001 - a value that cannot be read, for whatever reason, is absent
            return None

    def has(self, name: str) -> bool:
        """Whether there is a value under a name (it may turn out to be damaged)."""
        return self._folder is not None and self._folder.has(name)

    def put(self, name: str, value: object) -> None:
        """Stores a value under a name, if the folder can be written and the value does not nest too deep."""
        if self._folder is None:
            return
        try:
            data = pack(value)
        except RecursionError:
            return  # nested too deep
        try:
            self._folder.write(name, data)
            self._added = True
        except OSError:
            self._folder = None  # it cannot be written, or is full

    def share(self) -> None:
        """Without a folder, uses a temporary one until `end_sharing`, through which processes of a run share values."""
        if self._folder is None:
            with contextlib.suppress(OSError):  # then what other processes compute is lost
                self._shared = Path(make_folder())
                self._folder = _folder(self._shared)

    def end_sharing(self) -> None:
        """Removes the temporary folder of `share`, if there is one."""
        if self._shared is not None:
            shutil.rmtree(self._shared, ignore_errors=True)
            self._folder = self._shared = None

    def prune(self) -> None:
        """Removes what killed runs left unfinished, and the oldest values if this run added to too many."""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                self._folder.prune(oldest=self._added)


def _folder(path: Path) -> CacheFolder | None:
    """A folder of values; None where somebody else's lies."""
    folder = CacheFolder(path, _NAMES, _MOST)
    return folder if folder.is_own else None


def pack(value: object) -> bytes:
    """A value as bytes.

    Raises:
        RecursionError: it nests too deep.
    """
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Any:
    """The value that `pack` made bytes of. No code runs, whatever the bytes are.

    Raises:
        Exception: the bytes are not from `pack`, or name a class that is not a record of jitlint's.
    """
    return _Reader(io.BytesIO(data)).load()


def is_record(value: object) -> bool:
    """Whether a value is a class that holds data, and whose construction does nothing else."""
    if not isinstance(value, type):
        return False
    return issubclass(value, Enum) or is_dataclass(value) or (issubclass(value, tuple) and hasattr(value, "_fields"))


class _Reader(pickle.Unpickler):
    """Unpickles jitlint's own records and plain values; every other class is an error, for it might run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _RECORDS:
            _RECORDS[module, name] = self._record(module, name)
        return _RECORDS[module, name]

    def _record(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _PLAIN:
            return super().find_class(module, name)
        package, _, rest = module.partition(".")
        if package == "jitlint" and rest.partition(".")[0] in _WITH_RECORDS:
            found = super().find_class(module, name)
            if is_record(found) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")
