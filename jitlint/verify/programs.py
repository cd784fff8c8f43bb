"""Finds the project's programs: files that are made to be run, and tests; what they pass to functions is no guess.

A function `main` counts as such, and so does a command of click: an installed command calls it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from jitlint.source.text import SourceFile

_MOST = 3
"""The most programs that are run for one file."""

_IS_PROGRAM = re.compile(r"^(?:if\s+__name__\s*==|def main\(|@(?:rich_)?click\.(?:command|group)\b)", re.MULTILINE)
_IS_TEST = re.compile(r"^\s*def test\w*\(", re.MULTILINE)


class Programs:
    """The programs among a project's files, and which files each imports, directly or through others."""

    def __init__(self, sources: Sequence[SourceFile]) -> None:
        self._texts = {os.path.abspath(source.path): source.text for source in sources}
        self._by_name: dict[str, list[str]] = {}
        for file in self._texts:
            self._by_name.setdefault(_module_parts(file)[-1], []).append(file)
        self._programs = [file for file, text in self._texts.items() if _IS_PROGRAM.search(text)]
        self._tests = [file for file, text in self._texts.items() if _IS_TEST.search(text)]
        self._imports: dict[str, tuple[str, ...]] = {}
        self._steps: dict[str, dict[str, int]] = {}

    def leading_to(self, file: str) -> list[str]:
        """The programs that import a file, those with the fewest steps first, then tests; the file itself may be one.

        Args:
            file: the absolute path of one of the project's files.
        """
        found = [
            (program in self._tests, steps[file], at, program)
            for at, program in enumerate(dict.fromkeys((*self._programs, *self._tests)))
            if file in (steps := self._reached(program))
        ]
        return [program for *_, program in sorted(found)[:_MOST]]

    def imported(self, program: str) -> Collection[str]:
        """The project's files that a program runs or imports."""
        return self._reached(program).keys()

    def _reached(self, program: str) -> dict[str, int]:
        """The files that a program imports, itself included, each with the number of steps to it."""
        if program not in self._steps:
            steps, waiting = {program: 0}, [program]
            for file in waiting:
                new = [one for one in self._imported_by(file) if one not in steps]
                steps.update(dict.fromkeys(new, steps[file] + 1))
                waiting += dict.fromkeys(new)
            self._steps[program] = steps
        return self._steps[program]

    def _imported_by(self, file: str) -> tuple[str, ...]:
        if file not in self._imports:
            try:
                tree = ast.parse(self._texts[file])
            except (SyntaxError, ValueError, RecursionError):
                tree = ast.Module([], [])
            self._imports[file] = tuple(one for name in _imported(tree, file) for one in self._files(name))
        return self._imports[file]

    def _files(self, name: Sequence[str]) -> Iterable[str]:
        """The files that a dotted name may mean: those whose path ends in it."""
        return [file for file in self._by_name.get(name[-1], ()) if _module_parts(file)[-len(name) :] == tuple(name)]


def _module_parts(file: str) -> tuple[str, ...]:
    """A file's path as a dotted name's parts: `pkg/model.py` and `pkg/model/__init__.py` end in `pkg`, `model`."""
    path = PurePath(file)
    return path.parts[1:-1] if path.name == "__init__.py" else (*path.parts[1:-1], path.stem)


def _imported(tree: ast.Module, file: str) -> Iterator[tuple[str, ...]]:
    """The dotted names that a module imports, as parts; `from pkg import model` may mean a module `pkg.model`, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = Path(file).parents[node.level - 1].parts[1:] if node.level else ()
            base = (*package, *(node.module.split(".") if node.module else ()))
            if base:
                yield base
            yield from ((*base, alias.name) for alias in node.names)
