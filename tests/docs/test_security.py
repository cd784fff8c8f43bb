"""Each claim of docs/security.md names a test that holds it, and that test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
CLAIMS = re.findall(r"^- .*\n(?:^  .*\n)*", PAGE, re.MULTILINE)
_TEST = re.compile(r"<!-- (tests/\S+\.py)(?:::(test_\w+))? -->")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: " ".join(claim.split()[1:6]))
def test_a_claim_is_held_by_tests_that_exist(claim: str) -> None:
    held_by = _TEST.findall(claim)
    assert held_by
    for path, name in held_by:
        tests = {node.name for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.FunctionDef)}
        assert name in tests if name else any(each.startswith("test_") for each in tests), (path, name)


def test_nothing_else_on_the_page_names_a_test() -> None:
    assert len(CLAIMS) > 15
    assert len(_TEST.findall(PAGE)) == PAGE.count("<!--") == sum(len(_TEST.findall(claim)) for claim in CLAIMS)
