"""The wheel as it is released, with compiled modules: a fresh machine can build it, and it does what the sources do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tools.wheel import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3000),  # a wheel takes five minutes of a processor, and three times as long beside other tests
]

NATIVE = """\
from jitlint.analysis.machine import interpreter
from jitlint.analysis.program import results_cache
from jitlint.analysis.values import joins
from jitlint.ir import expressions, statements
from jitlint.syntax import build
from jitlint.syntax.from_ast import lowering
compiled = (build, expressions, interpreter, joins, lowering, results_cache, statements)
assert not {module.__file__ for module in compiled if module.__file__.endswith(".py")}
"""


TESTS = (
    "analysis",
    "config",
    "fuzz",
    "lsp/test_process.py",
    "plugins/test_hostile.py",
    "project",
    "report/test_hostile_text.py",
    "source",
    "syntax",
    "test_bad_input.py",
    "test_defects.py",
)
"""The tests that are run again: of compiled modules, and of what hostile files do to the analysis."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, not optimized, built with a Python that has nothing but pip: no types that happen to be here."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "environment", with_pip=True)
    python = folder / "environment" / "bin" / "python"
    alone = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = (str(python), "-m", "tools.wheel", "--quick", str(folder / "wheels"))
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    (built,) = (folder / "wheels").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment variables under which the compiled modules are imported."""
    folder = tmp_path_factory.mktemp("compiled")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    subprocess.run([*pip, "--target", str(folder), str(wheel)], check=True)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((sys.executable, "-P", *arguments), env=environment, capture_output=True, text=True)


def test_a_fresh_environment_builds_a_wheel_of_this_platform(wheel: Path) -> None:
    assert wheel.name.startswith("jitlint-") and not wheel.name.endswith("-any.whl")


def test_the_modules_are_compiled(environment: dict[str, str]) -> None:
    done = run(environment, "-c", NATIVE)
    assert done.returncode == 0, done.stderr


def test_it_does_what_its_sources_do(environment: dict[str, str]) -> None:
    tests = [str(ROOT / "tests" / name) for name in TESTS]
    options = ("-q", "-o", "pythonpath=", "-c", str(ROOT / "pyproject.toml"), "-m", "not patching and not once")
    done = run(environment, "-m", "pytest", *options, *tests)
    assert done.returncode == 0, done.stdout[-5000:]


def test_it_finds_what_its_sources_find(environment: dict[str, str]) -> None:
    lint = ("-m", "jitlint", "--no-cache", "--confidence=possible", "--format=json", str(ROOT / "fixtures" / "rules"))
    compiled = run(environment, *lint)
    plain = run({**environment, "PYTHONPATH": str(ROOT)}, *lint)
    assert compiled.stdout == plain.stdout
    assert len(json.loads(plain.stdout)["findings"]) > 300
