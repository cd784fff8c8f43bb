"""Imports the project's other modules without statements that only act (training, printing).

A package that is not installed costs only what needs it: the names of such statements stand for its absence, and using
one raises the error of the import.
"""

from __future__ import annotations
import __future__

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from .slices import Slicer, Wanted
from .top_level import bound_names, compiler_flags

_OTHERS = frozenset(("site-packages", "dist-packages"))
"""Names of folders that hold installed packages, never the project's modules."""


def install(folders: Sequence[str], texts: Mapping[str, str]) -> None:
    """Installs an import hook: modules in these folders, or below, run only the statements that define something.

    Args:
        folders: those of the project.
        texts: the texts of files, whatever the files hold by now.
    """
    homes = [Path(folder) for folder in folders]
    if not any(_OTHERS & set(home.parts) for home in homes):
        sys.meta_path.insert(0, _Finder(homes, texts))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, homes: Sequence[Path], texts: Mapping[str, str]) -> None:
        self._homes = homes
        self._texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of one of the project's own modules, None for any other."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or spec.origin is None:
            return None
        # a script puts "examples/.." on the path: its modules are found, and named, as the linter knows them
        spec.origin = os.path.normpath(spec.origin)
        if not self._is_own(Path(spec.origin)):
            return None
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [*map(os.path.normpath, spec.submodule_search_locations)]
        spec.loader = _Loader(spec.loader.name, spec.origin)
        spec.loader.text = self._texts.get(spec.origin)
        return spec

    def _is_own(self, file: Path) -> bool:
        inside = [file.relative_to(home).parts for home in self._homes if file.is_relative_to(home)]
        return any(not _OTHERS & set(parts) for parts in inside)


class _Loader(importlib.machinery.SourceFileLoader):
    text: str | None = None

    def exec_module(self, module: types.ModuleType) -> None:
        """Runs the module, one statement after the other."""
        tree = _defining(self.get_data(self.path) if self.text is None else self.text)
        flags = compiler_flags(tree)
        for node in tree.body:
            try:
                _execute(node, module, flags)
            except (ModuleNotFoundError, AbsentError) as error:
                if not _is_absent(error):
                    raise
                try:  # again, in case that only an annotation needs it
                    _execute(node, module, flags | __future__.annotations.compiler_flag)
                except (ModuleNotFoundError, AbsentError):
                    vars(module).update(dict.fromkeys(bound_names(node), _Absent(str(error))))


def _execute(node: ast.stmt, module: types.ModuleType, flags: int) -> None:
    code = compile(ast.Module([node], []), str(module.__file__), "exec", flags, dont_inherit=True)
    exec(code, vars(module))


def _is_absent(error: ModuleNotFoundError | AbsentError) -> bool:
    """Whether an error is about a package of which nothing is installed."""
    if isinstance(error, AbsentError):
        return True
    try:
        return error.name is not None and importlib.util.find_spec(error.name.partition(".")[0]) is None
    except (ImportError, ValueError):
        return False


class AbsentError(AttributeError):
    """What a package that is not installed would provide is used. An AttributeError, so that `hasattr` is False."""


class _Absent:
    """Stands for what a package that is not installed would provide; `message` is that of the failed import."""

    def __init__(self, message: str) -> None:
        self.__message = message

    def __refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise AbsentError(self.__message)

    __call__ = __getattr__ = __getitem__ = __mro_entries__ = __refuse


def _defining(source: bytes | str) -> ast.Module:
    """The module without statements that neither bind a name nor change what one stands for."""
    tree = ast.parse(source)
    slicer = Slicer(tree, compiler_flags(tree))
    if slicer.is_dynamic():
        return tree
    defining = slicer.needed(Wanted(frozenset(slicer.names)))
    return ast.Module(defining, [])
