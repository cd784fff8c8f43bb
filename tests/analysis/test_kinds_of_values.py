"""Every kind of abstract value is in the room's README, and has the key by which calls are remembered."""

from __future__ import annotations

import re
from pathlib import Path

import jitlint.analysis.values as values_room
from jitlint.analysis.values import Array, Compound, HeapObject, ProjectCallable, Value
from jitlint.analysis.values.call_keys import KEY_MAKERS
from jitlint.analysis.values.callables import Wrapper
from jitlint.analysis.values.named_axes import DeclaredArray

README = Path(values_room.__file__).with_name("README.md")

TESTS = Path(__file__).parents[1]

BASES = {Value, Array, Compound, HeapObject, ProjectCallable, Wrapper}
"""Classes of which no value is made."""

WITHOUT_KEY = {"DeclaredArray", "DecoratorOf", "Descriptor", "Never", "Super"}
"""Kinds that are hardly ever arguments: all values of such a kind count as the same one."""


def _kinds(base: type) -> set[type]:
    return {base, *(kind for child in base.__subclasses__() for kind in _kinds(child))}


KINDS = {kind for kind in _kinds(Value) - BASES if kind.__module__.startswith("jitlint.")} | {DeclaredArray}


def test_the_readme_has_a_line_for_each_kind() -> None:
    documented = set(re.findall(r"^\| `(\w+)`", README.read_text(encoding="utf-8"), re.MULTILINE))
    assert documented == {kind.__name__ for kind in KINDS}


def test_each_kind_has_a_key() -> None:
    assert {kind.__name__ for kind in KINDS if kind not in KEY_MAKERS} == WITHOUT_KEY


def test_the_readme_names_files_tables_and_functions_that_are_there() -> None:
    text, room = README.read_text(encoding="utf-8"), README.parent
    files = [path.as_posix() for folder in (room.parent, TESTS) for path in folder.rglob("*.py")]
    for name in re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", text):
        assert any(file.endswith(f"/{name}") for file in files), name
    sources = "".join(Path(file).read_text(encoding="utf-8") for file in files)
    for name in re.findall(r"`(?:\w+\.)*(\w+)`", text):
        assert name == "py" or re.search(rf"\b{name}\b", sources), name
