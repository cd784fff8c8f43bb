"""The nodes that both front ends assemble alike: those that bind names, that open a scope, or that need a rewrite.

A front end finds the parts of a statement and their spans in its own tree; what follows from the parts is decided here,
once: which names the statement enters into the scope, what the module is noted to import, how a chain of `elif` nests.
Names can be entered after the parts were lowered, since a scope is read only when it is complete.
"""

from __future__ import annotations

import sys
from typing import Final

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax.scopes import Scope

Body = tuple[ir.Stmt, ...]
Branch = tuple[Span, ir.Expr, Body]
"""An `if` or `elif`: the span up to the end of the whole statement, the test, the body."""

_NONE: Final[frozenset[str]] = frozenset()


def module(scope: Scope, body: Body) -> ir.Module:
    """A module; `scope` is that of its top level."""
    facts = scope.module
    return ir.Module(
        body,
        scope.locals(),
        tuple(facts.imports),
        tuple(facts.suites),
        frozenset(facts.rebound),
        frozenset(facts.popped),
    )


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
        attributes = _of_self(scope.assigned), _of_self(scope.augmented)
        scope.module.suites.append(ir.Suite(suite.start, suite.end, scope.yields, *attributes))
    own = scope.locals()
    code = ir.Function(
        span=span,
        name=name,
        name_span=name_span,
        qualname=scope.qualname,
        parameters=_with_attributes(scope, outer, parameters, own),
        body=body,
        returns=returns,
        is_async=is_async,
        is_generator=scope.yields,
        locals=own,
        globals=frozenset(scope.globals),
        nonlocals=frozenset(scope.nonlocals),
        reassigned=_reassigned(scope),
    )
    outer.assigned += scope.assigned
    outer.augmented += scope.augmented
    return ir.FunctionDef(span, code, decorators)


def lambda_(scope: Scope, span: Span, parameters: tuple[ir.Parameter, ...], body: ir.Expr) -> ir.Lambda:
    """A lambda; `scope` is that of its body."""
    outer = scope.outer
    assert outer is not None  # a lambda stands somewhere
    own = scope.locals()
    code = ir.Function(
        span=span,
        name="<lambda>",
        name_span=span,
        qualname=scope.qualname,
        parameters=_with_attributes(scope, outer, parameters, own),
        body=(ir.Return(body.span, body),),
        returns=None,
        is_async=False,
        is_generator=scope.yields,
        locals=own,
        globals=frozenset(),
        nonlocals=frozenset(),
        reassigned=frozenset(),
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
    if outer.in_function:
        outer.asked += scope.asked
    outer.assigned += scope.assigned
    outer.augmented += scope.augmented
    return ir.ClassDef(
        span,
        name,
        name_span,
        scope.qualname,
        arguments,
        body,
        decorators,
        scope.locals(),
        _of_self(scope.assigned),
        _of_self(scope.augmented),
    )


def _of_self(targets: list[ir.Attribute]) -> frozenset[str]:
    """The attributes of `self` among targets."""
    if not targets:
        return _NONE
    return frozenset([node.name for node in targets if isinstance(node.value, ir.Name) and node.value.name == "self"])


def _reassigned(scope: Scope) -> frozenset[str]:
    """The attributes that a function assigns more than once, as they are written."""
    if len(scope.assigned) < 2:
        return _NONE
    text = scope.module.text
    once: set[str] = set()
    again: set[str] = set()
    for target in scope.assigned:
        written = text[target.span.start : target.span.end]
        (again if written in once else once).add(written)
    return frozenset(again)


def _with_attributes(
    scope: Scope, outer: Scope, parameters: tuple[ir.Parameter, ...], own: frozenset[str]
) -> tuple[ir.Parameter, ...]:
    """The parameters with the attributes that the body asks of them. Those of other variables go to the outer scope.

    `own` are the names that the function's scope binds.
    """
    if not scope.asked:
        return parameters
    asked: dict[str, set[str]] = {parameter.name: set() for parameter in parameters}
    for variable, name in scope.asked:
        if variable in asked:
            if not name.startswith("_"):
                asked[variable].add(name)
        elif outer.in_function and variable not in own and variable not in scope.globals:
            outer.asked.append((variable, name))
    return tuple([p._replace(attributes=frozenset(asked[p.name])) if asked[p.name] else p for p in parameters])


# --- what binds names, or is noted of them ----------------------------------------------------------------------------


def attribute(scope: Scope, span: Span, value: ir.Expr, name: str, name_span: Span) -> ir.Attribute:
    """`value.name`."""
    if isinstance(value, ir.Name):
        scope.asked.append((value.name, name))
    if name == "pop" and isinstance(value, (ir.Name, ir.Attribute)):
        scope.module.popped.add(value.name)
    return ir.Attribute(span, value, name, name_span)


def assign(scope: Scope, span: Span, targets: tuple[ir.Expr, ...], value: ir.Expr) -> ir.Assign:
    """`a = b = value`."""
    for target in targets:
        if isinstance(target, ir.Name):  # nearly all are, and this is faster
            scope.bound.add(target.name)
        else:
            scope.bind(target)
    return ir.Assign(span, targets, value)


def annotated(scope: Scope, span: Span, target: ir.Expr, annotation: ir.Expr, value: ir.Expr | None) -> ir.AnnAssign:
    """`target: annotation = value`. Without a value, a name is local all the same, and an attribute is not set."""
    if value is not None or isinstance(target, ir.Name):
        scope.bind(target)
    return ir.AnnAssign(span, target, annotation, value)


def augmented(scope: Scope, span: Span, target: ir.Expr, op: str, value: ir.Expr) -> ir.AugAssign:
    """`target op= value`."""
    if isinstance(target, ir.Attribute):
        scope.augmented.append(target)
    else:
        scope.bind(target)
    return ir.AugAssign(span, target, op, value)


def named(scope: Scope, span: Span, target: ir.Name, value: ir.Expr) -> ir.NamedExpr:
    """`(target := value)`."""
    scope.bound.add(target.name)
    return ir.NamedExpr(span, target, value)


def delete(scope: Scope, span: Span, targets: tuple[ir.Expr, ...]) -> ir.Delete:
    """`del targets`; the brackets around all of them go."""
    deleted = list(targets)
    for target in deleted:  # which grows by the elements of tuples and lists
        if isinstance(target, ir.Display):
            deleted.extend(target.elements)
        elif isinstance(target, ir.Name):
            scope.bound.add(target.name)
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
    scope.module.imports.append(imported)
    return imported


def import_from(scope: Scope, span: Span, module: str, level: int, names: tuple[tuple[str, str], ...]) -> ir.ImportFrom:
    """`from module import name as bound, …`; `names` hold ("*", "*") for a star, which binds no name that is known."""
    scope.bound.update([bound for _, bound in names if bound != "*"])
    imported = ir.ImportFrom(span, module, level, names)
    scope.module.imports.append(imported)
    return imported


def type_alias(scope: Scope, span: Span, name: str) -> ir.TypeAliasStmt:
    """`type name = …`."""
    scope.bound.add(name)
    return ir.TypeAliasStmt(span, name)


def declare_global(scope: Scope, names: list[str]) -> None:
    """`global names`, which changes nothing at a module's top level."""
    if scope.outer is not None:
        scope.globals.update(names)
        scope.module.rebound.update(names)


# --- what is rewritten ------------------------------------------------------------------------------------------------


def if_chain(branches: list[Branch], orelse: Body) -> Body:
    """An `if` with its `elif` branches, each of which becomes an If alone in the `orelse` of the one before."""
    for span, test, body in branches[::-1]:
        orelse = (ir.If(span, test, body, orelse),)
    return orelse


def format_field(
    scope: Scope, span: Span, shown: Span | None, value: ir.Expr, conversion: str, spec: ir.FormatString | None
) -> list[ir.Const | ir.FormatField]:
    """`{value!conversion:spec}`; `shown` is the text that `=` shows: f"{x = }" is f"x = {x!r}"."""
    if shown is None:
        return [ir.FormatField(span, value, conversion, spec)]
    if not conversion and spec is None:
        conversion = "r"
    return [ir.Const(shown, scope.module.text[shown.start : shown.end]), ir.FormatField(span, value, conversion, spec)]
