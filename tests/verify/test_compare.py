"""Eager and compiled runs are compared: rounding is no difference, and what is not repeatable is not compared."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitlint.verify.worker.compiling.compare import difference, eager_and_compiled
from jitlint.verify.worker.compiling.programs import Change, Program
from jitlint.verify.worker.process.budget import Clock


def unvaried(change: Change) -> tuple[Callable[[], Any], Callable[[], Any]]:
    raise AssertionError("only a proof varies inputs")


def compared(eager: Callable[[Any], Any], compiled: Callable[[Any], Any], value: Any, seconds: float = 20.0) -> str:
    shaken = value * (1 + 2.0**-21) if isinstance(value, float) else value
    program = Program(
        "f", [], "search", lambda: None, lambda: compiled(value), lambda: eager(value), lambda: eager(shaken), unvaried
    )
    return eager_and_compiled(program, Clock(), seconds)[0]


@pytest.mark.parametrize(
    ("eager", "compiled", "outcome"),
    [
        (lambda x: x * 2, lambda x: x * 2, "equal"),
        (lambda x: np.float32(x), lambda x: np.float32(x) * np.float32(1.00001), "equal"),
        (lambda x: x, lambda x: np.float32(x) * np.float32(1.01), "differs"),
        (lambda x: 3, lambda x: 4, "differs"),
        (lambda x: np.ones(3), lambda x: np.ones(4), "differs"),
        (lambda x: [1.0, 2.0], lambda x: [1.0], "differs"),
        (lambda x: np.array([np.nan, np.inf]), lambda x: np.array([np.nan, np.inf]), "equal"),
        (lambda x: np.array([np.nan, 1.0]), lambda x: np.array([1.0, 1.0]), "differs"),
        (lambda x: int(x * 2**24) % 2, lambda x: 1 - int(x * 2**24) % 2, "rounding"),
        (lambda x: 1 / 0, lambda x: 1.0, "failed"),
        (lambda x: jnp.ones(2, jnp.bfloat16), lambda x: jnp.ones(2, jnp.bfloat16) * 1.005, "equal"),
        (lambda x: jax.random.key(0), lambda x: jax.random.key(1), "differs"),
        (lambda x: "text", lambda x: "other", "equal"),
    ],
)
def test_outcomes(eager: Callable[[Any], Any], compiled: Callable[[Any], Any], outcome: str) -> None:
    assert compared(eager, compiled, 0.7) == outcome


def test_what_changes_from_run_to_run_is_not_compared() -> None:
    counter = itertools.count()
    assert compared(lambda x: next(counter), lambda x: -1, 0.7) == "random"


def test_pythons_own_values_that_were_made_up_prove_no_difference() -> None:
    run = Program("f", [], "search", lambda: None, lambda: 1, lambda: 2, lambda: 2, unvaried, python=True)
    assert eager_and_compiled(run, Clock(), 20.0) == ("types", "2 and 1")


def test_what_takes_long_is_not_compared() -> None:
    assert compared(lambda x: time.sleep(60), lambda x: 1, 0.7, seconds=0.2) == "time"


def test_the_first_difference_is_named() -> None:
    one, other = [np.zeros(2), np.array([[1, 2], [3, 4]])], [np.zeros(2), np.array([[1, 2], [5, 4]])]
    assert difference(one, other, [0.0, 0.0]) == "output 1: 3 and 5 at [1, 0]"
    assert difference(one, one, [0.0, 0.0]) == ""
