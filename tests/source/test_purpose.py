"""Which files run once."""

from __future__ import annotations

import pytest

from jitlint.source.purpose import holds_tests, runs_once


@pytest.mark.parametrize(
    ("path", "once", "tests"),
    [
        ("tests/helpers.py", True, True),
        ("pkg/sub/test_model.py", True, True),
        ("pkg/model_test.py", True, True),
        ("conftest.py", True, True),
        ("benchmarks/run.py", True, False),
        ("pkg/bench_step.py", True, False),
        ("scripts/convert.py", True, False),
        ("tests/demo.ipynb", True, True),
        ("pkg/model.py", False, False),
        ("pkg/testing.py", False, False),
        ("pkg/latest.py", False, False),
        ("pkg/contest.py", False, False),
        ("train.py", False, False),
        ("/home/me/tests/project/model.py", False, False),
        ("/home/me/project/test_model.py", True, True),
    ],
)
def test_purpose(path: str, once: bool, tests: bool) -> None:
    assert runs_once(path) is once
    assert holds_tests(path) is tests
