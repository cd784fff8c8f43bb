"""The interpreter that verifies: which one, what it must have, and that any jax from the oldest on gives verdicts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify.api import verify
from jitlint.verify.environment import Interpreter, UnusableInterpreterError, choose
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker import needs

SEEDS = Path(__file__).resolve().parents[2] / "fixtures" / "seeds"
OLDEST = "0.6.0" if sys.version_info < (3, 14) else "0.8.0"  # the first for Python 3.14


def interpreter(file: Path, version: str = "[3, 12]", jax: str = '"0.7.1"') -> Path:
    """A program that answers as a Python interpreter with this jax would."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho '[{version}, {jax}]'\n")
    file.chmod(0o755)
    return file


def test_what_is_named_comes_first(tmp_path: Path) -> None:
    named = interpreter(tmp_path / "named" / "bin" / "python")
    interpreter(tmp_path / ".venv" / "bin" / "python")
    active = {"VIRTUAL_ENV": str(interpreter(tmp_path / "active" / "bin" / "python").parents[1])}
    for written in (named, named.parents[1]):
        assert choose(str(written), tmp_path, active).python == str(named)


def test_a_system_that_cannot_fork_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    for named in ("", sys.executable):
        with pytest.raises(UnusableInterpreterError, match="run jitlint in WSL"):
            choose(named, tmp_path, {})


@pytest.mark.parametrize("inside", ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"])
def test_the_active_environment_comes_next(tmp_path: Path, inside: str) -> None:
    interpreter(tmp_path / ".venv" / "bin" / "python")
    active = interpreter(tmp_path / "active" / inside)
    assert choose("", tmp_path, {"VIRTUAL_ENV": str(tmp_path / "active")}).python == str(active)


def test_then_the_nearest_environment_of_the_project(tmp_path: Path) -> None:
    file = tmp_path / "project" / "src" / "mod.py"
    file.parent.mkdir(parents=True)
    file.touch()
    assert choose("", file, {}).python == os.path.abspath(sys.executable)
    interpreter(tmp_path / ".venv" / "bin" / "python")
    nearest = interpreter(tmp_path / "project" / ".venv" / "bin" / "python")
    assert choose("", file, {}).python == str(nearest)


def test_environments_of_other_tools(tmp_path: Path) -> None:
    conda = interpreter(tmp_path / "conda" / "bin" / "python")
    earlier = interpreter(tmp_path / "earlier" / "bin" / "python")
    (tmp_path / "earlier" / "pyvenv.cfg").touch()
    uv = interpreter(tmp_path / "project" / ".uv" / "bin" / "python")
    variables = {"PATH": os.pathsep.join(["/nowhere", str(earlier.parent)])}
    assert choose("", tmp_path / "project", variables).python == str(earlier)
    variables["CONDA_PREFIX"] = str(tmp_path / "conda")
    assert choose("", tmp_path / "project", variables).python == str(conda)
    variables["UV_PROJECT_ENVIRONMENT"] = ".uv"
    assert choose("", tmp_path / "project", variables).python == str(uv)


def test_a_hooks_own_environment_is_not_the_active_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = interpreter(tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr("jitlint.verify.environment.find_spec", lambda name: None)
    assert choose("", tmp_path, {"VIRTUAL_ENV": sys.prefix}) == Interpreter(str(project))


def test_links_to_interpreters_are_kept(tmp_path: Path) -> None:
    real = interpreter(tmp_path / "real" / "python")
    link = tmp_path / "env" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    assert choose(str(tmp_path / "env"), tmp_path).python == str(link)


def test_a_name_is_looked_up_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = interpreter(tmp_path / "python9")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert choose("python9", tmp_path).python == str(named)


def test_automatic_choices_that_cannot_verify_are_passed_over_and_told(tmp_path: Path) -> None:
    interpreter(tmp_path / ".venv" / "bin" / "python", jax="null")
    found = choose("", tmp_path, {"VIRTUAL_ENV": str(tmp_path / "gone")})
    assert found.python == os.path.abspath(sys.executable)
    first, second = found.passed_over
    assert first.startswith(f"VIRTUAL_ENV: {tmp_path / 'gone'} does not exist")
    assert second.startswith(f"{tmp_path / '.venv'} has no jax")


@pytest.mark.parametrize(
    ("version", "jax", "words"),
    [
        ("[3, 10]", '"0.6.0"', "is Python 3.10, which is older than 3.11; make an environment with a newer one"),
        ("[3, 12]", '"0.5.3"', 'has jax 0.5.3, which is older than 0.6; run `pip install -U "jax>=0.6"` there'),
        ("[3, 12]", "null", 'has no jax; run `pip install "jax>=0.6"` there'),
        ("oh", "no", "is no Python interpreter; name one"),
    ],
)
def test_what_is_named_and_cannot_verify_is_an_error(tmp_path: Path, version: str, jax: str, words: str) -> None:
    named = interpreter(tmp_path / "python", version, jax)
    with pytest.raises(UnusableInterpreterError) as raised:
        choose(str(named), tmp_path)
    assert str(raised.value) == f"{named} {words}"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "has no interpreter in it"),
        (lambda path: path.write_text("no program"), "cannot be run"),
    ],
)
def test_what_is_no_interpreter_is_an_error(tmp_path: Path, make: object, words: str) -> None:
    make(tmp_path / "named")  # type: ignore[operator]
    with pytest.raises(UnusableInterpreterError, match=words):
        choose(str(tmp_path / "named"), tmp_path)


def test_nothing_of_the_working_folder_runs_outside_of_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither modules that hide those of the standard library, nor what a project's own environment starts with."""
    ran = tmp_path / "ran"
    attack = f"import pathlib\npathlib.Path({str(ran)!r}).write_text('')\n"
    for name in ("json", "sysconfig", "importlib", "os", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(attack)
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)
    (packages,) = (tmp_path / ".venv" / "lib").glob("python*/site-packages")
    (packages / "sitecustomize.py").write_text(attack)
    (packages / "a.pth").write_text(f"import pathlib; pathlib.Path({str(ran)!r}).write_text('')\n")
    own = interpreter(tmp_path / "own" / "bin" / "python")
    own.write_text(f"#!/bin/sh\ntouch {ran}\necho '[[3, 12], \"0.7.1\"]'\n")
    monkeypatch.chdir(tmp_path)
    assert choose("", tmp_path, {}).python == os.path.abspath(sys.executable)
    assert choose(str(own), tmp_path, {}).python == str(own)
    file = source(tmp_path / "mod.py", "import jax\n\n@jax.jit\ndef f(x):\n    return 1 if x > 0 else 2\n")
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    for python in (sys.executable, str(tmp_path / ".venv" / "bin" / "python")):
        verify([found], [file], VerifyOptions(python=python, cache=tmp_path / "cache"))
    assert not ran.exists()


def test_an_interpreter_that_answers_nonsense_is_none(tmp_path: Path) -> None:
    for version in ('"3"', "[]", '["x", "y"]', "[3, 12, 1]", "{}", "[" * 100_000):
        with pytest.raises(UnusableInterpreterError, match="is no Python interpreter; name one"):
            choose(str(interpreter(tmp_path / "python", version)), tmp_path)


def test_versions_that_will_do() -> None:
    for jax in ("0.6.0", "0.6.2", "0.10.2", "0.11.0.dev20260101", "1.0", ""):
        assert needs.problem((3, 11, 4), jax) == ""


def test_a_real_environment_without_jax(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    with pytest.raises(UnusableInterpreterError, match=r"env has no jax; run `pip install"):
        choose(str(tmp_path / "env"), tmp_path)


def test_a_worker_refuses_a_jax_that_is_too_old(tmp_path: Path) -> None:
    """An interpreter whose jax is told only once it is imported."""
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("__version__ = '0.4.30'\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    file = source(tmp_path / "mod.py", "import jax\n\n@jax.jit\ndef f(x):\n    return 1 if x > 0 else 2\n")
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    (seen,) = verify([found], [file], VerifyOptions(python=str(python)))
    assert seen.verdict and seen.verdict.evidence["reason"] == "unusable"
    assert "has jax 0.4.30, which is older than 0.6; run `pip install" in seen.verdict.reason


@pytest.fixture(scope="session")
def oldest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the oldest jax that verifies, and nothing else."""
    folder = tmp_path_factory.mktemp("oldest")
    venv.create(folder, with_pip=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*install, f"jax=={OLDEST}", f"jaxlib=={OLDEST}"], check=True, timeout=600)
    return folder


@pytest.mark.slow
def test_the_oldest_jax_gives_the_verdicts_of_the_newest(oldest: Path) -> None:
    def verdicts(*arguments: str) -> dict[tuple[str, int, str], tuple[str, str]]:
        command = [sys.executable, "-m", "jitlint", "--verify", "--format", "json", *arguments, "."]
        done = subprocess.run(command, cwd=SEEDS, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)["findings"]
        return {
            (one["path"], one["line"], one["code"]): (one["verdict"]["status"], one["verdict"]["jax"]) for one in found
        }

    old, new = verdicts("--python", str(oldest)), verdicts("--python", sys.executable)
    assert {jax for _, jax in old.values()} == {OLDEST}
    assert {key: status for key, (status, _) in old.items()} == {key: status for key, (status, _) in new.items()}
