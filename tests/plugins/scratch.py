"""Scratch repositories, in which git and pre-commit are run as in anybody's."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CONFIGURATION = """\
repos:
- repo: {repository}
  rev: {revision}
  hooks:
  - id: jitlint
  - id: jitlint-verify
"""


@dataclass(frozen=True)
class Hooks:
    """A repository with hooks, and the folder where pre-commit keeps the environment that it builds for them."""

    repository: Path
    home: Path

    def commit_to(self, folder: Path) -> None:
        """Makes a scratch repository that uses these hooks of a folder, and adds all its files."""
        revision = run(["git", "rev-parse", "HEAD"], self.repository).stdout.strip()
        text = CONFIGURATION.format(repository=self.repository, revision=revision)
        (folder / ".pre-commit-config.yaml").write_text(text)
        for command in (["init", "-q"], ["add", "."]):
            assert run(["git", *command], folder).returncode == 0

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What `pre-commit run` says in a folder."""
        return run([sys.executable, "-m", "pre_commit", "run", *arguments], folder, PRE_COMMIT_HOME=str(self.home))


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a program says, in a folder and with these environment variables."""
    identity = {
        f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, **variables, "PRE_COMMIT_COLOR": "never"}
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "VIRTUAL_ENV", "CONDA_PREFIX"):
        environment.pop(name, None)
    own = str(Path(sys.prefix) / "bin")
    environment["PATH"] = os.pathsep.join(each for each in environment["PATH"].split(os.pathsep) if each != own)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
