"""What may import what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

IMPORT_ALL = """
import importlib, pkgutil, sys
import jitlint
for module in pkgutil.walk_packages(jitlint.__path__, "jitlint."):
    if not module.name.startswith(("jitlint.verify.worker", "jitlint.__main__")):
        importlib.import_module(module.name)
foreign = {"jax", "jaxlib", "numpy", "flake8"} & set(sys.modules)
assert not foreign, foreign
assert len([name for name in sys.modules if name.startswith("jitlint.")]) > 20
"""

LIGHT = """
import sys
{}
heavy = {{"libcst", "pathspec", "jitlint.models", {}}} & set(sys.modules)
assert not heavy, heavy
"""


def test_importing_jitlint_imports_neither_jax_nor_flake8(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [
        (
            "sys.argv[1:] = ['--version']; import runpy, contextlib\n"
            "with contextlib.suppress(SystemExit): runpy.run_module('jitlint', run_name='__main__')",
            "jitlint.analysis",
        ),
        ("import jitlint.config, jitlint.findings.finding, jitlint.findings.suppress", "jitlint.analysis.values"),
        ("import jitlint.report.text, jitlint.report.json, jitlint.report.github", "jitlint.analysis.values"),
        ("from jitlint.rules.registry import all_rules; all_rules()", "jitlint.analysis.values"),
        ("import jitlint.fixes.edit, jitlint.fixes.comments", "jitlint.fixes.static_argument"),
    ],
    ids=["--version", "settings and findings", "reports", "rules", "edits of comments"],
)
def test_what_needs_no_analysis_is_light(imported: str, heavy: str, root: Path) -> None:
    program = LIGHT.format(imported, repr(heavy))
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


ALL_LOADED = """
import pathlib, sys
import jitlint.analysis.api
folder = pathlib.Path(jitlint.analysis.__path__[0])
names = (path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py") if path.name != "__init__.py")
missing = {".".join(("jitlint.analysis", *parts)) for parts in names} - set(sys.modules)
assert not missing, missing
"""


def test_every_mechanism_of_the_analyzer_is_loaded(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ALL_LOADED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_layers_hold(root: Path) -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
