"""Simple statements and imports."""

from __future__ import annotations

import ast
import sys
from typing import Any

from jitlint import ir
from jitlint.syntax.from_ast.definitions import annotation
from jitlint.syntax.from_ast.expressions import BINARY_OPERATORS, optional
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.scopes import deleted


def _expression(walk: Walk, node: ast.Expr, out: list[ir.Stmt]) -> None:
    value = node.value
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):  # docstrings do nothing
        lowered = EXPRESSIONS[type(value)](walk, value)
        out.append(ir.ExprStmt(walk.lines.span(node), lowered))


def _assign(walk: Walk, node: ast.Assign, out: list[ir.Stmt]) -> None:
    targets: list[ir.Expr] = []
    for assigned in node.targets:
        target = EXPRESSIONS[type(assigned)](walk, assigned)
        walk.scope.bind(target)
        targets.append(target)
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(ir.Assign(walk.lines.span(node), tuple(targets), value))


def _annotated(walk: Walk, node: ast.AnnAssign, out: list[ir.Stmt]) -> None:
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    walk.scope.bind(target)
    noted = annotation(walk, node.annotation)
    value = optional(walk, node.value)
    out.append(ir.AnnAssign(walk.lines.span(node), target, noted, value))


def _augmented(walk: Walk, node: ast.AugAssign, out: list[ir.Stmt]) -> None:
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    walk.scope.bind(target)
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(ir.AugAssign(walk.lines.span(node), target, BINARY_OPERATORS[type(node.op)], value))


def _return(walk: Walk, node: ast.Return, out: list[ir.Stmt]) -> None:
    value = optional(walk, node.value)
    out.append(ir.Return(walk.lines.span(node), value))


def _raise(walk: Walk, node: ast.Raise, out: list[ir.Stmt]) -> None:
    value = optional(walk, node.exc)
    cause = optional(walk, node.cause)
    out.append(ir.Raise(walk.lines.span(node), value, cause))


def _assert(walk: Walk, node: ast.Assert, out: list[ir.Stmt]) -> None:
    test = EXPRESSIONS[type(node.test)](walk, node.test)
    message = optional(walk, node.msg)
    out.append(ir.Assert(walk.lines.span(node), test, message))


def _delete(walk: Walk, node: ast.Delete, out: list[ir.Stmt]) -> None:
    targets = tuple([EXPRESSIONS[type(target)](walk, target) for target in node.targets])
    for target in targets:
        walk.scope.bind(target)
    out.append(ir.Delete(walk.lines.span(node), deleted(targets)))


def _pass(walk: Walk, node: ast.Pass, out: list[ir.Stmt]) -> None:
    pass


def _break(walk: Walk, node: ast.Break, out: list[ir.Stmt]) -> None:
    out.append(ir.Break(walk.lines.span(node)))


def _continue(walk: Walk, node: ast.Continue, out: list[ir.Stmt]) -> None:
    out.append(ir.Continue(walk.lines.span(node)))


def _global(walk: Walk, node: ast.Global, out: list[ir.Stmt]) -> None:
    if walk.scope.prefix:  # it changes nothing at a module's top level
        walk.scope.globals.update(node.names)


def _nonlocal(walk: Walk, node: ast.Nonlocal, out: list[ir.Stmt]) -> None:
    walk.scope.nonlocals.update(node.names)


def _import(walk: Walk, node: ast.Import, out: list[ir.Stmt]) -> None:
    span = walk.lines.span(node)
    for alias in node.names:
        module = alias.name
        first = sys.intern(module.partition(".")[0])
        name = alias.asname or first
        walk.scope.bound.add(name)
        imported = ir.Import(span, module, name, module if alias.asname else first)
        walk.imports.append(imported)
        out.append(imported)


def _import_from(walk: Walk, node: ast.ImportFrom, out: list[ir.Stmt]) -> None:
    names = tuple([(alias.name, alias.asname or alias.name) for alias in node.names])
    walk.scope.bound.update([bound for _, bound in names if bound != "*"])
    imported = ir.ImportFrom(walk.lines.span(node), node.module or "", node.level, names)
    walk.imports.append(imported)
    out.append(imported)


def _type_alias(walk: Walk, node: Any, out: list[ir.Stmt]) -> None:
    """`type X = …`, whose value is evaluated lazily."""
    name: str = node.name.id
    walk.scope.bound.add(name)
    out.append(ir.TypeAliasStmt(walk.lines.span(node), name))


STATEMENTS.update(
    {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Delete: _delete,
        ast.Pass: _pass,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
    }
)
if "TypeAlias" in vars(ast):  # since Python 3.12
    STATEMENTS[vars(ast)["TypeAlias"]] = _type_alias
