"""What a killed run leaves goes with the next one; folders of a run at work stay, and what is not ours."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from jitlint.project.temporary import is_abandoned, make_folder

LONG_AGO = 10_000


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def folder_of_a_killed_run(place: Path) -> Path:
    make = "from jitlint.project.temporary import make_folder; import os; print(make_folder(), flush=True); os._exit(9)"
    made = subprocess.run(
        [sys.executable, "-c", make], env={**os.environ, "TMPDIR": str(place)}, stdout=subprocess.PIPE, check=False
    )
    return Path(os.fsdecode(made.stdout.strip()))


def test_what_a_killed_run_left_goes(place: Path) -> None:
    left = folder_of_a_killed_run(place)
    (left / "job").mkdir()
    mine = make_folder()
    assert list(place.iterdir()) == [Path(mine)]


def test_what_a_run_at_work_has_stays(place: Path) -> None:
    first, second = make_folder(), make_folder()
    assert sorted(place.iterdir()) == sorted((Path(first), Path(second)))


def test_what_is_not_ours_stays(place: Path) -> None:
    left = folder_of_a_killed_run(place)
    others = [
        place / left.name.replace("scratch", "notes"),
        place / f"{left.name}.txt",
        place / "jitlint-scratch-1-notes",
    ]
    for other in others:
        other.mkdir()
    linked = Path(f"{left}").with_name(left.name[:-8] + "abcdefgh")
    linked.symlink_to(others[0])
    (others[0] / "kept").touch()
    make_folder()
    assert all(other.is_dir() for other in others) and (others[0] / "kept").exists()


def test_a_number_that_a_later_process_has_is_nobodys(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as later:
        file = tmp_path / "file"
        file.touch()
        assert not is_abandoned(later.pid, file)
        os.utime(file, (LONG_AGO, LONG_AGO))
        assert is_abandoned(later.pid, file)
        later.communicate()


def test_a_process_that_nobody_waited_for_is_gone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as ended:
        assert ended.stdout is not None
        ended.stdout.read()
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        assert is_abandoned(ended.pid, tmp_path)
