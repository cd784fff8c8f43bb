"""What released libraries do, and JAX is fine with."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROGRAMS = {
    "warnings about what is known while tracing": """
        import warnings
        import jax

        def check(n):
            if n % 2 == 0:
                return
            warnings.warn("odd")

        def deprecated():
            warnings.warn("old")

        @jax.jit
        def f(x, flag=None):
            check(x.shape[0])
            if x.ndim > 1:
                warnings.warn("many axes")
                deprecated()
            warnings.warn("always")  # expect: JIT504
            return x
    """,
    "references of a kernel": """
        import jax
        import jax.numpy as jnp
        from jax.experimental import pallas as pl

        def kernel(x_ref, count_ref, o_ref):
            count_ref[0] = 1
            if x_ref[0] > 0:  # expect: JIT101
                o_ref[...] = x_ref[...]
            o_ref[...] = x_ref[...] * 2

        @jax.jit
        def run(x):
            out = jax.ShapeDtypeStruct(x.shape, x.dtype)
            return pl.pallas_call(kernel, out_shape=out)(x, jnp.zeros((1,), jnp.int32))

        run(jnp.ones(8))
    """,
    "a frozenset is static": """
        import functools
        import jax
        import jax.numpy as jnp

        @functools.partial(jax.jit, static_argnames="functions")
        def g(x, functions):
            for i, f in functions:
                x = f(x)
            return x

        def h(x, functions):
            g(x, functions=frozenset(functions.items()))
            return g(x, functions=set(functions.items()))  # expect: JIT403

        h(jnp.ones(2), {0: jnp.sin})
    """,
    "types that a tracer is no instance of": """
        from collections.abc import Mapping
        import jax
        import numpy as np

        @jax.jit
        def f(x):
            y = jax.numpy.sin(x)
            if isinstance(y, Mapping) and "mask" in y:
                return y["mask"]
            if isinstance(y, (int, (np.integer, type))):
                return y if y > 0 else -y
            equal = y == x
            if isinstance(equal, bool | np.ndarray):
                if equal: return y
            if isinstance(equal, jax.Array | np.ndarray):
                if equal: return y  # expect: JIT101
            return y
    """,
    "attributes that a tracer lacks": """
        import jax

        @jax.jit
        def f(x):
            if hasattr(x, "block_until_ready"):
                x.block_until_ready()
            if getattr(x, "sharding", None) is None:
                return x
            return x.sharding

        @jax.jit
        def g(x):
            y = x + 1
            if hasattr(y, "block_until_ready"):
                y.block_until_ready()
            if getattr(y, "sharding", None) is None:
                return y
            return y.sharding
    """,
    "what a static argument would have been": """
        import functools
        import jax

        @functools.partial(jax.jit, static_argnames="eps")
        def inner(x, eps):
            if eps > 1: return x
            return x + 1

        @jax.jit
        def outer(x, eps):
            return inner(x, eps=eps)  # expect: JIT403
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROGRAMS[name])
