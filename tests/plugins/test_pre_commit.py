"""pre-commit, run on a scratch repository with the hook that this checkout offers."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.plugins.scratch import Hooks

BRANCH = "import jax\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.mark.slow
def test_the_hook_finds_what_is_committed(hooks: Hooks, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH)
    (tmp_path / "good.py").write_text("import jax\n\nstep = jax.jit(abs)\n")
    (tmp_path / "notes.txt").write_text("if x > 0\n")
    hooks.commit_to(tmp_path)
    failed = hooks.run(tmp_path, "jitlint", "--files", "bad.py", "good.py", "notes.txt")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "bad.py:5:8 JIT101 " in failed.stdout
    assert "1 finding in 2 files." in failed.stdout
    passed = hooks.run(tmp_path, "jitlint", "--files", "good.py")
    assert passed.returncode == 0, passed.stdout + passed.stderr


@pytest.mark.slow
def test_changed_files_are_seen_within_their_project_and_verified(hooks: Hooks, tmp_path: Path) -> None:
    """The bug lies across two files, one of which has changed; JAX is in the project's environment only."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "steps.py").write_text("import jax\n\nimport losses\n\nstep = jax.jit(losses.loss)\n")
    (tmp_path / "losses.py").write_text("def loss(x):\n    if x > 0:\n        return x\n    return -x\n")
    (tmp_path / ".gitignore").write_text(".venv\n")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    hooks.commit_to(tmp_path)
    found = hooks.run(tmp_path, "--files", "losses.py", "--verbose")
    plain, _, verified = found.stdout.partition("- hook id: jitlint-verify")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "losses.py:2:8 JIT101 " in plain and "1 finding in 1 file." in plain
    assert "1 finding in 1 file: 1 confirmed." in verified
    shutil.rmtree(tmp_path / ".jitlint_cache")
    (tmp_path / ".venv").unlink()
    nothing = hooks.run(tmp_path, "--files", "losses.py", "--hook-stage", "manual")
    assert "has no jax; run `pip install" in nothing.stdout
