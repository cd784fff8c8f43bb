"""Code that misbehaves costs its own verdicts and nothing else, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from confined import without_namespaces
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

HOSTILE = Path(__file__).parents[2] / "fixtures" / "hostile"
_LABEL = re.compile(r"# verdict: (.+)$")
_MARK = "JITLINT_TEST_RUN"


@dataclass
class Ran:
    """One run of the program on a copy of the fixtures.

    Attributes:
        folder: all that it could reach: the project, the home directory, and that of temporary files.
        report: its report.
        changed: the files that came, went or changed meanwhile.
        left: the processes that it left.
    """

    folder: Path
    report: Any
    changed: set[str]
    left: list[psutil.Process]

    def verdicts(self, name: str) -> dict[int, str]:
        """What it said of the lines of a file."""
        found = [each for each in self.report["findings"] if each["path"] == name]
        return {each["line"]: f"{each['verdict']['status']}: {each['verdict']['reason']}" for each in found}


def run(folder: Path, *arguments: str, files: Sequence[str] = (), before: Sequence[str] = ()) -> Ran:
    """Verifies hostile modules, all of them or some, in a folder of their own."""
    project, home, scratch = folder / "project", folder / "home", folder / "tmp"
    project.mkdir(parents=True)
    for path in HOSTILE.iterdir():
        if path.is_file() and (not files or path.name in (*files, "pyproject.toml")):
            shutil.copy(path, project)
    for path in (project / "precious", home, scratch):
        path.mkdir()
    (project / "precious" / "file").write_text("kept")
    mark = uuid.uuid4().hex
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(scratch), _MARK: mark}
    environment.pop("XDG_CACHE_HOME", None)
    files_before = snapshot(folder)
    done = subprocess.run(
        [*before, sys.executable, "-m", "jitlint", "--verify", "--no-cache", "--format", "json", *arguments, "."],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    left = [process for process in psutil.process_iter() if is_of(process, mark)]
    changed = {path for path, _ in files_before ^ snapshot(folder)}
    for process in left:
        process.kill()
    assert (done.returncode, done.stderr) == (1, "")
    return Ran(folder, json.loads(done.stdout), changed, left)


def snapshot(folder: Path) -> set[tuple[str, str]]:
    """What is in a folder."""
    return {
        (str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in folder.rglob("*")
    }


def is_of(process: psutil.Process, mark: str) -> bool:
    """Whether a process came of a run, unless it is one that has ended."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_MARK) == mark
    except psutil.Error:
        return False


@pytest.fixture(scope="module")
def all_at_once(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return run(tmp_path_factory.mktemp("hostile") / "all")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.name for path in HOSTILE.glob("*.py")))
def test_a_hostile_module_gets_the_verdicts_that_it_should(all_at_once: Ran, name: str) -> None:
    lines = (HOSTILE / name).read_text().splitlines()
    labels = {at: label[1] for at, line in enumerate(lines, 1) if (label := _LABEL.search(line))}
    said = all_at_once.verdicts(name)
    assert said.keys() == labels.keys()
    for at, label in labels.items():
        assert said[at].startswith(label), said[at]
        assert "\n" not in said[at]


@pytest.mark.slow
def test_hostile_modules_change_nothing_for_the_others(all_at_once: Ran, tmp_path: Path) -> None:
    alone = run(tmp_path / "alone", files=["normal.py"])
    found = [[each for each in one.report["findings"] if each["path"] == "normal.py"] for one in (alone, all_at_once)]
    assert found[0] == found[1]


@pytest.mark.slow
def test_hostile_modules_leave_nothing(all_at_once: Ran) -> None:
    assert not all_at_once.left
    if unconfined(all_at_once):
        assert not {path for path in all_at_once.changed if path.startswith("tmp")}
    else:
        assert not all_at_once.changed
        assert all("uses the network" in said for said in all_at_once.verdicts("needs_the_network.py").values())


def unconfined(ran: Ran) -> bool:
    """Whether the report says that there was no sandbox."""
    return any("without a sandbox" in note for note in ran.report["summary"].get("notes", ()))


@pytest.mark.slow
def test_without_a_sandbox_the_report_says_so_and_no_process_is_left(tmp_path: Path) -> None:
    names = ["starts_daemons.py", "forks.py", "needs_to_write.py", "normal.py"]
    ran = run(tmp_path / "without", files=names, before=without_namespaces())
    assert unconfined(ran)
    assert not ran.left and not ran.changed
    for name in names:
        assert ran.verdicts(name)


REFUSED = """import subprocess
import jax
import jax.numpy as jnp


@jax.jit
def logs(x):
    try:
        open({path!r}, "w")
    except OSError as error:
        raise RuntimeError("no log") from error
    return x + 1


@jax.jit
def asks(x):
    subprocess.run(["false"], check=True)
    return x + 1


logs(jnp.ones(3))
asks(jnp.ones(3))
"""


@pytest.mark.slow
def test_what_is_refused_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(REFUSED.format(path=str(tmp_path / "log")))
    command = [sys.executable, "-m", "jitlint", "--verify=all", "--no-cache", "--format", "json", "module.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    report = json.loads(done.stdout)
    assert [entry["code"] for entry in report["entries"]] == ["refused", "environment"]
    assert report["summary"]["found_by_verifying_only"] == 0


@pytest.mark.slow
def test_what_is_let_do_writes(tmp_path: Path) -> None:
    ran = run(tmp_path / "let", "--sandbox", "off", files=["needs_to_write.py"])
    assert "notes" not in ran.report["summary"]
    assert ran.changed == {"project/needs_to_write.log"}
    assert [said.partition(":")[0] for said in ran.verdicts("needs_to_write.py").values()] == ["confirmed"]


def test_an_interpreter_without_jax_is_said_to_be_so(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", "import jax\n\n@jax.jit\ndef good(x):\n    return x if x > 0 else -x\n")
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="good", root="good")
    for python in (str(tmp_path / "no-such-python"), "/bin/true"):
        (seen,) = verify([found], [file], VerifyOptions(python=python))
        assert seen.verdict and seen.verdict.status == "inconclusive"
        assert seen.verdict.evidence["reason"] == "unusable"
