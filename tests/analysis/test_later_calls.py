"""State that a traced function reads and a document changes: stale only if the document calls the function later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jitlint import pipeline
from jitlint.events.assumption import Confidence

STEP = "@jax.jit\ndef step(x):\n    return x * rate\n"
HELPER = "def scaled(x):\n    return x * rate\n\n@jax.jit\ndef step(x):\n    return scaled(x)\n"
LOOP = "for rate in [0.2, 0.3]:\n    step(1.0)"


def stale(folder: Path, *cells: str, name: str = "a.ipynb") -> list[int | None]:
    """The lines of the program at which stale state is read."""
    file = folder / name
    texts = ["import jax\nrate = 0.1", *cells]
    if name.endswith(".ipynb"):
        file.write_text(json.dumps({"cells": [{"cell_type": "code", "source": text} for text in texts]}))
    else:
        file.write_text("\n".join(texts))
    found = pipeline.find(pipeline.read([str(file)]).files).findings
    return [finding.event.place.line for finding in found if finding.code == "JIT501"]


@pytest.mark.parametrize(
    "cells",
    [
        (STEP, "step(1.0)", "rate = 0.2", "step(2.0)"),
        (STEP, "step(1.0)", LOOP),
        (STEP, "step(1.0)", "def change():\n    global rate\n    rate = 0.2", "change()", "step(1.0)"),
        (STEP, "step(1.0)", "def main():\n    step(1.0)", "rate = 0.2", "main()"),
        (STEP, "step(1.0)", "fast = step", "rate = 0.2", "fast(1.0)"),
        (STEP, "step(1.0)", "all = {'a': step}", "rate = 0.2", "all['a'](1.0)"),
        (STEP, "step(1.0)", "rate = 0.2", "def step(x):\n    return step(x)"),
        (STEP, "step(1.0)", "rate = 0.2", "rate = 0.3", "%timeit step(1.0)"),
        ("step = jax.jit(lambda x: x * rate)", "step(1.0)", "rate = 0.2", "step(1.0)"),
        ("step = jax.jit(lambda x: x * rate)", "for rate in [0.2, 0.3]: step(1.0)"),
        ("class Model:\n    @jax.jit\n    def step(self):\n        return self * rate\n", "m = Model.step", "m(1.0)",
         "rate = 0.2", "m(1.0)"),
        ("def made():\n    @jax.jit\n    def step(x):\n        return x * rate\n    return step", "s = made()",
         "s(1.0)", "rate = 0.2", "s(1.0)"),
    ],
)  # fmt: skip
def test_what_is_called_after_the_change_is_stale(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert len(stale(tmp_path, *cells)) == 1


def test_what_another_function_reads_through_the_same_helper_is_stale(tmp_path: Path) -> None:
    again = "@jax.jit\ndef other(x):\n    return scaled(x) + 1\n\nother(1.0)"
    assert len(stale(tmp_path, HELPER, "step(1.0)", again, "rate = 0.2", "other(1.0)")) == 1


@pytest.mark.parametrize(
    "cells",
    [
        (STEP, "step(1.0)", "rate = 0.2"),
        (STEP, "step(1.0)", "rate = 0.2", "y = rate + 1"),
        (STEP, "step(1.0)", "rate = 0.2", STEP, "step(1.0)"),
        (STEP, "step(1.0)", "y = step(2.0)", "rate = 0.2", "print(y)"),
        (HELPER, "step(1.0)", "rate = 0.2", HELPER, "step(1.0)"),
        (STEP, "step(1.0)", "rate = 0.2", "@jax.jit\ndef late(x):\n    return x * rate", "late(1.0)"),
        (STEP, "step(1.0)", "def rate():\n    pass", STEP, "step(1.0)"),
        ("step = jax.jit(lambda x: x * rate)", "step(1.0)", "rate = 0.2"),
        ("y = jax.lax.fori_loop(0, 9, lambda i, x: x * rate, 1.0)", "rate = 0.2"),
    ],
)
def test_what_is_not_called_after_the_change_is_not(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert stale(tmp_path, *cells) == []


def test_others_may_call_the_functions_of_a_module(tmp_path: Path) -> None:
    assert len(stale(tmp_path, STEP, "step(1.0)", "rate = 0.2", name="a.py")) == 1


UNCALLED = "def edges(x):\n    field[0] = x\n    return x"


@pytest.mark.parametrize("called", [False, True])
def test_what_no_cell_calls_would_see_the_values_of_the_last_cell_at_most(tmp_path: Path, called: bool) -> None:
    cells = ["import jax.numpy as jnp", UNCALLED, "field = jnp.zeros(3)", "edges(1.0)" if called else "field"]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "code", "source": text} for text in cells]}))
    (finding,) = pipeline.find(pipeline.read([str(file)]).files).findings
    assert finding.code == "JIT507"
    assert (finding.event.confidence is Confidence.POSSIBLE) is not called
