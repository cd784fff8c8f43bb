"""The linter may be killed at any moment."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.robustness.kill import ANALYZING, VERIFYING, Project


@pytest.mark.slow
@pytest.mark.parametrize(("doing", "times"), [(VERIFYING, 4), (ANALYZING, 2)])
def test_a_killed_run_leaves_nothing_and_the_next_is_right(tmp_path: Path, doing: tuple[str, ...], times: int) -> None:
    project = Project(tmp_path, doing, random.Random(0))
    for _ in range(times):
        killed = project.kill()
        assert not killed.problems, killed.damage
