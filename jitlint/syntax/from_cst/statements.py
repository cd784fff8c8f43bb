"""Simple statements and imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_cst.definitions import annotation, type_parameters
from jitlint.syntax.from_cst.expressions import BINARY_OPERATORS, optional
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.scopes import identifier

_AUGMENTED_OPERATORS: dict[type, str] = {
    getattr(cst, operator.__name__ + "Assign"): symbol for operator, symbol in BINARY_OPERATORS.items()
}


def _expression(walk: Walk, node: cst.Expr, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    if not (isinstance(value, ir.Const) and isinstance(value.value, str)):  # docstrings do nothing
        out.append(ir.ExprStmt(walk.since(start), value))


def _assign(walk: Walk, node: cst.Assign, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    targets: list[ir.Expr] = []
    for assigned in node.targets:
        targets.append(EXPRESSIONS[type(assigned.target)](walk, assigned.target))
        walk.take("=")
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(build.assign(walk.scope, walk.since(start), tuple(targets), value))


def _annotated(walk: Walk, node: cst.AnnAssign, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    noted = annotation(walk, node.annotation, ":")
    if node.value is not None:
        walk.take("=")
    value = optional(walk, node.value)
    out.append(build.annotated(walk.scope, walk.since(start), target, noted, value))


def _augmented(walk: Walk, node: cst.AugAssign, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    op = _AUGMENTED_OPERATORS[type(node.operator)]
    walk.take(op + "=")
    value = EXPRESSIONS[type(node.value)](walk, node.value)
    out.append(build.augmented(walk.scope, walk.since(start), target, op, value))


def _return(walk: Walk, node: cst.Return, out: list[ir.Stmt]) -> None:
    start = walk.take("return")
    value = optional(walk, node.value)
    out.append(ir.Return(walk.since(start), value))


def _raise(walk: Walk, node: cst.Raise, out: list[ir.Stmt]) -> None:
    start = walk.take("raise")
    value = optional(walk, node.exc)
    cause = None
    if node.cause is not None:
        walk.take("from")
        cause = optional(walk, node.cause.item)
    out.append(ir.Raise(walk.since(start), value, cause))


def _assert(walk: Walk, node: cst.Assert, out: list[ir.Stmt]) -> None:
    start = walk.take("assert")
    test = EXPRESSIONS[type(node.test)](walk, node.test)
    message = optional(walk, node.msg)
    out.append(ir.Assert(walk.since(start), test, message))


def _delete(walk: Walk, node: cst.Del, out: list[ir.Stmt]) -> None:
    start = walk.take("del")
    target = EXPRESSIONS[type(node.target)](walk, node.target)
    out.append(build.delete(walk.scope, walk.since(start), (target,)))


def _pass(walk: Walk, node: cst.Pass, out: list[ir.Stmt]) -> None:
    walk.take("pass")


def _break(walk: Walk, node: cst.Break, out: list[ir.Stmt]) -> None:
    out.append(ir.Break(Span(walk.take("break"), walk.position)))


def _continue(walk: Walk, node: cst.Continue, out: list[ir.Stmt]) -> None:
    out.append(ir.Continue(Span(walk.take("continue"), walk.position)))


def _declared(walk: Walk, items: Sequence[cst.NameItem]) -> list[str]:
    for item in items:
        walk.take(item.name.value)
    return [identifier(item.name.value) for item in items]


def _global(walk: Walk, node: cst.Global, out: list[ir.Stmt]) -> None:
    walk.take("global")
    build.declare_global(walk.scope, _declared(walk, node.names))


def _nonlocal(walk: Walk, node: cst.Nonlocal, out: list[ir.Stmt]) -> None:
    walk.take("nonlocal")
    walk.scope.nonlocals.update(_declared(walk, node.names))


def _dotted(walk: Walk, node: Any) -> str:
    """Move over a dotted name and return it without whitespace."""
    if isinstance(node, cst.Attribute):
        before = _dotted(walk, node.value)
        walk.take(".")
        walk.take(node.attr.value)
        return f"{before}.{identifier(node.attr.value)}"
    walk.take(node.value)
    return identifier(node.value)


def _alias(walk: Walk, node: cst.ImportAlias) -> tuple[str, str | None]:
    """The imported name and the name after `as`, None without one."""
    module = _dotted(walk, node.name)
    if node.asname is None:
        return module, None
    walk.take("as")
    return module, _dotted(walk, node.asname.name)


def _import(walk: Walk, node: cst.Import | cst.LazyImport, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    if isinstance(node, cst.LazyImport):
        walk.take("lazy")
    walk.take("import")
    aliases = [_alias(walk, alias) for alias in node.names]
    span = walk.since(start)
    for module, renamed in aliases:
        out.append(build.import_(walk.scope, span, module, renamed))


def _import_from(walk: Walk, node: cst.ImportFrom | cst.LazyImportFrom, out: list[ir.Stmt]) -> None:
    start = walk.skip()
    if isinstance(node, cst.LazyImportFrom):
        walk.take("lazy")
    walk.take("from")
    for _ in node.relative:
        walk.take(".")
    module = "" if node.module is None else _dotted(walk, node.module)
    walk.take("import")
    if isinstance(node.names, cst.ImportStar):
        walk.take("*")
        names = [("*", "*")]
    else:
        if node.lpar is not None:
            walk.take("(")
        aliases = [_alias(walk, alias) for alias in node.names]
        if node.rpar is not None:
            walk.take(")")
        names = [(name, renamed or name) for name, renamed in aliases]
    out.append(build.import_from(walk.scope, walk.since(start), module, len(node.relative), tuple(names)))


def _type_alias(walk: Walk, node: cst.TypeAlias, out: list[ir.Stmt]) -> None:
    start = walk.take("type")
    walk.take(node.name.value)
    type_parameters(walk, node.type_parameters)
    walk.take("=")
    optional(walk, node.value)
    out.append(build.type_alias(walk.scope, walk.since(start), identifier(node.name.value)))


STATEMENTS.update(
    {
        cst.Expr: _expression,
        cst.Assign: _assign,
        cst.AnnAssign: _annotated,
        cst.AugAssign: _augmented,
        cst.Return: _return,
        cst.Raise: _raise,
        cst.Assert: _assert,
        cst.Del: _delete,
        cst.Pass: _pass,
        cst.Break: _break,
        cst.Continue: _continue,
        cst.Global: _global,
        cst.Nonlocal: _nonlocal,
        cst.Import: _import,
        cst.LazyImport: _import,
        cst.ImportFrom: _import_from,
        cst.LazyImportFrom: _import_from,
        cst.TypeAlias: _type_alias,
    }
)
