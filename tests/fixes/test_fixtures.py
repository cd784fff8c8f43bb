"""The fixtures of fixes: jitlint makes of each `before.py` what `after.py` says, and JAX runs both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from jitlint import pipeline
from jitlint.findings.finding import Finding
from jitlint.fixes import remedies
from jitlint.fixes.edit import Remedy
from jitlint.fixing.rounds import Files, Fixer
from jitlint.rules.rule import Severity
from jitlint.source.text import read_source

ROOT = Path(__file__).parents[2]
FIXES = ROOT / "fixtures" / "fixes"
FOLDERS = sorted(path.parent for path in FIXES.glob("*/*/before.py"))


def found(files: Files) -> tuple[Finding, ...]:
    """What a run with `--extend-select JIT85` shows."""
    findings = pipeline.find(files).findings
    return tuple(each for each in findings if each.severity is not Severity.HINT or each.code.startswith("JIT85"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_fix_makes_what_the_fixture_says(folder: Path) -> None:
    before = read_source(folder / "before.py", "before.py")
    fixed = Fixer(found).fixed((before,))
    assert fixed.files[0].text == (folder / "after.py").read_text()
    assert folder.parent.name in {one.fix.remedy for one in fixed.applied}


def test_each_remedy_has_fixtures_in_several_layouts() -> None:
    known = {value.name for value in vars(remedies).values() if isinstance(value, Remedy)}
    layouts = Counter(folder.parent.name for folder in FOLDERS)
    assert {name for name in known if layouts[name] >= 3} == known == set(layouts)


def test_jax_says_what_is_wrong_before_and_right_after() -> None:
    files = [str(folder / name) for folder in FOLDERS for name in ("before.py", "after.py")]
    command = [sys.executable, str(ROOT / "fixtures" / "prove.py"), *files]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    passed = {report["path"]: report["ok"] for report in map(json.loads, lines)}
    assert passed == {path: path.endswith("after.py") for path in files}
