"""What CI services run: the steps of the GitHub action and of the GitLab component, as far as they go without them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow

BAD = "import jax\n\n\n@jax.jit\ndef f(x):\n    return 1 if x > 0 else 2\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "model.py").write_text(BAD)
    (folder / "jitlint.toml").write_text("")
    return folder


@pytest.fixture(scope="module")
def runner(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files, in which the action's first step has installed jitlint."""
    folder = tmp_path_factory.mktemp("runner")
    install = step(yaml.safe_load((root / "action.yml").read_text("utf-8")), "Install")["run"]
    environment = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(root)}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    subprocess.run(["bash", "-euo", "pipefail", "-c", install], env=environment, check=True)
    return folder


def step(action: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [each for each in action["runs"]["steps"] if each.get("name") == name]
    return dict(found)


def run_check(root: Path, runner: Path, project: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs the action's second step, with its inputs filled in as GitHub does."""
    action = yaml.safe_load((root / "action.yml").read_text("utf-8"))
    values = {name: declared["default"] for name, declared in action["inputs"].items()} | inputs
    check = step(action, "Check")
    given = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: values[found[1]], text)
        for name, text in check["env"].items()
    }
    environment = {
        **os.environ,
        **given,
        "RUNNER_TEMP": str(runner),
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    command = ["bash", "-euo", "pipefail", "-c", check["run"]]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_the_action_annotates_sums_up_and_fails(root: Path, runner: Path, project: Path) -> None:
    done = run_check(root, runner, project, paths="src jitlint.toml", arguments="--extend-select JIT5")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("::error ") and "file=src/model.py,line=6" in done.stdout
    (run,) = json.loads((project / "jitlint.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["JIT104"]
    assert (project / "summary.md").read_text().startswith("### jitlint: 1 finding")


def test_the_action_verifies_with_the_jobs_python(root: Path, runner: Path, project: Path) -> None:
    done = run_check(root, runner, project, verify="true", summary="false", paths="src")
    assert done.returncode == 1 and "confirmed" in done.stdout
    assert not (project / "summary.md").exists()


def test_the_action_passes_where_nothing_is_found(root: Path, runner: Path, project: Path) -> None:
    (project / "src" / "model.py").write_text("import jax\n")
    done = run_check(root, runner, project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_wrong_arguments_fail_the_action(root: Path, runner: Path, project: Path) -> None:
    done = run_check(root, runner, project, arguments="--no-such-option")
    assert done.returncode == 2 and "No such option" in done.stderr


def test_the_gitlab_component_writes_its_report(root: Path, runner: Path, project: Path, tmp_path: Path) -> None:
    spec, job = yaml.safe_load_all((root / "templates" / "jitlint.yml").read_text("utf-8"))
    inputs = {name: declared["default"] for name, declared in spec["spec"]["inputs"].items()}
    (component,) = job.values()
    lines = [re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: inputs[found[1]], line) for line in component["script"]]
    assert lines[0] == 'pip install --quiet "jitlint"'
    path = os.pathsep.join([str(runner / "jitlint" / "bin"), os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", lines[1]], cwd=project, env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 1
    (report,) = [component["artifacts"]["reports"]["codequality"]]
    assert [found["check_name"] for found in json.loads((project / report).read_text())] == ["JIT104"]
