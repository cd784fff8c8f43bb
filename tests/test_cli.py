"""The command line, called in this process."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jitlint import __version__, pipeline
from jitlint.__main__ import main
from jitlint.commands.check import exit_code
from jitlint.events.event import Event, EventKind
from jitlint.findings.finding import FileError, Finding, Verdict
from jitlint.findings.finding import Result as RunResult
from jitlint.rules.rule import Severity
from jitlint.source.defects import VARIABLE
from jitlint.source.places import Place

BRANCH = """\
import jax

@jax.jit
def step(x):
    if x > 0:
        return x
    return -x
"""
CLEAN = "import jax\n\n@jax.jit\ndef step(x):\n    return x + 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BRANCH)
    (tmp_path / "good.py").write_text(CLEAN)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_findings_exit_with_one() -> None:
    done = run("bad.py")
    assert done.exit_code == 1
    assert done.stdout.startswith("bad.py:5:8 JIT101 ")
    assert "     5 |     if x > 0:\n       |        ^^^^^\n" in done.stdout
    assert done.stdout.endswith("1 finding in 1 file.\n")
    assert done.stderr == ""


def test_clean_code_exits_with_zero() -> None:
    done = run("good.py")
    assert (done.exit_code, done.stdout) == (0, "No findings in 1 file.\n")


def test_check_is_the_command_when_none_is_named() -> None:
    assert run("check", "bad.py").stdout == run("bad.py").stdout
    assert run("--format", "json", "bad.py").stdout == run("check", "bad.py", "--format=json").stdout


def test_json_is_alone_on_standard_output(folder: Path) -> None:
    done = run(".", "missing.py", "--format", "json")
    assert done.exit_code == 2
    document = json.loads(done.stdout)
    assert [finding["code"] for finding in document["findings"]] == ["JIT101"]
    assert [error["path"] for error in document["errors"]] == ["missing.py"]
    assert done.stderr.startswith("missing.py: ")


def test_github_and_sarif_are_formats() -> None:
    assert run("bad.py", "--format", "github").stdout.startswith("::error file=bad.py,line=5,")
    assert json.loads(run("bad.py", "--format", "sarif").stdout)["runs"][0]["results"][0]["ruleId"] == "JIT101"


def test_output_goes_to_a_file(folder: Path) -> None:
    done = run("bad.py", "--output", "report.txt")
    assert (done.exit_code, done.stdout) == (1, "")
    assert (folder / "report.txt").read_text() == run("bad.py").stdout
    assert sorted(path.name for path in folder.iterdir()) == ["bad.py", "good.py", "report.txt"]


def test_output_goes_into_a_pipe_and_leaves_it_there(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    reading = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("bad.py", "--output", "pipe").exit_code == 1
    assert os.read(reading, 1 << 16).decode() == run("bad.py").stdout
    os.close(reading)
    assert (folder / "pipe").is_fifo()


def test_output_that_cannot_be_written_is_an_error() -> None:
    done = run("bad.py", "--output", "no/such/folder.txt")
    assert done.exit_code == 2
    assert "no/such/folder.txt" in done.stderr


def test_codes_are_selected_and_ignored(folder: Path) -> None:
    assert run("bad.py", "--select", "JIT2,JIT3").exit_code == 0
    assert run("bad.py", "--ignore", "JIT1").exit_code == 0
    assert run("bad.py", "--select", "JIT101").exit_code == 1
    (folder / "pyproject.toml").write_text("[tool.jitlint]\nper-file-ignores = {'bad.py' = ['JIT101']}\n")
    assert run("bad.py").exit_code == 0


def test_excluded_files_are_not_searched_but_taken_when_given(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.jitlint]\nexclude = ['bad.py']\n")
    assert run(".").stdout == "No findings in 1 file.\n"
    assert run("bad.py").exit_code == 1


def test_comments_suppress(folder: Path) -> None:
    (folder / "bad.py").write_text(BRANCH.replace("x > 0:", "x > 0:  # jitlint: ignore[JIT101] a test"))
    assert run("bad.py").exit_code == 0
    (folder / "bad.py").write_text("# jitlint: skip-file\n" + BRANCH)
    assert run("bad.py").exit_code == 0


def test_statistics_follow_the_findings() -> None:
    assert run("bad.py", "--statistics").stdout.endswith("     1  JIT101  traced-branch\n")


def test_paths_are_relative_to_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    assert run("../bad.py").stdout.startswith(f"{folder.as_posix()}/bad.py:5:8 ")
    monkeypatch.chdir(folder.parent)
    assert run(str(folder)).stdout.startswith(f"{folder.name}/bad.py:5:8 ")


def test_explain_gives_a_rules_page() -> None:
    done = run("explain", "jit101")
    assert done.exit_code == 0
    assert done.stdout.startswith("# JIT101 traced-branch\n")
    unknown = run("explain", "JIT999")
    assert unknown.exit_code == 2
    assert "There is no rule JIT999" in unknown.stderr


def test_revealing_does_not_fail_a_run(folder: Path) -> None:
    (folder / "good.py").write_text(CLEAN.replace("x + 1", "reveal_stage(x) + 1"))
    done = run("good.py")
    assert done.exit_code == 0
    assert done.stdout.startswith("good.py:5:12: revealed: Traced pytree ← argument `x` of `step`\n\nNo findings")


def test_stage_says_what_the_variables_at_a_line_are(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("")
    (folder / "caller.py").write_text("import jax.numpy as jnp\nfrom bad import step\nstep(jnp.ones((2, 3)))\n")
    done = run("stage", "bad.py:5")
    assert (done.exit_code, done.stdout) == (
        0,
        "bad.py:5: in bad.step, under jax.jit of `step`\n  x  Traced float[2,?] ← argument `x` of `step`\n",
    )
    assert run("stage", "bad.py:5:x").stdout == done.stdout
    (seen,) = json.loads(run("stage", "bad.py:5:x", "--format", "json").stdout)["revealed"]
    assert (seen["expression"], seen["stage"]) == ("x", "traced")


def test_stage_of_what_nothing_runs(folder: Path) -> None:
    (folder / "dead.py").write_text("def f(x):\n    if False:\n        y = x\n")
    done = run("stage", "dead.py:3")
    assert done.exit_code == 0
    assert done.stdout.startswith("dead.py:3: nothing to show: ")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("bad.py", "`bad.py` is not a place; write FILE:LINE or FILE:LINE:NAME"),
        ("bad.py:5:7", "cannot look at the path: no such file"),
        ("gone.py:5", "gone.py: JIT001 cannot look at the path: no such file"),
        ("bad.py:2", "No statement is on bad.py:2; try 1 and 3."),
        ("bad.py:99", "No statement is on bad.py:99; try 7."),
        ("bad.py:5:z", "There is no variable `z` at bad.py:5; there are x."),
        ("broken.py:1", "broken.py: JIT001 "),
        (".:1", "is not a Python file"),
    ],
)
def test_stage_of_a_bad_place_says_what_to_do(folder: Path, place: str, message: str) -> None:
    (folder / "broken.py").write_text("def f(:\n")
    done = run("stage", place)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_line_without_a_statement_is_no_defect_of_jitlint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    done = run("stage", "bad.py:2")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "Error: No statement is on bad.py:2; try 1 and 3.")


def test_version_and_help() -> None:
    assert run("--version").stdout == f"jitlint {__version__}\n"
    assert "--verify" in run("check", "--help").stdout
    assert run("--help").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("bad.py", "--format", "xml"),
        ("bad.py", "--jobs", "0"),
        ("bad.py", "--no-such-option"),
        ("bad.py", "--select", "E501"),
        ("bad.py", "--device", "cpu"),
        ("bad.py", "--dump", "programs"),
        ("good.py", "--verify", "--device", "tpu:v9"),
        ("good.py", "--verify", "--memory", "16"),
        ("good.py", "--verify", "--mesh", "2by4"),
        ("good.py", "--verify", "--device", "tpu:v5e", "--mesh", "1000"),
    ],
)
def test_wrong_usage_exits_with_two(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_defect_is_told_apart_from_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **options: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(pipeline, "find", fail)
    done = run("bad.py")
    assert done.exit_code == 2
    assert done.stderr.startswith("jitlint: JIT000 internal error (the run ended): KeyError: 'oops', ")


@pytest.mark.parametrize(
    ("statuses", "errors", "expected"),
    [
        ([], 0, 0),
        ([None], 0, 1),
        (["refuted"], 0, 0),
        (["refuted", "inconclusive"], 0, 1),
        (["not-run"], 0, 1),
        (["confirmed"], 1, 2),
        ([], 1, 2),
    ],
)
def test_exit_codes(statuses: list[str | None], errors: int, expected: int) -> None:
    event = Event(EventKind.BOOL, Place("a.py", 1, 1, 1, 2), "if")
    findings = [
        Finding("JIT101", "n", Severity.ERROR, "m", event, verdicts=(Verdict(status, "because"),) if status else ())
        for status in statuses
    ]
    assert exit_code(RunResult(tuple(findings), tuple([FileError("a.py", "broken")] * errors))) == expected
