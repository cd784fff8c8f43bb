"""The nodes that both front ends assemble alike: those that bind names, that open a scope, or that need a rewrite.

A front end finds the parts of a statement and their spans in its own tree; what follows from the parts is decided here,
once: which names the statement enters into the scope, what the module is noted to import, how a chain of `elif` nests.
Names can be entered after the parts were lowered, since a scope is read only when it is complete.
"""

from __future__ import annotations

import sys

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax.scopes import Scope

Body = tuple[ir.Stmt, ...]
Branch = tuple[Span, ir.Expr, Body]
"""An `if` or `elif`: the span up to the end of the whole statement, the test, the body."""


def module(scope: Scope, body: Body) -> ir.Module:
    """A module; `scope` is that of its top level."""
    return ir.Module(body, scope.locals(), tuple(scope.found.imports), tuple(scope.found.suites))


# --- what opens a scope -----------------------------------------------------------------------------------------------


def function(
    scope: Scope,
    span: Span,
    name: str,
    name_span: Span,
    parameters: tuple[ir.Parameter, ...],
    returns: ir.Expr | None,
    suite: Span,
    body: Body,
    is_async: bool,
    decorators: tuple[ir.Expr, ...],
) -> ir.FunctionDef:
    """A `def`. `scope` is that of its body, `suite` the text from the end of its heading to its own end."""
    outer = scope.outer
    assert outer is not None  # a function is defined somewhere
    outer.bound.add(name)
    if not outer.in_function:
        scope.found.suites.append(suite)
    code = ir.Function(
        span=span,
        name=name,
        name_span=name_span,
        qualname=scope.qualname,
        parameters=parameters,
        body=body,
        returns=returns,
        is_async=is_async,
        is_generator=scope.yields,
        locals=scope.locals(),
        globals=frozenset(scope.globals),
        nonlocals=frozenset(scope.nonlocals),
    )
    return ir.FunctionDef(span, code, decorators)


def lambda_(scope: Scope, span: Span, parameters: tuple[ir.Parameter, ...], body: ir.Expr) -> ir.Lambda:
    """A lambda; `scope` is that of its body."""
    code = ir.Function(
        span=span,
        name="<lambda>",
        name_span=span,
        qualname=scope.qualname,
        parameters=parameters,
        body=(ir.Return(body.span, body),),
        returns=None,
        is_async=False,
        is_generator=scope.yields,
        locals=scope.locals(),
        globals=frozenset(),
        nonlocals=frozenset(),
    )
    return ir.Lambda(span, code)


def class_(
    scope: Scope,
    span: Span,
    name: str,
    name_span: Span,
    arguments: tuple[ir.Argument, ...],
    body: Body,
    decorators: tuple[ir.Expr, ...],
) -> ir.ClassDef:
    """A class; `scope` is that of its body."""
    outer = scope.outer
    assert outer is not None  # a class is defined somewhere
    outer.bound.add(name)
    return ir.ClassDef(span, name, name_span, scope.qualname, arguments, body, decorators, scope.locals())


# --- what binds names -------------------------------------------------------------------------------------------------


def assign(scope: Scope, span: Span, targets: tuple[ir.Expr, ...], value: ir.Expr) -> ir.Assign:
    """`a = b = value`."""
    for target in targets:
        scope.bind(target)
    return ir.Assign(span, targets, value)


def annotated(scope: Scope, span: Span, target: ir.Expr, annotation: ir.Expr, value: ir.Expr | None) -> ir.AnnAssign:
    """`target: annotation = value`."""
    scope.bind(target)
    return ir.AnnAssign(span, target, annotation, value)


def augmented(scope: Scope, span: Span, target: ir.Expr, op: str, value: ir.Expr) -> ir.AugAssign:
    """`target op= value`."""
    scope.bind(target)
    return ir.AugAssign(span, target, op, value)


def named(scope: Scope, span: Span, target: ir.Name, value: ir.Expr) -> ir.NamedExpr:
    """`(target := value)`."""
    scope.bound.add(target.name)
    return ir.NamedExpr(span, target, value)


def delete(scope: Scope, span: Span, targets: tuple[ir.Expr, ...]) -> ir.Delete:
    """`del targets`; the brackets around all of them go."""
    for target in targets:
        scope.bind(target)
    while len(targets) == 1 and isinstance(targets[0], ir.Display):
        targets = targets[0].elements
    return ir.Delete(span, targets)


def for_(
    scope: Scope, span: Span, target: ir.Expr, iterable: ir.Expr, body: Body, orelse: Body, is_async: bool
) -> ir.For:
    """`for target in iterable: body`."""
    scope.bind(target)
    return ir.For(span, target, iterable, body, orelse, is_async)


def with_item(scope: Scope, span: Span, context: ir.Expr, target: ir.Expr | None) -> ir.WithItem:
    """`context as target` of a `with`."""
    scope.bind(target)
    return ir.WithItem(span, context, target)


def handler(
    scope: Scope, span: Span, caught: ir.Expr | None, name: str | None, body: Body, is_star: bool
) -> ir.Handler:
    """`except caught as name: body`."""
    if name is not None:
        scope.bound.add(name)
    return ir.Handler(span, caught, name, body, is_star)


def import_(scope: Scope, span: Span, module: str, renamed: str | None) -> ir.Import:
    """`import module as renamed`, one name of the statement at `span`."""
    first = sys.intern(module.partition(".")[0])
    imported = ir.Import(span, module, renamed or first, module if renamed else first)
    scope.bound.add(imported.name)
    scope.found.imports.append(imported)
    return imported


def import_from(scope: Scope, span: Span, module: str, level: int, names: tuple[tuple[str, str], ...]) -> ir.ImportFrom:
    """`from module import name as bound, …`; `names` hold ("*", "*") for a star, which binds no name that is known."""
    scope.bound.update([bound for _, bound in names if bound != "*"])
    imported = ir.ImportFrom(span, module, level, names)
    scope.found.imports.append(imported)
    return imported


def type_alias(scope: Scope, span: Span, name: str) -> ir.TypeAliasStmt:
    """`type name = …`."""
    scope.bound.add(name)
    return ir.TypeAliasStmt(span, name)


def declare_global(scope: Scope, names: list[str]) -> None:
    """`global names`, which changes nothing at a module's top level."""
    if scope.outer is not None:
        scope.globals.update(names)


# --- what is rewritten ------------------------------------------------------------------------------------------------


def if_chain(branches: list[Branch], orelse: Body) -> Body:
    """An `if` with its `elif` branches, each of which becomes an If alone in the `orelse` of the one before."""
    for span, test, body in branches[::-1]:
        orelse = (ir.If(span, test, body, orelse),)
    return orelse


def format_field(
    text: str, span: Span, shown: Span | None, value: ir.Expr, conversion: str, spec: ir.FormatString | None
) -> list[ir.Const | ir.FormatField]:
    """`{value!conversion:spec}`; `shown` is the text that `=` shows: f"{x = }" is f"x = {x!r}"."""
    if shown is None:
        return [ir.FormatField(span, value, conversion, spec)]
    if not conversion and spec is None:
        conversion = "r"
    return [ir.Const(shown, text[shown.start : shown.end]), ir.FormatField(span, value, conversion, spec)]
