"""Spans, scopes and qualified names of real code, compared with what Python itself finds."""

from __future__ import annotations

import ast
import importlib.util
import symtable
import sys
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from jitlint import ir
from jitlint.source.places import LineTable, Span
from jitlint.syntax import lower

PER_PACKAGE = 12
COMPARED = {
    ast.Name: "Name",
    ast.Call: "Call",
    ast.Attribute: "Attribute",
    ast.Subscript: "Subscript",
    ast.Compare: "Compare",
    ast.BinOp: "Binary",
    ast.UnaryOp: "Unary",
    ast.IfExp: "IfExp",
    ast.Lambda: "Lambda",
    ast.Dict: "DictDisplay",
    ast.List: "list",
    ast.Set: "set",
    ast.NamedExpr: "NamedExpr",
    ast.FunctionDef: "FunctionDef",
    ast.AsyncFunctionDef: "FunctionDef",
    ast.ClassDef: "ClassDef",
    ast.If: "If",
    ast.For: "For",
    ast.AsyncFor: "For",
    ast.With: "With",
    ast.AsyncWith: "With",
    ast.Try: "Try",
    ast.Assign: "Assign",
}


def sample() -> list[Path]:
    """Files of every size, evenly taken from the packages that are installed."""
    chosen: list[Path] = []
    for package in ("asyncio", "email", "jax", "flax", "optax"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            files = sorted(Path(spec.origin).parent.rglob("*.py"))
            chosen += files[:: max(len(files) // PER_PACKAGE, 1)][:PER_PACKAGE]
    return chosen


@pytest.fixture(scope="module")
def programs() -> list[tuple[Path, str, ast.Module, ir.Module]]:
    read = []
    for path in sample():
        with tokenize.open(path) as file:
            text = file.read()
        read.append((path, text, ast.parse(text), lower(text)))
    assert len(read) >= 2 * PER_PACKAGE
    return read


def ir_nodes(node: Any) -> Iterator[Any]:
    """All IR nodes below `node`, but nothing within f-strings (Python 3.11 does not say where that is)."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, tuple) and not isinstance(current, Span | ir.FormatString):
            if hasattr(current, "_fields"):
                yield current
            stack.extend(current)


def ast_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield child
            yield from ast_nodes(child)


class Offsets:
    """Character offsets of `ast` nodes, whose columns count UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def of(self, node: Any) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def test_spans(programs: list[tuple[Path, str, ast.Module, ir.Module]]) -> None:
    compared = 0
    for path, text, tree, module in programs:
        offsets = Offsets(text)
        strings = {offsets.of(node) for node in ast_nodes(tree) if isinstance(node, ast.Constant)}
        expected = Counter(
            (COMPARED[type(node)], *offsets.of(node)) for node in ast_nodes(tree) if type(node) in COMPARED
        )
        found = Counter(
            (kind, *node.span)
            for node in ir_nodes(module)
            if (kind := node.kind if type(node) is ir.Display else type(node).__name__) in COMPARED.values()
            and tuple(node.span) not in strings  # annotations in quotes
        )
        assert found == expected, path
        compared += len(expected)
    assert compared > 10_000


def python_scopes(table: symtable.SymbolTable) -> Iterator[tuple[str, int, frozenset[str], frozenset[str]]]:
    for child in table.get_children():
        if isinstance(child, symtable.Function) and child.get_name().isidentifier() and child.get_name() != "lambda":
            symbols = [symbol for symbol in child.get_symbols() if not symbol.get_name().startswith(".")]
            yield (
                child.get_name(),
                child.get_lineno(),
                frozenset(symbol.get_name() for symbol in symbols if symbol.is_local()),
                frozenset(symbol.get_name() for symbol in symbols if symbol.is_declared_global()),
            )
        yield from python_scopes(child)


def mangled(names: frozenset[str]) -> frozenset[str]:
    """Without names that Python mangles within classes."""
    return frozenset(name for name in names if "__" not in name)


def inlined(tree: ast.Module) -> set[tuple[str, int]]:
    """The functions with comprehensions, whose variables Python 3.12 counts as the function's (PEP 709)."""
    if sys.version_info < (3, 12):
        return set()
    return {
        (function.name, function.lineno)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp) for node in ast.walk(function))
    }


def test_locals(programs: list[tuple[Path, str, ast.Module, ir.Module]]) -> None:
    compared = 0
    comprehensions = {"listcomp", "setcomp", "dictcomp", "genexpr"}
    for path, text, tree, module in programs:
        lines = LineTable(text)
        without = inlined(tree)
        expected = Counter(
            (name, line, mangled(names), mangled(declared))
            for name, line, names, declared in python_scopes(symtable.symtable(text, str(path), "exec"))
            if name not in comprehensions and (name, line) not in without
        )
        found = Counter(
            (function.name, lines.position(function.span.start)[0], mangled(function.locals), mangled(function.globals))
            for node in ir_nodes(module)
            if type(node) is ir.FunctionDef
            for function in [node.function]
            if (function.name, lines.position(function.span.start)[0]) not in without
        )
        assert found == expected, path
        top = symtable.symtable(text, str(path), "exec").get_symbols()
        assert module.locals == {
            symbol.get_name() for symbol in top if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
        } - comprehensions - {"lambda"}, path
        compared += len(expected)
    assert compared > 500


def code_objects(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from code_objects(constant)


def test_qualified_names_and_kinds(programs: list[tuple[Path, str, ast.Module, ir.Module]]) -> None:
    compared = 0
    for path, _, tree, module in programs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(tree, str(path), "exec", dont_inherit=True)
        classes = {node.qualname for node in ir_nodes(module) if type(node) is ir.ClassDef}
        expected = {
            (
                child.co_qualname,
                bool(child.co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR)),
                bool(child.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)),
            )
            for child in code_objects(code)
            if not child.co_name.startswith("<") and "comp>" not in child.co_qualname
        }
        found = {
            (node.function.qualname, node.function.is_generator, node.function.is_async)
            for node in ir_nodes(module)
            if type(node) is ir.FunctionDef
        } | {(name, False, False) for name in classes}
        assert found == expected, path
        compared += len(expected)
    assert compared > 500
