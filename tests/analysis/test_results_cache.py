"""The results cache: a second run finds the same as the first, and interprets only the units that a change affects."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from jitlint.analysis.program.program import Program
from jitlint.analysis.program.roots import LostRoot
from jitlint.findings.finding import Finding
from jitlint.pipeline import find, read
from jitlint.project import grouping
from jitlint.project.modules import Module

PROJECT = {
    "app/__init__.py": "",
    "app/steps.py": """\
import jax
from app import losses

@jax.jit
def step(x):
    return losses.loss(x)
""",
    "app/losses.py": """\
def loss(x):
    if x > 0:
        return x
    return -x
""",
    "app/apart/__init__.py": "",
    "app/apart/other.py": """\
import jax

@jax.jit
def other(x):
    return float(x)
""",
    "elsewhere/__init__.py": "",
    "elsewhere/third.py": """\
import jax

@jax.jit
def third(x):
    return int(x)
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


class Interpreted:
    """The names of the modules whose units are interpreted, in whichever process."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, names: Iterable[str]) -> None:
        with self._file.open("a") as stream:
            stream.writelines(f"{name}\n" for name in names)

    def taken(self) -> list[str]:
        """Those since the last time that it was asked."""
        names = self._file.read_text().split() if self._file.exists() else []
        self._file.unlink(missing_ok=True)
        return names


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Interpreted:
    noted = Interpreted(tmp_path_factory.mktemp("interpreted") / "names")
    unit = Program.unit

    def watched(self: Program, modules: tuple[Module, ...], lost: tuple[LostRoot, ...]) -> object:
        noted.add(module.name for module in modules)
        return unit(self, modules, lost)

    monkeypatch.setattr(Program, "unit", watched)
    return noted


def run(project: Path) -> tuple[Finding, ...]:
    """The findings, which must be those of a run without a cache."""
    files = read([str(project)]).files
    found = find(files, cache=project / ".jitlint_cache" / "analysis")
    assert found == find(files)
    return found.findings


def places(findings: tuple[Finding, ...]) -> set[tuple[str, int, str]]:
    return {(Path(f.event.place.path).name, f.event.place.line, f.code) for f in findings}


@pytest.mark.patching
def test_nothing_is_interpreted_twice(project: Path, interpreted: Interpreted) -> None:
    cache = project / ".jitlint_cache" / "analysis"
    first = find(read([str(project)]).files, cache=cache)
    assert len(first.findings) == 3
    assert interpreted.taken()
    assert find(read([str(project)]).files, cache=cache) == first
    assert not interpreted.taken()


@pytest.mark.patching
def test_what_calls_a_changed_function_is_interpreted_again(project: Path, interpreted: Interpreted) -> None:
    before = run(project)
    losses = project / "app" / "losses.py"
    losses.write_text(losses.read_text().replace("if x > 0:\n        return x\n    return -x", "return abs(x)"))
    interpreted.taken()
    after = find(read([str(project)]).files, cache=project / ".jitlint_cache" / "analysis").findings
    names = interpreted.taken()
    assert "app.steps" in names and "elsewhere.third" not in names and "app.apart.other" not in names
    assert places(before) - places(after) == {("losses.py", 2, "JIT101")}
    assert run(project) == after


def test_a_place_that_moves_is_told_where_it_is(project: Path) -> None:
    run(project)
    losses = project / "app" / "losses.py"
    losses.write_text("# A comment.\n\n" + losses.read_text())
    assert ("losses.py", 4, "JIT101") in places(run(project))


def test_a_module_that_appears_and_goes(project: Path) -> None:
    (project / "app" / "steps.py").write_text(PROJECT["app/steps.py"].replace("losses", "absent"))
    assert ("losses.py", 2, "JIT101") not in places(run(project))
    (project / "app" / "absent.py").write_text(PROJECT["app/losses.py"])
    assert ("absent.py", 2, "JIT101") in places(run(project))
    (project / "app" / "absent.py").unlink()
    assert ("absent.py", 2, "JIT101") not in places(run(project))


def test_a_folder_that_appears(project: Path) -> None:
    steps = project / "app" / "steps.py"
    steps.write_text(
        "import jax\nfrom app.deep.sizes import size\n\n\n@jax.jit\ndef step(x):\n"
        "    if size(x):\n        return x\n    return -x\n"
    )

    def found() -> set[tuple[str, int, str]]:
        return places(find(read([str(steps)]).files, cache=project / ".jitlint_cache" / "analysis").findings)

    assert not found()
    (project / "app" / "deep").mkdir()
    (project / "app" / "deep" / "sizes.py").write_text("def size(x):\n    return x.sum()\n")
    assert found() == {("steps.py", 7, "JIT101")}


def test_state_that_another_unit_changes(project: Path) -> None:
    (project / "app" / "state.py").write_text("import jax\n\nSCALE = 1.0\n\n\ndef scaled(x):\n    return x * SCALE\n")
    (project / "app" / "steps.py").write_text(
        "import jax\nfrom app import state\n\n\n@jax.jit\ndef step(x):\n    return state.scaled(x)\n"
    )
    setter = project / "elsewhere" / "setter.py"
    setter.write_text("from app import state\n\n\ndef change():\n    state.SCALE = 2.0\n")
    assert ("state.py", 7, "JIT501") in places(run(project))
    setter.write_text("from app import state\n\n\ndef change():\n    return state.SCALE\n")
    assert ("state.py", 7, "JIT501") not in places(run(project))


@pytest.mark.parametrize("harm", ["truncate", "flip", "remove", "exchange"])
def test_a_damaged_cache_is_none(project: Path, harm: str) -> None:
    before = run(project)
    files = sorted((project / ".jitlint_cache" / "analysis").iterdir())
    chance = random.Random(1)
    for file in chance.sample(files, len(files) // 2):
        data = bytearray(file.read_bytes())
        match harm:
            case "truncate":
                file.write_bytes(data[: chance.randrange(len(data))])
            case "flip":
                data[chance.randrange(len(data))] ^= 0x10
                file.write_bytes(data)
            case "remove":
                file.unlink()
            case "exchange":
                file.write_bytes(chance.choice(files).read_bytes())
    assert run(project) == before


def test_a_run_without_a_change_imports_no_analyzer_and_starts_no_process(project: Path) -> None:
    """What it reads must be enough to report."""
    (project / "pyproject.toml").touch()
    code = (
        "import os, sys, jitlint.__main__ as m\nfork, forks = os.fork, []\n"
        "os.fork = lambda: forks.append(0) or fork()\ntry: m.main()\n"
        "finally: print(bool(forks) or 'jitlint.syntax' in sys.modules, file=sys.stderr)"
    )

    def start() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, "--format", "json", "."]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    first, second = start(), start()
    assert (first.stderr, second.stderr) == ("True\n", "False\n")
    assert first.stdout == second.stdout and first.returncode == second.returncode == 1


def test_a_file_that_is_only_looked_into_is_looked_at(project: Path) -> None:
    (project / "pyproject.toml").touch()
    cache = project / ".jitlint_cache" / "analysis"

    def found() -> set[tuple[str, int, str]]:
        return places(find(read([str(project / "app" / "steps.py")]).files, cache=cache).findings)

    (project / "app" / "steps.py").write_text(
        "import jax\nfrom app import losses\n\n\n@jax.jit\ndef step(x):\n    return int(losses.loss(x))\n"
    )
    assert found() == {("steps.py", 7, "JIT301")}
    (project / "app" / "losses.py").write_text("def loss(x):\n    return 1.0\n")
    assert not found()
    (project / "app" / "losses.py").unlink()
    assert not found()
    (project / "app" / "losses.py").write_text("def loss(x):\n    return x\n")
    assert found() == {("steps.py", 7, "JIT301")}


def changed(text: str, others: list[str], chance: random.Random) -> str:
    """A text with a few lines gone, doubled, moved or taken from another file."""
    lines = text.splitlines(keepends=True) or ["\n"]
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                lines[at] = "\n"
            case 1:
                lines.insert(at, lines[at])
            case 2:
                lines.insert(at, "# A comment.\n")
            case 3:
                lines.insert(at, chance.choice(chance.choice(others).splitlines(keepends=True) or ["\n"]))
            case _:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


@pytest.mark.once
@pytest.mark.parametrize("seed", range(3))
def test_after_any_change_the_findings_are_those_of_a_first_run(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(grouping, "UNIT_LINES", 20)
    shutil.copytree(root / "fixtures" / "projects", tmp_path / "projects", ignore=shutil.ignore_patterns("__pycache__"))
    chance = random.Random(seed)
    files = sorted((tmp_path / "projects").rglob("*.py"))
    texts = [file.read_text() for file in files]
    run(tmp_path)
    for _ in range(12):
        at = chance.randrange(len(files))
        files[at].write_text(changed(texts[at], texts, chance))
        run(tmp_path)
        if chance.random() < 0.5:
            files[at].write_text(texts[at])
