"""The file of recorded signatures: a JSON document to which several processes may add at the same time.

`{"version": 1, "functions": {"module:qualname": {"file": …, "line": …, "signatures": [{…}, …]}}}`

`recording` says what a signature holds, `forms` how values are written. Where traces were counted, an entry says how
often the function was last `traced` and `compiled`, and the reasons for all traces but the first (`misses`). Files are
relative to the folder that holds the cache.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

FILE = Path(".jitlint_cache", "signatures.json")
VERSION = 1
LIMIT = 8
"""The most signatures of one function; the newest stay."""

Functions = dict[str, dict[str, Any]]


class StoreError(Exception):
    """The file cannot be used; the message says why and what to do."""


Reader = Callable[[Path], bytes]
"""Returns a file's content, or raises OSError."""


def read(file: Path, content: Reader = Path.read_bytes) -> Functions:
    """The recorded functions, none if there is no file.

    Args:
        file: the file.
        content: reads it. jitlint itself passes a reader that trusts no file, which a recorded program does not have.

    Raises:
        StoreError: it cannot be read, or is no record of signatures.
    """
    try:
        document = json.loads(content(file))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise StoreError(f"cannot read the recorded signatures: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"is no record of signatures ({error}); delete it and record again") from error
    if not isinstance(document, dict) or "version" not in document or not _is_right(document.get("functions")):
        raise StoreError("is no record of signatures; delete it, or write to another file with --output")
    if document["version"] != VERSION:
        raise StoreError(f"was recorded in format {document['version']!r}, not {VERSION}; delete it and record again")
    return dict(document["functions"])


def merge(file: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Adds signatures to the file; above `LIMIT` of one function, the oldest go.

    Raises:
        StoreError: what is there is no record of signatures.
        OSError: the file cannot be written.
    """
    _make_folder(file.parent)
    with _alone(file):
        functions = read(file)
        for name, entry in found.items():
            old = functions.get(name, {}).get("signatures", [])
            others = [signature for signature in old if signature not in entry["signatures"]]
            functions[name] = {**entry, "signatures": [*others, *entry["signatures"]][-LIMIT:]}
        _write(file, {"version": VERSION, "functions": dict(sorted(functions.items()))})


def count(file: Path, counts: Mapping[tuple[str, int], Mapping[str, Any]]) -> None:
    """Adds to recorded functions, found by file and line, how often they were traced.

    Raises:
        StoreError: what is there is no record of signatures.
        OSError: the file cannot be written.
    """
    if not counts:
        return
    _make_folder(file.parent)
    with _alone(file):
        functions = read(file)
        for entry in functions.values():
            entry.update(counts.get((entry["file"], entry["line"]), {}))
        _write(file, {"version": VERSION, "functions": functions})


def _is_right(functions: object) -> bool:
    return isinstance(functions, dict) and all(
        isinstance(entry, dict)
        and isinstance(entry.get("file"), str)
        and isinstance(entry.get("signatures"), list)
        and all(isinstance(one, dict) and isinstance(one.get("arguments"), dict) for one in entry["signatures"])
        for entry in functions.values()
    )


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if folder.name == FILE.parent.name:
            (folder / ".gitignore").write_text("*\n")


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Keeps other processes from writing the file within the block, on systems with file locks."""
    try:
        import fcntl  # not on every system
    except ImportError:
        yield
        return
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write(file: Path, document: object) -> None:
    """Writes the whole document or nothing."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(document, indent=1), "utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
