"""Arguments whose callers are not in view: how many axes an array must have, and how much shorter a part of it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, write

from jitlint.analysis.api import analyze
from jitlint.analysis.arrays.shapes import least_matmul_rank, matmul_rank
from jitlint.project.cache import Cache
from jitlint.project.modules import Project


def test_conditions_that_leave_axes(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        from jax import lax

        def run(condition, *state):
            return lax.while_loop(condition, lambda state: state, state)  # expect: JIT704

        @jax.jit
        def rows(v, tolerance):
            return run(lambda s: jnp.abs(s[0] - s[1]).max(axis=1) > tolerance, v, v)

        @jax.jit
        def vector(v, tolerance):
            return lax.while_loop(lambda s: jnp.diff(s) > tolerance, lambda s: s, v)  # expect: JIT704

        @jax.jit
        def part(v, tolerance):
            return lax.while_loop(lambda s: s["e"][1:] > tolerance, lambda s: s, {"e": v})  # expect: JIT704

        @jax.jit
        def product(a, v):
            return lax.while_loop(lambda s: (a @ s[:, None]) > 0, lambda s: s, v)  # expect: JIT704

        @jax.jit
        def scalars(v, tolerance):
            first = lax.while_loop(lambda s: s.max(axis=0) > tolerance, lambda s: s, v)
            second = lax.while_loop(lambda s: s[1:].sum(axis=0) > tolerance, lambda s: s, v)
            third = lax.while_loop(lambda s: s[0, 1] > tolerance, lambda s: s, v)
            return first, second, third, lax.cond(v.any(axis=0), jnp.sin, jnp.cos, tolerance)

        @jax.jit
        def mapped(v, tolerance):
            def one(row):
                return lax.while_loop(lambda s: s.max(axis=0) > tolerance, lambda s: s, row)

            return jax.vmap(one)(v[None] * 2)
        """,
    )


def test_carries_next_to_unknown_operands(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        from jax import lax

        @jax.jit
        def shorter(u, k, dt):
            def body(_, u):
                return u[1:-1] + dt * k * (u[2:] - 2 * u[1:-1] + u[:-2])
            return lax.fori_loop(0, 5, body, u)  # expect: JIT702

        @jax.jit
        def kept(u, k, dt):
            def body(_, u):
                return u.at[1:-1].add(dt * k * (u[2:] - 2 * u[1:-1] + u[:-2])) * k
            return lax.fori_loop(0, 5, body, u)

        @jax.jit
        def gains_an_axis(rows, w):
            def body(total, row):
                return total + jnp.sum(w * row[:, None], axis=1), None
            return lax.scan(body, jnp.zeros(()), rows)  # expect: JIT702

        @jax.jit
        def may_keep(rows, w):
            def body(total, row):
                return total + jnp.sum(w * row, axis=-1), None
            return lax.scan(body, jnp.zeros(()), rows)
        """,
    )


def test_the_counter_for_the_carry(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        from jax import lax

        @jax.jit
        def relaxed(u, f):
            def sweep(u, i):
                return 0.5 * jnp.roll(u, 1, 0) - f  # expect: JIT710
            return lax.fori_loop(0, 5, sweep, u)

        @jax.jit
        def first(u, f):
            def sweep(i, u):
                return 0.5 * jnp.roll(u, 1, 0) - f[i] + jnp.expand_dims(i, 0) + i[None]
            return lax.fori_loop(0, 5, sweep, u)
        """,
    )


@pytest.mark.parametrize("left", range(1, 4))
@pytest.mark.parametrize("right", range(1, 4))
def test_no_product_has_fewer_axes_than_said(left: int, right: int) -> None:
    possible = [matmul_rank(a, b) or 0 for a in range(left, 6) for b in range(right, 6)]
    assert least_matmul_rank(left, right) == min(possible)


def test_ranks_that_code_asks_for(tmp_path: Path) -> None:
    program = """\
        import jax
        import jax.numpy as jnp
        import numpy as np

        matrix = jnp.ones((3, 4))
        reveal_stage((matrix.ndim, jnp.ndim(matrix), np.ndim(3.0)))

        @jax.jit
        def asked(x, y, z):
            if x.ndim == 1:
                reveal_stage(x)
            if len(y.shape) != 3:
                raise ValueError("three axes")
            reveal_stage(y)
            if z.ndim != 2:
                reveal_stage(z)
        """
    revealed = analyze(Project(write(tmp_path, program), Cache(None))).revealed
    assert [each.text.partition(" ←")[0] for each in revealed] == [
        "Static tuple (int 2, int 2, int 0)",
        "Traced array[?]",
        "Traced array[?,?,?]",
        "Traced array",
    ]
