"""One project, linted in every place where people meet it: all say the same."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lsp.editor import Editor
from tests.plugins.scratch import Hooks

Found = set[tuple[str, int, int, str]]
"""Path, line, column (both from 1) and code."""

_LINE = re.compile(r"^(?:\./)?([^\s:]+\.py):(\d+):(\d+):? (JIT\d+) ", re.MULTILINE)


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Path:
    """The seeds, and a bug across two files; a comment leaves something out, the settings something else."""
    folder = tmp_path / "project"
    shutil.copytree(root / "fixtures" / "seeds", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "jitlint.toml").write_text('exclude = ["left_out.py"]\n')
    (folder / "steps.py").write_text("import jax\n\nimport losses\n\nstep = jax.jit(losses.loss)\n")
    (folder / "losses.py").write_text(
        "def loss(x):\n    if x > 0:\n        return x\n"
        "    while x < 0:  # noqa: JIT102\n        x = -x\n    return x\n"
    )
    (folder / "left_out.py").write_text("import jax\n\n\n@jax.jit\ndef left_out(x):\n    return float(x)\n")
    return folder


def lines(text: str) -> Found:
    return {(path, int(line), int(column), code) for path, line, column, code in _LINE.findall(text)}


def jitlint(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "jitlint", *arguments, "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False).stdout


def by_sarif(folder: Path) -> Found:
    found = set()
    for each in json.loads(jitlint(folder, "--format", "sarif"))["runs"][0]["results"]:
        location = each["locations"][0]["physicalLocation"]
        region = location["region"]
        found.add((location["artifactLocation"]["uri"], region["startLine"], region["startColumn"], each["ruleId"]))
    return found


def by_flake8(folder: Path) -> Found:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JIT", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    return lines(done.stdout)


def by_pre_commit(folder: Path, hooks: Hooks) -> Found:
    hooks.commit_to(folder)
    return lines(hooks.run(folder, "jitlint", "--all-files").stdout)


def by_language_server(folder: Path) -> Found:
    found = set()
    with Editor(folder) as editor:
        uris = {path.relative_to(folder).as_posix(): editor.open(path) for path in sorted(folder.rglob("*.py"))}
        for path, uri in uris.items():
            for each in editor.diagnostics(uri):
                start = each.range.start
                found.add((path, start.line + 1, start.character + 1, str(each.code)))
    return found


@pytest.mark.slow
def test_all_places_say_the_same(project: Path, hooks: Hooks) -> None:
    found = lines(jitlint(project))
    assert ("losses.py", 2, 8, "JIT101") in found and len(found) > 20
    assert {code for path, _, _, code in found if path in ("losses.py", "left_out.py")} == {"JIT101"}
    assert by_sarif(project) == found
    assert by_flake8(project) == found
    assert by_language_server(project) == found
    assert by_pre_commit(project, hooks) == found
