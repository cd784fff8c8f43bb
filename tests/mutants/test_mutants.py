"""The benchmark, small: it is reproducible, JAX confirms enough mutants, and the linter finds nearly all of those."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import itertools
import operator
import random
from pathlib import Path

import jax
import pytest

from tests.mutants import agreement, bench, stages
from tests.mutants.__main__ import prepare, run
from tests.mutants.carriers import CARRIERS, Carrier
from tests.mutants.kinds import KINDS
from tests.mutants.mutate import Base, mutate
from tests.mutants.observed import Leaf, Line, Variable
from tests.mutants.processes import ask
from tests.mutants.recipes import Recipe
from tests.mutants.rewrites import rewrites

STEP = "import jax\nimport jax.numpy as jnp\n\n\ndef step(x, n):\n    y = jnp.where(x > 0, x, n)\n    return y\n"
RECIPE = Recipe("package.module", "step", ("jnp.ones(3)", "2.0"))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> bench.Scratch:
    return bench.Scratch(tmp_path_factory.mktemp("mutants"))


@pytest.fixture(scope="module")
def bases(scratch: bench.Scratch) -> list[tuple[Base, Path]]:
    return prepare(["equinox"], scratch)


def base() -> Base:
    held = Variable(stages=["tracer"], leaves=[Leaf(access="", shape=[3], dtype="float32")], own=True)
    lines = {number: Line(function="step", start=5, variables={"x": held}) for number in (6, 7)}
    return Base(RECIPE, STEP, ast.parse(STEP), lines)


@pytest.mark.parametrize("carrier", dict.fromkeys(CARRIERS), ids=lambda carrier: carrier.name)
def test_a_carrier_gives_the_value_again(carrier: Carrier) -> None:
    names = {module.__name__: module for module in (collections, dataclasses, functools, itertools, jax, operator)}
    lines = [line.replace("<e>", "40 + 2") for line in (*carrier.module, *carrier.lines)]
    exec("\n".join(lines), names)
    assert eval(carrier.result.replace("<e>", "40 + 2"), names) == 42


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_makes_harmful_and_harmless_mutants(kind: str) -> None:
    made = [mutant for seed in range(40) if (mutant := mutate(base(), kind, random.Random(seed)))]
    assert {mutant.harmful for mutant in made} == {True, False}
    for mutant in made:
        lines = mutant.text.split("\n")
        assert lines[: mutant.changed[0] - 1] == STEP.split("\n")[: mutant.changed[0] - 1]
        assert lines[mutant.second - 1] == "second = entry(jnp.ones(3), 2.0)"


def test_rewrites_of_an_array_function() -> None:
    statement = ast.parse(STEP).body[2].body[0]  # type: ignore[attr-defined]
    made = {(rewrite.kind, rewrite.text) for rewrite in rewrites(statement, STEP)}
    assert ("ternary", "((x) if x > 0 else (n))") in made
    assert ("numpy", "np.where") in made


def test_observed_stages(tmp_path: Path) -> None:
    text = "import jax\n\n\ndef f(x, n):\n    pair = (x, n)\n    return [v for v in pair][0] * n\n\n\n"
    path = tmp_path / "package" / "observed.py"
    path.parent.mkdir()
    path.write_text(f"{text}entry = jax.jit(f, static_argnums=1)\nfirst = entry(1.0, 2)\n")
    (path.parent / "__init__.py").touch()
    requests = [{"do": "survey", "path": str(path), "name": "json.observed", "driver": 9}]
    lines = {int(number): line for number, line in next(ask(requests)).items()}
    found = stages.reads(ast.parse(text), lines, path)
    assert [(read["line"], read["name"], read["stages"]) for read in found] == [
        (5, "x", ["tracer"]),
        (5, "n", ["static"]),
        (6, "pair", ["contains"]),
        (6, "n", ["static"]),
    ]


def test_the_same_seed_makes_the_same_mutants(bases: list[tuple[Base, Path]]) -> None:
    first = [mutant.text for mutant in bench.mutants([base for base, _ in bases], 7, 8)]
    assert first == [mutant.text for mutant in bench.mutants([base for base, _ in bases], 7, 8)]
    assert first != [mutant.text for mutant in bench.mutants([base for base, _ in bases], 8, 8)]


def test_recall_and_false_positives(bases: list[tuple[Base, Path]], scratch: bench.Scratch) -> None:
    result = run([base for base, _ in bases], scratch, 0, 40)
    assert result.failing.total() >= 15
    assert result.fine.total() >= 8
    assert result.recall() >= 0.9
    assert result.false_positives() <= 0.05


def test_agreement(bases: list[tuple[Base, Path]]) -> None:
    found = agreement.Agreement(agreement.answers(bases))
    assert found.observed > 1000
    assert found.agreement >= 0.98
    assert found.tracers_called_static <= 0.005
    assert found.unknown <= 0.1
