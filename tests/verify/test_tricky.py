"""Programs of which only running tells whether a suspicion is true: no verdict says the opposite."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "tricky"
MARK = re.compile(r"\s*# (BUG|OK) [a-z-]+$", re.MULTILINE)
OTHERWISE = {
    ("callback_probe_values.py", 22): "an option that `main` does not take leads there",
    ("config_run_flags.py", 17): "an option that `main` does not take leads there",
    ("devices_ensemble_branch.py", 21): "another number of devices leads there",
    ("rand_expert_order_shuffle.py", 28): "the order that is drawn changes the program, but not what it returns",
}
"""Lines that are harmless in their program, and confirmed for what the verdict says."""

Line = tuple[str, int]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[Line, set[str]]:
    """The statuses of the verdicts on each line, by its file's name and number."""
    folder = tmp_path_factory.mktemp("programs")
    for program in PROGRAMS.glob("*.py"):
        (folder / program.name).write_text(MARK.sub("", program.read_text()))
    command = [sys.executable, "-m", "jitlint", "--verify", "--no-cache", "--format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    statuses: dict[Line, set[str]] = defaultdict(set)
    for found in json.loads(done.stdout)["findings"]:
        statuses[found["path"], found["line"]].add(found["verdict"]["status"])
    return statuses


def marks(truth: str) -> list[Line]:
    return [
        (program.name, at)
        for program in sorted(PROGRAMS.glob("*.py"))
        for at, line in enumerate(program.read_text().splitlines(), 1)
        if (mark := MARK.search(line)) and mark[1] == truth
    ]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_goes_wrong_is_confirmed_and_never_refuted(seen: dict[Line, set[str]]) -> None:
    bugs = marks("BUG")
    assert not [line for line in bugs if "refuted" in seen[line]]
    found = [line for line in bugs if seen[line]]
    assert sum("confirmed" in seen[line] for line in found) >= 0.9 * len(found) > 40


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_only_looks_wrong_is_not_confirmed(seen: dict[Line, set[str]]) -> None:
    assert {line for line in marks("OK") if "confirmed" in seen[line]} <= OTHERWISE.keys()
