"""What of a file others depend on, without its functions' bodies: small, kept, and enough to see what has changed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitlint import ir
from jitlint.project.cache import digest

_IMPORT = re.compile(r"^[ \t]*(?:import|from)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Import:
    """What an import statement names: a module, `level` dots above, and what it takes from there."""

    module: str
    level: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file has no outline: what of it cannot be parsed. `line` and `column` count from 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's imports, wherever they stand, the digest of all but its functions' bodies, and the digests of those."""

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
    # What a function's body says of the function, the module and its classes is known without running it.
    facts = [(suite.is_generator, sorted(suite.assigned), sorted(suite.augmented)) for suite in tree.suites]
    top = digest("\0".join((*between, text[ends[-1] :])), facts, sorted(tree.rebound))
    return Outline(tuple(imports), top, tuple(map(digest, suites)))


def imported_words(text: str) -> frozenset[str]:
    """The words of a text's import statements: without parsing, whatever it may import is among them."""
    return frozenset(word for line in _IMPORT.findall(text) for word in _WORD.findall(line))
