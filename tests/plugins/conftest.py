"""What pre-commit needs of this checkout, as a repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.plugins.scratch import Hooks, run


@pytest.fixture(scope="session")
def hooks(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """A repository that holds what pre-commit needs of this checkout, in one commit; its environment is built once."""
    home = tmp_path_factory.mktemp("pre-commit")
    copy = home / "hooks"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(root / name, copy / name)
    for name in ("jitlint", "plugins"):
        shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
        assert run(["git", *command], copy).returncode == 0
    return Hooks(copy, home / "home")
