"""The IPython magics, in real shells that run cells as Jupyter's clients do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SHELL = """\
import contextlib, io, json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
answers = []
for text, identity in json.loads(sys.stdin.read()):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        result = shell.run_cell(text, store_history=True, cell_id=identity)
    answers.append({"ok": result.success, "result": repr(result.result), "out": out.getvalue(), "err": err.getvalue()})
print("ANSWERS" + json.dumps(answers))
"""
LOAD = "%load_ext jitlint"
IMPORTS = "import jax\nimport jax.numpy as jnp\nscale = 2.0"
HELPER = "def signed(x):\n    if x.sum() > 0:\n        return x\n    return -x"
STEP = "@jax.jit\ndef step(x):\n    return signed(x) * scale\nstep.__name__"
_COLOR = re.compile(r"\x1b\[[\d;]*m")


def run(folder: Path, *cells: str | tuple[str, str]) -> list[dict[str, Any]]:
    """Runs cells, of which some have an identity, and returns what IPython says of each."""
    given = [cell if isinstance(cell, tuple) else (cell, None) for cell in cells]
    done = subprocess.run(
        [sys.executable, "-c", SHELL],
        cwd=folder,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "IPYTHONDIR": str(folder / "ipython")},
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    _, found, answers = done.stdout.rpartition("ANSWERS")
    assert found, done.stderr
    return [{**each, "out": _COLOR.sub("", each["out"]), "colored": each["out"]} for each in json.loads(answers)]


def found(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """The cells and lines of findings, with their rules."""
    return re.findall(r"this-session\.ipynb:(cell \d+:\d+):\d+ (JIT\d+)", answer["out"])


def test_a_cell_is_analyzed_verified_shown_in_colours_and_run(tmp_path: Path) -> None:
    *_, answer = run(tmp_path, LOAD, IMPORTS, HELPER, f"%%jitlint\n{STEP}")
    assert found(answer) == [("cell 3:2", "JIT101")]
    assert "confirmed: TracerBoolConversionError here while tracing step(x=f32[])" in answer["out"]
    assert "\x1b[35mx\x1b[0m" in answer["colored"] and "\x1b[32mscale\x1b[0m" in answer["colored"]
    assert (answer["ok"], answer["result"], answer["err"]) == (True, "None", "")
    assert "'step'" in answer["out"]  # the cell's own result


def test_nothing_is_verified_or_run_if_that_is_not_wanted(tmp_path: Path) -> None:
    *_, answer, after = run(tmp_path, LOAD, IMPORTS, HELPER, f"%%jitlint --no-verify --no-run\n{STEP}", "step")
    assert found(answer) == [("cell 3:2", "JIT101")]
    assert "confirmed" not in answer["out"]
    assert not after["ok"]


def test_a_cell_that_runs_again_replaces_what_it_was(tmp_path: Path) -> None:
    wrong = "@jax.jit\ndef step(x, n):\n    return x if n else -x"
    right = "@jax.jit\ndef step(x, n):\n    return jnp.where(n, x, -x)"
    *_, first, second = run(
        tmp_path, LOAD, IMPORTS, (f"%%jitlint --no-verify\n{wrong}", "a"), (f"%%jitlint --no-verify\n{right}", "a")
    )
    assert found(first) == [("cell 3:4", "JIT104")]
    assert (found(second), second["out"].endswith("No findings.\n")) == ([], True)


def test_all_cells_are_looked_at_before_they_run(tmp_path: Path) -> None:
    _, _, on, defined, used, again, _, off = run(
        tmp_path,
        LOAD,
        IMPORTS,
        "%jitlint on",
        HELPER,
        "fast = jax.jit(signed)",
        "more = 1",
        "%jitlint off",
        "faster = jax.jit(lambda x: signed(x))",
    )
    assert on["ok"]
    assert found(defined) == []
    assert found(used) == [("cell 4:2", "JIT101")], "what a cell makes of a function in an earlier one"
    assert found(again) == [], "what was said is not said again"
    assert found(off) == []


def test_a_failing_cell_fails_and_is_shown_once(tmp_path: Path) -> None:
    *_, answer, after = run(tmp_path, LOAD, "%%jitlint\n1 / 0", "2 + 2")
    assert not answer["ok"]
    assert answer["out"].count("ZeroDivisionError: division by zero") == 1
    assert after["result"] == "4"


def test_modules_that_the_session_imports_belong_to_the_program(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'mine'\n")
    (tmp_path / "mine.py").write_text(HELPER + "\n")
    *_, answer = run(tmp_path, LOAD, IMPORTS, "import mine", "%%jitlint\nfast = jax.jit(mine.signed)")
    assert "mine.py:2:8 JIT101" in answer["out"]
    assert "confirmed: TracerBoolConversionError" in answer["out"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%jitlint maybe", "UsageError: %jitlint on, or %jitlint off"),
        ("%%jitlint --nope\n1", "UsageError: unrecognized arguments: --nope"),
        (f"%%jitlint --device abacus\n{STEP}", "abacus"),
        ("%%jitlint\nx = (", "SyntaxError"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, cell: str, said: str) -> None:
    *_, answer = run(tmp_path, LOAD, IMPORTS, HELPER, cell)
    assert not answer["ok"]
    assert said in answer["out"] + answer["err"]
    assert "Error in callback" not in answer["out"] + answer["err"]


def test_it_can_be_unloaded(tmp_path: Path) -> None:
    *_, unloaded, gone, loaded, there = run(
        tmp_path, LOAD, "%jitlint on", "%unload_ext jitlint", "%jitlint off", LOAD, "%jitlint on"
    )
    assert unloaded["ok"] and not gone["ok"]
    assert loaded["ok"] and there["ok"]


def test_settings_of_the_folder_count(tmp_path: Path) -> None:
    (tmp_path / "jitlint.toml").write_text('ignore = ["JIT101"]\n')
    *_, answer = run(tmp_path, LOAD, IMPORTS, HELPER, f"%%jitlint --no-verify\n{STEP}")
    assert found(answer) == []
