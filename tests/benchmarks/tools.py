"""What is measured: jitlint, the yardstick, and the other linters, each with its default rules, in one process."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.corpus import Corpus
from tests.benchmarks.environments import environment, release
from tools.wheel import ROOT

YARDSTICK = "libcst.parse_module"
COLD, WARM, PARALLEL, PLAIN = "jitlint, cold", "jitlint, warm", "jitlint -j2, cold", "jitlint, not compiled, cold"
CACHE = ".jitlint_cache"
SLOW = 10
"""Of how many files the slow tools look at one."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A command that takes paths.

    Attributes:
        name: as tables show it.
        command: the program and its options.
        statuses: the exit statuses of a run that did its work.
        release: which version it is; nothing for this checkout's jitlint.
        version: what has it tell its version; nothing for what is no linter.
        every: of how many files it looks at one.
        takes: whether it can look at a file without breaking down.
        cold: whether what it knows of earlier runs is deleted before each.
    """

    name: str
    command: tuple[str, ...]
    release: str = ""
    statuses: range = range(2)
    version: tuple[str, ...] = ()
    every: int = 1
    takes: Callable[[Path], bool] = lambda path: True
    cold: bool = False

    def over(self, corpus: Corpus) -> tuple[tuple[str, ...], int]:
        """The command for its share of the files, and how many lines these have."""
        share = corpus.only(file for file in corpus.files[:: self.every] if self.takes(corpus.folder / file))
        return (*self.command, *(["."] if share.files == corpus.files else share.files)), share.lines

    def prepare(self, folder: Path) -> None:
        """Makes a folder what a run is to find."""
        if self.cold:
            shutil.rmtree(folder / CACHE, ignore_errors=True)


def jitlint_and_yardstick(python: str) -> tuple[Tool, ...]:
    """What one interpreter runs; warm after cold."""
    jitlint = (python, "-m", "jitlint")
    parse = str(Path(__file__).with_name("parse.py"))
    sources = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from jitlint.__main__ import run; run()"
    return (
        Tool(YARDSTICK, (python, parse), release("libcst", of="jitlint")),
        Tool(PLAIN, (python, "-c", sources, "--jobs", "1"), cold=True),
        Tool(PARALLEL, (*jitlint, "--jobs", "2"), cold=True),
        Tool(COLD, (*jitlint, "--jobs", "1"), version=(*jitlint, "--version"), cold=True),
        Tool(WARM, (*jitlint, "--jobs", "1")),
    )


def peers(cache: Path) -> tuple[Tool, ...]:
    """The other linters; their environments are made if the cache does not hold them."""

    def tool(name: str, options: str, version: str = "--version", **more: Any) -> Tool:
        program = environment(name.lower(), cache).program(name.lower())
        return Tool(name, (program, *options.split()), release(name), version=(program, version), **more)

    return (
        tool("ruff", "check --isolated --no-cache"),
        tool("flake8", "--isolated --jobs 1"),
        tool("jaxlint", "check --jobs 1", version="version", takes=_jaxlint_takes),
        tool("TorchFix", "--jobs 1", every=SLOW),
        tool("pylint", "--jobs 1", statuses=range(32), every=SLOW),
        tool("Fixit", "lint", every=SLOW),
    )


def _jaxlint_takes(path: Path) -> bool:
    """jaxlint 0.1.0a1 raises an AttributeError where a syntax tree has a list of anything but nodes, as for `{**x}`."""
    nodes = ast.walk(ast.parse(path.read_bytes()))
    lists = (field for node in nodes for _, field in ast.iter_fields(node) if isinstance(field, list))
    return all(isinstance(item, ast.AST) for items in lists for item in items)
