"""Imports the project's other modules without statements that only act (training, printing)."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from .slices import Slicer, Wanted
from .top_level import compiler_flags

_OTHERS = frozenset(("site-packages", "dist-packages"))
"""Names of folders that hold installed packages, never the project's modules."""


def install(folders: Sequence[str]) -> None:
    """Installs an import hook: modules in these folders, or below, run only the statements that define something."""
    homes = [Path(folder) for folder in folders]
    if not any(_OTHERS & set(home.parts) for home in homes):
        sys.meta_path.insert(0, _Finder(homes))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, homes: Sequence[Path]) -> None:
        self._homes = homes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of one of the project's own modules, None for any other."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or spec.origin is None:
            return None
        if not self._is_own(Path(spec.origin)):
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec

    def _is_own(self, file: Path) -> bool:
        inside = [file.relative_to(home).parts for home in self._homes if file.is_relative_to(home)]
        return any(not _OTHERS & set(parts) for parts in inside)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType | None:
        """Compiles the module anew: Python's own cache holds it with all of its statements."""
        return compile(_defining(self.get_data(self.path)), self.path, "exec", dont_inherit=True)


def _defining(source: bytes) -> ast.Module:
    """The module without statements that neither bind a name nor change what one stands for."""
    tree = ast.parse(source)
    slicer = Slicer(tree, compiler_flags(tree))
    if slicer.is_dynamic():
        return tree
    defining = slicer.needed(Wanted(frozenset(slicer.names)))
    return ast.Module(defining, [])
