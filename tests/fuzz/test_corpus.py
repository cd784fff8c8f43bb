"""What was found by fuzzing does not come again; and a part of the inputs that may kill a process, always the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz import campaign as campaigns
from tests.fuzz.campaign import Campaign

DIES_AT_THREE = """
import json, os, signal, sys
for number in range(*map(int, sys.argv[4:6])):
    print("start", number, flush=True)
    if number == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    failures = [{"key": "slow", "detail": ""}] if number == 4 else []
    outcome = {"name": "", "lines": 1, "seconds": 0.1, "megabytes": 9.0, "failures": failures}
    print("end", json.dumps(outcome), flush=True)
    if failures:
        break
"""
"""Stands for a worker that dies of the input 3, and takes long for the input 4."""

PATIENCE = 15.0
"""Times what any input may take where the analyzer is compiled and the machine idle: what has no end takes more."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("corpus", 30), ("values", 50), ("settings", 50)])
def test_inputs_of_processes_that_may_die(name: str, count: int, tmp_path: Path) -> None:
    said: list[str] = []
    campaign = Campaign(name, 0, [], tmp_path, sys.executable, said.append, PATIENCE)
    campaign.run(0, count, float("inf"), 2)
    assert campaign.inputs == count
    assert not campaign.failed, said


def test_a_death_and_a_hang_are_failures_of_their_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(campaigns, "_WORKER", DIES_AT_THREE)
    campaign = Campaign("values", 0, [], tmp_path, sys.executable, said.append)
    campaign.run(0, 6, float("inf"), 2)
    assert campaign.inputs == 6
    assert campaign.failed == {"dies (-11)": 1, "slow": 1}
    assert "values-0-3: dies (-11)" in said[0] and (tmp_path / "values-0-3" / "values.py").exists()
