"""Programs that nobody would write are analyzed all the same: each of these once met an internal error."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import findings, write

PROGRAMS = {
    "a range longer than memory": "x = range(0, 10**30)",
    "accumulate, combinations without arguments": """
        x = itertools.accumulate()
        y = itertools.combinations(r=2)
        z = itertools.accumulate(iterable=[1, 2], initial=3)
    """,
    "a method that takes no self": """
        class A:
            @jax.jit
            def f(): return 1
            @jax.jit
            def g(*, x): return x
            @jax.jit
            def h(*args): return args
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_no_internal_error(tmp_path: Path, program: str) -> None:
    lines = [line.removeprefix("        ") for line in program.splitlines()]
    findings(write(tmp_path, "import itertools\nimport jax\n" + "\n".join(lines) + "\n"))
