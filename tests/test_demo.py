"""README's example: what it shows is what comes out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VERDICTS = {
    "JIT101": "confirmed",
    "JIT201": "confirmed",
    "JIT401": "confirmed",
    "JIT501": "confirmed",
    "JIT601": "confirmed",
}


def jitlint(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jitlint", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def findings(root: Path) -> list[dict[str, Any]]:
    done = jitlint(root, "--verify", "--format", "json", "fixtures/demo")
    assert (done.returncode, done.stderr) == (1, "")
    shown: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return shown


@pytest.mark.slow
def test_the_demo_has_five_confirmed_kinds_and_one_refuted_suspicion(findings: list[dict[str, Any]]) -> None:
    statuses = [(finding["code"], finding["verdict"]["status"]) for finding in findings]
    assert {code for code, status in statuses if status == "confirmed"} >= set(VERDICTS)
    assert [status for _, status in statuses if status != "confirmed"] == ["refuted"]


@pytest.mark.slow
def test_readme_shows_what_comes_out(root: Path) -> None:
    done = jitlint(root, "--verify", "fixtures/demo")
    shown = re.search(r"```text\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert shown
    versions = re.compile(r"jax \d+\.\d+\.\d+")
    assert versions.sub("jax", shown[1]) == versions.sub("jax", done.stdout)


@pytest.mark.slow
def test_all_mistakes_of_the_demo_are_fixed_and_the_fixes_are_proven(root: Path, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    shutil.copytree(root / "fixtures" / "demo", demo, ignore=shutil.ignore_patterns(".*"))
    done = jitlint(tmp_path, "--verify", "--fix", "--unsafe-fixes", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    shown = re.search(r"```text\n(demo/train.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert shown and done.stdout.endswith(shown[1])
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "demo/train.py"], cwd=tmp_path, env=environment, check=True, capture_output=True)
