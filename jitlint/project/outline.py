"""The part of a file that other modules depend on without running its functions: a small record, which is cached.

If the outlines of a file before and after a change have the same `top`, then results about other modules are still
good, unless they come from running one of the functions whose body has changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitlint import ir
from jitlint.project.cache import digest

_IMPORT = re.compile(r"(?:^|[;:])[ \t]*(?:import|from)\b(?:\\\n|[^\n(])*(?:\([^)]*\))?", re.MULTILINE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Import:
    """What an import statement names: a module, the number of dots before it, and the names imported from it."""

    module: str
    level: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file cannot be parsed and so has no outline. `line` and `column` count from 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's imports, wherever they stand; `top`, a digest of everything outside of functions' bodies; and `suites`,
    the digests of these bodies."""

    imports: tuple[Import, ...]
    top: str
    suites: tuple[str, ...]


def outline(text: str, tree: ir.Module) -> Outline:
    """The outline of a lowered file."""
    imports = dict.fromkeys(
        Import(node.module, 0)
        if isinstance(node, ir.Import)
        else Import(node.module, node.level, tuple(name for name, _ in node.names))
        for node in tree.imports
    )
    suites = [text[suite.start : suite.end] for suite in tree.suites]
    ends = [0, *(suite.end for suite in tree.suites)]
    between = [text[end : suite.start] for end, suite in zip(ends, tree.suites, strict=False)]
    # These facts about bodies are known, and used, without running the function.
    facts = [(suite.is_generator, sorted(suite.assigned), sorted(suite.augmented)) for suite in tree.suites]
    top = digest("\0".join((*between, text[ends[-1] :])), facts, sorted(tree.rebound), sorted(tree.popped))
    return Outline(tuple(imports), top, tuple(map(digest, suites)))


def imported_words(text: str) -> frozenset[str]:
    """The words of a text's import statements, found without parsing: every name that it imports is among them."""
    return frozenset(word for line in _IMPORT.findall(text) for word in _WORD.findall(line))
