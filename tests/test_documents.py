"""Notebooks and Markdown, from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WITH_PARTIAL = """%%time

def with_partial(x, n):
    for _ in range(n):
        x = jax.jit(partial(doubled))(x)
    return x"""
WITH_LAMBDA = """def with_lambda(x, n):
    for _ in range(n):
        x = jax.jit(lambda v: doubled(v))(x)
    return x
"""
WITH_NAME = """def with_name(x, n):
    for _ in range(n):
        x = jax.jit(doubled)(x)
    return x

%timeit with_name(1.0, 3)"""
LOOPS = (
    ("markdown", "# Compiling in loops"),
    ("code", "%matplotlib inline\nfrom functools import partial\n\nimport jax"),
    ("code", "def doubled(v):\n    return v * 2\n"),
    ("code", WITH_PARTIAL),
    ("raw", "x = ("),
    ("code", WITH_LAMBDA),
    ("code", "%timeit -n 10 with_partial(1.0, 3)\n!ls\n%timeit with_lambda(1.0, 3)"),
    ("code", WITH_NAME),
)


def write(file: Path, *cells: tuple[str, Any], **more: Any) -> None:
    made = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells]
    for cell in made:
        cell["source"] = cell["source"].splitlines(keepends=True)
    file.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}, indent=1))


def jitlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jitlint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def findings(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(jitlint(folder, "--format", "json", *arguments).stdout)["findings"]
    return found


def where(found: dict[str, Any]) -> tuple[object, ...]:
    return found["code"], found["path"], found["cell"], found["line"], found["column"]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    write(tmp_path / "loops.ipynb", *LOOPS)
    return tmp_path


def test_findings_in_a_notebook_name_cells_in_every_report(book: Path) -> None:
    (book / ".ipynb_checkpoints").mkdir()
    write(book / ".ipynb_checkpoints" / "loops-checkpoint.ipynb", *LOOPS)
    shown = jitlint(book, ".")
    assert (shown.returncode, shown.stderr) == (1, "")
    assert [line.partition(" JIT401 ")[0] for line in shown.stdout.split("\n") if " JIT401 " in line] == [
        "loops.ipynb:cell 4:5:13",
        "loops.ipynb:cell 6:3:13",
    ]
    assert "     5 |         x = jax.jit(partial(doubled))(x)\n       |             ^^^^^^^" in shown.stdout
    assert shown.stdout.endswith("2 findings in 1 file.\n")

    first, second = findings(book, "loops.ipynb")
    assert (where(first), where(second)) == (
        ("JIT401", "loops.ipynb", 4, 5, 13),
        ("JIT401", "loops.ipynb", 6, 3, 13),
    )
    assert {"path": "loops.ipynb", "cell": 4, "line": 5, "column": 13}.items() <= first["entry"].items()
    assert {"path": "loops.ipynb", "cell": 4, "line": 5, "column": 13}.items() <= first["flow"][0].items()

    # Where lines of files are shown, they are the file's own.
    lines = (book / "loops.ipynb").read_text().split("\n")
    code = "jax.jit(partial(doubled))"
    (number,) = (at for at, line in enumerate(lines, 1) if code in line)
    column = lines[number - 1].index(code) + 1
    github = jitlint(book, "loops.ipynb", "--format", "github").stdout
    assert f"file=loops.ipynb,line={number},endLine={number},col={column},endColumn={column + len(code) - 1}," in github
    assert "(cell 4, line 5)" in github
    (run,) = json.loads(jitlint(book, "loops.ipynb", "--format", "sarif").stdout)["runs"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": number, "startColumn": column, "endLine": number, "endColumn": column + len(code)}
    assert run["results"][0]["message"]["text"].endswith("(cell 4, line 5)")


@pytest.mark.slow
def test_findings_in_a_notebook_are_verified(book: Path) -> None:
    before = sorted(book.iterdir())
    found = findings(book, "--verify", "--no-cache", "loops.ipynb")
    assert [(each["cell"], each["verdict"]["status"]) for each in found] == [(4, "confirmed"), (6, "confirmed")]
    assert sorted(book.iterdir()) == before


@pytest.mark.slow
def test_verdicts_and_entries_name_cells(tmp_path: Path) -> None:
    write(
        tmp_path / "a.ipynb",
        ("code", "import asyncio, jax"),
        ("code", "async def limit():\n    return 2.0\nhigh = await limit()"),
        ("code", "@jax.jit\ndef step(x):\n    return x if x < high else high\n\ny = %time step(high)"),
    )
    shown = jitlint(tmp_path, "--verify=all", "--no-cache", "a.ipynb").stdout
    assert "a.ipynb:cell 3:3:17 JIT104 " in shown
    assert "confirmed: TracerBoolConversionError here when running the module's cell 3, line 5 (" in shown
    assert "a.ipynb:cell 3:1:2 jax.jit of step failed: TracerBoolConversionError at a.ipynb:cell 3:3: " in shown


def test_a_loop_is_what_timeit_makes(tmp_path: Path) -> None:
    new = "jax.jit(lambda v: v + 1)(3)"
    write(
        tmp_path / "a.ipynb",
        ("code", f"import jax\n%time {new}\n%timeit -n1 -r1 {new}\n%timeit {new}"),
        ("code", f"%%timeit\n\n{new}"),
    )
    assert list(map(where, findings(tmp_path, "a.ipynb"))) == [
        ("JIT401", "a.ipynb", 1, 4, 9),
        ("JIT401", "a.ipynb", 2, 3, 1),
    ]


def test_comments_in_cells_leave_findings_out(book: Path) -> None:
    cells = [
        (kind, text.replace("(x)\n    return", "(x)  # jitlint: ignore[JIT401] why\n    return"))
        for kind, text in LOOPS
    ]
    write(book / "loops.ipynb", *cells)
    assert findings(book, "loops.ipynb") == []


def test_cells_that_move_are_named_anew_from_the_cache(book: Path) -> None:
    again = ["loops.ipynb", "--format", "json"]
    assert [found["cell"] for found in findings(book, *again)] == [4, 6]
    write(book / "loops.ipynb", ("markdown", "More"), *LOOPS)
    assert [found["cell"] for found in findings(book, *again)] == [5, 7]


def test_a_broken_cell_costs_itself(tmp_path: Path) -> None:
    bad = "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\nf(1.0)"
    cells = (
        "import jax\nx = (1,",
        "import jax",
        "y =",
        "z = '\0'",
        "w = '\ud800'",
        bad,
        "type Alias = int",
        "%time y =",
    )
    write(tmp_path / "a.ipynb", *(("code", text) for text in cells))
    done = jitlint(tmp_path, "a.ipynb")
    assert done.returncode == 2
    assert "a.ipynb:cell 6:3:17 JIT104 " in done.stdout
    said = done.stderr.splitlines()
    assert [line.partition(": ")[2].split(": ")[0] for line in said] == [
        "JIT001 cell 1:2:5",
        "JIT001 cell 3:1:4",
        "JIT001 cell 4:1:6",
        "JIT001 cell 5:1:1",
        "JIT001 cell 8:1:10",
    ]
    assert all(line.startswith("a.ipynb: ") and line.endswith("; the rest was analyzed without it") for line in said)


def test_bad_notebooks_are_named_and_cost_themselves(book: Path) -> None:
    (book / "empty.ipynb").write_text("")
    (book / "list.ipynb").write_text("[]")
    (book / "cells.ipynb").write_text('{"cells": [3]}')
    (book / "utf.md").write_bytes(b"# A\n\xff\n")
    write(book / "julia.ipynb", ("code", "x = = 1"), metadata={"kernelspec": {"language": "julia"}})
    done = jitlint(book, ".", "utf.md")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "cells.ipynb: JIT001 is not a notebook: cell 1 is not an object; repair the notebook, or exclude it",
        "empty.ipynb: JIT001 is not a notebook: not valid JSON (line 1, column 1: Expecting value); "
        "repair the notebook, or exclude it",
        "list.ipynb: JIT001 is not a notebook: its JSON is not an object; repair the notebook, or exclude it",
        "utf.md: JIT001 line 2 is not valid utf-8; save the file as UTF-8",
    ]
    assert done.stdout.endswith("2 findings in 2 files.\n")


def test_a_notebook_imports_modules_and_is_imported_by_none(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def step(x):\n    return x if x > 0 else -x\n")
    write(tmp_path / "model.ipynb", ("code", "import jax\nfrom model import step\njax.jit(step)(1.0)"))
    (tmp_path / "main.py").write_text("import jax\nimport model\njax.jit(model.step)(1.0)\n")
    (found,) = findings(tmp_path, ".")
    assert where(found) == ("JIT104", "model.py", None, 2, 17)
    (tmp_path / "main.py").unlink()
    (found,) = findings(tmp_path, ".")
    assert found["flow"][0]["path"] == "model.py"
    assert found["entry"]["path"] == "model.ipynb" and found["entry"]["cell"] == 1


MARKDOWN = """# Steps

```python
import jax
```

1. First

   ```{code-cell} ipython3
   :tags: [show]

   @jax.jit
   def step(x):
       return x if x > 0 else -x
   ```

```console
$ pip install jax
```

```pycon
>>> step(1.0)
Array(1., dtype=float32)
>>> %timeit jax.jit(lambda v: v)(step(1.0))
```

```py
this is (
```
"""


def test_markdown_is_one_program(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    assert jitlint(tmp_path, ".").stdout == "No findings in 0 files.\n"  # documents are given by name
    done = jitlint(tmp_path, "a.md")
    assert done.stderr == "a.md: JIT001 28:9: '(' was never closed; the rest was analyzed without it\n"
    assert "    14 |        return x if x > 0 else -x\n       |                    ^^^^^\n" in done.stdout
    assert "        a.md:22:10  passed to `step` as `x`\n" in done.stdout
    found = findings(tmp_path, "a.md")
    assert list(map(where, found)) == [("JIT104", "a.md", None, 14, 20), ("JIT401", "a.md", None, 24, 13)]
    github = jitlint(tmp_path, "a.md", "--format", "github").stdout
    assert "file=a.md,line=14,endLine=14,col=20,endColumn=24," in github


def test_jupytext_scripts_are_python(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n# %% [markdown]\n# # Steps\n\n"
        "# %%\nimport jax\n\n# %%\n@jax.jit\ndef step(x):\n    return x if x > 0 else -x\n\n# %%\n# %timeit step(1.0)\n"
    )
    assert list(map(where, findings(tmp_path, "a.py"))) == [("JIT104", "a.py", None, 16, 17)]


def test_the_variables_of_a_cell_are_revealed(book: Path) -> None:
    shown = jitlint(book, "stage", "loops.ipynb:cell 3:2:v").stdout
    assert shown.startswith("loops.ipynb:cell 3:2: in loops-ipynb.doubled, under jax.jit")
    assert "No Python is on loops.ipynb:cell 3:9." in jitlint(book, "stage", "loops.ipynb:cell 3:9").stderr


def test_a_broken_notebook_elsewhere_in_the_project_is_no_error_of_a_file(book: Path) -> None:
    (book / "pyproject.toml").touch()
    (book / "a.py").write_text("import jax\n")
    (book / "bad.ipynb").write_text("{")
    done = jitlint(book, "--project", "a.py")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "No findings in 1 file.\n")
    assert "bad.ipynb: JIT001 " in jitlint(book, "--project", "bad.ipynb").stderr
