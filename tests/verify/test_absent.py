"""A package that is not installed costs only what needs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

MODEL = """import no_such_package
from no_such_package.plots import Figure, figure


class Picture(Figure):
    pass


def drawn(x: no_such_package.Array, shown=False):
    if shown:
        figure(x)
    return 2 * x


@figure("loss")
def losses(x):
    return x
"""

MAIN = """import jax

from model import Picture, drawn, losses


@jax.jit
def step(x):
    if {test} > 0:
        return x
    return -x
"""


@pytest.mark.parametrize(
    ("test", "status", "words"),
    [
        ("drawn(x)", "confirmed", "TracerBoolConversionError"),
        ("drawn(x, shown=True)", "inconclusive", "`no_such_package`, which it imports, is not installed"),
        ("losses(x)", "inconclusive", "`no_such_package`, which it imports, is not installed"),
        ("Picture(x)", "inconclusive", "`no_such_package`, which it imports, is not installed"),
    ],
)
def test_only_what_uses_it_fails(tmp_path: Path, test: str, status: str, words: str) -> None:
    model, main = source(tmp_path / "model.py", MODEL), source(tmp_path / "main.py", MAIN.format(test=test))
    found = finding(main, EventKind.BOOL, "if", f"{test} > 0", entry="jax.jit", function="step", root="step")
    (seen,) = verify([found], [main, model], VerifyOptions(jobs=1))
    assert seen.verdict is not None and seen.verdict.status == status, seen.verdict
    assert words in seen.verdict.reason


def test_what_the_code_expects_to_be_absent_is_left_to_it(tmp_path: Path) -> None:
    model = source(
        tmp_path / "model.py",
        "try:\n    import no_such_package\n    FOUND = True\nexcept ImportError:\n    FOUND = False\n",
    )
    main = source(
        tmp_path / "main.py",
        "import jax\nfrom model import FOUND\n\n@jax.jit\ndef step(x):\n    return 1 if not FOUND and x > 0 else 2\n",
    )
    found = finding(
        main, EventKind.BOOL, "and", "not FOUND and x > 0", "x > 0", entry="jax.jit", function="step", root="step"
    )
    (seen,) = verify([found], [main, model], VerifyOptions(jobs=1, python=sys.executable))
    assert seen.verdict is not None and seen.verdict.status == "confirmed"
