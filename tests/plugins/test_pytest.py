"""The pytest plugin, in real runs of pytest over a project of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STEPS = """\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="mode")
def step(x, mode="plain"):
    if x.shape == (5, 3, 7):
        if x.sum() > 0:
            return x
    return x * 2


@jax.jit
def other(x):
    return x + 1
"""

TESTS = """\
import jax.numpy as jnp
import pytest

import steps


@pytest.mark.max_traces(1)
def test_once():
    for _ in range(3):
        steps.step(jnp.ones(3))
        steps.other(jnp.ones(3))


@pytest.mark.max_traces(1)
def test_shapes_differ():
    for size in (7, 8):
        steps.step(jnp.ones(size))


@pytest.mark.max_traces(1, "other")
def test_only_one_counts():
    for size in (11, 12):
        steps.step(jnp.ones(size))


def test_a_part(max_traces):
    for size in (21, 22):
        steps.step(jnp.ones(size))
    with max_traces(0):
        steps.step(jnp.ones(22))
    with max_traces(1, steps.other):
        for kind in (jnp.int32, jnp.float32):
            steps.other(jnp.ones(31, kind))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "test_steps.py").write_text(TESTS)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_tests_say_how_often_functions_may_be_traced(project: Path) -> None:
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "`step` (steps.py:7) was traced 2 times, at most 1 was allowed:" in done.stdout
    assert "at x, now f32[8] and before f32[3]" in done.stdout
    assert "`other` (steps.py:15) was traced 2 times, at most 1 was allowed:" in done.stdout
    assert "at x, now f32[31] and before f32[3]" in done.stdout
    assert "CACHE MISS" not in done.stdout + done.stderr
    assert "max_traces(n, function=None)" in run(project, "pytest", "--markers").stdout


def test_what_tests_call_is_recorded_and_verified_with(project: Path) -> None:
    alone = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    (project / "test_unusual.py").write_text(
        "import jax.numpy as jnp\nimport pytest\nimport steps\n\n\ndef test_unusual():\n"
        "    with pytest.raises(Exception):\n        steps.step(jnp.ones((5, 3, 7)))\n"
    )
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider", "--jitlint-record")
    assert "2 failed, 3 passed" in done.stdout and "2 failed, 2 passed" in alone.stdout
    assert ".jitlint_cache/signatures.json: " in done.stdout
    assert "steps.py:7 `step` was traced " in done.stdout
    functions = json.loads((project / ".jitlint_cache" / "signatures.json").read_text())["functions"]
    step = functions["steps:step"]
    assert step["traced"] > 5 and step["traced"] >= step["compiled"] > 4
    assert any("now f32[8]" in miss for miss in step["misses"])
    verified = run(project, "jitlint", "--verify", "--format", "json", "steps.py")
    (finding,) = json.loads(verified.stdout)["findings"]
    assert (finding["code"], finding["verdict"]["status"]) == ("JIT101", "confirmed")
    assert finding["verdict"]["inputs"] == ["x=f32[5,3,7]"]


def test_a_project_without_jax_is_left_alone(project: Path) -> None:
    (project / "test_steps.py").write_text("import sys\n\n\ndef test_nothing():\n    assert 'jax' not in sys.modules\n")
    assert "1 passed" in run(project, "pytest", "-q", "-p", "no:jaxtyping").stdout


LIMITS = """\
import unittest

import jax.numpy as jnp
import pytest

import steps


@pytest.mark.max_traces
def test_no_number():
    pass


@pytest.mark.max_traces("other", 1)
def test_the_wrong_way_round():
    pass


@pytest.mark.max_traces(-1)
def test_below_zero():
    pass


@pytest.mark.max_traces(1, "othr")
def test_no_such_function():
    pass


@pytest.mark.max_traces(1, "other")
def test_a_function_that_is_not_called():
    pass


def test_of_the_fixture(max_traces):
    with max_traces(function=steps.other):
        pass


class Case(unittest.TestCase):
    @pytest.mark.max_traces(1)
    def test_of_a_class(self):
        for size in (41, 42):
            steps.step(jnp.ones(size))
"""


def test_a_limit_that_is_wrong_fails_its_test_and_says_why(project: Path) -> None:
    (project / "test_steps.py").write_text(LIMITS)
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert "3 failed, 1 passed, 3 errors" in done.stdout, done.stdout + done.stderr
    assert "max_traces takes a number and a function, but was given nothing: write max_traces(1)" in done.stdout
    assert "max_traces needs a number of traces, but was given 'other'" in done.stdout
    assert "max_traces needs a number of traces, but was given -1" in done.stdout
    assert "no loaded module of the project has a function 'othr'; did you mean 'other'?" in done.stdout
    assert "but was given function=<PjitFunction of " in done.stdout
    assert "`step` (steps.py:7) was traced 2 times" in done.stdout
    assert "INTERNALERROR" not in done.stdout


def test_recording_is_a_flag_and_its_file_an_option_of_its_own(project: Path) -> None:
    (project / "test_other.py").write_text("import steps\n\n\ndef test_other():\n    steps.other(1.0)\n")
    done = run(project, "pytest", "-q", "--jitlint-record", "test_other.py")
    assert "1 passed" in done.stdout and "1 signatures of 1 functions" in done.stdout
    assert (project / ".jitlint_cache" / "signatures.json").exists()
    done = run(project, "pytest", "-q", "test_other.py", "--jitlint-record-to", "calls.json")
    assert "1 passed" in done.stdout and "calls.json: 1 signatures" in done.stdout
    text = (project / "test_other.py").read_text()
    done = run(project, "pytest", "-q", "--jitlint-record-to", "test_other.py")
    assert done.returncode == 4 and "test_other.py: that is no recording; name a new file" in done.stderr
    assert "passed" not in done.stdout and (project / "test_other.py").read_text() == text


def test_processes_record_together(project: Path) -> None:
    (project / "test_other.py").write_text("import steps\n\n\ndef test_other():\n    steps.other(1.0)\n")
    done = run(project, "pytest", "-q", "-n", "2", "--jitlint-record")
    assert "2 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    functions = json.loads((project / ".jitlint_cache" / "signatures.json").read_text())["functions"]
    assert set(functions) == {"steps:step", "steps:other"}
