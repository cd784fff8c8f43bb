"""What differs from round to round, what handlers hide, and what becomes a constant."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from programs import check, events

from jitlint.events.event import EventKind

HEAD = """\
import contextlib
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

@partial(jax.jit, static_argnames="n")
def f(x, n=1):
    return x.sum() * n

@jax.jit
def g(x):
    return x.sum()

BIG = jnp.ones((1_000, 1_000))

"""

PROGRAMS = {
    "counters and what is computed of them": """
        def run(x, count):
            for i in range(count):
                f(x, n=i + 1)  # expect: JIT406
                f(x, n=3 - 2 * i)  # expect: JIT406
                f(x, n=i % 2)
                f(x, n=i * 0)
                f(x, n=min(i, 3))
        """,
    "a counter is one in its own loop only": """
        def run(x, count):
            for i in range(count):
                pass
            for _ in range(count):
                f(x, n=i)
        """,
    "slices with one bound that moves": """
        def run(x: np.ndarray, count):
            x = np.asarray(x)
            for i in range(count):
                g(x[:i])  # expect: JIT407
                g(x[i:])  # expect: JIT407
                g(x[1:i, 0])  # expect: JIT407
                g(x[i : i + 4])
                g(x[i])
                g(x[::2])
        """,
    "growth is seen at the end of a round": """
        def run(rows):
            kept = jnp.zeros((0, 2))
            for _ in rows:
                kept = jnp.concatenate([kept, jnp.ones((1, 2))])
                g(kept)  # expect: JIT407
            g(kept)
        """,
    "what one branch resets does not grow": """
        def run(rows):
            kept = jnp.zeros((0, 2))
            for i, _ in enumerate(rows):
                kept = jnp.concatenate([kept, jnp.ones((1, 2))])
                if i % 8 == 7:
                    kept = jnp.zeros((0, 2))
                g(jnp.ones((8, 2)))
        """,
    "a jitted function made in the round is another matter": """
        def run(x, count):
            for i in range(count):
                h = jax.jit(g)
                h(x[:i])
        """,
    "handlers for tracers are deliberate": """
        @jax.jit
        def step(x):
            try:
                if x > 0:  # expect: JIT509
                    pass
            except Exception:
                pass
            try:
                if x > 0:
                    pass
            except jax.errors.TracerBoolConversionError:
                pass
            with contextlib.suppress(BaseException):
                while x > 0:  # expect: JIT509
                    x = x - 1
            with contextlib.suppress(ValueError):
                x = x + 1
            return x
        """,
    "a handler around the call hides nothing of the trace": """
        @jax.jit
        def step(x):
            if x > 0:
                return x
            return -x

        try:
            step(1.0)
        except Exception:
            pass
        """,
    "large constants": """
        @jax.jit
        def step(x):
            scaled = BIG * x  # expect: JIT802
            return scaled + jnp.zeros(BIG.shape) + np.ones((1_000, 1_000))  # expect: JIT802
        """,
    "an argument is no constant": """
        @jax.jit
        def step(x, big=BIG):
            return x * big

        step(1.0, BIG)
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_found(tmp_path: Path, name: str) -> None:
    check(tmp_path, HEAD + dedent(PROGRAMS[name]))


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for row in x.T:", True),
        ("for i in range(x.shape[0]):", True),
        ("for i in range(40):", True),
        ("for i in range(4):", False),
        ("for part in (x, x):", False),
    ],
)
def test_unrolled_loops(tmp_path: Path, loop: str, found: bool) -> None:
    program = f"import jax\n\n@jax.jit\ndef step(x):\n    x = x * 2\n    {loop}\n        x = x + 1\n    return x\n"
    assert any(event.kind is EventKind.UNROLLED for event in events(tmp_path, program)) is found


def test_a_loop_that_records_nothing_is_not_unrolled(tmp_path: Path) -> None:
    program = "import jax\n\n@jax.jit\ndef step(x):\n    for i in range(40):\n        print(i)\n    return x\n"
    assert all(event.kind is not EventKind.UNROLLED for event in events(tmp_path, program))
