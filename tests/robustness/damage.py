"""Damages a cache between two runs, as disks, synchronizing programs, other tools and hostile projects do."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

_ENTRIES = ("unit-*", "tree-*", "outline-*", "run-*", "observed-*")
"""What jitlint calls the entries of its caches."""
_MOST_BYTES = 1 << 30


class Scene:
    """A project's cache, and files within it and elsewhere that jitlint may neither change nor remove.

    Args:
        cache: the cache folder.
        outside: a new folder elsewhere, to which links lead.
        chance: decides what is damaged.
    """

    def __init__(self, cache: Path, outside: Path, chance: random.Random) -> None:
        self.cache, outside = cache.parent.resolve() / cache.name, outside.resolve()
        self._outside, self._chance = outside, chance
        self._foreign: dict[Path, bytes] = {}
        self._damaged: dict[Path, tuple[int, ...]] = {}
        outside.mkdir()
        self._leave(outside / "file")

    def entries(self) -> Iterator[Path]:
        """The entries of the cache but for those that are as `damage` left them."""
        for path in self._there():
            if self._damaged.get(path) != _identity(path):
                yield path

    def damage(self) -> list[str]:
        """Damages some entries, and at times a whole folder.

        Returns:
            what was done, in words.
        """
        done = []
        of_entries = (
            self.cut, self.flipped, self.exchanged, self.removed, self.endless, self.a_folder, self.a_pipe,
            self.a_link_to_an_entry, self.a_link_outside, self.a_link_to_itself, self.forbidden, self.aged,
        )  # fmt: skip
        for path in self._some(self._there(), 1, 12):
            change = self._chance.choice(of_entries)
            change(path)
            self._damaged[path] = _identity(path)
            done.append(f"{path.name[:16]} {change.__name__}")
        of_folders = (
            self.with_foreign_files, self.with_foreign_files, self.without_its_tag, self.linked_outside,
            self.exchanged_for_another, self.a_file, self.a_pipe, self.removed,
        )  # fmt: skip
        # What lies behind a link is not the cache's any more: nobody but us would change it.
        folders = (path for path in (self.cache, *self.cache.glob("*")) if path.is_dir() and path.resolve() == path)
        for path in self._some(folders, 0, 1):
            change = self._chance.choice(of_folders)
            change(path)
            done.append(f"{path.name} {change.__name__}")
        return done

    def clear(self) -> None:
        """Removes the cache, whatever lies in its place."""
        self.removed(self.cache)

    def harmed(self) -> list[Path]:
        """The files of others that are gone or changed."""
        return [path for path, data in self._foreign.items() if not path.is_file() or path.read_bytes() != data]

    def _there(self) -> Iterator[Path]:
        """The entries of the cache that are files, and not behind a link."""
        for pattern in _ENTRIES:
            for path in self.cache.glob(f"*/{pattern}"):
                if _is_plain(path) and path.resolve() == path and path not in self._foreign:
                    yield path

    def _some(self, paths: Iterable[Path], least: int, most: int) -> list[Path]:
        found = sorted(paths)
        return self._chance.sample(found, min(len(found), self._chance.randint(least, most)))

    def _leave(self, path: Path) -> None:
        """Writes a file that jitlint may neither change nor remove."""
        path.write_bytes(b"not jitlint's\n")
        self._foreign[path] = path.read_bytes()

    # What becomes of an entry: each name says what it is afterwards.

    def cut(self, path: Path) -> None:
        os.truncate(path, self._chance.randrange(path.stat().st_size or 1))

    def flipped(self, path: Path) -> None:
        data = bytearray(path.read_bytes() or b"-")
        data[self._chance.randrange(len(data))] ^= 1 << self._chance.randrange(8)
        path.write_bytes(data)

    def exchanged(self, path: Path) -> None:
        path.write_bytes(self._another(path).read_bytes())

    def endless(self, path: Path) -> None:
        os.truncate(path, _MOST_BYTES)

    def a_folder(self, path: Path) -> None:
        path.unlink()
        path.mkdir()
        self._leave(path / "file")

    def a_link_to_an_entry(self, path: Path) -> None:
        another = self._another(path)
        path.unlink()
        path.symlink_to(another)

    def a_link_outside(self, path: Path) -> None:
        path.unlink()
        path.symlink_to(self._outside / "file")

    def a_link_to_itself(self, path: Path) -> None:
        path.unlink()
        path.symlink_to(path)

    def forbidden(self, path: Path) -> None:
        path.chmod(0)

    def aged(self, path: Path) -> None:
        os.utime(path, (self._chance.choice((0, 1 << 32)),) * 2)

    # … and of a folder, or of either.

    def removed(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        for inside in [each for each in self._foreign if each.is_relative_to(path)]:
            del self._foreign[inside]

    def a_pipe(self, path: Path) -> None:
        self.removed(path)
        os.mkfifo(path)

    def a_file(self, path: Path) -> None:
        self.removed(path)
        self._leave(path)

    def with_foreign_files(self, path: Path) -> None:
        for name in ("notes.txt", f"unit-{self._chance.randrange(1 << 40):x}", ".1-notes.new.txt"):
            self._leave(path / name)

    def without_its_tag(self, path: Path) -> None:
        (path / "CACHEDIR.TAG").unlink(missing_ok=True)

    def linked_outside(self, path: Path) -> None:
        elsewhere = self._outside / f"folder{len(list(self._outside.iterdir()))}"
        shutil.copytree(path, elsewhere, ignore=_not_copied)
        for each in elsewhere.rglob("*"):
            if each.is_file():
                self._foreign[each] = each.read_bytes()
        self.removed(path)
        path.symlink_to(elsewhere)

    def exchanged_for_another(self, path: Path) -> None:
        self.removed(path)
        path.mkdir()
        self._leave(path / "file")

    def _another(self, path: Path) -> Path:
        return self._chance.choice([each for each in sorted(path.parent.iterdir()) if _is_plain(each)])


def _not_copied(folder: str, names: list[str]) -> list[str]:
    """Those of the names in a folder that are neither folders nor files that can be read."""
    paths = {name: Path(folder, name) for name in names}
    return [name for name, path in paths.items() if not (_is_plain(path) or (path.is_dir() and not path.is_symlink()))]


def _is_plain(path: Path) -> bool:
    """Whether a path is a file itself, of a size that can be read."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size < _MOST_BYTES


def _identity(path: Path) -> tuple[int, ...]:
    """Tells one version of a file from another; whatever is not there is like anything else that is not."""
    try:
        state = path.lstat()
    except OSError:
        return ()
    return state.st_ino, state.st_mtime_ns, state.st_size
