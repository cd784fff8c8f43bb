"""The files that all tools look at: those of pinned packages that mention jax, and their packages' `__init__.py`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.ecosystem.packages import chosen, fetch

PACKAGES = (
    "brax", "chex", "diffrax", "equinox", "flax", "jaxopt", "lineax", "mctx", "optax", "optimistix",
)  # fmt: skip
EDITED = ("chex", "flax", "optax")
"""A project of 100,000 lines."""

_PLAIN = (ast.Assign, ast.If, ast.Return)

_MARK = "\n# torch\n"
"""TorchFix looks at nothing in files without this word; every tool gets it."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of Python files, their paths in it, and how many lines they have."""

    folder: Path
    files: tuple[str, ...]
    lines: int

    def only(self, files: Iterable[str]) -> Corpus:
        """Some of its files."""
        return _corpus(self.folder, tuple(files))


def _corpus(folder: Path, files: tuple[str, ...]) -> Corpus:
    return Corpus(folder, files, sum((folder / file).read_bytes().count(b"\n") for file in files))


def make(folder: Path, names: Sequence[str], cache: Path) -> Corpus:
    """Copies packages' files into a new folder, as one project.

    Args:
        folder: the new folder.
        names: packages, of those that tests/ecosystem pins.
        cache: where packages are unpacked.
    """
    packages = chosen(names)
    fetch(packages, cache)
    files = []
    for package in packages:
        source = package.folder(cache)
        for path in sorted(source.rglob("*.py")):
            text = path.read_bytes()
            if b"jax" in text or path.name == "__init__.py":
                file = path.relative_to(source).as_posix()
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(text + _MARK.encode())
                files.append(file)
    (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
    return _corpus(folder, tuple(files))


def editable(corpus: Corpus, count: int) -> tuple[str, ...]:
    """Files with functions, spread over those of the corpus: the middle one of each of `count` equal parts."""
    candidates = [file for file in corpus.files if _statements((corpus.folder / file).read_text("utf-8"))]
    return tuple(candidates[(2 * at + 1) * len(candidates) // (2 * count)] for at in range(count))


def edit(path: Path) -> None:
    """Adds an assignment to a file: to the middle one of its functions, before a statement of its body."""
    text = path.read_text("utf-8")
    statements = _statements(text)
    statement = statements[len(statements) // 2]
    lines = text.split("\n")
    lines.insert(statement.lineno - 1, " " * statement.col_offset + "edited = 1")
    path.write_text("\n".join(lines), "utf-8")


def _statements(text: str) -> list[ast.stmt]:
    """The first plain statement of each function that has one, in the order of the text."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    plain = ((each for each in function.body if isinstance(each, _PLAIN)) for function in functions)
    first = (next(statements, None) for statements in plain)
    return sorted((one for one in first if one is not None), key=lambda statement: statement.lineno)
