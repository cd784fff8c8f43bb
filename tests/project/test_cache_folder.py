"""A cache lies in a folder of jitlint's own making, whatever a project brings under its name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jitlint.pipeline import find, read
from jitlint.project.cache import Cache
from jitlint.project.cache_folder import CacheFolder

NAMES = re.compile(r"value-[0-9]+")
FOREIGN = ("notes.txt", "value", "value-1.txt", "xvalue-1", ".1-x.newer", "run-0")


def a_folder(path: Path, most: int = 1) -> CacheFolder:
    return CacheFolder(path, NAMES, most)


def test_what_is_written_is_read_and_the_oldest_go(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "cache")
    for age, name in enumerate(("value-1", "value-2", "value-3")):
        folder.write(name, name.encode())
        os.utime(tmp_path / "cache" / name, (age, age))
    folder.prune()
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["CACHEDIR.TAG", "value-3"]
    assert folder.read("value-3") == b"value-3" and folder.has("value-3") and not folder.has("value-1")


@pytest.mark.parametrize("linked", ["folder", "folder around it"])
def test_a_link_is_not_followed(tmp_path: Path, linked: str) -> None:
    """A run writes nothing where it leads, and removes nothing there."""
    outside = tmp_path / "outside"
    there = outside if linked == "folder" else outside / "analysis"
    there.mkdir(parents=True)
    for number in range(5):
        (there / f"value-{number}").touch()
    inside = tmp_path / "project" / ".jitlint_cache"
    inside.parent.mkdir()
    if linked == "folder":
        inside.mkdir()
        (inside / "analysis").symlink_to(outside)
    else:
        inside.symlink_to(outside)
    folder = a_folder(inside / "analysis")
    with pytest.raises(OSError):
        folder.write("value-9", b"")
    with pytest.raises(OSError):
        folder.read("value-1")
    folder.prune()
    assert not folder.has("value-1")
    assert sorted(path.name for path in there.iterdir()) == [f"value-{number}" for number in range(5)]


def test_a_run_leaves_what_a_link_leads_to_as_it_was(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "step.py").write_text("import jax\n\n@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2\n")
    (tmp_path / ".jitlint_cache").mkdir()
    (tmp_path / ".jitlint_cache" / "analysis").symlink_to(outside)
    found = find(read([str(tmp_path)]).files, cache=tmp_path / ".jitlint_cache" / "analysis")
    assert [finding.code for finding in found.findings] == ["JIT104"]
    assert not list(outside.iterdir())


def test_a_link_to_nowhere_is_no_free_place(tmp_path: Path) -> None:
    (tmp_path / ".jitlint_cache").mkdir()
    (tmp_path / ".jitlint_cache" / "analysis").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError):
        a_folder(tmp_path / ".jitlint_cache" / "analysis").write("value-1", b"")
    assert not (tmp_path / "outside").exists()


def test_a_folder_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    for name in (*FOREIGN, "value-1", "value-2"):
        (tmp_path / name).touch()
    folder = a_folder(tmp_path)
    with pytest.raises(OSError):
        folder.write("value-9", b"")
    folder.prune()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((*FOREIGN, "value-1", "value-2"))


def test_only_own_names_are_removed(tmp_path: Path) -> None:
    a_folder(tmp_path).write("value-1", b"")
    for name in FOREIGN:
        (tmp_path / name).touch()
    (tmp_path / "value-0").mkdir()
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "value-2").symlink_to(tmp_path / "kept")
    a_folder(tmp_path, 0).prune()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((*FOREIGN, "CACHEDIR.TAG", "kept", "value-0"))


def test_a_folder_that_has_no_tag_yet_is_own_if_all_in_it_is(tmp_path: Path) -> None:
    (tmp_path / "value-1").touch()
    (tmp_path / f".{os.getpid()}-x.new").touch()
    assert a_folder(tmp_path).is_own
    a_folder(tmp_path).write("value-2", b"")
    assert (tmp_path / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_a_folder_gets_its_tag_while_another_run_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tag comes after the first look at it, and before the folder is listed."""
    (tmp_path / "cache").mkdir()
    tag = tmp_path / "cache" / "CACHEDIR.TAG"
    real = Path.is_file

    def is_file(path: Path) -> bool:
        found = real(path)
        tag.touch()
        return found

    monkeypatch.setattr(Path, "is_file", is_file)
    assert a_folder(tmp_path / "cache").is_own


def test_what_is_no_file_is_no_value(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("run-1", 1)
    os.mkfifo(tmp_path / "run-2")
    (tmp_path / "run-3").symlink_to("/dev/zero")
    with (tmp_path / "run-4").open("wb") as sparse:
        sparse.truncate(64 << 30)
    assert [cache.get(f"run-{number}") for number in (1, 2, 3, 4)] == [1, None, None, None]


def test_a_gitignore_that_leads_elsewhere_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".jitlint_cache").mkdir()
    (tmp_path / ".jitlint_cache" / ".gitignore").symlink_to(tmp_path / "outside")
    a_folder(tmp_path / ".jitlint_cache" / "analysis").write("value-1", b"")
    assert (tmp_path / ".jitlint_cache" / ".gitignore").read_text() == "*\n"
    assert not (tmp_path / "outside").exists()


def test_what_a_killed_run_left_unfinished_goes_even_if_nothing_is_added(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    a_folder(folder).write("value-1", b"")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (folder / f".{ended.pid}-x.new").touch()
    (folder / f".{os.getpid()}-x.new").touch()
    a_folder(folder, 0).prune(oldest=False)
    assert sorted(path.name for path in folder.iterdir()) == [f".{os.getpid()}-x.new", "CACHEDIR.TAG", "value-1"]
