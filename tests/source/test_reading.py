"""Reading ends, whatever a name stands for."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from jitlint.source import reading
from jitlint.source.reading import read_file, reason


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def serves(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as served:
        served.bind(os.path.relpath(path))  # a short name: sockets have room for no other


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(64 << 30)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(os.mkfifo, "not a regular file", id="pipe"),
        pytest.param(endless, "not a regular file", id="device"),
        pytest.param(serves, "not a regular file", id="socket"),
        pytest.param(Path.mkdir, "not a regular file", id="folder"),
        pytest.param(sparse, "larger than 1 MiB; make it smaller", id="sparse"),
        pytest.param(lambda path: path.symlink_to(path), "symbolic links", id="link to itself"),
        pytest.param(lambda path: None, "no such file", id="nothing"),
    ],
)
def test_what_is_no_file_of_its_kind_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "x")
    with pytest.raises(OSError) as caught:
        read_file(tmp_path / "x", 1 << 20)
    assert words in reason(caught.value)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"], ids=["NUL", "surrogate"])
def test_an_impossible_path_is_an_error_of_the_system(name: str) -> None:
    with pytest.raises(OSError, match="no possible path"):
        read_file(Path(name), 1)


def test_a_file_that_becomes_a_pipe_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").touch()
    os.mkfifo(tmp_path / "pipe")
    opened = os.open
    monkeypatch.setattr(reading.os, "open", lambda path, flags: opened(tmp_path / "pipe", flags))
    with pytest.raises(OSError, match="not a regular file"):
        read_file(tmp_path / "x", 1)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="a file of Linux' kernel")
def test_files_of_the_kernel_hold_nothing() -> None:
    assert Path("/proc/self/maps").is_file()
    assert read_file(Path("/proc/self/maps"), 1 << 20) == b""


def test_a_file_of_just_the_allowed_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a" * (1 << 20))
    assert len(read_file(tmp_path / "x", 1 << 20)) == 1 << 20
    with pytest.raises(OSError, match="larger than 0 MiB"):
        read_file(tmp_path / "x", (1 << 20) - 1)
