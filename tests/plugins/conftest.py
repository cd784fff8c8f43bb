from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.plugins.scratch import run


@pytest.fixture
def hook(root: Path, tmp_path: Path) -> Path:
    """A repository that holds what pre-commit needs of this checkout, in one commit."""
    copy = tmp_path / "hook"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(root / name, copy / name)
    for name in ("jitlint", "plugins"):
        shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
        assert run(["git", *command], copy, tmp_path).returncode == 0
    return copy
