"""Dtypes are told apart by their own names where a cast or an argument names them."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import pytest
from programs import check

from jitlint.analysis.arrays.dtypes import differ, dtype_of_name, promoted_exact
from jitlint.analysis.values import UNKNOWN, JaxArray, Static


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


NAMES = ["bfloat16", "float16", "float32", "int8", "int16", "int32", "uint8", "uint16", "uint32"]


@pytest.mark.parametrize("a", NAMES)
def test_widths_promote_as_those_of_jax(a: str) -> None:
    for b in NAMES:
        kinds = [dtype_of_name(name) for name in (a, b)]
        if kinds[0] == kinds[1]:
            arrays = [JaxArray(kinds[0], 1, exact=name) for name in (a, b)]
            promoted = promoted_exact(arrays, kinds[0])
            assert promoted == jnp.promote_types(a, b).name
            assert differ(a, b) is (a != b)
            assert differ(a, f"{b}+") is (promoted != a), "what is at least `b` may be `a` only if `b` is not wider"


def test_operands_of_unknown_dtype_may_promote_further() -> None:
    half, default, number = JaxArray("float", exact="bfloat16"), JaxArray("float", exact="float32+"), Static("float")
    assert promoted_exact([half, number], "float") == "bfloat16"
    assert promoted_exact([half, JaxArray("int", exact="int32")], "float") == "bfloat16"
    assert promoted_exact([half, JaxArray("float", weak=True)], "float") == "bfloat16"
    assert promoted_exact([half, UNKNOWN], "float") == "bfloat16++"
    assert promoted_exact([JaxArray("float", exact="bfloat16++"), number], "float") == "bfloat16++"
    assert promoted_exact([half, default], "float") == "float32+"
    assert promoted_exact([number, number], "float") == ""
    assert promoted_exact([number, UNKNOWN], "float") == "++"
    assert promoted_exact([number, UNKNOWN], "int") == ""
    assert not differ("++", "bfloat16")
    assert not differ("float32", "float32+")
    assert not differ("float32+", "float32+")
    assert not differ("bfloat16", "")
