"""pre-commit, run on a scratch repository with the hook that this checkout offers."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.plugins.scratch import run

BRANCH = "import jax\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.mark.slow
def test_the_hook_finds_what_is_committed(hook: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "bad.py").write_text(BRANCH)
    (scratch / "good.py").write_text("import jax\n\nstep = jax.jit(abs)\n")
    (scratch / "notes.txt").write_text("if x > 0\n")
    for command in (["init", "-q"], ["add", "."]):
        assert run(["git", *command], scratch, tmp_path).returncode == 0
    pre_commit = [sys.executable, "-m", "pre_commit", "try-repo", str(hook), "jitlint", "--files"]
    failed = run([*pre_commit, "bad.py", "good.py", "notes.txt"], scratch, tmp_path / "home")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "bad.py:5:8 JIT101 " in failed.stdout
    assert "1 finding in 2 files." in failed.stdout
    passed = run([*pre_commit, "good.py"], scratch, tmp_path / "home")
    assert passed.returncode == 0, passed.stdout + passed.stderr


@pytest.mark.slow
def test_changed_files_are_seen_within_their_project_and_verified(hook: Path, tmp_path: Path) -> None:
    """The bug lies across two files, one of which has changed; JAX is in the project's environment only."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "pyproject.toml").write_text("")
    (scratch / "steps.py").write_text("import jax\n\nimport losses\n\nstep = jax.jit(losses.loss)\n")
    (scratch / "losses.py").write_text("def loss(x):\n    if x > 0:\n        return x\n    return -x\n")
    (scratch / ".gitignore").write_text(".venv\n")
    (scratch / ".venv").symlink_to(sys.prefix)
    for command in (["init", "-q"], ["add", "."]):
        assert run(["git", *command], scratch, tmp_path).returncode == 0
    pre_commit = [sys.executable, "-m", "pre_commit", "try-repo", str(hook), "--files", "losses.py"]
    found = run([*pre_commit, "--verbose"], scratch, tmp_path / "home")
    plain, _, verified = found.stdout.partition("- hook id: jitlint-verify")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "losses.py:2:8 JIT101 " in plain and "1 finding in 1 file." in plain
    assert "1 finding in 1 file: 1 confirmed." in verified
    shutil.rmtree(scratch / ".jitlint_cache")
    (scratch / ".venv").unlink()
    nothing = run([*pre_commit, "--hook-stage", "manual"], scratch, tmp_path / "home")
    assert "has no jax; run `pip install" in nothing.stdout
