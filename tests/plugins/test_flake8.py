"""flake8, run as a program with the plugin that the distribution registers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from jitlint.analysis.events import Event, EventKind
from jitlint.findings.finding import Finding
from jitlint.pipeline import Findings
from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Severity
from jitlint.source.places import Place

jitlint_flake8 = pytest.importorskip("jitlint_flake8")

BRANCH = "import jax\n\n\n@jax.jit\ndef step(x):\n    if x > 0:{comment}\n        return x\n    return -x\n"


def flake8(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, timeout=120, check=False)


def codes(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.stderr == ""
    return [" ".join(line.split()[:2]) for line in done.stdout.splitlines()]


def test_flake8_reports_findings_in_files(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH.format(comment=""))
    (tmp_path / "good.py").write_text("import jax\n\nstep = jax.jit(abs)\n")
    done = flake8(tmp_path, "--select", "JIT", ".")
    assert done.returncode == 1
    assert codes(done) == ["./bad.py:6:8: JIT101"]


def test_flake8_runs_the_plugin_without_being_asked(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH.format(comment=""))
    assert codes(flake8(tmp_path, "bad.py")) == ["bad.py:6:8: JIT101"]
    assert codes(flake8(tmp_path, "bad.py", "--extend-ignore", "JIT1")) == []


def test_hints_are_left_to_the_options_of_flake8(monkeypatch: pytest.MonkeyPatch) -> None:
    ignored: list[str] = []
    options = SimpleNamespace(extend_default_ignore=ignored.extend)
    jitlint_flake8.Checker.add_options(options)
    assert ignored == [rule.code for rule in all_rules() if rule.severity is Severity.HINT]
    event = Event(EventKind.BOOL, Place("a.py", 1, 1, 1, 2), "if")
    hint = Finding("JIT199", "a-hint", Severity.HINT, "hinted", event)
    monkeypatch.setattr(jitlint_flake8, "find", lambda *_, **__: Findings((hint,), ()))
    shown = [text for _, _, text, _ in jitlint_flake8.Checker(ast.parse(""), "a.py", [""]).run()]
    assert shown == ["JIT199 hinted"]


def test_flake8_reads_standard_input(tmp_path: Path) -> None:
    text = BRANCH.format(comment="")
    done = flake8(tmp_path, "--select", "JIT", "--stdin-display-name", "pkg/shown.py", "-", stdin=text)
    assert codes(done) == ["pkg/shown.py:6:8: JIT101"]
    assert codes(flake8(tmp_path, "--select", "JIT", "-", stdin=text)) == ["stdin:6:8: JIT101"]


def test_comments_of_both_kinds_count(tmp_path: Path) -> None:
    for comment in ("  # noqa: JIT101", "  # noqa", "  # jitlint: ignore[JIT101] x is a Python number"):
        (tmp_path / "bad.py").write_text(BRANCH.format(comment=comment))
        assert codes(flake8(tmp_path, "--select", "JIT", "bad.py")) == []
    (tmp_path / "bad.py").write_text(BRANCH.format(comment="  # noqa"))
    assert codes(flake8(tmp_path, "--select", "JIT", "--disable-noqa", "bad.py")) == ["bad.py:6:8: JIT101"]


def test_what_is_no_python_is_left_to_flake8(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import jax\ndef f(:\n")
    assert codes(flake8(tmp_path, "--select", "JIT,E9", "bad.py")) == ["bad.py:2:8: E999"]


def test_encodings_and_newlines_do_not_move_places(tmp_path: Path) -> None:
    text = BRANCH.format(comment="")
    for data in (
        text.replace("\n", "\r\n").encode(),
        ("\ufeff" + text).encode(),
        ("# coding: latin-1 ä\n" + text).encode("latin-1"),
    ):
        (tmp_path / "bad.py").write_bytes(data)
        shown = codes(flake8(tmp_path, "--select", "JIT", "bad.py"))
        assert shown in (["bad.py:6:8: JIT101"], ["bad.py:7:8: JIT101"])
