"""How the tests themselves run: one that hangs fails, and takes nothing with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

HANGING = """
import subprocess
import sys

SLEEP = "import time; time.sleep(600)"
WAIT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}, sys.argv[1]])"


def test_hangs():
    with subprocess.Popen([sys.executable, "-c", WAIT, __file__]):
        pass  # and waits for it


def test_goes_on():
    pass
"""


@pytest.mark.slow
def test_a_test_without_end_fails_and_ends_what_it_has_started(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGING)
    options = ("-p", "tests.conftest", "-c", str(root / "pyproject.toml"), "--rootdir", str(tmp_path))
    command = (sys.executable, "-m", "pytest", "-n1", "--timeout=3", *options, str(file))
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert "Failed: Timeout" in done.stdout, done.stdout + done.stderr
    assert " 1 failed, 1 passed " in done.stdout
    commands = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [command for command in commands if str(file) in command]
