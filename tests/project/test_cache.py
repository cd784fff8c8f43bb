"""A cache returns exactly what was put there, or nothing."""

from __future__ import annotations

import ast
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from jitlint.project.cache import _WITH_RECORDS, Cache, cache_folder, digest, tool, unpack
from jitlint.project.outline import Import, Outline

VALUE = Outline((Import("jax", 0, ("jit",)),), "top", ())


def test_a_value_comes_back(tmp_path: Path) -> None:
    Cache(tmp_path / "cache").put("name", VALUE)
    assert Cache(tmp_path / "cache").get("name") == VALUE
    assert Cache(tmp_path / "cache").get("other") is None
    assert Cache(None).get("name") is None


def test_files_that_other_processes_compile_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python writes `x.pyc.140673` and renames it: between listing and looking, such a file may be gone."""
    monkeypatch.setattr("jitlint.project.cache._PACKAGE", tmp_path)
    (tmp_path / "code.py").touch()
    before = tool.__wrapped__()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "code.cpython-311.pyc.140673").symlink_to("gone")
    assert tool.__wrapped__() == before
    (tmp_path / "code.py").write_text("x = 1")
    assert tool.__wrapped__() != before


def test_damage_is_absence(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("name", VALUE)
    whole = (tmp_path / "name").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "name").write_bytes(whole[:at])
        assert cache.get("name") is None
        (tmp_path / "name").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.get("name") is None
    cache.put("other", VALUE)
    (tmp_path / "name").write_bytes((tmp_path / "other").read_bytes())
    assert cache.get("name") is None
    (tmp_path / "name").write_bytes(whole)
    assert cache.get("name") == VALUE


def test_values_that_nest_too_deep_are_not_cached(tmp_path: Path) -> None:
    deep: tuple[object, ...] = ()
    for _ in range(100_000):
        deep = (deep,)
    cache = Cache(tmp_path)
    cache.put("name", deep)
    assert cache.get("name") is None


def test_a_shared_folder_ends_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache = Cache(None)
    cache.share()
    (folder,) = tmp_path.iterdir()
    cache.put("name", VALUE)
    assert cache.get("name") == VALUE and list(folder.iterdir())
    cache.end_sharing()
    assert cache.get("name") is None and not list(tmp_path.iterdir())


def test_a_disk_that_fills_while_sharing_is_left_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache = Cache(None)
    cache.share()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full)
        cache.put("name", VALUE)
    assert cache.get("name") is None
    cache.end_sharing()
    assert not list(tmp_path.iterdir())


def test_without_a_scratch_folder_nothing_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    cache = Cache(None)
    cache.share()
    cache.put("name", VALUE)
    assert cache.get("name") is None
    cache.end_sharing()


class _Harm:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("harm",)


def test_no_code_comes_with_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Cache(tmp_path / "cache").put("name", _Harm())
    assert Cache(tmp_path / "cache").get("name") is None
    assert not (tmp_path / "harm").exists()
    pickle.loads((tmp_path / "cache" / "name").read_bytes()[16:])
    assert (tmp_path / "harm").exists()  # what it would have done


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "mkdir"),
        ("jitlint.verify.recorder.hook.sitecustomize", "_record"),
        ("jitlint.commands.check", "check"),
        ("jitlint.project.cache", "Path"),
        ("jitlint.project.cache", "Cache"),
        ("jitlint.source.places", "Place._make"),
        ("jitlint.project.cache_folder", "write_whole"),
        ("builtins", "set"),
    ],
)
def test_only_records_come_back(module: str, name: str) -> None:
    loaded = set(sys.modules)
    with pytest.raises(pickle.UnpicklingError, match=name):
        unpack(
            b"\x80\x04\x8c"
            + bytes([len(module)])
            + module.encode()
            + b"\x8c"
            + bytes([len(name)])
            + name.encode()
            + b"\x93."
        )
    assert module in loaded or module not in sys.modules


def test_making_a_record_does_nothing_else(root: Path) -> None:
    """No class that can come from a cache has a method that runs by itself."""
    looked_at = 0
    for part in _WITH_RECORDS:
        package = root / "jitlint" / part
        for file in package.rglob("*.py") if package.is_dir() else [package.with_suffix(".py")]:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef) and re.search("dataclass|NamedTuple|Enum", _head(node)):
                    looked_at += 1
                    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                    assert not methods & _RUN_BY_THEMSELVES, f"{file}: {node.name}"
    assert looked_at > 100


_RUN_BY_THEMSELVES = {
    *("__new__", "__init__", "__post_init__", "__init_subclass__", "__del__", "__setstate__", "__reduce__"),
    *("__reduce_ex__", "__setattr__", "__getattr__", "__getattribute__", "_missing_", "__set_name__"),
}


def _head(node: ast.ClassDef) -> str:
    return " ".join(map(ast.unparse, (*node.decorator_list, *node.bases)))


def test_each_installation_has_values_of_its_own(root: Path, tmp_path: Path) -> None:
    """Nobody elsewhere can know under which names this one looks for values, and put some into a project."""
    names = set()
    for place in ("one", "two"):
        shutil.copytree(root / "jitlint", tmp_path / place / "jitlint", copy_function=shutil.copy2)
        ask = "from jitlint.project.cache import tool; print(tool())"
        asked = subprocess.run(
            [sys.executable, "-c", ask], cwd=tmp_path / place, capture_output=True, text=True, check=True
        )
        names.add(asked.stdout)
    assert len(names) == 2


@pytest.mark.parametrize("folder", ["file/cache", "file"])
def test_a_folder_that_cannot_be_used_caches_nothing(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / folder)
    cache.put("name", VALUE)
    assert cache.get("name") is None
    cache.prune()


def full(descriptor: int, _: str) -> object:
    os.close(descriptor)
    raise OSError(28, "No space left on device")


def test_a_full_disk_caches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full)
        cache.put("name", VALUE)
    assert cache.get("name") is None
    assert not list((tmp_path / "cache").iterdir())


def test_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    failures: list[object] = []

    def work() -> None:
        for _ in range(100):
            Cache(tmp_path).put("name", VALUE)
            if Cache(tmp_path).get("name") != VALUE:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(file.name for file in tmp_path.iterdir()) == ["CACHEDIR.TAG", "name"]


def test_digests_tell_parts_apart() -> None:
    given = [("ab", "c"), ("a", "bc"), ("abc",), (["a"],), ("['a']",), (1,), ("1",)]
    assert len({digest(*parts) for parts in given}) == len(given)


def test_the_folder_is_the_projects_or_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").touch()
    assert cache_folder(tmp_path / "a" / "b") == tmp_path / "a" / ".jitlint_cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert cache_folder(tmp_path) in (tmp_path / "home" / "jitlint", cache_folder(Path("/")))
