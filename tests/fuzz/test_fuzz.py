"""A small part of each kind of input, the same at every run; `python -m tests.fuzz` runs more."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.analysis.machine import interpreter
from jitlint.source.defects import VARIABLE
from tests.fuzz.inputs import Input, kind
from tests.fuzz.mutants import SNIPPETS
from tests.fuzz.properties import failures

SEED = 0 if interpreter.__file__.endswith(".py") else 1
"""The sources and the compiled modules have inputs of their own."""


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Internal errors are failures of the input; the rest of it is looked at all the same."""
    monkeypatch.delenv(VARIABLE)


@pytest.mark.parametrize("name", ["programs", "mutants"])
def test_inputs(name: str, root: Path) -> None:
    inputs = kind(name, SEED, [root / "fixtures"])
    for number in range(20):
        given = inputs.make(number)
        assert failures(given) == [], given.name


def test_fixes(root: Path) -> None:
    inputs = kind("fixes", SEED, [root / "fixtures" / "fixes"])
    for number in range(15):
        given = inputs.make(number)
        assert failures(given) == [], given.name


def test_real_files(root: Path) -> None:
    inputs = kind("files", 0, [root / "jitlint" / "syntax"])
    assert inputs.count is not None
    for number in range(inputs.count):
        assert failures(inputs.make(number)) == []


def test_every_syntax() -> None:
    files = [(f"s{at}.py", f"{text}\nimport jax\n".encode()) for at, text in enumerate(SNIPPETS)]
    assert failures(Input("syntax", tuple(files))) == []


@pytest.mark.patching
def test_an_internal_error_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitlint.syntax.lower", {}.__getitem__)
    (failure,) = failures(Input("broken", (("a.py", b"import jax\n"),)))
    assert "JIT000 internal error (parsing): KeyError" in failure.detail
