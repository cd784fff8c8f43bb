"""Arguments that JAX takes for no arrays, and those that libraries make arrays of first."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROGRAMS = {
    "objects of the standard library": """
        import collections
        import datetime
        import fractions
        import pathlib
        import jax

        @jax.jit
        def scaled(x, by):
            return x

        def run(x, up, down, root):
            ratio = fractions.Fraction(up, down)
            scaled(x, ratio)  # expect: JIT604
            scaled(x, {"root": pathlib.Path(root)})  # expect: JIT604
            scaled(x, collections.deque([1.0]))  # expect: JIT604
            scaled(x, datetime.timedelta(1))  # expect: JIT604
            scaled(x, collections.OrderedDict(a=1.0))
            return scaled(x, (float(ratio), ratio.numerator, datetime.timedelta(1).total_seconds()))
    """,
    "a decorator or base that is not known may make a class a pytree": """
        import functools
        import elsewhere
        import jax

        @elsewhere.tree
        class Registered:
            def __init__(self, level):
                self.level = level

        @elsewhere.tree(frozen=True)
        class Frozen(Registered):
            pass

        class Inherited(elsewhere.Tree):
            def __init__(self, level):
                self.level = level

        @functools.total_ordering
        class Plain:
            def __init__(self, level):
                self.level = level

            def __lt__(self, other):
                return self.level < other.level

        def below(state):
            return state.level < 3.0

        def raised(state):
            return state

        def run(level):
            for_ever = jax.lax.while_loop(below, raised, Registered(level))
            jax.lax.while_loop(below, raised, Frozen(level))
            jax.lax.while_loop(below, raised, (Inherited(level), level))
            jax.lax.while_loop(below, raised, Plain(level))  # expect: JIT604
            return for_ever
    """,
    "options that a transform does not take by position are not known": """
        import jax

        def scaled(x, mode):
            return x if mode == "up" else -x

        def run(x, shardings):
            return jax.jit(scaled, shardings, None, (1,))(x, "up")  # expect: JIT405

        def run_named(x, shardings):
            return jax.jit(scaled, in_shardings=shardings)(x, "up")  # expect: JIT604
    """,
    "a choice is refused where all of its cases are": """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def scored(x, part):
            return x

        def run(config):
            x = jnp.ones(3)
            part = "mean"
            if config.weights:
                part = x
            scored(x, part)
            scored(x, {"part": (part, x)})
            kind = "mean" if config.names else {"median"}
            scored(x, kind)  # expect: JIT604
            return scored(x, [x, kind])  # expect: JIT604
    """,
    "every leaf of the initial state is an array in the field": """
        import diffrax
        import numpy as np

        def field(t, y, args):
            position, velocity = y
            return velocity, -np.linalg.norm(velocity) * args  # expect: JIT303

        def fly(v0, t1):
            term = diffrax.ODETerm(field)
            return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, t1, 0.01, (1.0, v0), 2.0).ys
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program(tmp_path: Path, program: str) -> None:
    check(tmp_path, program)


def test_a_number_has_no_methods_of_text(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        @jax.jit
        def scaled(x, factor, name):
            return x * factor

        def run(x):
            n = len(x)
            scaled(x, n.astype(float), n.upper().title())
            scaled(x, 1.0, str(n).upper())  # expect: JIT604
        """,
    )


def test_a_typed_dict_is_a_dict(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        from typing import TypedDict
        import jax

        class Limits(TypedDict):
            low: jax.Array
            high: jax.Array

        @jax.jit
        def clipped(x, limits: Limits):
            if limits["low"] > limits["high"]:  # expect: JIT101
                return x
            return x.clip(**limits)

        def run(x):
            clipped(x, Limits(low=0.0, high=1.0))
            clipped(x, Limits(low=0.0, high="one"))  # expect: JIT604
        """,
    )
