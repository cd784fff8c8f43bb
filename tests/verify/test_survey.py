"""Entry points are reached, compiled and run, with real JAX; and what workers say of them is never trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from jitlint.events.entry_point import EntryPoint
from jitlint.findings.entry_report import EntryReport
from jitlint.findings.finding import Finding
from jitlint.pipeline import find, read
from jitlint.source.defects import Defects
from jitlint.source.text import SourceFile
from jitlint.verify.discoveries import Reached, judged
from jitlint.verify.options import VerifyOptions
from jitlint.verify.protocol import Observation
from jitlint.verify.survey import survey
from jitlint.verify.verdicts import Reason


def surveyed(folder: Path, files: Mapping[str, str]) -> tuple[dict[str, EntryReport], list[tuple[str, int]]]:
    """The reports by the entry's name, and the codes and lines of what was found."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    sources = read([str(folder)]).files
    found = find(sources)
    known = (*found.findings, *found.suppressed)
    reports, more = survey(found.entries, known, sources, VerifyOptions(jobs=1), Defects())
    return {report.entry.name: report for report in reports}, [(each.code, each.event.place.line) for each in more]


PACKAGE = {
    "pkg/__init__.py": "from pkg.parts import configured, loss, make_rule, named",
    "pkg/parts.py": """
        from typing import NamedTuple
        import jax
        import jax.numpy as jnp

        class Rule(NamedTuple):
            init: object
            update: object

        def loss(weights, features):
            return jnp.sum((features @ weights) ** 2)

        def make_rule(rate):
            def init(weights):
                return jnp.zeros_like(weights)
            def update(gradient, state):
                return -rate * gradient, state + gradient
            return Rule(init, update)

        def named(x):
            return "a name"

        def configured(x, flag):
            if jnp.sum(x) > 0:
                return x
            return -x
        """,
}


@pytest.mark.slow
def test_a_packages_functions_are_compiled_and_so_is_what_they_make(tmp_path: Path) -> None:
    reports, found = surveyed(tmp_path, PACKAGE)
    assert {name: (report.status, report.code) for name, report in reports.items()} == {
        "loss": ("compiled", ""),
        "make_rule": ("compiled", ""),
        "named": ("not-reached", "no-program"),
        "configured": ("not-reached", "no-inputs"),  # nobody says that it runs under jit
    }
    assert reports["loss"].compared == reports["make_rule"].compared == "equal"
    assert reports["make_rule"].target == "make_rule(…).update"
    assert (reports["make_rule"].equations or 0) >= 2
    assert found == []


PROGRAM = """
    import jax
    import jax.numpy as jnp

    def outer(count):
        step = jax.jit(lambda v: v * count)
        return step(jnp.ones(3))

    class Scale:
        def __init__(self, factor):
            self.factor = factor
        def applied(self, x):
            return x * self.factor

    applied = jax.jit(Scale(2.0).applied)

    @jax.jit
    def odd(values):
        if len(values) != 17:
            raise ValueError("seventeen, please")
        return sum(values)

    @jax.jit
    def leaving(x):
        import string
        return {"loss": x.sum(), "name": string.digits}

    @jax.jit
    def ends(x):
        import os
        os._exit(3)

    size = 2

    @jax.jit
    def sized(x):
        return x + jnp.zeros(2)

    try:
        sized(jnp.ones(size))
    finally:
        size = 3
    """


@pytest.mark.slow
def test_what_is_made_inside_is_reached_and_made_up_inputs_are_not_blamed_on_the_program(tmp_path: Path) -> None:
    reports, found = surveyed(tmp_path, {"program.py": PROGRAM})
    assert {name: (report.status, report.code) for name, report in reports.items()} == {
        "outer.<locals>.<lambda>": ("compiled", ""),
        "Scale.applied": ("compiled", ""),
        "odd": ("not-reached", "no-inputs"),
        "leaving": ("failed", "fails-to-trace"),
        "ends": ("not-reached", "exited"),
        "sized": ("compiled", ""),
    }
    assert [code for code, _ in found] == ["JIT901"]


HARMLESS = """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def mapping(params):
        total = 0.0
        for name in sorted(params):
            total = total + params[name].sum()
        return total

    @jax.jit
    def strict(x):
        return x.reshape(3, 3)

    def guarded(x):
        try:
            return strict(x)
        except TypeError:
            return None

    guarded(jnp.ones(4))

    try:
        strict(jnp.ones(5))
    except TypeError:
        pass

    @jax.jit
    def chaotic(x):
        return jax.lax.fori_loop(0, 200, lambda i, v: 3.99 * v * (1 - v), x)

    @jax.jit
    def order(x):
        return jnp.argsort(jnp.sin(x * 1e4))

    @jax.jit
    def integer(n):
        return n * (1 if isinstance(n, int) else 2)

    @jax.jit
    def callback(x):
        jax.debug.print("{}", x)
        return jax.pure_callback(lambda v: v * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    """


@pytest.mark.slow
def test_harmless_programs_are_let_be(tmp_path: Path) -> None:
    _, found = surveyed(tmp_path, {"program.py": HARMLESS})
    assert found == []


# ---- what workers say


SOURCE = SourceFile(
    Path("/p/model.py"), "model.py", "import jax\n\n@jax.jit\ndef f(x):\n    é = x + 1\n    return é @ x\n"
)


@pytest.fixture
def entry(tmp_path: Path) -> EntryPoint:
    path = tmp_path / "model.py"
    path.write_text(SOURCE.text)
    (entry,) = find([SourceFile(path, "model.py", SOURCE.text)]).entries
    return entry


def told(entry: EntryPoint, outcome: str, evidence: dict[str, Any], *devices: str) -> tuple[EntryReport, list[Finding]]:
    seen = Reached(Observation(0, outcome, "traced", ("x=f32[]",), evidence), jax="0.10.2")
    (report,), found = judged([(entry, seen)], [], [SOURCE], devices or ("cpu",), Defects())
    return report, list(found)


def test_places_are_those_of_the_project_in_characters(entry: EntryPoint) -> None:
    site = {"file": "/p/model.py", "line": 6, "column": 11, "end_line": 6, "end_column": 17}
    failure = {"type": "TypeError", "message": "no", "site": site}
    _, (found,) = told(entry, "failed", {"failure": failure, "source": "call site", "known": True})
    place = found.event.place
    assert (found.code, place.path, place.line, place.column, place.end_column) == ("JIT901", "model.py", 6, 12, 17)
    _, (found,) = told(entry, "failed", {"failure": {**failure, "site": {**site, "file": "/lib/other.py"}}})
    assert found.event.place == entry.place


def test_each_device_has_its_verdict(entry: EntryPoint) -> None:
    builds = [
        {"device": "cpu", "seconds": {"compile": 0.1}},
        {"device": "tpu:v5e", "failed": "lower", "type": "E", "message": "E: no rule"},
        {"device": "cuda:h100", "reason": "no-compiler", "note": "no ptxas"},
    ]
    report, (found,) = told(entry, "surveyed", {"builds": builds}, "cpu", "tpu:v5e", "cuda:h100", "tpu:v4")
    assert (report.status, report.code) == ("failed", "fails-to-lower")
    assert [build.status for build in report.builds] == ["compiled", "failed", "not-built", "not-built"]
    assert found.code == "JIT902"
    assert [(each.device, each.status) for each in found.verdicts] == [
        ("cpu", "refuted"),
        ("tpu:v5e", "confirmed"),
        ("cuda:h100", "inconclusive"),
        ("tpu:v4", "inconclusive"),
    ]


def test_an_unused_donation_counts_with_the_users_own_inputs_only(entry: EntryPoint) -> None:
    notice = {"kind": "donation-unused", "message": "Some donated buffers were not usable: float32[4]."}
    evidence = {"builds": [{"device": "cpu"}], "notices": [notice]}
    assert [found.code for found in told(entry, "surveyed", {**evidence, "known": True})[1]] == ["JIT906"]
    assert told(entry, "surveyed", evidence)[1] == []


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"builds": 3, "notices": "x", "constants": {"a": 1}},
        {"builds": [7, {"device": 1}, {"device": "cpu", "failed": "lower", "site": {"file": 3, "line": "x"}}]},
        {"builds": [{"device": "cpu", "seconds": {"trace": "long"}, "memory": [1], "flops": "many"}]},
        {"notices": [{"kind": "precision-lost", "site": {"file": "/p/model.py", "line": 10**9}}]},
        {"constants": [{"type": None, "bytes": "x", "site": []}], "compared": 4},
        {"failure": [], "source": {}},
    ],
)
@pytest.mark.parametrize("outcome", ["surveyed", "failed", "unclear", "confirmed"])
def test_whatever_a_worker_says_a_report_comes_of_it(entry: EntryPoint, outcome: str, evidence: dict[str, Any]) -> None:
    report, _ = told(entry, outcome, evidence)
    assert report.entry == entry and report.status in ("compiled", "failed", "not-built", "not-reached")


def test_why_nothing_was_seen_is_told(entry: EntryPoint) -> None:
    (report,), found = judged([(entry, Reached(None, Reason.INTERRUPTED))], [], [SOURCE], ("cpu",), Defects())
    assert (report.status, report.code, found) == ("not-reached", "interrupted", ())
