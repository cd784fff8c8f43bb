"""What a finding is about, where its trace begins, and which guess it rests on."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import events, steps

from jitlint.events.assumption import Confidence
from jitlint.events.event import Event

HEAD = """
    import functools
    import jax
    import jax.numpy as jnp
    import math
    import numpy as np
"""


def one(folder: Path, program: str) -> Event:
    (event,) = events(folder, HEAD + program)
    return event


@pytest.mark.parametrize(
    ("expression", "subject"),
    [
        ("np.clip(1.0, x, 2.0)", "x"),
        ("np.clip(1.0, a_min=x + 1, a_max=None)", "x + 1"),
        ("math.sqrt(abs(x))", "abs(x)"),
        ("x.sum().item()", "x.sum()"),
        ("(x * 2).tolist()", "(x * 2)"),
        ("x.block_until_ready()", "x"),
        ("x.addressable_shards", "x"),
        ("complex(0.0, x)", "x"),
        ("bool(x > 0)", "x > 0"),
        ("any(v > 0 for v in [x, x])", "v > 0 for v in [x, x]"),
        ("max(0, x)", "x"),
        ("jnp.nonzero(x > 0)", "x > 0"),
        ("set().add(x)", "x"),
        ("np.clip(  # the lower end\n        x,\n        0,\n    )", "x"),
    ],
)
def test_the_subject_of_a_call_is_its_argument(tmp_path: Path, expression: str, subject: str) -> None:
    event = one(
        tmp_path,
        f"""
    @jax.jit
    def step(x):
        return {expression}

    step(jnp.ones(3))
    """,
    )
    assert event.subject == subject


def test_texts_of_several_lines_are_put_on_one(tmp_path: Path) -> None:
    event = one(
        tmp_path,
        """
    @jax.jit
    def step(x):
        if jnp.sum(  # a comment
            x,
            axis=0,
        ) > 0:
            return x

    step(jnp.ones(3))
    """,
    )
    assert event.subject == "jnp.sum(x, axis=0) > 0"


def test_what_has_no_traced_value_shows_where_its_trace_begins_and_the_calls(tmp_path: Path) -> None:
    event = one(
        tmp_path,
        """
    def report():
        print("traced")

    @jax.jit
    def step(x):
        report()
        return x
    """,
    )
    assert steps(event) == [(11, "`jax.jit` is applied to `step`"), (13, "runs `report`")]


def test_structured_control_flow_shows_the_functions_that_do_not_fit(tmp_path: Path) -> None:
    event = one(
        tmp_path,
        """
    def whole(x):
        return x

    def both(x):
        return x, x

    @jax.jit
    def step(flag, x):
        return jax.lax.cond(flag, whole, both, x)

    step(True, jnp.ones(3))
    """,
    )
    assert steps(event) == [(8, "a branch"), (11, "a branch")]


def test_a_function_made_in_each_call_shows_the_loop_around_the_call(tmp_path: Path) -> None:
    event = one(
        tmp_path,
        """
    def solve(x):
        def residual(v):
            return v * 2

        return jax.jit(residual)(x)

    for x in (1.0, 2.0):
        solve(x)
    """,
    )
    assert event.subject == "residual"
    assert steps(event) == [
        (12, "`jax.jit` is applied here to a new local function"),
        (14, "in a round of this loop"),
    ]


@pytest.mark.parametrize(
    ("program", "guess"),
    [
        (
            """
    @jax.jit
    def step(x):
        if x:
            return x
    """,
            "`x` is an array",
        ),
        (
            """
    @jax.jit
    def step(x, names):
        y = x.sum() if len(names) > 2 else 3
        return jnp.zeros(y)

    step(jnp.ones(3), [jnp.ones(3)] * len(open("names").read()))
    """,
            "a path on which `y` is traced",
        ),
        (
            """
    @jax.jit
    def step(x, names):
        y = x.sum() if len(names) > 2 else 3
        return int(y)

    step(jnp.ones(3), [jnp.ones(3)] * len(open("names").read()))
    """,
            "a path on which `y` is traced",
        ),
        (
            """
    @jax.tree_util.register_dataclass
    class State:
        done: jax.Array

        def __init__(self, done: jax.Array):
            self.done = done

    @jax.jit
    def step(state):
        if state.done.any():
            return state
    """,
            "`state` is a `State`",
        ),
        (
            """
    def plain(x):
        return x

    def fails(x):
        return int(x)

    @jax.jit
    def step(x, names):
        chosen = plain if len(names) > 2 else fails
        return chosen(x)

    step(jnp.ones(3), [jnp.ones(3)] * len(open("names").read()))
    """,
            "`chosen(x)` calls `fails`",
        ),
    ],
)
def test_what_is_likely_names_its_guess(tmp_path: Path, program: str, guess: str) -> None:
    event = one(tmp_path, program)
    assert (event.confidence, event.assumptions[0].text) == (Confidence.LIKELY, guess)
