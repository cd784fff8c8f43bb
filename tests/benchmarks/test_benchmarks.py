"""The machinery over two small files: what is run, what is measured, what is told."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import figures, render
from tests.benchmarks.__main__ import RESULTS
from tests.benchmarks.corpus import Corpus, edit, editable
from tests.benchmarks.environments import REQUIREMENTS, release
from tests.benchmarks.measure import cost
from tests.benchmarks.tools import COLD, PARALLEL, PLAIN, WARM, YARDSTICK, Tool, jitlint_and_yardstick
from tests.benchmarks.verify_modules import FAILING, SOUND, loop, module

FILES = {
    "first.py": "import jax\n\n\ndef first(x):\n    '''Text.'''\n    y = x\n    return y\n",
    "second.py": "import jax\n\n\n@jax.jit\ndef second(x):\n    if x > 0:\n        return x\n    return -x\n",
}


def written(folder: Path) -> Corpus:
    (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return Corpus(folder, tuple(FILES), sum(text.count("\n") for text in FILES.values()))


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return written(tmp_path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The figures of jitlint in one round; those of other runs are made up."""
    corpus = written(tmp_path_factory.mktemp("corpus"))
    tools = jitlint_and_yardstick(sys.executable)
    costs = {"cpu": [1.0], "wall": [1.0], "mebibytes": [50.0]}
    return {
        "machine": {"python": "3.11", "cores": 2},
        "packages": ["first"],
        "throughput": figures.throughput(tools, corpus, rounds=1),
        "start-up": figures.start_up(tools, sys.executable, corpus, rounds=1),
        "editing": {"lines": 15, "files": [], "runs": dict.fromkeys(("cold", "unchanged", "edited"), costs)},
        "verifying": {
            "probes": 1,
            "runs": dict.fromkeys(("failing", "sound"), dict.fromkeys(("loop", "anew", "again"), costs)),
        },
    }


def test_each_tool_runs_once_in_each_round(measured: dict[str, Any]) -> None:
    throughput, commands = measured["throughput"], measured["start-up"]["commands"]
    assert (throughput["files"], throughput["lines"]) == (2, 15)
    assert set(throughput["tools"]) == {YARDSTICK, COLD, WARM, PARALLEL, PLAIN}
    assert set(commands) == {"python", COLD, f"{COLD} --version", WARM}
    for costs in (*throughput["tools"].values(), *commands.values()):
        assert all(len(costs[name]) == 1 for name in ("wall", "cpu", "mebibytes"))
        assert min(costs["wall"]) > 0


def test_the_section_tells_of_each_tool(measured: dict[str, Any]) -> None:
    readme = render.in_readme(f"before\n{render.BEGIN}\nstale\n{render.END}\nafter\n", render.section(measured))
    assert readme.startswith("before\n")
    assert readme.endswith("after\n")
    assert "stale" not in readme
    rows = {row.split("|")[1].strip(): row for row in readme.splitlines() if row.startswith("| ")}
    assert {f"**{name}**" for name in (COLD, WARM, PARALLEL, PLAIN)} < set(rows)
    assert " 1.00 " in next(row for name, row in rows.items() if name.startswith(YARDSTICK))


def test_a_tool_sees_its_share(corpus: Corpus) -> None:
    assert Tool("slow", ("slow",), every=2).over(corpus) == (("slow", "first.py"), 7)
    assert Tool("picky", ("picky",), takes=lambda path: path.stem == "second").over(corpus) == (
        ("picky", "second.py"),
        8,
    )
    assert Tool("fast", ("fast",)).over(corpus) == (("fast", "."), 15)


def test_a_tool_that_fails_is_not_quick(tmp_path: Path) -> None:
    for code, told in (("print('why'); exit(3)", "ended with 3:\nwhy"), ("[][1]", "ended with 1:\nTraceback")):
        with pytest.raises(RuntimeError, match=told):
            cost((sys.executable, "-c", code), tmp_path)


def test_an_edit_adds_a_line_to_a_function(corpus: Corpus) -> None:
    assert editable(corpus, 2) == tuple(FILES)
    for name, text in FILES.items():
        edit(corpus.folder / name)
        edited = (corpus.folder / name).read_text()
        assert edited.replace("    edited = 1\n", "") == text
        assert any(
            "edited" in ast.unparse(node) for node in ast.parse(edited).body if isinstance(node, ast.FunctionDef)
        )


def test_modules_to_verify_and_their_loops_name_the_same_functions() -> None:
    for functions in (FAILING, SOUND):
        names = {
            node.name
            for node in ast.parse(module(functions, 30)).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        calls = [node for node in ast.walk(ast.parse(loop(functions, 30, "it"))) if isinstance(node, ast.Attribute)]
        called = {node.attr for node in calls if isinstance(node.value, ast.Name) and node.value.id == "it"}
        assert len(called) == 30
        assert called <= names


def test_each_requirement_is_pinned() -> None:
    for path in REQUIREMENTS.iterdir():
        assert all(len(line.split("==")) == 2 for line in path.read_text().split())
    assert release("libcst", of="jitlint")


def test_the_readme_tells_the_figures_that_are_stored(root: Path) -> None:
    section = render.section(json.loads(RESULTS.read_text("utf-8"))) if RESULTS.exists() else ""
    readme = (root / "README.md").read_text("utf-8")
    assert render.in_readme(readme, section) == readme
