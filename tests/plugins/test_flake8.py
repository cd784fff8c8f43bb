"""flake8, run as a program with the plugin that the distribution registers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jitlint import __version__

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


def test_hints_are_left_to_the_options_of_flake8(tmp_path: Path) -> None:
    (tmp_path / "unrolled.py").write_text(
        "import jax\n\n\n@jax.jit\ndef total(xs):\n    sum_ = 0.0\n    for i in range(64):\n"
        "        sum_ = sum_ + xs[i]\n    return sum_\n"
    )
    assert codes(flake8(tmp_path, "unrolled.py")) == []
    assert codes(flake8(tmp_path, "--extend-select", "JIT112", "unrolled.py")) == ["unrolled.py:7:14: JIT112"]


def test_flake8_names_the_plugin() -> None:
    shown = flake8(Path.cwd(), "--version").stdout
    assert f"jitlint: {__version__}" in shown


LOSSES = "def loss(x):\n    if x > 0:{comment}\n        return x\n    return -x\n"
STEPS = "import jax\n\nimport losses\n\nstep = jax.jit(losses.loss)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A bug across two files: neither shows it alone."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "losses.py").write_text(LOSSES.format(comment=""))
    (tmp_path / "steps.py").write_text(STEPS)
    return tmp_path


def test_other_modules_of_the_project_are_seen(project: Path) -> None:
    assert codes(flake8(project, "losses.py")) == ["losses.py:2:8: JIT101"]
    assert codes(flake8(project, "-j", "2", ".")) == ["./losses.py:2:8: JIT101"]
    edited = LOSSES.format(comment="").replace("x > 0", "x.ndim > 0")
    assert codes(flake8(project, "--stdin-display-name", "losses.py", "-", stdin=edited)) == []
    shown = flake8(project, "--stdin-display-name", "losses.py", "-", stdin="\n" + LOSSES.format(comment=""))
    assert codes(shown) == ["losses.py:3:8: JIT101"]


def test_flake8s_own_options_hold(project: Path) -> None:
    assert codes(flake8(project, "--ignore", "JIT101", "losses.py")) == []
    assert codes(flake8(project, "--per-file-ignores", "losses.py:JIT1", "losses.py")) == []
    assert codes(flake8(project, "--extend-ignore", "JIT2", "losses.py")) == ["losses.py:2:8: JIT101"]
    (project / "losses.py").write_text(LOSSES.format(comment="  # noqa: JIT101"))
    assert codes(flake8(project, "losses.py")) == []
    (project / "losses.py").write_text(LOSSES.format(comment="  # far" + " far" * 30))
    assert codes(flake8(project, "losses.py")) == ["losses.py:2:8: JIT101", "losses.py:2:80: E501"]
    assert codes(flake8(project, "--max-line-length", "200", "losses.py")) == ["losses.py:2:8: JIT101"]


def test_confidence_is_that_of_the_option_else_of_the_settings(project: Path) -> None:
    guess = "import jax\n\n\n@jax.jit\ndef step(x, flag=None):\n    if flag:\n        return x\n    return -x\n"
    (project / "guess.py").write_text(guess + "\n\ndef run(x, flag):\n    return step(x, flag)\n")
    assert codes(flake8(project, "guess.py")) == ["guess.py:6:8: JIT101"]
    assert codes(flake8(project, "--jitlint-confidence", "certain", "guess.py")) == []
    (project / "own.toml").write_text('confidence = "certain"\n')
    assert codes(flake8(project, "--jitlint-config", "own.toml", "guess.py")) == []
    (project / "jitlint.toml").write_text('confidence = "certain"\nexclude = ["losses.py"]\n')
    assert codes(flake8(project, "guess.py", "losses.py")) == []
    assert codes(flake8(project, "--jitlint-confidence", "likely", "guess.py")) == ["guess.py:6:8: JIT101"]


def test_a_configuration_that_cannot_be_used_is_said_once(project: Path) -> None:
    (project / "jitlint.toml").write_text("confidnce = 1\n")
    done = flake8(project, "-j", "1", "losses.py", "steps.py")
    assert done.stdout.count("JIT003 unknown key `confidnce`") == 1
    assert "losses.py:2:8: JIT101" in done.stdout
    absent = flake8(project, "--jitlint-config", "absent.toml", "losses.py")
    assert "JIT003 cannot read the file" in absent.stdout


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
