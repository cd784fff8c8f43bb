"""Scratch repositories, in which git and pre-commit are run as in anybody's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(command: list[str], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    identity = {
        f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "VIRTUAL_ENV", "CONDA_PREFIX"):
        environment.pop(name, None)
    own = str(Path(sys.prefix) / "bin")
    environment["PATH"] = os.pathsep.join(each for each in environment["PATH"].split(os.pathsep) if each != own)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
