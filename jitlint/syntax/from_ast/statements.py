"""Simple statements and imports."""

from __future__ import annotations

import ast
from typing import Any

from jitlint import ir
from jitlint.syntax import build
from jitlint.syntax.from_ast.definitions import annotation
from jitlint.syntax.from_ast.expressions import BINARY_OPERATORS, optional
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, STATEMENTS, Walk


def _expression(walk: Walk, node: ast.Expr, out: list[ir.Stmt]) -> None:
    value = node.value
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):  # docstrings do nothing
        lowered = EXPRESSIONS[type(value)](walk, value)
        out.append(ir.ExprStmt(walk.lines.span(node), lowered))


def _assign(walk: Walk, node: ast.Assign, out: list[ir.Stmt]) -> None:
    targets = [EXPRESSIONS[type(target)](walk, target) for target in node.targets]
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(build.assign(walk.scope, walk.lines.span(node), tuple(targets), value))


def _annotated(walk: Walk, node: ast.AnnAssign, out: list[ir.Stmt]) -> None:
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    noted = annotation(walk, node.annotation)
    value = optional(walk, node.value)
    out.append(build.annotated(walk.scope, walk.lines.span(node), target, noted, value))


def _augmented(walk: Walk, node: ast.AugAssign, out: list[ir.Stmt]) -> None:
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(build.augmented(walk.scope, walk.lines.span(node), target, BINARY_OPERATORS[type(node.op)], value))


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
    out.append(build.delete(walk.scope, walk.lines.span(node), targets))


def _pass(walk: Walk, node: ast.Pass, out: list[ir.Stmt]) -> None:
    pass


def _break(walk: Walk, node: ast.Break, out: list[ir.Stmt]) -> None:
    out.append(ir.Break(walk.lines.span(node)))


def _continue(walk: Walk, node: ast.Continue, out: list[ir.Stmt]) -> None:
    out.append(ir.Continue(walk.lines.span(node)))


def _global(walk: Walk, node: ast.Global, out: list[ir.Stmt]) -> None:
    build.declare_global(walk.scope, node.names)


def _nonlocal(walk: Walk, node: ast.Nonlocal, out: list[ir.Stmt]) -> None:
    walk.scope.nonlocals.update(node.names)


def _import(walk: Walk, node: ast.Import, out: list[ir.Stmt]) -> None:
    span = walk.lines.span(node)
    for alias in node.names:
        out.append(build.import_(walk.scope, span, alias.name, alias.asname))


def _import_from(walk: Walk, node: ast.ImportFrom, out: list[ir.Stmt]) -> None:
    names = tuple([(alias.name, alias.asname or alias.name) for alias in node.names])
    out.append(build.import_from(walk.scope, walk.lines.span(node), node.module or "", node.level, names))


def _type_alias(walk: Walk, node: Any, out: list[ir.Stmt]) -> None:
    """`type X = …`, whose value is evaluated lazily."""
    out.append(build.type_alias(walk.scope, walk.lines.span(node), node.name.id))


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
