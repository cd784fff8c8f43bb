"""Settings that are wrong in the oddest ways are an error that names file, place and remedy, and the rest is done."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jitlint.__main__ import main

BRANCH = "import jax\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "step.py").write_text(BRANCH)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["--no-cache", *arguments] if "baseline" not in arguments else arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("x = " + "[" * 5000 + "]" * 5000, "its values nest too deep; correct the file", id="lists"),
        pytest.param("x = " + "{a=" * 5000 + "1" + "}" * 5000, "its values nest too deep", id="tables"),
        pytest.param(".".join("a" * 100_000) + " = 1", "line 1 has more than 1,000 dots", id="key"),
        pytest.param("x = " + "9" * 5000, "a number in it has too many digits; correct the file", id="digits"),
        pytest.param("a = 1\n# \udcff", "line 2 is not valid utf-8; correct the file", id="encoding"),
        pytest.param('extend = "a\\u0000b"', '`extend` must be a path such as "../jitlint.toml"', id="NUL"),
        pytest.param('baseline = "a\\u0000b"', "`baseline` in the file: must be a path such as", id="NUL in baseline"),
        pytest.param(f'extend = "{"a" * 5000}"', "file name too long", id="long name"),
        pytest.param('extend = "."', "not a regular file", id="folder"),
        pytest.param('extend = "pipe"', "`extend`: pipe cannot read the file: not a regular file", id="pipe"),
        pytest.param('extend = "/dev/zero"', "/dev/zero cannot read the file: not a regular file", id="device"),
        pytest.param('extend = "circle"', "too many levels of symbolic links", id="circle"),
        pytest.param('extend = "0.toml"', "more than 50 files extend one another; leave out some", id="chain"),
        pytest.param('exclude = ["["]', "`exclude` in the file: `[` matches nothing; correct or remove it", id="["),
        pytest.param('exclude = ["[z-a]"]', "`[z-a]` is no pattern of .gitignore; correct or", id="[z-a]"),
        pytest.param('exclude = ["\\\\"]', "`\\` is no pattern of .gitignore", id="backslash"),
        pytest.param('per-file-ignores = {"!" = ["JIT1"]}', "`!` is no pattern of .gitignore", id="!"),
        pytest.param(f'exclude = ["{"a" * 5000}"]', "is longer than 4,096 characters", id="long pattern"),
        pytest.param("exclude = [" + '"a",' * 20_000 + "]", "there are more than 10,000 patterns", id="many patterns"),
        pytest.param("verify.probe-timeout = 1" + "0" * 400, "must be a smaller number of seconds", id="seconds"),
        pytest.param(f'verify.memory = "{"9" * 4000}GiB"', "is no size; write it as in 16GiB", id="size"),
        pytest.param("tool = 3", "unknown key `tool`", id="other table"),
    ],
)
def test_settings_that_cannot_be_used_are_told(folder: Path, text: str, words: str) -> None:
    (folder / "jitlint.toml").write_bytes(text.encode(errors="surrogateescape"))
    os.mkfifo(folder / "pipe")
    (folder / "circle").symlink_to("circle")
    for number in range(1500):
        (folder / f"{number}.toml").write_text(f'extend = "{number + 1}.toml"')
    done = run(".")
    assert done.exit_code == 2
    assert done.stdout.startswith("step.py:5:8 JIT101 ")
    assert done.stderr.count("\n") == 1 and words in done.stderr
    assert ".toml: JIT003 " in done.stderr


def test_a_tool_table_that_is_none_is_told(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("tool = 3\n")
    assert run(".").stderr == "pyproject.toml: JIT003 is not valid TOML: `tool` must be a table; correct the file\n"


def circle(path: Path) -> None:
    path.symlink_to(path)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(64 << 30)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "circle": circle,
    "sparse": sparse,
}


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", ["pyproject.toml", "jitlint.toml"])
def test_what_is_no_file_of_settings_ends_no_run(folder: Path, name: str, kind: str) -> None:
    NO_FILES[kind](folder / name)
    done = run("step.py")
    assert done.stdout.startswith("step.py:5:8 JIT101 ")
    assert done.stderr == "" or ("larger than 1 MiB" in done.stderr and kind == "sparse")


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("arguments", [["--config", "x"], ["--baseline", "x"], ["--changed-since", "x"], []])
def test_what_is_named_and_is_no_file_is_told(folder: Path, kind: str, arguments: list[str]) -> None:
    NO_FILES[kind](folder / "x")
    done = run(*arguments, "step.py" if arguments else "x")
    assert done.exit_code == (0 if kind == "folder" and not arguments else 2)
    assert "internal error" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_gitignore_that_is_none_is_told(folder: Path, kind: str) -> None:
    (folder / "sub").mkdir()
    NO_FILES[kind](folder / "sub" / ".gitignore")
    (folder / "sub" / "other.py").write_text(BRANCH)
    done = run(".")
    assert done.exit_code == 2
    assert "step.py:5:8 JIT101 " in done.stdout and "other.py:5:8 JIT101 " in done.stdout
    assert done.stderr.startswith("sub/.gitignore: JIT001 cannot read the file: ") and done.stderr.count("\n") == 1


def test_lines_of_a_gitignore_that_are_no_patterns_do_not_count(folder: Path) -> None:
    (folder / "other.py").write_text(BRANCH)
    (folder / ".gitignore").write_text("[\n[z-a]\n!\n\\\n# other\nother.py\n" + "*a" * 60 + "\n")
    (folder / ("a" * 200 + ".py")).write_text("")
    done = run(".")
    assert (done.exit_code, done.stderr) == (1, "")
    assert "step.py" in done.stdout and "other.py" not in done.stdout


OLD = {"fingerprint": "f", "code": "JIT101", "path": "step.py", "line": 1, "message": "m"}


@pytest.mark.parametrize(
    "data",
    [
        "[" * 100_000,
        "[]",
        "null",
        "{}",
        '{"version": ' + "9" * 5000 + "}",
        '{"version": [], "findings": []}',
        '{"version": 1}',
        '{"version": 1, "findings": 3}',
        '{"version": 1, "findings": {"a": 1}}',
        '{"version": 1, "findings": [[]]}',
        json.dumps({"version": 1, "findings": [{**OLD, "fingerprint": ["f"]}]}),
        json.dumps({"version": 1, "findings": [{**OLD, "line": "x"}]}),
        json.dumps({"version": 1, "findings": [{**OLD, "more": "x"}]}),
    ],
    ids=str.__len__,
)
def test_a_baseline_that_is_none_is_told(folder: Path, data: str) -> None:
    (folder / "jitlint.toml").write_text('baseline = "b.json"')
    (folder / "b.json").write_text(data)
    for arguments in (["."], ["baseline", "check", "."]):
        done = run(*arguments)
        assert done.exit_code == 2
        assert "Error: b.json " in done.stderr and "write it anew with `jitlint baseline write`" in done.stderr


def test_a_file_that_is_no_baseline_is_not_replaced(folder: Path) -> None:
    (folder / "jitlint.toml").write_text('baseline = "precious.txt"')
    (folder / "precious.txt").write_text("precious")
    done = run("baseline", "write", ".")
    assert done.exit_code == 2 and "precious.txt is there already, and is no baseline; delete it" in done.stderr
    assert (folder / "precious.txt").read_text() == "precious"
    (folder / "precious.txt").write_text('{"version": 1, "findings": [')
    assert run("baseline", "write", ".").exit_code == 0


@pytest.mark.parametrize("place", ["x.py:" + "9" * 5000, "x.py:cell " + "9" * 5000 + ":1", "loop:1"])
def test_a_place_that_is_none_is_told(folder: Path, place: str) -> None:
    (folder / "loop").symlink_to("loop")
    done = CliRunner().invoke(main, ["stage", place])
    assert done.exit_code == 2 and "internal error" not in done.stderr
