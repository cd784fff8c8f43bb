"""Every rule's examples do under real JAX what its page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Rule

RULES = [pytest.param(rule, id=rule.code) for rule in all_rules() if rule.language == "python"]


@pytest.fixture(scope="module")
def selected(request: pytest.FixtureRequest) -> list[Rule]:
    """The rules that this run has selected, with `-k` or so."""
    calls = [item.callspec for item in request.session.items if hasattr(item, "callspec")]
    chosen = [call.params.get("rule") for call in calls]
    return [rule for rule in all_rules() if rule in chosen]


@pytest.fixture(scope="module")
def outcomes(selected: list[Rule]) -> Any:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}
    codes = [rule.code for rule in selected]
    command = [sys.executable, str(Path(__file__).with_name("run_examples.py")), *codes]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_example_misbehaves_as_documented(rule: Rule, outcomes: Any) -> None:
    seen = outcomes[f"{rule.code} example"]
    if rule.error:
        assert re.fullmatch(".*".join(re.escape(part) for part in rule.error.split("…")), seen["error"])
    else:
        assert seen == {"error": "", "symptom": True if rule.symptom else None}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_fixed_example_runs_clean(rule: Rule, outcomes: Any) -> None:
    seen = outcomes[f"{rule.code} fixed_example"]
    assert seen == {"error": "", "symptom": False if rule.symptom else None}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory, selected: list[Rule]) -> dict[str, set[tuple[str, str]]]:
    """What `--verify=all` says of each rule's example: the codes that it finds, with their verdicts."""
    folder = tmp_path_factory.mktemp("examples")
    rules = [rule for rule in selected if rule.events]
    for rule in rules:
        (folder / f"{rule.code}.py").write_text(rule.example + "\n")
    command = [sys.executable, "-m", "jitlint", "--verify=all", "--select", "JIT", "--format", "json", "."]
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1, done.stderr
    found: dict[str, set[tuple[str, str]]] = {rule.code: set() for rule in rules}
    for finding in json.loads(done.stdout)["findings"]:
        found[finding["path"].removesuffix(".py")].add((finding["code"], finding["verdict"]["status"]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.values[0].events])
def test_verify_confirms_the_example(rule: Rule, verdicts: dict[str, set[tuple[str, str]]]) -> None:
    assert (rule.code, "confirmed") in verdicts[rule.code]


def test_other_examples_are_toml() -> None:
    others = [rule for rule in all_rules() if rule.language not in ("python", "console")]
    assert [rule.language for rule in others] == ["toml"]
    for rule in others:
        assert tomllib.loads(rule.example) != tomllib.loads(rule.fixed_example)
