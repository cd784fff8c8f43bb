"""Cached IR: functions' bodies are unpickled when they run, and equal those that were lowered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jitlint import ir
from jitlint.project.cache import Cache
from jitlint.project.modules import Project
from jitlint.project.trees import packed
from jitlint.source.text import read_source
from jitlint.syntax import lower

TEXT = """\
import jax
SQUARE = lambda x: x * x
def outer(x, y=lambda: 1):
    def inner():
        return x
    return inner
class Model:
    @jax.jit
    def call(self): return [step for step in self.steps]
    if SQUARE:
        async def later(self): yield 1
"""


def functions(node: Any) -> Iterator[ir.Function]:
    if isinstance(node, ir.Function):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from functions(part)


def test_bodies_are_packed_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(TEXT)
    tree = lower(TEXT)
    packed_tree = packed(tree)
    names = [function.name for function in functions(packed_tree) if isinstance(function.body, ir.Packed)]
    assert names == ["outer", "call", "later"]
    project = Project([read_source(tmp_path / "model.py", "model.py")], Cache(None))
    for function, whole in zip(functions(packed_tree), functions(tree), strict=True):
        assert function._replace(body=project.body(function)) == whole
        assert project.body(function) is project.body(function)


def test_a_cached_tree_is_read_packed(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(TEXT)
    cache = Cache(tmp_path / "cache")
    source = read_source(tmp_path / "model.py", "model.py")
    first, again = Project([source], cache), Project([source], cache)
    assert first.tree(first.given[0]) == lower(TEXT)
    assert again.tree(again.given[0]) == packed(lower(TEXT))
