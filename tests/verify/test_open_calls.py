"""What fails nowhere is refuted only if no call of the function is left that did not run."""

from __future__ import annotations

from jitlint.verify.worker.messages import Line
from jitlint.verify.worker.watching import open_calls

STEP = """\
import jax
@jax.jit
def step(state): return state
def train(): return step(1)
"""
MAIN = """\
from step import step, train
def show():
    return models.step(None)
"""
SOURCES = {"step.py": STEP, "main.py": MAIN, "broken.py": "step(("}


def test_a_call_that_did_not_run_is_told() -> None:
    found = open_calls.of("step", SOURCES, {("step.py", 4)})
    assert found is not None
    assert (found.text, found.line) == ("models.step(…)", Line("main.py", 3))


def test_nothing_is_told_where_all_or_none_ran() -> None:
    assert open_calls.of("step", SOURCES, {("step.py", 4), ("main.py", 3)}) is None
    assert open_calls.of("step", SOURCES, set()) is None
    assert open_calls.of("walk", SOURCES, {("step.py", 4)}) is None
    assert open_calls.of("", SOURCES, {("step.py", 4)}) is None
