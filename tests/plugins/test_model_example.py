"""A third party's model and rules: the worked example in `plugins/model_example`, as pip would install it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.installing import Environment, environment

FOUND = {(8, "JIT101"), (15, "JIT101"), (24, "JIT301")}


@pytest.fixture
def example(root: Path) -> Path:
    return root / "plugins" / "model_example"


@pytest.fixture
def here(tmp_path: Path) -> Environment:
    return environment(tmp_path / "environment")


def install(example: Path, site: Path) -> None:
    """Puts the package and the metadata that its pyproject.toml asks for into a folder of installed packages."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    shutil.copytree(example / project["name"], site / project["name"])
    info = site / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    text = "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups)
    (info / "entry_points.txt").write_text(text)


def lint(file: Path, here: Environment | None = None) -> tuple[int, dict[str, object]]:
    """jitlint's exit status and JSON."""
    command = [here.python if here else sys.executable, "-m", "jitlint", "--format", "json", file.name]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout)


def places(report: dict[str, object]) -> set[tuple[int, str]]:
    findings = report["findings"]
    assert isinstance(findings, list)
    return {(finding["line"], finding["code"]) for finding in findings}


def test_findings_change_with_the_model(example: Path, here: Environment, tmp_path: Path) -> None:
    status, report = lint(example / "user" / "program.py")
    assert (status, places(report)) == (0, set())
    install(example, here.site)
    status, report = lint(example / "user" / "program.py", here)
    assert (status, places(report), report["errors"]) == (1, FOUND, [])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs_with", "run_with", 'classes."tidal.Simulator".run_with: there is no such key; did you mean runs_with?'),
        ("float = [", "flaot = [", "modules.\"tidal\".results: 'flaot' is no result; did you mean float?"),
        ("cached = true", 'cached = "yes"', "is neither true nor false; write true or false without quotes"),
        ("roots = [", "roots = ", "is no TOML"),
    ],
)
def test_a_bad_model_is_told_and_left_out(
    example: Path, here: Environment, tmp_path: Path, old: str, new: str, message: str
) -> None:
    install(example, here.site)
    model = here.site / "tidal" / "jitlint_model.toml"
    model.write_text(model.read_text().replace(old, new, 1))
    own = tmp_path / "own.py"
    own.write_text("import jax\nimport tidal\n\n\n@jax.jit\ndef f(x):\n    if x:\n        return x\n    return -x\n")
    status, report = lint(own, here)
    assert status == 2 and places(report) == {(7, "JIT101")}
    [error] = report["errors"]  # type: ignore[misc]
    assert error["path"] == "tidal/jitlint_model.toml" and message in error["message"]


def test_nothing_of_the_package_is_imported(example: Path, here: Environment, tmp_path: Path) -> None:
    install(example, here.site)
    (here.site / "tidal" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    assert places(lint(example / "user" / "program.py", here)[1]) == FOUND


STEPS = """\
import jax
import tidal


@tidal.compiled
def fall(height):
    for _ in range(1000):
        height = height - 0.1
    return height


@jax.jit
def known(height):
    for _ in range(1000):  # jitlint: ignore[TID001] few calls
        height = height - 0.1
    return height
"""


def test_rules_of_the_package_are_applied(example: Path, here: Environment, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(STEPS)
    assert places(lint(own)[1]) == set()
    install(example, here.site)
    (here.site / "tidal" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    status, report = lint(own, here)
    assert (status, places(report), report["errors"]) == (1, {(7, "TID001")}, [])
    (tmp_path / "jitlint.toml").write_text('ignore = ["TID"]\n')
    assert places(lint(own, here)[1]) == set()
    (tmp_path / "jitlint.toml").write_text('extend-select = ["JIT112"]\n')
    assert places(lint(own, here)[1]) == {(7, "TID001"), (7, "JIT112"), (14, "JIT112")}
    command = [here.python, "-m", "jitlint", "explain", "tid001"]
    assert "# TID001 stepped-in-python" in subprocess.run(command, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class SteppedInPython", "clas SteppedInPython", "cannot be loaded: SyntaxError: invalid syntax"),
        (
            "from jitlint.rules.rule",
            "import tidal\nfrom jitlint.rules.rule",
            "cannot be loaded: RuntimeError: imported",
        ),
        ('code = "TID001"', 'code = "JIT101"', "SteppedInPython: the code `JIT101` is not TID and three digits"),
        ("    severity = Severity.SLOW\n", "", "SteppedInPython has no `severity`"),
    ],
)
def test_rules_that_cannot_be_used_are_told_and_left_out(
    example: Path, here: Environment, tmp_path: Path, old: str, new: str, message: str
) -> None:
    install(example, here.site)
    (here.site / "tidal" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    own = tmp_path / "own.py"
    own.write_text(STEPS + "\n\n@jax.jit\ndef f(x):\n    return float(x)\n")
    assert places(lint(own, here)[1]) == {(7, "TID001"), (21, "JIT301")}
    rules = here.site / "tidal" / "jitlint_rules.py"
    rules.write_text(rules.read_text().replace(old, new, 1))
    status, report = lint(own, here)
    assert status == 2 and places(report) == {(21, "JIT301")}
    [error] = report["errors"]  # type: ignore[misc]
    assert error["path"] == "tidal.jitlint_rules" and message in error["message"]


@pytest.mark.slow
def test_jax_bears_out_what_the_model_says(example: Path) -> None:
    code = (
        "import sys; sys.path.append('user'); import jax, jax.numpy as jnp, program, tidal\n"
        "for f, a in ((program.reflect, ({'x': jnp.ones(3)},)), (program.settle, ({'x': jnp.ones(3)},)),"
        " (tidal.Simulator(program.spring).run, ({'x': jnp.ones(3)}, 20))):\n"
        "    try:\n        f(*a)\n"
        "    except jax.errors.ConcretizationTypeError as error:\n"
        "        lines = []\n        tb = error.__traceback__\n"
        "        while tb:\n"
        "            lines += [tb.tb_lineno] if tb.tb_frame.f_code.co_filename == program.__file__ else []\n"
        "            tb = tb.tb_next\n"
        "        print(lines[-1])\n"
    )
    variables = os.environ | {"JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=example, env=variables, capture_output=True, text=True, timeout=120, check=True)
    assert set(map(int, done.stdout.split())) == {line for line, _ in FOUND}
