"""What is too large to be followed to its end is said; what was seen until then stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from programs import write

from jitlint.__main__ import main
from jitlint.analysis.api import analyze
from jitlint.analysis.machine.limits import (
    MAX_CALL_DEPTH,
    TOO_DEEP,
    TOO_LONG,
    TOO_LONG_LATE,
    TOO_LONG_LATE_TOP,
    TOO_LONG_TOP,
    TOO_MANY,
)
from jitlint.events.event import Incomplete
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

JIT = "@jax.jit\ndef f(x):\n    if x > 0:\n        x = -x\n"
CHAIN = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(MAX_CALL_DEPTH + 5))

FUEL = 200


@pytest.fixture(autouse=True)
def fuel(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little that small programs use it up."""
    monkeypatch.setattr("jitlint.analysis.program.roots.ROOT_FUEL", FUEL)
    monkeypatch.setattr("jitlint.analysis.language.modules.MODULE_FUEL", FUEL)


PROGRAMS = {
    "statements": (JIT + "    x = x + 1\n" * FUEL, "program.f", TOO_LONG),
    "statements of a module": (JIT + "    return x\n" + "y = 1\n" * FUEL, "program", TOO_LONG_TOP),
    "nested calls": (f"{CHAIN}{JIT}    return f0(x)\n", "program.f", TOO_DEEP),
    "ways to call": (
        JIT + "    return " + " + ".join(f"g({{'k{n}': x}})" for n in range(90)) + "\ndef g(x): return x\n",
        "program.f",
        TOO_MANY,
    ),
}


@pytest.mark.parametrize(("text", "symbol", "reason"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_it_is_said(tmp_path: Path, text: str, symbol: str, reason: str) -> None:
    analysis = analyze(Project(write(tmp_path, "import jax\n" + text), Cache(None)))
    assert Incomplete("program.py", symbol, reason) in analysis.incomplete
    assert [event.place.line for event in analysis.events if event.construct == "if"] == [
        4 if text.startswith(JIT) else 4 + 2 * (MAX_CALL_DEPTH + 5)
    ]


def test_what_comes_after_much_else_is_followed_less_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many examples of one library, and many roots in one file: the first are followed to their end."""
    for limit in ("language.modules.TOPS_FUEL", "program.roots.UNIT_FUEL"):
        monkeypatch.setattr(f"jitlint.analysis.{limit}", FUEL // 4)
    for limit in ("language.modules.LATE_TOP_FUEL", "program.roots.LATE_ROOT_FUEL"):
        monkeypatch.setattr(f"jitlint.analysis.{limit}", FUEL // 10)
    steps = "    y = 1\n" * (FUEL // 4)
    last = "    return jax.jit(lambda x: 1 if x > 0 else 2)(x)\n"
    functions = "".join(f"def f{n}(x):\n{steps}{last}" for n in range(3))
    text = "import jax\n" + "y = 1\n" * (FUEL // 4) + functions
    sources = write(tmp_path, {"a.py": text, "b.py": "import a\nimport jax\n" + "y = 1\n" * (FUEL // 4)})
    analysis = analyze(Project(sources, Cache(None)))
    assert len([event for event in analysis.events if event.construct == "ternary"]) == 1
    reasons = {each.symbol: each.reason for each in analysis.incomplete}
    assert reasons == {"a.f0": TOO_LONG_LATE, "a.f1": TOO_LONG_LATE, "b": TOO_LONG_LATE_TOP}


def test_the_rest_of_the_file_is_followed(tmp_path: Path) -> None:
    text = "import jax\n" + PROGRAMS["statements"][0] + "\n@jax.jit\ndef g(x):\n    return 1 if x > 0 else 2\n"
    analysis = analyze(Project(write(tmp_path, text), Cache(None)))
    assert [event.construct for event in analysis.events] == ["if", "ternary"]
    assert [each.symbol for each in analysis.incomplete] == ["program.f"]


def test_reports_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep.py").write_text(f"import jax\n{CHAIN}{JIT}    return f0(x)\n")
    done = CliRunner().invoke(main, ["deep.py"])
    assert done.exit_code == 1
    assert f"Note: deep.py: `deep.f` was not followed to its end, as {TOO_DEEP}" in done.stdout
    done = CliRunner().invoke(main, ["--format", "json", "deep.py"])
    said = {"path": "deep.py", "symbol": "deep.f", "reason": TOO_DEEP}
    assert said in json.loads(done.stdout)["summary"]["incomplete"]


def test_what_is_followed_is_not_said(tmp_path: Path) -> None:
    assert analyze(Project(write(tmp_path, f"import jax\n{JIT}    return x\n"), Cache(None))).incomplete == ()
