"""Whatever cannot be read or understood gives a line on standard error; the rest is analyzed all the same."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jitlint.__main__ import main
from jitlint.source import text

BRANCH = "import jax\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"
FOUND = "bad.py:5:8 JIT101 "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BRANCH)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def deny() -> bytes:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def loop(path: Path) -> None:
    path.symlink_to(path)


def content(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(content(b"import jax\ndef f(:\n    pass\n"), "2:7: invalid syntax; correct", id="syntax error"),
        pytest.param(content(b"import jax\nif x:\n    a\n  b\n"), "dent", id="bad dedent"),
        pytest.param(content(b"import jax\nx = '''\n"), "", id="open string"),
        pytest.param(content(b"# coding: klingon\nimport jax\n"), "unknown encoding: klingon", id="unknown encoding"),
        pytest.param(content(b"import jax\n# \xff\n"), "line 2 is not valid utf-8", id="not utf-8"),
        pytest.param(content("import jax\n".encode("utf-16")), "encoding", id="utf-16"),
        pytest.param(content(b"import jax\nx = 1\0\n"), "NUL byte", id="NUL byte"),
        pytest.param(loop, "symbolic links", id="link to itself"),
        pytest.param(lambda path: path.symlink_to("gone.py"), "no such file", id="link to nothing"),
        pytest.param(lambda path: os.mkfifo(path), "not a regular file", id="pipe"),
    ],
)
def test_one_file_that_cannot_be_done_leaves_the_others(
    folder: Path, make: Callable[[Path], object], words: str
) -> None:
    make(folder / "broken.py")
    done = run(".")
    assert done.exit_code == 2
    assert done.stdout.startswith(FOUND)
    assert done.stderr.startswith("broken.py: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_names_that_are_no_text_are_shown_escaped(folder: Path) -> None:
    (folder / "bad.py").rename(os.fsdecode(b"bad\xff.py"))
    done = run(".")
    assert (done.exit_code, done.stderr) == (1, "")
    assert done.stdout.startswith("bad\\udcff.py:5:8 JIT101 ")
    run(".", "--format", "json", "--output", "report.json")
    found = json.loads((folder / "report.json").read_text())["findings"]
    assert [os.fsencode(finding["path"]) for finding in found] == [b"bad\xff.py"]


@pytest.mark.parametrize("name", ["missing.py", "no/such/folder"])
def test_missing_paths(name: str) -> None:
    done = run(name, "bad.py")
    assert done.exit_code == 2
    assert done.stdout.startswith(FOUND)
    assert done.stderr == (
        f"{name}: JIT001 cannot look at the path: no such file or directory; "
        "check the spelling and the working directory\n"
    )


def test_unreadable_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "secret.py").write_text(BRANCH)
    (folder / "secret.py").chmod(0)
    if os.access(folder / "secret.py", os.R_OK):  # root reads everything
        read = text.read_file
        monkeypatch.setattr(
            text, "read_file", lambda path, most: deny() if path.name == "secret.py" else read(path, most)
        )
    done = run(".")
    assert done.exit_code == 2
    assert done.stderr == "secret.py: JIT001 cannot read the file: permission denied; make it readable or exclude it\n"


def test_a_broken_pyproject_is_said_and_the_files_are_analyzed(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.jitlint\n")
    done = run("bad.py")
    assert done.exit_code == 2
    assert done.stdout.startswith(FOUND)
    assert done.stderr.startswith("pyproject.toml: JIT003 is not valid TOML: ")
    (folder / "pyproject.toml").write_text("[tool.jitlint]\nexlude = ['x']\n")
    assert run("bad.py").stderr == (
        "pyproject.toml: JIT003 unknown key `exlude` in [tool.jitlint]; did you mean `exclude`?\n"
    )


def test_newlines_and_byte_order_marks_do_not_move_places(folder: Path) -> None:
    for data in (BRANCH.replace("\n", "\r\n"), BRANCH.replace("\n", "\r"), "\ufeff" + BRANCH, BRANCH.rstrip("\n")):
        (folder / "bad.py").write_bytes(data.encode())
        done = run("bad.py")
        assert done.exit_code == 1
        assert done.stdout.startswith(FOUND)


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\f\n", "\ufeff"])
def test_empty_files_are_clean(folder: Path, text: str) -> None:
    (folder / "empty.py").write_text(text)
    assert run("empty.py").exit_code == 0


def test_ten_thousand_lines(folder: Path) -> None:
    functions = "".join(f"def f{number}(x):\n    y = x + {number}\n    return g(y)\n\n" for number in range(2500))
    (folder / "bad.py").write_text(BRANCH + functions)
    done = run("bad.py")
    assert done.exit_code == 1
    assert done.stdout.startswith(FOUND)


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 500 + "1" + ")" * 500,
        "[" * 500 + "]" * 500,
        " + ".join(["x"] * 3000),
        "-" * 500 + "x",
        "x" + ".a" * 2000,
        "f" + "(1)" * 500,
    ],
    ids=["parentheses", "lists", "sum", "signs", "attributes", "calls"],
)
def test_deep_expressions_end_in_a_result_or_a_clear_error(folder: Path, expression: str) -> None:
    (folder / "deep.py").write_text(f"import jax\ny = {expression}\n")
    done = run(".")
    assert done.stdout.startswith(FOUND)
    assert done.exit_code in (1, 2)
    assert done.stderr.count("\n") == done.exit_code - 1
    assert done.exit_code == 1 or done.stderr.startswith("deep.py: JIT001 ")
