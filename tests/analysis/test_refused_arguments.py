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
