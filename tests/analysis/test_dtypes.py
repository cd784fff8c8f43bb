"""Dtypes are told apart by their own names where a cast or an argument names them."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_operands_of_different_widths(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        import numpy as np

        @jax.jit
        def f(x, half):
            y = x.astype(jnp.float16)
            a = jax.lax.mul(y, x.astype("float32"))  # expect: JIT701
            b = jax.lax.add(y * 2.0, jnp.zeros(3, dtype=np.float16))
            c = jax.lax.sub(jnp.float32(x) + 1, jnp.ones(3, dtype="bfloat16"))  # expect: JIT701
            d = jax.lax.max(y + x, y)
            e = jax.lax.min(y.astype(jnp.float32), jnp.float32(3))
            f = jax.lax.add(x.astype(half.dtype), y)
            return a, b, c, d, e, f
        """,
    )


def test_a_carry_that_changes_its_width(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        def mixed(total, row):
            total = (total + row).astype(jnp.bfloat16)
            return total, row

        def same(total, row):
            total = (total + row).astype(jnp.float32)
            return total, row

        @jax.jit
        def f(rows):
            start = jnp.zeros((), dtype=jnp.float32)
            kept, _ = jax.lax.scan(same, start, rows)
            return kept, jax.lax.scan(mixed, start, rows)  # expect: JIT702
        """,
    )
