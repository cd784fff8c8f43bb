"""A folder with code for whoever imports from the working folder: none of it runs, unless verifying was asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.installing import environment
from tests.lsp.editor import Editor

BRANCH = "import jax\n\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"
SHADOWS = ("psutil", "types", "json", "click", "pathspec", "platformdirs", "libcst", "typing", "pickle", "evil")
BY_NAME = ("sitecustomize", "usercustomize", "conftest", "setup", "jitlint_plugin")
JITLINT = str(Path(sysconfig.get_path("scripts"), "jitlint"))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose code notes that it runs: modules of common names, a jitlint, and packages with plugins."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    note = f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__ + '\\n')\n"
    for name in (*SHADOWS, *BY_NAME):
        (folder / f"{name}.py").write_text(note)
    for name in ("jitlint", "tidal"):
        (folder / name).mkdir()
        for module in ("__init__", "__main__", "process", "jitlint_rules"):
            (folder / name / f"{module}.py").write_text(note)
    for name in ("evil-1.0.dist-info", "evil.egg-info"):
        (folder / name).mkdir()
        (folder / name / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
        (folder / name / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
        (folder / name / "entry_points.txt").write_text(
            "[jitlint.rules]\nTID = tidal.jitlint_rules\n[jitlint.models]\ntidal = tidal.jitlint_model\n"
        )
    (folder / "tidal" / "jitlint_model.toml").write_text("broken")
    (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
    (folder / "step.py").write_text(BRANCH)
    return folder


def without_modules(hostile: Path) -> None:
    """Leaves of the folder's code only its plugins."""
    for name in (*SHADOWS, *BY_NAME):
        (hostile / f"{name}.py").unlink()
    (hostile / "jitlint").rename(hostile / "other")


def ran(hostile: Path) -> str:
    noted = hostile.parent / "ran"
    return noted.read_text() if noted.exists() else ""


@pytest.mark.parametrize("arguments", [["--jobs", "2", "."], ["stage", "step.py:6"], ["rules"], ["config", "show"]])
def test_no_command_runs_the_code_of_the_folder(hostile: Path, arguments: list[str]) -> None:
    done = subprocess.run([JITLINT, *arguments], cwd=hostile, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout and not done.stderr
    assert ran(hostile) == ""


def test_plugins_come_from_the_environment_only(hostile: Path) -> None:
    """PYTHONPATH names the folder: its modules are the user's choice, its plugins and models are not."""
    without_modules(hostile)
    done = subprocess.run(
        [sys.executable, "-m", "jitlint", "--no-cache", "."],
        cwd=hostile,
        env=os.environ | {"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "step.py:6:8 JIT101" in done.stdout and not done.stderr
    assert ran(hostile) == ""


def test_an_installed_plugin_is_not_replaced_by_the_folders(hostile: Path, tmp_path: Path) -> None:
    here = environment(tmp_path / "environment")
    (here.site / "tidal").mkdir()
    (here.site / "tidal" / "__init__.py").touch()
    (here.site / "tidal" / "jitlint_rules.py").write_text(f"open({str(tmp_path / 'installed')!r}, 'w').close()\n")
    (here.site / "tidal-1.0.dist-info").mkdir()
    (here.site / "tidal-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tidal\nVersion: 1.0\n")
    (here.site / "tidal-1.0.dist-info" / "entry_points.txt").write_text("[jitlint.rules]\nTID = tidal.jitlint_rules\n")
    without_modules(hostile)
    start = "import sys; sys.path.insert(0, ''); from jitlint.__main__ import run; sys.exit(run())"
    done = subprocess.run(
        [here.python, "-P", "-c", start, "--no-cache", "step.py"],
        cwd=hostile,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (tmp_path / "installed").exists(), done.stderr
    assert "jitlint_rules" not in ran(hostile)


def test_as_a_module_jitlint_takes_the_working_folder_off_its_path(hostile: Path) -> None:
    """What Python itself imports before any of jitlint's code runs cannot be helped."""
    for name in ("types", "typing", "pickle"):
        (hostile / f"{name}.py").unlink()
    (hostile / "jitlint").rename(hostile / "other")
    command = [sys.executable, "-m", "jitlint", "."]
    done = subprocess.run(command, cwd=hostile, capture_output=True, text=True, timeout=120, check=False)
    assert "step.py:6:8 JIT101" in done.stdout and not done.stderr
    assert ran(hostile) == ""


def test_the_language_server_runs_no_code_of_the_folder(hostile: Path) -> None:
    with Editor(hostile, program=(JITLINT,)) as editor:
        uri = editor.open(hostile / "step.py")
        assert editor.codes(uri) == [(6, "JIT101")]
        assert editor.hover(uri, 5, 7)
    assert ran(hostile) == ""
