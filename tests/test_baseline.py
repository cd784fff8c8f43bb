"""Baselines, with the real program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

OLD = "import jax\n\n\n@jax.jit\ndef old(x):\n    if x > 0:\n        return x\n    return -x\n"
NEW = "\n\n@jax.jit\ndef new(x):\n    return float(x)\n"


def jitlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jitlint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "steps.py").write_text(OLD)
    done = jitlint(tmp_path, "baseline", "write", ".")
    assert (done.returncode, done.stdout) == (0, ".jitlint_baseline.json: 1 finding.\n")
    return tmp_path


def test_old_findings_stay_silent_and_new_ones_are_seen(project: Path) -> None:
    silent = jitlint(project, "--baseline", ".jitlint_baseline.json", ".")
    assert (silent.returncode, silent.stdout) == (0, "No findings in 1 file.\n")
    assert jitlint(project, ".").returncode == 1
    (project / "jitlint.toml").write_text('baseline = ".jitlint_baseline.json"\n')
    assert jitlint(project, ".").returncode == 0
    (project / "steps.py").write_text("# Moved.\n\n" + OLD + NEW)
    found = jitlint(project, "--format", "json", ".")
    assert [(each["code"], each["line"]) for each in json.loads(found.stdout)["findings"]] == [("JIT301", 15)]


def test_what_is_new_and_what_is_gone(project: Path) -> None:
    same = jitlint(project, "baseline", "check", ".")
    assert (same.returncode, same.stdout) == (0, "0 new, 0 removable, 1 still there.\n")
    (project / "steps.py").write_text(OLD.replace("x > 0", "x.ndim > 0") + NEW)
    done = jitlint(project, "baseline", "check", ".")
    assert done.returncode == 1
    new, gone, counts = done.stdout.splitlines()
    assert new.startswith("steps.py:13:12 new: JIT301 ") and gone.startswith("steps.py:6 removable: JIT101 ")
    assert counts == "1 new, 1 removable, 0 still there."
    told = jitlint(project, "--baseline", ".jitlint_baseline.json", ".")
    assert "Note: 1 of the baseline is no longer found; `jitlint baseline write` removes it." in told.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: no such file or directory"),
        ("{", "is not valid JSON"),
        ("[]", "is not a baseline of jitlint; write it anew with `jitlint baseline write`"),
        ('{"version": 2, "findings": []}', "has version 2, this jitlint knows 1"),
        ('{"version": 1, "findings": [{"code": 3}]}', "is damaged"),
        ('{"version": 1}', "is damaged"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_an_error(project: Path, text: str | None, words: str) -> None:
    file = project / ".jitlint_baseline.json"
    file.unlink()
    if text is not None:
        file.write_text(text)
    for arguments in (("--baseline", file.name, "."), ("baseline", "check", ".")):
        done = jitlint(project, *arguments)
        assert done.returncode == 2
        assert f".jitlint_baseline.json {words}" in done.stderr and "Traceback" not in done.stderr


def test_nothing_is_written_for_files_that_cannot_be_read(project: Path) -> None:
    before = (project / ".jitlint_baseline.json").read_bytes()
    (project / "broken.py").write_text("import jax\ndef f(:\n")
    done = jitlint(project, "baseline", "write", ".")
    assert done.returncode == 2 and "Nothing was written" in done.stderr
    assert (project / ".jitlint_baseline.json").read_bytes() == before
    absent = jitlint(project, "baseline", "write", "--output", "absent/b.json", "steps.py")
    assert absent.returncode == 2 and "cannot be written" in absent.stderr
