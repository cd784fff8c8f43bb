"""Internal errors cost one file, function or rule; they are reported as what they are, and nothing else is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from jitlint import ir, pipeline, syntax
from jitlint.__main__ import main
from jitlint.analysis.machine.interpreter import EXECUTORS
from jitlint.config import files
from jitlint.findings.finding import Finding
from jitlint.report import text
from jitlint.rules.control_flow.traced_branch import TracedBranch
from jitlint.source.defects import VARIABLE

GOOD = """\
import jax

@jax.jit
def good(x):
    while x > 0:
        x = x - 1
    return x
"""
HARD = """\
import jax

@jax.jit
def secret(x):
    del secret_name
    if x > 0:
        return x
    return -x

@jax.jit
def second(x):
    return -x if x > 0 else x
"""
FOUND = "good.py:5:11 JIT102 "

Break = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "hard.py").write_text(HARD)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def fail(text: object) -> Any:
    raise KeyError("secret")


def reading(patch: pytest.MonkeyPatch) -> None:
    read = pipeline.read_source
    patch.setattr(pipeline, "read_source", lambda path, shown: fail(path) if "hard" in shown else read(path, shown))


def parsing(patch: pytest.MonkeyPatch) -> None:
    lower = syntax.lower
    patch.setattr(syntax, "lower", lambda text: fail(text) if text == HARD else lower(text))


def interpreting(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(EXECUTORS, ir.Delete, lambda interp, node: fail(node))


def rule(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TracedBranch, "check", lambda self, event: fail(event) if event.construct == "if" else None)


CASES = pytest.mark.parametrize(
    ("broken", "said"),
    [
        (reading, "(reading): KeyError"),
        pytest.param(parsing, "(parsing): KeyError", marks=pytest.mark.patching),
        (interpreting, "(interpreting, `hard.secret`): KeyError"),
        (rule, "(rule JIT101, `hard.secret`): KeyError"),
    ],
)


@CASES
def test_the_rest_is_done(broken: Break, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    done = run("--no-cache", ".")
    assert done.exit_code == 2
    assert done.stdout.startswith(FOUND)
    assert ("hard.py:12:18 JIT104 " in done.stdout) == (broken in (interpreting, rule))
    assert done.stderr.startswith(f"hard.py: JIT000 internal error {said}: ")


@CASES
def test_it_can_be_reported(broken: Break, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    (error,) = json.loads(run("--no-cache", "--format", "json", ".").stdout)["errors"]
    assert said in error["message"]
    assert error["report"].startswith("jitlint ")
    assert error["report"].endswith(' fail: raise KeyError("secret")')
    assert not any(line in error["report"] for line in HARD.splitlines() if line)
    assert run("--no-cache", ".").stderr.endswith(f"{error['report']}\n")


def test_one_defect_is_told_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreting(monkeypatch)
    (folder / "more.py").write_text(HARD)
    done = run("--no-cache", ".")
    assert done.stderr.count("JIT000") == 2
    assert done.stderr.count("send these lines") == 1


def test_tests_fail_on_any(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreting(monkeypatch)
    monkeypatch.setenv(VARIABLE, "raise")
    with pytest.raises(KeyError):
        pipeline.find(pipeline.read(["."]).files)


def test_the_page_exists() -> None:
    assert run("explain", "JIT000").stdout.startswith("# JIT000 internal-error\n")


def test_a_finding_that_a_reporter_fails_on_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = text._finding

    def failing(finding: Finding, lines: Any) -> Iterator[str]:
        return fail(finding) if finding.event.place.path == "hard.py" else shown(finding, lines)

    monkeypatch.setattr(text, "_finding", failing)
    done = run("--no-cache", ".")
    assert done.exit_code == 2
    assert done.stdout.startswith(FOUND) and "1 finding in 2 files." in done.stdout
    assert done.stderr.startswith("hard.py: JIT000 internal error (format text): ")


def test_settings_that_jitlint_fails_on_have_their_defaults(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "jitlint.toml").write_text('ignore = ["JIT1"]\n')
    monkeypatch.setattr(files, "read_toml", fail)
    done = run("--no-cache", ".")
    assert done.exit_code == 2 and FOUND in done.stdout
    assert done.stderr.startswith("jitlint.toml: JIT000 internal error (reading settings): ")
