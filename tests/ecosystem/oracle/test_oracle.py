"""A small package with a suite of its own: each label is given where JAX bears it out, and nowhere else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.ecosystem.oracle.compare import Comparison, Flagged, compare, origin, word_of
from tests.ecosystem.oracle.suites import Suite, is_test, suites, watched
from tests.ecosystem.oracle.tables import details, report
from tests.ecosystem.packages import Package
from tests.mutants.stages import Read

pytestmark = pytest.mark.slow

MODULE = """
import jax
import jax.numpy as jnp


@jax.jit
def clipped(x, limit):
    if x.sum() > limit:
        return x * 0
    return x


def scaled(x, factor, table):
    size = table[factor]
    return x * size


def guarded(x):
    try:
        return float(x)
    except jax.errors.ConcretizationTypeError:
        return x


def hidden(names, x):
    return float(names[0](x))


def sloped(x):
    return x if x > 0 else -x


def unreached(x):
    return x


@jax.jit
def spared(x):
    if x.size > 3:
        if x > 0:
            return x
    return x
"""

TESTS = """
import importlib

import jax
import jax.numpy as jnp
import pytest

from tiny import core


def test_clipped():
    core.clipped(jnp.ones(3), 1.0)


def test_spared():
    core.spared(1.0)


def test_scaled():
    jax.jit(lambda x: core.scaled(x, "a", {"a": 2}))(jnp.ones(3))


def test_guarded():
    jax.jit(core.guarded)(1.0)


def test_hidden():
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(lambda x: getattr(importlib.import_module("tiny.core"), "hid" + "den")([jnp.sin], x))(1.0)


def test_sloped():
    jax.grad(core.sloped)(1.0)


def test_unreached():
    assert core.unreached
"""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    cache = tmp_path_factory.mktemp("oracle")
    suite = Suite(Package("tiny", "1"), "tiny", ("tests",), ())
    for name, text in (
        ("tiny/__init__.py", ""),
        ("tiny/core.py", MODULE),
        ("tests/__init__.py", ""),
        ("tests/test_core.py", TESTS),
        ("pyproject.toml", "[tool.jitlint]\n"),
    ):
        path = suite.tree(cache) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return compare(suite, watched(suite, cache, Path(sys.executable)), cache)


def _line(text: str) -> int:
    return MODULE.split("\n").index(text) + 1


def test_the_suite_ran(comparison: Comparison) -> None:
    assert comparison.watched["tests"] == {"passed": 6, "failed": 1}
    assert not comparison.watched["late"]


def test_what_failed_where_it_is_flagged_is_true(comparison: Comparison) -> None:
    verdicts = {(each.finding["line"], each.verdict) for each in comparison.shown}
    assert verdicts == {(_line("    if x.sum() > limit:"), "true"), (_line("        if x > 0:"), "unreached")}


def test_what_failed_where_nothing_is_flagged_is_missed(comparison: Comparison) -> None:
    missed = [(failure["path"], failure["line"]) for failure in comparison.missed]
    assert missed == [("tiny/core.py", _line("    return float(names[0](x))"))]
    assert len(comparison.failed) == 2, "what the package itself catches is no failure"


def test_variables_have_both_opinions(comparison: Comparison) -> None:
    said = {
        (answer.read["line"], answer.read["name"]): answer.what
        for answer in comparison.answers
        if answer.module == "tiny/core.py"
    }
    assert said[_line("    size = table[factor]"), "factor"] == "static as static"
    assert said[_line("    return x * size"), "x"] == "traced as traced"
    assert said[_line("    return float(names[0](x))"), "x"] == "traced as unknown"
    assert (_line("    return x if x > 0 else -x"), "x") not in said, "under grad alone tracers have values"


def test_what_ran_without_failing_is_false(comparison: Comparison) -> None:
    ran = {"path": "tiny/core.py", "line": _line("    return x * size"), "code": "JIT101", "severity": "error",
           "confidence": "likely", "message": "m", "flow": []}  # fmt: skip
    found = Comparison(
        comparison.suite, comparison.watched, comparison.answers, [Flagged(ran, "false")], comparison.failed
    )
    assert "false, by rule: 1\n     1  JIT101" in report([found])
    assert "missed, by error: 1\n     1  ConcretizationTypeError" in report([found])
    assert f"false: tiny/core.py:{ran['line']} JIT101 likely m" in details(found)


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("a", 2, "parameter"),
        ("self", 2, "self"),
        ("b", 3, "jnp.sin(…)"),
        ("c", 4, "loop variable"),
        ("d", 4, "closure"),
        ("b", 5, "binop"),
    ],
)
def test_origin(name: str, line: int, expected: str) -> None:
    text = "def f(self, a):\n    b = jnp.sin(a)\n    for c in b:\n        g(c, d)\n    b = b + 1; h(b)\n"
    read = Read(path="p", function="f", line=line, column=1, name=name, stages=[])
    assert origin(ast.parse(text), read) == expected


@pytest.mark.parametrize(
    ("words", "stages", "expected"),
    [
        ("traced static", "array tracer", (True, "traced")),
        ("static", "array tracer", (False, "static")),
        ("static", "tracer", (True, "static")),
        ("traced", "static", (False, "traced")),
        ("unknown traced", "array", (False, "unknown")),
        ("unknown static", "contains", (True, "unknown")),
    ],
)
def test_the_case_on_which_both_agree_counts(words: str, stages: str, expected: tuple[bool, str]) -> None:
    read = Read(path="p", function="f", line=1, column=1, name="x", stages=stages.split())
    assert word_of(words.split(), read) == expected


def test_suites_are_of_pinned_packages_and_tests_are_told_from_sources() -> None:
    assert len(suites()) >= 20
    assert is_test("tests/unit/helpers.py") and is_test("optax/_src/alias_test.py") and is_test("conftest.py")
    assert not is_test("optax/_src/alias.py") and not is_test("numpyro/contrib/testing.py")
    with pytest.raises(SystemExit, match=r"not in suites.toml: nothing"):
        suites(["nothing"])
