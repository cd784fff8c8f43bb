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
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROGRAMS[name])
