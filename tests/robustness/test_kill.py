"""The linter may be killed at any moment."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.robustness.kill import Project


@pytest.mark.slow
def test_a_killed_run_leaves_nothing_and_the_next_is_right(tmp_path: Path) -> None:
    project, chance = Project(tmp_path), random.Random(0)
    for _ in range(4):
        assert not project.kill(chance).problems
