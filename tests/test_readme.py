"""README keeps up with the program."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from jitlint.commands.check import check
from jitlint.commands.stage import stage
from jitlint.rules.registry import all_rules


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text("utf-8")


def test_the_first_two_blocks_set_everything_up_in_one_line_each(readme: str) -> None:
    main, tests = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)[:2]
    for block in (main, tests):
        assert block.count("\n") == 1
        assert block.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert main.endswith(".venv/bin/jitlint --verify fixtures/demo\n")
    assert ".venv/bin/pytest" in tests


def test_every_option_is_listed(readme: str) -> None:
    for parameter in (*check.params, *stage.params):
        if isinstance(parameter, click.Option):
            assert any(f"`{name}" in readme for name in parameter.opts), parameter.opts


def test_every_family_is_listed(readme: str) -> None:
    for family in {rule.code[:4] for rule in all_rules()} - {"JIT0"}:
        assert f"\n| {family} | " in readme, family


def test_what_is_installed_comes_from_a_checkout_as_there_is_no_release(readme: str, root: Path) -> None:
    pages = [readme, *(page.read_text("utf-8") for page in (root / "docs").glob("*.md"))]
    lines = [line for page in pages for line in page.splitlines() if "pip install" in line]
    assert len(lines) > 10
    assert [line for line in lines if re.search(r"(?<!/)\bjitlint(\[[\w,]+\])?[\"`]*$", line)] == []
