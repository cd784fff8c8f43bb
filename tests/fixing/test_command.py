"""`--fix` and `--diff` on the command line, with the real program."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

BRANCH = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    if x > 0:{}
        return x
    return -x
"""
FIXED = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.where(x > 0, x, -x)
"""
UNSAFE = "import jax\n\n\n@jax.jit\ndef step(x):\n    assert x > 0\n    return -x\n"


def jitlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jitlint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "step.py").write_text(BRANCH.format(""))
    return tmp_path


def test_a_diff_shows_what_would_change_and_changes_nothing(folder: Path) -> None:
    done = jitlint(folder, "--diff", "step.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert (folder / "step.py").read_text() == BRANCH.format("")
    subprocess.run(["patch", "-p1"], cwd=folder, input=done.stdout, text=True, check=True, capture_output=True)
    assert (folder / "step.py").read_text() == FIXED
    assert jitlint(folder, "--diff", "step.py").stdout == ""


def test_a_fix_is_written_and_reported(folder: Path) -> None:
    (folder / "step.py").chmod(0o640)
    done = jitlint(folder, "--fix", ".")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "step.py:7:8 JIT101 fixed: Select with jnp.where, which computes both sides\n\n"
        "No findings in 1 file. 1 fixed.\n"
    )
    assert (folder / "step.py").read_text() == FIXED
    assert stat.S_IMODE((folder / "step.py").stat().st_mode) == 0o640
    assert sorted(path.name for path in folder.iterdir()) == [".jitlint_cache", "pyproject.toml", "step.py"]


def test_what_may_change_the_meaning_waits_for_its_option(folder: Path) -> None:
    (folder / "step.py").write_text(UNSAFE)
    done = jitlint(folder, "--fix", ".")
    assert done.returncode == 1 and "1 more has fixes that may change what the program means" in done.stdout
    assert (folder / "step.py").read_text() == UNSAFE
    assert jitlint(folder, "--fix", "--unsafe-fixes", ".").returncode == 0
    assert "jax.debug.callback" in (folder / "step.py").read_text()


def test_a_suppressed_finding_is_left_alone(folder: Path) -> None:
    text = BRANCH.format("  # jitlint: ignore[JIT101] static in practice")
    (folder / "step.py").write_text(text)
    assert jitlint(folder, "--fix", "--unsafe-fixes", ".").returncode == 0
    assert (folder / "step.py").read_text() == text


def test_only_files_that_git_can_give_back_are_edited(folder: Path) -> None:
    for name in ("changed.py", "staged.py", "new.py"):
        (folder / name).write_text(BRANCH.format(""))
    git(folder, "init", "-q")
    git(folder, "add", "step.py", "changed.py", "pyproject.toml")
    git(folder, "commit", "-qm", "All")
    (folder / "changed.py").write_text(BRANCH.format("  # mine"))
    git(folder, "add", "staged.py")
    done = jitlint(folder, "--fix", ".")
    assert done.returncode == 2
    for name in ("changed.py", "new.py"):
        assert f"{name}: not fixed: the file has changes that git does not have" in done.stderr
        assert (folder / name).read_text() != FIXED
    assert (folder / "step.py").read_text() == (folder / "staged.py").read_text() == FIXED
    git(folder, "checkout", "--", "step.py", "staged.py")
    assert (folder / "step.py").read_text() == (folder / "staged.py").read_text() == BRANCH.format("")
    assert jitlint(folder, "--fix", "--allow-dirty", ".").returncode == 0
    assert all((folder / name).read_text() != BRANCH.format("") for name in ("changed.py", "new.py"))


def test_a_link_out_of_the_given_paths_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "step.py"
    outside.write_text(BRANCH.format(""))
    (folder / "step.py").unlink()
    (folder / "step.py").symlink_to(outside)
    done = jitlint(folder, "--fix", ".")
    assert done.returncode == 2 and "step.py: not fixed: the file lies outside of the given paths" in done.stderr
    assert outside.read_text() == BRANCH.format("")


def test_options_of_fixing_need_it(folder: Path) -> None:
    done = jitlint(folder, "--unsafe-fixes", ".")
    assert done.returncode == 2 and "--unsafe-fixes and --allow-dirty are for --fix and --diff" in done.stderr


def test_json_says_what_was_fixed(folder: Path) -> None:
    done = jitlint(folder, "--fix", "--format", "json", ".")
    report = json.loads(done.stdout)
    (fixed,) = report["fixed"]
    assert report["findings"] == []
    assert (fixed["code"], fixed["fix"]["grade"], fixed["line"]) == ("JIT101", "safe", 7)


def test_a_proven_fix_is_applied_and_one_that_changes_results_is_not(folder: Path) -> None:
    """To sort pairs is to compare them as pairs; `jnp.sort` sorts the numbers of each."""
    pairs = (
        "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef smallest(a, b):\n"
        "    pairs = [(a, 1.0), (b, 2.0)]\n    ordered = sorted(pairs)\n    return ordered[0][1]\n\n\n"
        "print(smallest(jnp.float32(3), jnp.float32(2)))\n"
    )
    (folder / "pairs.py").write_text(pairs)
    done = jitlint(folder, "--verify", "--fix", "--unsafe-fixes", "--format", "json", ".")
    report = json.loads(done.stdout)
    assert [(each["path"], each["proof"]["status"]) for each in report["fixed"]] == [("step.py", "proven")]
    assert [(each["path"], each["proof"]["status"]) for each in report["unproven"]] == [("pairs.py", "disproven")]
    assert (folder / "step.py").read_text() == FIXED and (folder / "pairs.py").read_text() == pairs
    assert done.returncode == 2 and "the fix reduction of JIT110 was disproven by JAX" in done.stderr
