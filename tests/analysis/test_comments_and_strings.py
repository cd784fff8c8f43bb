"""Comments and docstrings that look like code: they say nothing to the analyzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.programs import check

REBOUND = '''\
"""A function that rebinds it would begin with this line:

    global ROUNDS
"""
import jax

ROUNDS = 3

@jax.jit
def scaled(x):
    if ROUNDS > 5:
        return float(x)
    return x

scaled(1.0)
'''

SET_TWICE = """\
from functools import partial
import jax

class Counter:
    def __init__(self):
        self.count = 0

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        # self.count = 0 would be the start
        self.count = 1  # expect: JIT502
        return x

Counter().step(1.0)
"""

DECLARED = '''\
from dataclasses import dataclass
import jax

@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Schedule:
    gain: jax.Array

class Other:
    """Its subclasses may have a line such as

        self.gain = 3
    """

@jax.jit
def reset(values):
    values.gain = 0.0  # expect: JIT508
    return values
'''

ASKED = """\
from dataclasses import dataclass
import jax

@dataclass
class State:
    weights: object
    momentum: object

@jax.jit
def step(state, x):
    # state.other is for another function
    return state.weights * x + state.momentum

def train(state):
    return step(state, 1.0)  # expect: JIT604
"""

APPENDED = """\
import jax

names = []

@jax.jit
def step(x):
    # nothing does names.pop() afterwards
    names.append("step")  # expect: JIT502
    return x

step(1.0)
"""


@pytest.mark.parametrize(
    "text",
    [REBOUND, SET_TWICE, DECLARED, ASKED, APPENDED],
    ids=["global", "set", "declared", "asked", "popped"],
)
def test_what_only_looks_like_code_is_ignored(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
