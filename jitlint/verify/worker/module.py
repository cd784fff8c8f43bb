"""Loading a user's module: its top level runs statement by statement, so that one that raises costs only itself."""

from __future__ import annotations
import __future__

import ast
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.If,
    ast.Try,
)  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """One statement of a module's top level, ready to run."""

    line: int
    run: Callable[[], Any]


def prepare(name: str, file: str) -> types.ModuleType:
    """An empty module in `sys.modules`, its packages imported, ready to be filled."""
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    module = types.ModuleType(name)
    module.__file__ = file
    is_package = Path(file).name == "__init__.py"
    module.__package__ = name if is_package else parent
    if is_package:
        module.__path__ = [str(Path(file).parent)]
    sys.modules[name] = module
    if parent:
        setattr(sys.modules[parent], name.rpartition(".")[2], module)
    return module


def statements(module: types.ModuleType, text: str, *, definitions_only: bool) -> Iterator[Statement]:
    """The statements of a module's text, to be run in order.

    Args:
        module: where they run.
        text: the source.
        definitions_only: leave out what only acts (calls, loops): for modules whose top level does not come back.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """
    file = str(module.__file__)
    tree = ast.parse(text, file)
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
        if _is_main_guard(node) or (definitions_only and not isinstance(node, _DEFINITIONS)):
            continue
        code = compile(ast.Module([node], []), file, "exec", flags=flags, dont_inherit=True)
        yield Statement(node.lineno, _runner(code, module))


def _runner(code: types.CodeType, module: types.ModuleType) -> Callable[[], Any]:
    return lambda: exec(code, vars(module))


def _is_main_guard(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )
