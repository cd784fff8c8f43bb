"""Which files are looked at."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from jitlint.project.files import Patterns, discover, display_path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "b.py",
        "a.py",
        "notes.txt",
        "stub.pyi",
        ".hidden.py",
        "pkg/__init__.py",
        "pkg/z.py",
        "pkg/build/__init__.py",
        "build/lib/a.py",
        "node_modules/x.py",
        "__pycache__/x.py",
        ".tox/x.py",
        "env/pyvenv.cfg",
        "env/lib/x.py",
        "odd.py/inner.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def found(*paths: Path, exclude: Patterns | None = None) -> list[str]:
    discovery = discover([str(path) for path in paths], exclude)
    assert discovery.errors == ()
    return [path.relative_to(paths[0] if paths[0].is_dir() else paths[0].parent).as_posix() for path in discovery.files]


def test_a_folder_is_searched_in_order_without_what_is_generated(tree: Path) -> None:
    assert found(tree) == ["a.py", "b.py", "odd.py/inner.py", "pkg/__init__.py", "pkg/build/__init__.py", "pkg/z.py"]


def test_given_files_are_taken_whatever_they_are_and_each_once(tree: Path) -> None:
    given = (tree / "notes.txt", tree / "env/lib/x.py", tree / ".hidden.py", tree / "pkg/../notes.txt")
    assert found(*given, exclude=Patterns.of(tree, ["*"])) == ["notes.txt", "env/lib/x.py", ".hidden.py"]


def test_exclude_patterns_are_those_of_gitignore(tree: Path) -> None:
    patterns = Patterns.of(tree, ["/a.py", "pkg/*", "!pkg/z.py", "odd.py/"])

    def exclude(path: Path, is_folder: bool) -> bool:
        return bool(patterns.verdict(path, folder=is_folder))

    assert found(tree, exclude=exclude) == ["b.py", "pkg/z.py"]


def test_gitignore_files_count_from_the_repository_down(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("*.py\n!z.py\n!__init__.py\n")
    (tree / "pkg/.gitignore").write_text("z.py\n")
    assert found(tree) == ["pkg/__init__.py", "pkg/build/__init__.py"]
    assert found(tree / "pkg") == ["__init__.py", "build/__init__.py"]


def test_a_folder_that_is_asked_for_is_searched_although_ignored(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("/env/\n")
    assert found(tree / "env/lib") == ["x.py"]


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "pkg/loop").symlink_to(tree)
    (tree / "pkg/again.py").symlink_to(tree / "a.py")
    assert found(tree / "pkg") == ["__init__.py", "again.py", "build/__init__.py", "z.py"]


def test_what_cannot_be_looked_at_is_an_error_and_the_rest_is_found(tree: Path) -> None:
    loop = tree / "loop"
    loop.symlink_to(loop)
    discovery = discover([str(tree / "missing"), str(loop), "nul\0", str(tree / "a.py")])
    assert [path.name for path in discovery.files] == ["a.py"]
    assert [path for path, _ in discovery.errors] == [str(tree / "missing"), str(loop), "nul\0"]
    assert "no such file or directory" in discovery.errors[0][1]
    assert "symbolic links" in discovery.errors[1][1]


def test_an_unreadable_folder_is_an_error(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def scandir(folder: Path) -> object:
        if folder.name == "pkg":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    discovery = discover([str(tree)])
    assert discovery.errors == (
        (str(tree / "pkg"), "cannot look into the folder: permission denied; make it readable or exclude it"),
    )
    assert [path.name for path in discovery.files] == ["a.py", "b.py", "inner.py"]


def test_paths_are_shown_relative_to_the_working_directory(tmp_path: Path) -> None:
    assert display_path(tmp_path / "a" / "b.py", tmp_path) == "a/b.py"
    assert display_path(Path("a/../b.py"), tmp_path) == "b.py"
    assert display_path(Path("../b.py"), tmp_path) == (tmp_path.parent / "b.py").as_posix()
