"""Which files run once."""

from __future__ import annotations

import pytest

from jitlint.source.purpose import runs_once


@pytest.mark.parametrize(
    ("path", "once"),
    [
        ("tests/helpers.py", True),
        ("pkg/sub/test_model.py", True),
        ("pkg/model_test.py", True),
        ("conftest.py", True),
        ("benchmarks/run.py", True),
        ("pkg/bench_step.py", True),
        ("scripts/convert.py", True),
        ("tests/demo.ipynb", True),
        ("pkg/model.py", False),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("pkg/contest.py", False),
        ("train.py", False),
        ("/home/me/tests/project/model.py", False),
        ("/home/me/project/test_model.py", True),
    ],
)
def test_purpose(path: str, once: bool) -> None:
    assert runs_once(path) is once
