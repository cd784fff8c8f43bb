"""The state that an expression reads is found behind functions that only give it, and calls none that does more."""

from __future__ import annotations

import ast
import types
from typing import Any

import pytest

from jitlint.verify.worker.watching.slots import slots
from jitlint.verify.worker.watching.watch import Scope

PROGRAM = """
class Settings:
    def __init__(self):
        self.rate = 0.5
        self.reads = 0

    def itself(self):
        return self

settings = Settings()

def active():
    return settings

def counted():
    settings.reads += 1
    return settings

def made():
    return Settings()

def given(found=settings):
    return found
"""


@pytest.fixture
def names() -> dict[str, Any]:
    module = types.ModuleType("program")
    exec(PROGRAM, module.__dict__)
    return module.__dict__


@pytest.mark.parametrize("text", ["active().rate", "settings.itself().rate", "given().rate"])
def test_what_a_function_only_gives_is_changed_in_its_place(names: dict[str, Any], text: str) -> None:
    (slot,) = slots(ast.parse(text, mode="eval").body, Scope(names, {}, {}))
    slot.put(0.75)
    assert (slot.value, names["settings"].rate) == (0.5, 0.75)


@pytest.mark.parametrize("text", ["counted().rate", "made().rate", "given(settings).rate"])
def test_no_function_is_called_that_does_more_or_gets_something(names: dict[str, Any], text: str) -> None:
    assert not list(slots(ast.parse(text, mode="eval").body, Scope(names, {}, {})))
    assert not names["settings"].reads
