"""The example in the README of the room `libraries`: its model, installed with a package, gives the named findings."""

from __future__ import annotations

import json
import re
import subprocess
import textwrap
from pathlib import Path

from tests.installing import environment


def blocks(readme: str, language: str) -> list[str]:
    """The code blocks of a language in a README."""
    return [textwrap.dedent(text) for text in re.findall(rf"^ *```{language}\n(.*?)^ *```", readme, re.M | re.S)]


def test_the_model_of_a_small_library_works(root: Path, tmp_path: Path) -> None:
    readme = (root / "jitlint" / "analysis" / "libraries" / "README.md").read_text(encoding="utf-8")
    (model,), (program,) = blocks(readme, "toml"), blocks(readme, "python")
    (python, site), folder = environment(tmp_path / "environment"), tmp_path / "program"
    for path in (site / "tally", site / "tally-1.0.dist-info", folder):
        path.mkdir(parents=True)
    (site / "tally" / "__init__.py").touch()
    (site / "tally" / "jitlint_model.toml").write_text(model, encoding="utf-8")
    (site / "tally-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tally\nVersion: 1.0\n")
    (site / "tally-1.0.dist-info" / "entry_points.txt").write_text("[jitlint.models]\ntally = tally.jitlint_model\n")
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [python, "-m", "jitlint", "--isolated", "--no-cache", "--format", "json", "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    report = json.loads(done.stdout)
    lines = enumerate(program.splitlines(), 1)
    expected = {(at, line.partition("# expect: ")[2]) for at, line in lines if "# expect: " in line}
    assert {(finding["line"], finding["code"]) for finding in report["findings"]} == expected
    assert len(expected) == 3 and report["errors"] == []
