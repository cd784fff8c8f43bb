"""The files that code in the sandbox sees: the machine's, without those through which it could act or learn secrets.

The folders where programs leave sockets, pipes and temporary files are empty there. So are home directories, but for
entries whose names do not begin with a dot: people keep their work in these, and programs their keys in the others.
What the wish shows is put back. Of devices there are those that any program needs, and those that the wish names.
"""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Iterable
from pathlib import Path

from jitlint.verify.sandbox import limits, mounts
from jitlint.verify.sandbox.wish import Wish

_HIDDEN = ("/run", "/tmp", "/var")
_DEVICES, _SHARED_MEMORY, _TERMINALS = Path("/dev"), Path("/dev/shm"), Path("/dev/pts")
_NODES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
_SYSTEM = ("/run/current-system", "/run/booted-system", "/run/opengl-driver")
"""Where NixOS has its programs and libraries."""

_OF_NETWORK = ("/run/systemd/resolve",)
_OF_HOME = (
    *(".local/lib", ".local/bin", ".local/share/uv", ".local/share/mise", ".local/share/hatch", ".local/share/pipx"),
    *(".local/share/virtualenvs", ".virtualenvs", ".venv", ".venvs", ".cache/pypoetry/virtualenvs"),
    *(".pyenv", ".asdf", ".rye", ".pixi", ".conda", ".mamba", ".micromamba", ".nix-profile", ".guix-profile"),
)
"""Where pip and other tools keep interpreters and packages."""

_ROOM = f"size={limits.SCRATCH_BYTES},nr_inodes={limits.SCRATCH_FILES}"
_EMPTY = "mode=0755,size=1m,nr_inodes=20000"


def compose(wish: Wish) -> tuple[Path, ...]:
    """Makes the view, in a mount namespace of its own.

    Returns:
        What is to stay writable when all else is made read-only.

    Raises:
        OSError: the system refuses.
    """
    mounts.mount(None, "/", None, mounts.RECURSIVE | mounts.PRIVATE)
    homes = _homes()
    view = _View((*map(Path, _HIDDEN), Path(wish.temporary), *homes))
    for path in (*wish.shown, *_SYSTEM, *(_OF_NETWORK if wish.network else ())):
        view.show(Path(path))
    for home in homes:
        view.show(home)
        for name in _OF_HOME:
            view.show(home / name)
    view.make()
    _make_devices(wish.nodes)
    scratch = Path(wish.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    mounts.memory(scratch, f"mode=0700,{_ROOM}")
    return scratch, _SHARED_MEMORY


class _View:
    """Which folders are hidden, and what of them is put back."""

    def __init__(self, hidden: Iterable[Path]) -> None:
        self._hidden = {path.resolve() for path in hidden if path.is_dir()} - {Path("/")}
        self._shown: dict[Path, int] = {}
        self._links: dict[Path, Path] = {}

    def show(self, path: Path) -> None:
        """Puts a path back: the links on its way, and what they lead to; a hidden folder without its dot files."""
        path = Path(os.path.abspath(path))
        if not _exists(path):
            return
        for here in (*reversed(path.parents), path):
            if here.is_symlink():
                if self._is_hidden(here):
                    self._links[here] = here.readlink()
                self.show(here.parent / here.readlink() / path.relative_to(here))
                return
        if path in self._hidden:
            for each in path.iterdir():
                if not each.name.startswith("."):
                    self.show(each)
        elif self._is_hidden(path) and path not in self._shown:
            with contextlib.suppress(OSError):  # what cannot be opened cannot be shown
                self._shown[path] = os.open(path, os.O_PATH)

    def make(self) -> None:
        """Hides folders and puts things back, from the root of the file system downward.

        Raises:
            OSError: the system refuses.
        """
        for path in sorted({*self._hidden, *self._shown, *self._links}):
            if path in self._hidden:
                if path.is_dir():
                    mounts.memory(path, _EMPTY)
                continue
            if os.path.lexists(path):  # within something that was put back
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if path in self._links:
                path.symlink_to(self._links[path])
            else:
                _bind(self._shown[path], path)
        for handle in self._shown.values():
            os.close(handle)

    def _is_hidden(self, path: Path) -> bool:
        return not self._hidden.isdisjoint(path.parents)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # such as a folder that may not be entered, or a file system whose server is gone
        return False


def _homes() -> set[Path]:
    homes = {Path.home()}
    with contextlib.suppress(KeyError):  # a user whom the system does not know
        homes.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return homes


def _make_devices(patterns: Iterable[str]) -> None:
    found = (path for name in (*_NODES, *patterns) for path in _DEVICES.glob(name))
    handles = {path: os.open(path, os.O_PATH) for path in found}
    mounts.mount("tmpfs", _DEVICES, "tmpfs", mounts.NO_SETUID, _EMPTY)
    for path, handle in handles.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        _bind(handle, path)
        os.close(handle)
    for name, target in _LINKS.items():
        (_DEVICES / name).symlink_to(target)
    _SHARED_MEMORY.mkdir()
    mounts.memory(_SHARED_MEMORY, f"mode=1777,{_ROOM}")
    _TERMINALS.mkdir()
    mounts.mount("devpts", _TERMINALS, "devpts", mounts.NO_SETUID | mounts.NO_PROGRAMS, "newinstance,ptmxmode=0666")


def _bind(handle: int, target: Path) -> None:
    """Mounts an open file or folder at a new place."""
    source = Path(f"/proc/self/fd/{handle}")
    if source.is_dir():
        target.mkdir()
    else:
        target.touch()
    mounts.mount(str(source), target, None, mounts.BIND | mounts.RECURSIVE)
