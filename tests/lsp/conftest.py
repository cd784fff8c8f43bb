from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.editor import Editor


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One server for tests that leave it as it was."""
    with Editor(tmp_path_factory.mktemp("editor")) as started:
        yield started
        assert started.shown == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two modules: a function that branches, and one that calls it under jit."""
    (tmp_path / "pyproject.toml").write_text("[tool.jitlint]\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "helper.py").write_text(HELPER)
    (tmp_path / "pkg" / "train.py").write_text(TRAIN)
    return tmp_path


HELPER = """\
def clip(value):
    if value > 1:
        return 1.0
    return value
"""
TRAIN = """\
import jax

from pkg.helper import clip


@jax.jit
def step(x):
    return clip(x * 2)


step(3.0)
"""
