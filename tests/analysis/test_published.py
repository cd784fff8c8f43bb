"""What a library's modules bind: read from their trees and from their text alike."""

from __future__ import annotations

from pathlib import Path

from jitlint.analysis.machine.published import _bound_by_text, _bound_by_tree
from jitlint.project.cache import Cache
from jitlint.project.modules import Module, Project
from jitlint.source.text import SourceFile

BOUND = '''"""
from docs import nothing
"""
import os
from . import near
from .._src.api import (
    jit as jit,  # the one
    vmap,
)
from elsewhere import *

one = two = 1
three, four = 3, 4
five: int = 5

def first(): ...
async def second(): ...
class Third: ...

if one:
    def inner(): ...
'''


def project_of(text: str) -> tuple[Project, Module]:
    project = Project([SourceFile(Path("/nowhere/library.py"), "library.py", text)], Cache(None))
    return project, project.given[0]


def test_tree_and_text_bind_the_same() -> None:
    project, module = project_of(BOUND)
    by_text = dict(_bound_by_text(module))
    assert by_text == dict(_bound_by_tree(project, module))
    assert by_text["jit"] == ("_src.api", 2, "jit")
    assert sorted(by_text) == ["*", "Third", "first", "jit", "near", "one", "second", "two", "vmap"]


def test_what_cannot_be_parsed_binds_nothing() -> None:
    _, module = project_of("def f(:\n")
    assert list(_bound_by_text(module)) == []
