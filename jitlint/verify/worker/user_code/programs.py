"""The parts of a program that run when it is started: the block under `if __name__ == "__main__":`, and tests.

Where there is no such block, it is the function `main`, as an installed command calls it.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ..messages import ModuleRequest
from . import suites
from .top_level import compiler_flags, is_main_guard

_TESTS = 12
"""So many tests of a file are run, a test's cases counted."""


@dataclass(frozen=True)
class Part:
    """What runs when a program is started; `run` raises what it raises.

    Attributes:
        line: where it begins.
        run: runs it; takes the words of the command line, if it is no test.
        is_main: whether it is the guarded part, and no test.
    """

    line: int
    run: Callable[..., object]
    is_main: bool


def names_needed(text: str) -> frozenset[str]:
    """The names that a module's guarded part reads.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """
    tree = ast.parse(text)
    parts = (part for node in _guarded(tree) for part in ast.walk(node))
    return frozenset((*(part.id for part in parts if isinstance(part, ast.Name)), *(m.name for m in _main(tree))))


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
    """The guarded part of a program, or its function `main`.

    Args:
        program: the program.
        text: its source.
    """
    tree = ast.parse(text)
    body = _guarded(tree)
    if body:
        code = compile(ast.Module(body, []), program.file, "exec", flags=compiler_flags(tree), dont_inherit=True)
        yield Part(body[0].lineno, partial(_start, program, partial(_block, program, code)), True)
    for node in _main(tree):
        yield Part(node.lineno, partial(_start, program, partial(_function, program, node.name)), True)


def flags(text: str) -> list[str]:
    """The words that a program without a parser looks for on its command line: `"--fast" in sys.argv`."""
    asked = (
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In)
    )
    words = (node.left.value for node in asked if isinstance(node.left, ast.Constant))
    return list(dict.fromkeys(word for word in words if isinstance(word, str) and word.startswith("-")))


def tests(program: ModuleRequest, text: str) -> list[Part]:
    """The calls of a module's tests; first one of each, so that no test's many cases hide another.

    Args:
        program: the module.
        text: its source.

    Raises:
        Exception: whatever `conftest.py` and the constructors of test classes raise.
    """
    nodes = [node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    module = load(program)
    fixtures = suites.Fixtures(module)
    called = [(node.lineno, suites.calls(module, node.name, fixtures)) for node in nodes if _is_test(node)]
    rows = [[Part(line, call, False) for call in calls] for line, calls in called]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*rows))
    return list(itertools.islice((part for part in turns if part is not None), _TESTS))


def _guarded(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run only if a module is started as a program."""
    return [part for node in tree.body if is_main_guard(node) for part in node.body]


def _main(tree: ast.Module) -> list[ast.FunctionDef]:
    """What an installed command calls, in a module that has no guarded part: `main`, or a command or group of click.

    `main` must be one that can be called without arguments.
    """
    functions = [] if _guarded(tree) else [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    named = [node for node in functions if node.name == "main" and _needs_nothing(node)]
    return named[-1:] or [node for node in functions if any(map(_is_of_click, node.decorator_list))][:1]


def _is_of_click(decorator: ast.expr) -> bool:
    """Whether a decorator is `@click.command()`, `@click.group()`: a command of its own, and none of a group."""
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    module = made.value if isinstance(made, ast.Attribute) and made.attr in ("command", "group") else None
    return isinstance(module, ast.Name) and module.id in ("click", "rich_click")


def _function(program: ModuleRequest, name: str) -> None:
    getattr(load(program), name)()


def _block(program: ModuleRequest, code: types.CodeType) -> None:
    exec(code, vars(load(program)))


def _start(program: ModuleRequest, run: Callable[[], None], *words: str) -> None:
    before, sys.argv = sys.argv, [program.file, *words]
    try:
        run()
    finally:
        sys.argv = before


def _is_test(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return node.name.startswith("test") if isinstance(node, ast.FunctionDef) else "Test" in node.name


def _needs_nothing(node: ast.FunctionDef) -> bool:
    """Whether a function is called without arguments, and is what its text says."""
    arguments = node.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return needed == 0 and all(arguments.kw_defaults) and not node.decorator_list
