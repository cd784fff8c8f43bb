"""The same input gives the same result, in whatever order the files come."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from jitlint.pipeline import Findings, Sources, find, read
from jitlint.source.text import SourceFile


@pytest.fixture(scope="module")
def sources(root: Path) -> tuple[SourceFile, ...]:
    """The project's own fixtures: every rule has some."""
    given: Sources = read([str(root / "fixtures" / "rules"), str(root / "fixtures" / "projects")])
    return given.files


@pytest.fixture(scope="module")
def first(sources: tuple[SourceFile, ...]) -> Findings:
    return find(sources)


@pytest.mark.once
def test_twice(sources: tuple[SourceFile, ...], first: Findings) -> None:
    assert find(sources) == first


@pytest.mark.once
def test_in_another_order(sources: tuple[SourceFile, ...], first: Findings) -> None:
    shuffled = random.Random(1).sample(sources, len(sources))
    assert shuffled != list(sources)
    assert [(f.code, f.event.place, f.event.confidence) for f in first.findings] == [
        (f.code, f.event.place, f.event.confidence) for f in find(shuffled).findings
    ]


def test_names_that_several_folders_have() -> None:
    """Which of them an import from a third folder means does not hang on the order of the files."""
    texts = {
        "first/models.py": "def loss(x):\n    return x\n",
        "second/models.py": "def loss(x):\n    return x if x > 0 else -x\n",
        "third/train.py": "import jax\nfrom models import loss\njax.jit(loss)(1.0)\n",
    }
    files = [SourceFile(Path("/project", name), name, text) for name, text in texts.items()]
    assert find(files).findings == find(files[::-1]).findings


def test_in_other_processes(tmp_path: Path, root: Path) -> None:
    """The order of sets and dicts of objects differs between processes."""
    project = root / "fixtures" / "projects"

    def run(seed: str) -> str:
        command = [sys.executable, "-m", "jitlint", "--format", "json", "--confidence", "possible", str(project)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, env=environment, timeout=120)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    assert run("1") == run("2")
