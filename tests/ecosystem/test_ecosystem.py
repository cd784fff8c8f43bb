"""The findings in small packages are those that are stored; differences are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ecosystem.outcomes import STORED, difference, lint, stored
from tests.ecosystem.packages import chosen, fetch, pinned

SMALL = ("equinox", "lineax", "tinygp")


@pytest.mark.slow
def test_small_packages_have_the_findings_that_are_stored(tmp_path: Path) -> None:
    packages = chosen(SMALL)
    fetch(packages, tmp_path)
    for package in packages:
        assert difference(stored(package.name), lint(package.folder(tmp_path)).lines) == (), package.name


def test_findings_are_stored_for_each_package_and_no_other() -> None:
    assert {path.stem for path in STORED.iterdir()} == {package.name for package in pinned()}


def test_a_difference_names_what_went_and_what_appeared() -> None:
    before = ("a.py:1:1 JIT101 certain: m", "a.py:2:1 JIT101 certain: m", "a.py:2:1 JIT101 certain: m")
    now = ("a.py:2:1 JIT101 certain: m", "b.py:1:1 JIT301 likely: n")
    assert difference(before, now) == (
        "- a.py:1:1 JIT101 certain: m",
        "- a.py:2:1 JIT101 certain: m",
        "+ b.py:1:1 JIT301 likely: n",
    )
    assert difference(now, now) == ()
