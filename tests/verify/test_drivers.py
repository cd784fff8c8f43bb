"""Functions and tests that the user names are run to reach code, and verdicts say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.options import Driver, VerifyOptions

MODULE = """import jax
import jax.numpy as jnp

TABLE = {}

def make(name):
    @jax.jit
    def step(x):
        if TABLE[name] == "loud":
            return 1 if x > 0 else 2
        return x if x.ndim > 3 else -x
    return step
"""
EXAMPLES = """import mod

def smoke():
    mod.TABLE["a"] = "loud"
    mod.make("a")(1.0)

def quiet():
    mod.TABLE["a"] = "quiet"
    mod.make("a")(1.0)

def needs(it):
    pass

def broken():
    raise RuntimeError("no data here")
"""
TESTS = """import unittest
import examples

def test_smoke():
    examples.smoke()

class TestQuiet:
    def test_quiet(self):
        examples.quiet()

class Case(unittest.TestCase):
    def setUp(self):
        self.run_it = examples.smoke
    def test_it(self):
        self.run_it()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "mod.py").write_text(MODULE)
    (tmp_path / "src" / "examples.py").write_text(EXAMPLES)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_mod.py").write_text(TESTS)
    return tmp_path


def verdict(project: Path, driver: str, at: str) -> Verdict:
    file = source(project / "src" / "mod.py")
    options = VerifyOptions(drivers=(Driver(driver, str(project)),))
    (seen,) = verify([finding(file, Kind.BOOL, "ternary", at, entry="jax.jit", symbol="make")], [file], options)
    assert seen.verdict is not None
    return seen.verdict


@pytest.mark.parametrize(
    "driver", ["examples:smoke", "tests/test_mod.py::test_smoke", "tests/test_mod.py::Case::test_it"]
)
def test_a_driver_reaches_what_no_guess_would(project: Path, driver: str) -> None:
    seen = verdict(project, driver, "x > 0")
    assert seen.status == "confirmed", seen
    assert seen.inputs == (f"driver {driver}",)
    assert f"while running driver {driver}" in seen.reason
    assert seen.evidence["inputs_from"] == "driver"


@pytest.mark.parametrize("driver", ["examples:quiet", "tests/test_mod.py::TestQuiet::test_quiet"])
def test_what_a_driver_runs_without_harm_is_refuted(project: Path, driver: str) -> None:
    seen = verdict(project, driver, "x.ndim > 3")
    assert seen.status == "refuted", seen
    assert f"with driver {driver}" in seen.reason


@pytest.mark.parametrize(
    ("driver", "words"),
    [
        ("examples:broken", "no data here"),
        ("examples:needs", "it takes it"),
        ("examples:missing", "missing"),
        ("tests/test_none.py::test_it", "test_none.py"),
        ("nowhere:run", "nowhere"),
    ],
)
def test_drivers_that_fail_are_told(project: Path, driver: str, words: str) -> None:
    seen = verdict(project, driver, "x > 0")
    assert seen.status == "inconclusive", seen
    assert f"drivers failed: {driver}" in seen.reason and words in seen.reason
