"""Programs that compile here and not there: compiled for real for devices that are described, and for this CPU.

The compilers come from the package's own extras, installed into an environment beside this one.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from making import finding, source

from jitlint.analysis.events import EventKind
from jitlint.findings.finding import Verdict
from jitlint.verify import VerifyOptions, verify
from jitlint.verify.devices import device

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "fixtures/devices").glob("*.py"))
DEVICES = ("cpu", "tpu:v5e", "cuda:h100")
LABEL = re.compile(r"#\s*fails:\s*(.*)")


@pytest.fixture(scope="session")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that has what this one has, and the compilers of the extras `tpu` and `cuda12`."""
    home = tmp_path_factory.mktemp("equipped")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = str(home / "bin" / "python")
    (site,) = home.glob("lib/python*/site-packages")
    (site / "also.pth").write_text(sysconfig.get_path("purelib"))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = [each for extra in ("tpu", "cuda12") for each in extras[extra] if not each.startswith("jitlint")]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
    return python


def built(path: Path, options: VerifyOptions) -> dict[str, Verdict]:
    """The verdicts on a suspicion about a program's jitted function, which its trace refutes, by device."""
    file = source(path)
    functions = [node for node in ast.parse(file.text).body if isinstance(node, ast.FunctionDef)]
    jitted = next(node for node in functions if node.decorator_list)
    text = ast.get_source_segment(file.text, jitted.body[0])
    assert text is not None
    suspicion = finding(
        file,
        EventKind.BOOL,
        "if",
        text,
        entry="jax.jit",
        function=jitted.name,
        root=jitted.name,
        calls=CALLS.get(path.stem, ()),
    )
    (seen,) = verify([suspicion], [file], options)
    return {verdict.device: verdict for verdict in seen.verdicts}


CALLS: Mapping[str, tuple[str, ...]] = {"kernel": ("(jnp.ones((128, 128)))",)}


def said(verdict: Verdict) -> Mapping[str, Any]:
    assert verdict.status == "refuted", verdict
    told = verdict.evidence["build"]
    assert isinstance(told, dict)
    return told


@pytest.fixture(scope="session")
def judged(equipped: str) -> dict[str, dict[str, Verdict]]:
    """What became of each program on each device."""
    options = VerifyOptions(devices=tuple(map(device, DEVICES)), python=equipped)
    return {path.stem: built(path, options) for path in PROGRAMS}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_fail_on_the_devices_and_lines_of_their_labels(
    path: Path, judged: dict[str, dict[str, Verdict]]
) -> None:
    expected = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for label in match[1].split(",") if (match := LABEL.search(line)) else ():
            name, stage = label.split()
            expected[name] = stage, number if stage in ("lower", "compile") else None
    failed = {}
    for name, verdict in judged[path.stem].items():
        told = said(verdict)
        if told.get("reason") or not told.get("failed"):
            assert told.get("reason", "no-compiler") == "no-compiler"
            continue
        place = told.get("place", "")
        assert not place or Path(place.rpartition(":")[0]).name == path.name
        failed[name] = told["failed"], int(place.rpartition(":")[2]) if place else None
    assert failed == expected
