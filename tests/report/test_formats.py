"""Every format, as the program writes it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from jitlint.commands.reporting import FORMATS


def test_every_format_is_written_by_the_program(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import jax\n\n\n@jax.jit\ndef step(x):\n    return float(x)\n")
    shown = {}
    for form in FORMATS:
        command = [sys.executable, "-m", "jitlint", "--format", form, "bad.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (1, ""), form
        shown[form] = done.stdout
    assert shown["text"].startswith("bad.py:6:12 JIT301 ")
    assert json.loads(shown["json"])["findings"][0]["code"] == "JIT301"
    assert json.loads(shown["sarif"])["runs"][0]["results"][0]["ruleId"] == "JIT301"
    assert shown["github"].startswith("::error file=bad.py,line=6,endLine=6,col=12,")
    assert json.loads(shown["gitlab"])[0]["location"] == {"path": "bad.py", "lines": {"begin": 6, "end": 6}}
    assert ElementTree.fromstring(shown["junit"].encode()).get("failures") == "1"
    assert shown["markdown"].startswith("### jitlint: 1 finding in 1 file\n")
