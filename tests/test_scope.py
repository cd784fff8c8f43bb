"""Whole projects of which a part is reported, with the real program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "pyproject.toml": "",
    "steps.py": "import jax\n\nimport losses\n\nstep = jax.jit(losses.loss)\n",
    "losses.py": "def loss(x):\n    if x > 0:\n        return x\n    return -x\n",
    "other.py": "import jax\n\n\n@jax.jit\ndef other(x):\n    return float(x)\n",
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    identity = {
        f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | identity
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def git(folder: Path, *arguments: str) -> str:
    done = run(folder, "git", "-c", "init.defaultBranch=main", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def jitlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "jitlint", *arguments)


def found(folder: Path, *arguments: str) -> set[tuple[str, str]]:
    done = jitlint(folder, "--format", "json", *arguments)
    assert done.stderr == ""
    return {(finding["path"], finding["code"]) for finding in json.loads(done.stdout)["findings"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        git(tmp_path, *arguments)
    return tmp_path


def test_a_file_is_seen_within_its_project(project: Path) -> None:
    assert found(project, "losses.py") == set()
    assert found(project, "--project", "losses.py") == {("losses.py", "JIT101")}
    assert found(project, "--project", ".") == {("losses.py", "JIT101"), ("other.py", "JIT301")}


def test_what_is_wrong_in_other_files_is_their_matter(project: Path) -> None:
    (project / "broken.py").write_text("import jax\ndef f(:\n")
    assert found(project, "--project", "losses.py") == {("losses.py", "JIT101")}
    assert "broken.py: JIT001" in jitlint(project, "--project", ".").stderr


def test_files_that_have_changed(project: Path) -> None:
    assert found(project, "--changed-since", "HEAD", ".") == set()
    (project / "losses.py").write_text("# Changed.\n" + FILES["losses.py"])
    assert found(project, "--changed-since", "HEAD", ".") == {("losses.py", "JIT101")}
    git(project, "commit", "-qam", "One")
    assert found(project, "--changed-since", "HEAD", ".") == set()
    assert found(project, "--changed-since", "HEAD~1", ".") == {("losses.py", "JIT101")}
    (project / "new äö.py").write_text(FILES["other.py"])
    assert found(project, "--changed-since", "HEAD", ".") == {("new äö.py", "JIT301")}


def test_what_changed_on_the_other_branch_does_not_count(project: Path) -> None:
    start = git(project, "rev-parse", "--abbrev-ref", "HEAD")
    git(project, "checkout", "-qb", "feature")
    (project / "losses.py").write_text("# Changed.\n" + FILES["losses.py"])
    git(project, "commit", "-qam", "Feature")
    git(project, "checkout", "-q", start)
    (project / "other.py").write_text("# Changed.\n" + FILES["other.py"])
    git(project, "commit", "-qam", "Main")
    git(project, "checkout", "-q", "feature")
    assert found(project, "--changed-since", start, ".") == {("losses.py", "JIT101")}


def test_what_git_does_not_know_is_an_error(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for revision in ("absent", "--output=x"):
        unknown = jitlint(project, "--changed-since", revision, ".")
        assert unknown.returncode == 2 and "--changed-since: git says:" in unknown.stderr
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.py").write_text(FILES["other.py"])
    outside = jitlint(elsewhere, "--changed-since", "HEAD", "a.py")
    assert outside.returncode == 2 and "not a git repository" in outside.stderr


def test_git_runs_no_program_that_the_repository_names(project: Path) -> None:
    """Whoever packs a repository as an archive chooses its .git, too."""
    note = project.parent / "ran"
    program = project / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> '{note}'\nexit 1\n")
    program.chmod(0o755)
    (project / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.process"):
        git(project, "config", name, str(program))
    git(project, "config", "filter.evil.clean", str(program))
    git(project, "config", "filter.evil.required", "true")
    (project / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"):
        (project / ".git" / "hooks" / hook).symlink_to(program)
    (project / "losses.py").write_text(FILES["losses.py"] + "\n")
    os.utime(project / "other.py", (1, 1))
    assert found(project, "--changed-since", "HEAD", ".") == {("losses.py", "JIT101")}
    assert not note.exists(), note.read_text()
    run(project, "git", "diff", "--name-only")
    assert note.exists()  # what git does by itself
