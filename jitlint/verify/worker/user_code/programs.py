"""The parts of a program that run when it is started: the block under `if __name__ == "__main__":`, and tests."""

from __future__ import annotations

import ast
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ..messages import ModuleRequest
from .top_level import compiler_flags, is_main_guard

_TESTS = 12
"""So many tests of a file are run."""


@dataclass(frozen=True)
class Part:
    """What runs when a program is started; `run` raises what it raises.

    Attributes:
        line: where it begins.
        run: runs it.
        is_main: whether it is the guarded part, and no test.
    """

    line: int
    run: Callable[[], object]
    is_main: bool


def names_needed(text: str) -> frozenset[str]:
    """The names that a module's guarded part reads.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """
    parts = (part for node in _guarded(ast.parse(text)) for part in ast.walk(node))
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def loaded(module: ModuleRequest) -> types.ModuleType | None:
    """The module that was loaded from a file, under whatever name; None if none was."""
    modules = list(sys.modules.values())
    return next((one for one in modules if getattr(one, "__file__", None) == module.file), None)


def load(program: ModuleRequest) -> types.ModuleType:
    """The program's module, without its guarded part.

    Raises:
        Exception: whatever its top level raises.
    """
    return loaded(program) or importlib.import_module(program.module)


def parts(program: ModuleRequest, text: str) -> Iterator[Part]:
    """The guarded part of a program, then each of its tests.

    Args:
        program: the program.
        text: its source.
    """
    tree = ast.parse(text)
    body = _guarded(tree)
    if body:
        code = compile(ast.Module(body, []), program.file, "exec", flags=compiler_flags(tree), dont_inherit=True)
        yield Part(body[0].lineno, partial(_start, program, code), True)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_test(node)]
    for node in tests[:_TESTS]:
        yield Part(node.lineno, partial(_test, program, node.name), False)


def _guarded(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run only if a module is started as a program."""
    return [part for node in tree.body if is_main_guard(node) for part in node.body]


def _test(program: ModuleRequest, name: str) -> None:
    getattr(load(program), name)()


def _start(program: ModuleRequest, code: types.CodeType) -> None:
    before, sys.argv = sys.argv, [program.file]
    try:
        exec(code, vars(load(program)))
    finally:
        sys.argv = before


def _is_test(node: ast.FunctionDef) -> bool:
    arguments = node.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return node.name.startswith("test_") and needed == 0 and all(arguments.kw_defaults) and not node.decorator_list
