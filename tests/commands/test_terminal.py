"""The command line's habits: standard input, what is left out, how much is said, comments, completion, watching."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jitlint.__main__ import main

BRANCH = "import jax\n\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BRANCH)
    return tmp_path


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=text)


def test_no_path_means_the_working_folder() -> None:
    for arguments in (("check",), ("--no-cache",)):
        done = run(*arguments)
        assert done.exit_code == 1 and done.stdout.startswith("bad.py:6:8 JIT101 ")


def test_standard_input_stands_for_a_file() -> None:
    done = run("-", text=BRANCH)
    assert done.exit_code == 1 and done.stdout.startswith("-:6:8 JIT101 ")
    done = run("-", "--stdin-filename", "sub/other.py", text=BRANCH)
    assert done.stdout.startswith("sub/other.py:6:8 JIT101 ")
    assert run("-", "--stdin-filename", "bad.py", text="import jax\n").exit_code == 0


def test_standard_input_stands_for_its_file_in_the_project(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("")
    (folder / "calls.py").write_text("import jax\n\nfrom rule import decide\n\njax.jit(decide)(1.0)\n")
    (folder / "rule.py").write_text("def decide(x):\n    return x\n")
    text = "def decide(x):\n    return 1 if x > 0 else 2\n"
    assert run("-", "--stdin-filename", "rule.py", text=text).exit_code == 0
    done = run("--project", "-", "--stdin-filename", "rule.py", text=text)
    assert done.exit_code == 1 and done.stdout.startswith("rule.py:2:17 JIT104 ")


def test_standard_input_can_be_shown_fixed() -> None:
    done = run("-", "--diff", "--unsafe-fixes", "--stdin-filename", "bad.py", text=BRANCH.replace("x > 0", "x < 0"))
    assert done.exit_code == 1 and "-    if x < 0:\n" in done.stdout and "jnp.where(x < 0" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "bad.py"), "- (standard input) stands alone"),
        (("-", "--fix"), "with - use --diff"),
        (("bad.py", "--stdin-filename", "bad.py"), "give - as the path"),
        (("-", "--stdin-filename", "a.ipynb"), "standard input is for Python files"),
        (("bad.py", "--add-noqa", "--fix"), "--add-noqa stands without"),
        (("bad.py", "--quiet", "--verbose"), "contradict each other"),
        (("bad.py", "--config", "none.toml"), "'none.toml' does not exist"),
        (("chek",), "did you mean `jitlint check`?"),
        (("bad.py", "--verfy"), "Did you mean"),
        (("completion", "tcsh"), "is not one of"),
        (("--watch", "none.py"), "there is no none.py"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments, text="")
    assert done.exit_code == 2 and message in done.stderr


def test_text_that_cannot_be_decoded_is_an_error() -> None:
    done = run("-", text=b"# coding: utf-8\nx = '\xff'\n")
    assert done.exit_code == 2 and "Standard input" in done.stderr


def test_files_are_left_out(folder: Path) -> None:
    (folder / "jitlint.toml").write_text('exclude = ["old"]\n')
    for name in ("old", "new"):
        (folder / name).mkdir()
        (folder / name / "bad.py").write_text(BRANCH)
    assert "2 findings in 2 files" in run(".").stdout
    assert "1 finding in 1 file" in run("--extend-exclude", "new/,odd", ".").stdout
    assert "1 finding in 1 file" in run("--exclude", "new,/bad.py", ".").stdout


def test_how_much_is_said() -> None:
    loud, quiet = run("bad.py"), run("--quiet", "bad.py")
    assert loud.stdout == quiet.stdout + "\n1 finding in 1 file.\n"
    done = run("--verbose", "bad.py")
    assert done.stdout == loud.stdout
    assert done.stderr.startswith("Settings: none.\nAnalyzed 1 files, 9 lines, in ")
    done = run("--output-format", "concise", "bad.py")
    first, second = done.stdout.splitlines()
    assert first.startswith("bad.py:6:8: JIT101 `if` needs the value of `x > 0`") and second == "1 finding in 1 file."
    assert run("--output-format", "full", "bad.py").stdout == loud.stdout


def test_findings_need_not_fail(folder: Path) -> None:
    assert run("--exit-zero", "bad.py").exit_code == 0
    (folder / "broken.py").write_text("import jax\ndef f(:\n")
    assert run("--exit-zero", ".").exit_code == 2


def test_colours_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("bad.py").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("bad.py").stdout


def test_comments_leave_findings_out(folder: Path) -> None:
    text = BRANCH + "\n\n@jax.jit\ndef both(x, y):\n    return 1 if x > float(y) else 2\n"
    (folder / "bad.py").write_bytes(text.replace("\n", "\r\n").encode())
    done = run("--add-noqa", "bad.py")
    assert (done.exit_code, done.stdout) == (0, "3 findings left out by comments.\n")
    written = (folder / "bad.py").read_bytes().decode()
    assert written.count("\r\n") == text.count("\n")
    assert "    if x > 0:  # jitlint: ignore[JIT101] TODO: why\r\n" in written
    assert "else 2  # jitlint: ignore[JIT301, JIT104] TODO: why\r\n" in written or (
        "else 2  # jitlint: ignore[JIT104, JIT301] TODO: why\r\n" in written
    )
    assert run("bad.py").exit_code == 0
    assert run("--add-noqa", "bad.py").stdout == "0 findings left out by comments.\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str) -> None:
    assert "_JITLINT_COMPLETE" in run("completion", shell).stdout
    words = {"bash": {"COMP_WORDS": "jitlint comp", "COMP_CWORD": "1"}}.get(shell, {})
    if words:
        done = subprocess.run(
            [sys.executable, "-m", "jitlint"],
            env=os.environ | words | {"_JITLINT_COMPLETE": "bash_complete"},
            capture_output=True,
            text=True,
        )
        assert "completion" in done.stdout


def test_a_change_is_seen(folder: Path) -> None:
    command = [sys.executable, "-u", "-m", "jitlint", "--watch", "--output-format", "concise", "bad.py"]
    seen = threading.Event()

    def change() -> None:
        while not seen.wait(0.3):  # nobody says when the watching begins
            (folder / "bad.py").write_text("import jax\n")

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert "JIT101" in process.stdout.readline()
        assert process.stdout.readline() == "1 finding in 1 file.\n"
        changing = threading.Thread(target=change)
        changing.start()
        try:
            assert "No findings in 1 file." in process.stdout.readline()
        finally:
            seen.set()
            changing.join()
            process.kill()
