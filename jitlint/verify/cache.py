"""Caches observations from run to run, as long as their inputs have not changed.

An entry is found by a job's probes and texts, jitlint's own code, the interpreter with everything installed there, the
environment variables and the options. It lists the other files and folders that the job's code looked at, and is valid
while they stay as they were. Only what another run would repeat is stored, also that a limit was reached. If the cache
cannot be read or written, verifying goes on without it.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import importlib.util
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from jitlint.project.cache_folder import CacheFolder
from jitlint.source.reading import DOCUMENT_BYTES, read_file
from jitlint.verify import pool, protocol
from jitlint.verify.observing import Seen, observe
from jitlint.verify.options import VerifyOptions
from jitlint.verify.plan import Job
from jitlint.verify.pool import Worker
from jitlint.verify.sandbox.confinement import AskError, NoSandboxError
from jitlint.verify.verdicts import Reason

_NAMES = re.compile(r"observed-[0-9a-f]{64}")
_MOST = 4096
"""The most entries that the cache holds."""

_ASK = """
import json, os, sys, sysconfig
library = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
library |= {entry for entry in sys.path if os.path.basename(entry) in ("site-packages", "dist-packages")}
print(json.dumps([sys.version, sorted(library), sys.path[1:]]))
"""


@dataclass(frozen=True)
class _Interpreter:
    """An interpreter: `identity` differs from all others', `library` are the folders of installed code and ours."""

    identity: str
    library: tuple[str, ...]


class Cache:
    """The cache of one run; usable from several threads, and from several runs at once.

    Without a folder in the options it stores nothing.
    """

    def __init__(self, options: VerifyOptions) -> None:
        self._options = options
        self._began = time.time_ns()
        self._lock = threading.Lock()
        self._digests: dict[str, str | None] = {}

    def observe(self, job: Job, worker: Worker, options: VerifyOptions, progress: Callable[[int], None]) -> Seen:
        """Observes a job like `observing.observe`, but for the probes that the cache knows."""
        known = self.recall(job)
        through = known.observations.keys() | known.unseen.keys()
        if through:
            progress(len(through))
        rest = job.only({probe.id for probe in job.probes} - through)
        if not rest.probes:
            return known
        seen = observe(rest, worker, options, progress)
        seen.observations |= known.observations
        seen.unseen |= known.unseen
        seen.paths |= known.paths
        self.keep(job, seen)
        return seen

    def recall(self, job: Job) -> Seen:
        """The cached observations of a job's probes that are still valid."""
        if (file := self._file(job)) is None:
            return Seen()
        try:
            entry = json.loads(_folder(file).read(file.name))
            if any(digest is None or self._digest(path) != digest for path, digest in entry["paths"].items()):
                return Seen()
            ids = [probe.id for probe in job.probes]
            known = Seen(paths=set(entry["paths"]), jax=str(entry["jax"]))
            for position, item in entry["observations"].items():
                seen = protocol.observation({**item, "probe": ids[int(position)]})
                if seen.lasting:
                    known.observations[seen.probe] = seen
            for position, reason in entry["ran_out"].items():
                known.unseen[ids[int(position)]] = (Reason(reason), {})
            os.utime(file, follow_symlinks=False)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, protocol.ProtocolError):
            return Seen()
        return known

    def keep(self, job: Job, seen: Seen) -> None:
        """Stores the observations of a job that another run would repeat."""
        file, interpreter = self._file(job), self._interpreter
        lasting = {probe: one for probe, one in seen.observations.items() if one.lasting}
        if file is None or interpreter is None or not (lasting or seen.ran_out):
            return
        sources = {_source(path) for path in seen.paths}
        paths = sorted(path for path in sources if not _is_installed(path, interpreter.library, job.paths))
        if any(_changed_since(path, self._began) for path in paths):
            return
        digests = {path: self._digest(path) for path in paths}
        if None in digests.values():
            return
        positions = {probe.id: str(at) for at, probe in enumerate(job.probes)}
        entry = {
            "jax": seen.jax,
            "paths": digests,
            "ran_out": {positions[probe]: reason for probe, reason in seen.ran_out.items()},
            "observations": {positions[probe]: asdict(one) for probe, one in lasting.items()},
        }
        with contextlib.suppress(OSError, ValueError, TypeError):  # the folder may be read-only, or full
            _folder(file).write(file.name, json.dumps(entry).encode())
            _folder(file).prune()

    def _file(self, job: Job) -> Path | None:
        """The file of a job's entry; None if no other run can use what this run sees."""
        chosen = self._options.devices
        present = any(not device.described and device.platform != "cpu" for device in chosen)
        folder = self._options.cache
        if folder is None or present or self._options.dump is not None or self._interpreter is None:
            return None
        numbered = tuple(replace(probe, id=at) for at, probe in enumerate(job.probes))
        message = replace(job, probes=numbered).request(self._options).message()
        environment = pool.environment(self._options, "")
        parts = [_own_digest(), self._interpreter.identity, environment, message, self._options.module_timeout]
        name = _hash(json.dumps(parts, sort_keys=True).encode(errors="surrogatepass"))
        return folder / "observations" / f"observed-{name}"

    @functools.cached_property
    def _interpreter(self) -> _Interpreter | None:
        """The interpreter that verifies, identified also by its distributions' names; None if it does not run."""
        python, options = self._options.python, self._options
        try:
            said = options.confinement.ask(python, _ASK, pool.environment(options, ""))
            version, library, path = json.loads(said)
            library, path = tuple(map(str, library)), tuple(map(str, path))
        except (AskError, NoSandboxError, OSError, ValueError, TypeError, RecursionError):
            return None
        installed = [[entry, list(_distributions(Path(entry)))] for entry in path]
        identity = [os.path.abspath(python), version, installed]
        return _Interpreter(_hash(json.dumps(identity).encode()), (*library, str(Path(__file__).parent)))

    def _digest(self, path: str) -> str | None:
        with self._lock:
            if path in self._digests:
                return self._digests[path]
        digest = _digest(Path(path))
        with self._lock:
            self._digests[path] = digest
        return digest


def _folder(file: Path) -> CacheFolder:
    return CacheFolder(file.parent, _NAMES, _MOST)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@functools.cache
def _own_digest() -> str:
    """A digest of jitlint's own code that plans, runs and judges."""
    home = Path(__file__).parent
    files = sorted(file for file in home.rglob("*") if file.suffix in (".py", ".toml", ".txtpb"))
    return _hash(b"\0".join(str(file.relative_to(home)).encode() + b"\0" + file.read_bytes() for file in files))


def _digest(path: Path) -> str | None:
    """A digest of a file's content or of the visible names in a folder; "" if nothing is there.

    None if it has no content that can be compared: code may look at pipes, devices and files of any size.
    """
    try:
        if path.is_dir():
            names = sorted(one.name for one in path.iterdir() if one.name[0] != "." and one.name != "__pycache__")
            return _hash("\0".join(names).encode(errors="surrogateescape"))
        return _hash(read_file(path, DOCUMENT_BYTES))
    except OSError as error:
        return None if error.errno in (errno.EINVAL, errno.EFBIG) else ""


def _source(path: str) -> str:
    """The source file of a compiled one; other files themselves."""
    try:
        return importlib.util.source_from_cache(path) if path.endswith(".pyc") else path
    except ValueError:
        return path


def _changed_since(path: str, moment: int) -> bool:
    """Whether a file was written after a moment (in nanoseconds), so that its content may differ from what was read."""
    try:
        status = Path(path).stat()
    except OSError:
        return False
    return Path(path).is_file() and status.st_mtime_ns > moment


def _distributions(folder: Path) -> Iterable[list[Any]]:
    """The distributions in a folder, by name and version, with their times."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.suffix in (".dist-info", ".egg-info", ".egg-link", ".pth"):
            with contextlib.suppress(OSError):
                yield [entry.name, entry.stat().st_mtime_ns]


def _is_installed(path: str, library: Iterable[str], project: Iterable[str]) -> bool:
    """Whether a file belongs to an installed distribution, and not to the project (which may be installed too)."""

    def depth(folders: Iterable[str]) -> int:
        return max((len(folder) for folder in folders if path == folder or path.startswith(folder + os.sep)), default=0)

    return depth(library) > depth(project)
