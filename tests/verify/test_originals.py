"""Functions run as they were before an edit, and a fix is proven or not by comparing the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitlint.verify.worker.compiling.programs import Change, Program
from jitlint.verify.worker.compiling.proof import Proof, prove
from jitlint.verify.worker.process.budget import Clock
from jitlint.verify.worker.user_code.originals import NotExchangeableError, Originals

BEFORE = """
def clipped(x, low):
    if x < low:
        return low
    return x

def twice(x):
    return 2 * clipped(x, 0.0)

class Model:
    def value(self, x):
        return x if x > 0 else -x

def made(scale):
    def scaled(x):
        return scale * (x if x > 0 else -x)
    return scaled

def shifted(x):
    return x + OFFSET

OFFSET = 1.0
scaled = made(3.0)
"""
AFTER = (
    BEFORE.replace("    if x < low:\n        return low\n    return x", "    return jnp.where(x < low, low, x)")
    .replace("x if x > 0 else -x", "jnp.where(x > 0, x, -x)")
    .replace("def shifted(x)", "def shifted(x, OFFSET)")
)
FILE = "edited.py"


def loaded(text: str, file: str = FILE) -> dict[str, Any]:
    namespace: dict[str, Any] = {"jnp": jnp}
    exec(compile(text, file, "exec"), namespace)
    return namespace


def nothing() -> None:
    raise AssertionError("a proof runs what varies")


def program(function: Callable[..., Any], *values: float) -> Program:
    jitted = jax.jit(function)

    def varied(change: Change) -> tuple[Callable[[], Any], Callable[[], Any]]:
        return (lambda: jitted(*change(list(values)))), (lambda: function(*change(list(values))))

    return Program("f", [], "search", nothing, nothing, nothing, nothing, varied)


def proof(name: str, after: str, *values: float) -> Proof:
    function = loaded(after)[name]
    return prove(program(function, *values), Originals({FILE: BEFORE}, {FILE: after}), Clock(), 60.0)


def test_the_original_runs_in_the_place_of_the_edited_function() -> None:
    edited = loaded(AFTER)
    originals = Originals({FILE: BEFORE}, {FILE: AFTER})
    with originals.in_place():
        assert (edited["clipped"](-1.0, 0.0), edited["clipped"](2.0, 0.0)) == (0.0, 2.0)
        assert isinstance(edited["twice"](1.0), float)
        assert isinstance(edited["Model"]().value(-2.0), float)
        assert isinstance(edited["scaled"](-2.0), float)
    assert originals.conditions == 3
    assert originals.one_sided == ["x > 0", "x > 0"]
    assert not isinstance(edited["clipped"](-1.0, 0.0), float)


def test_a_parameter_in_place_of_a_global_has_its_value_there() -> None:
    edited = loaded(AFTER)
    with Originals({FILE: BEFORE}, {FILE: AFTER}).in_place():
        assert edited["shifted"](1.0, OFFSET=5.0) == edited["shifted"](1.0, 5.0) == 6.0
    assert edited["OFFSET"] == 1.0


def test_other_parameters_are_refused() -> None:
    after = BEFORE.replace("clipped(x, low)", "clipped(x, high)")
    edited = loaded(after, "other.py")
    originals = Originals({"other.py": BEFORE}, {"other.py": after})
    with pytest.raises(NotExchangeableError, match="what `clipped` takes"), originals.in_place():
        pass
    assert edited["clipped"].__code__.co_varnames[1] == "high"


@pytest.mark.parametrize(
    ("name", "values"), [("clipped", (1.0, 2.0)), ("twice", (1.5,)), ("scaled", (2.0,)), ("shifted", (1.0, 4.0))]
)
def test_what_gives_the_same_is_proven(name: str, values: tuple[float, ...]) -> None:
    found = proof(name, AFTER, *values)
    assert found.outcome == "equal" and found.runs > 1
    assert found.one_sided == []


def test_a_wrong_side_is_found_by_inputs_that_reach_it() -> None:
    wrong = AFTER.replace("jnp.where(x < low, low, x)", "jnp.where(x < low, 2 * low, x)")
    assert proof("clipped", wrong, 3.0, 2.0).outcome == "differs"


def test_an_edited_program_that_fails_is_disproven() -> None:
    wrong = AFTER.replace("jnp.where(x < low, low, x)", "jnp.where(x < low, low, missing)")
    found = proof("clipped", wrong, 3.0, 2.0)
    assert found.outcome == "fails" and "missing" in found.why


def test_an_original_that_never_runs_proves_nothing() -> None:
    before = BEFORE.replace("        return low\n    return x", "        return low\n    return undefined")
    function = loaded(AFTER)["clipped"]
    found = prove(program(function, jnp.nan, jnp.nan), Originals({FILE: before}, {FILE: AFTER}), Clock(), 60.0)
    assert found.outcome == "not-run" and "undefined" in found.why
