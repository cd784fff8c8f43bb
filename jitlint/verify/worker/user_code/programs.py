"""The parts of a program that run when it is started: the block under `if __name__ == "__main__":`, and tests."""

from __future__ import annotations

import ast
import importlib
import sys
import types
from collections.abc import Callable, Iterator

from ..messages import ModuleRequest
from .top_level import compiler_flags, is_main_guard

_TESTS = 12
"""So many tests of a file are run."""


def guarded(text: str) -> list[ast.stmt]:
    """The statements that run only if a module is started as a program.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """
    return [part for node in ast.parse(text).body if is_main_guard(node) for part in node.body]


def names_needed(text: str) -> frozenset[str]:
    """The names that a module's guarded part reads."""
    parts = (part for node in guarded(text) for part in ast.walk(node))
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


def parts(program: ModuleRequest, text: str) -> Iterator[tuple[int, Callable[[], object]]]:
    """What runs when the program is started: its guarded part, then each of its tests.

    Args:
        program: the program.
        text: its source.

    Yields:
        The line where a part begins, and what runs it; this raises what the part raises.
    """
    body = guarded(text)
    if body:
        flags = compiler_flags(ast.parse(text))
        code = compile(ast.Module(body, []), program.file, "exec", flags=flags, dont_inherit=True)
        yield body[0].lineno, lambda: _start(program, code)
    tests = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and _is_test(node)]
    for node in tests[:_TESTS]:
        yield node.lineno, lambda name=node.name: getattr(load(program), name)()  # type: ignore[misc]


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
