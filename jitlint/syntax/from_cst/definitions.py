"""Functions, lambdas and classes: what opens a scope."""

from __future__ import annotations

import libcst as cst

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.annotations import unquoted
from jitlint.syntax.from_cst.expressions import argument, optional
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.from_cst.parsing import parse_with
from jitlint.syntax.from_cst.suites import suite
from jitlint.syntax.problems import SyntaxProblem
from jitlint.syntax.scopes import class_scope, function_scope, identifier


def annotation(walk: Walk, node: cst.Annotation, indicator: str) -> ir.Expr:
    """Lower `: annotation` or `-> annotation`."""
    walk.take(indicator)
    return unquoted(EXPRESSIONS[type(node.annotation)](walk, node.annotation), _expression_in)


def _expression_in(code: str) -> ir.Expr | None:
    try:
        tree = parse_with(cst.parse_expression, code)
        if isinstance(tree, cst.StarredElement):  # Python has no such expression
            return None
        return EXPRESSIONS[type(tree)](Walk(code), tree)
    except (SyntaxProblem, RecursionError):
        return None


def _parameters(walk: Walk, node: cst.Parameters) -> tuple[ir.Parameter, ...]:
    lowered = [_parameter(walk, param, "positional-only") for param in node.posonly_params]
    if lowered:
        walk.take("/")
    lowered += [_parameter(walk, param, "positional") for param in node.params]
    if isinstance(node.star_arg, cst.Param):
        lowered.append(_parameter(walk, node.star_arg, "*"))
    elif isinstance(node.star_arg, cst.ParamStar):
        walk.take("*")
    lowered += [_parameter(walk, param, "keyword-only") for param in node.kwonly_params]
    if node.star_kwarg is not None:
        lowered.append(_parameter(walk, node.star_kwarg, "**"))
    return tuple(lowered)


def _parameter(walk: Walk, node: cst.Param, kind: str) -> ir.Parameter:
    start = walk.skip()
    if kind in ("*", "**"):
        walk.take(kind)
    walk.take(node.name.value)
    noted = None if node.annotation is None else annotation(walk, node.annotation, ":")
    default = None
    if node.default is not None:
        walk.take("=")
        default = EXPRESSIONS[type(node.default)](walk, node.default)
    return ir.Parameter(walk.since(start), identifier(node.name.value), kind, default, noted)


def _lambda(walk: Walk, node: cst.Lambda) -> ir.Expr:
    start = walk.enter(node)
    walk.take("lambda")
    parameters = _parameters(walk, node.params)
    walk.take(":")
    outer = walk.scope
    scope = walk.scope = function_scope(outer, "<lambda>", parameters)
    body = EXPRESSIONS[type(node.body)](walk, node.body)
    walk.scope = outer
    return build.lambda_(scope, walk.leave(node, start), parameters, body)


def _decorators(walk: Walk, nodes: tuple[cst.Decorator, ...]) -> tuple[ir.Expr, ...]:
    decorators: list[ir.Expr] = []
    for node in nodes:
        walk.take("@")
        decorators.append(EXPRESSIONS[type(node.decorator)](walk, node.decorator))
    return tuple(decorators)


def type_parameters(walk: Walk, node: cst.TypeParameters | None) -> None:
    """Move over type parameters. They are evaluated lazily, and no value ever depends on them."""
    if node is None:
        return
    walk.take("[")
    for parameter in node.params:
        param = parameter.param
        if isinstance(param, cst.TypeVarTuple):
            walk.take("*")
        elif isinstance(param, cst.ParamSpec):
            walk.take("**")
        walk.take(param.name.value)
        if isinstance(param, cst.TypeVar) and param.bound is not None:
            walk.take(":")
            optional(walk, param.bound)
        if parameter.default is not None:
            walk.take("=")
            if parameter.star:
                walk.take("*")
            optional(walk, parameter.default)
    walk.take("]")


def _function(walk: Walk, node: cst.FunctionDef, out: list[ir.Stmt]) -> None:
    decorators = _decorators(walk, node.decorators)  # type: ignore[arg-type]
    start = walk.skip()
    if node.asynchronous is not None:
        walk.take("async")
    walk.take("def")
    written = node.name.value
    name = identifier(written)
    name_span = Span(walk.take(written), walk.position)
    type_parameters(walk, node.type_parameters)
    walk.take("(")
    parameters = _parameters(walk, node.params)
    walk.take(")")
    returns = None if node.returns is None else annotation(walk, node.returns, "->")
    begin = walk.position
    outer = walk.scope
    scope = walk.scope = function_scope(outer, name, parameters)
    body = suite(walk, node.body)
    walk.scope = outer
    span, rest = walk.since(start), walk.since(begin)
    is_async = node.asynchronous is not None
    out.append(build.function(scope, span, name, name_span, parameters, returns, rest, body, is_async, decorators))


def _class(walk: Walk, node: cst.ClassDef, out: list[ir.Stmt]) -> None:
    decorators = _decorators(walk, node.decorators)  # type: ignore[arg-type]
    start = walk.take("class")
    written = node.name.value
    name = identifier(written)
    name_span = Span(walk.take(written), walk.position)
    type_parameters(walk, node.type_parameters)
    bracketed = isinstance(node.lpar, cst.LeftParen)
    if bracketed:
        walk.take("(")
    arguments = [argument(walk, arg) for arg in (*node.bases, *node.keywords)]
    if bracketed:
        walk.take(")")
    outer = walk.scope
    scope = walk.scope = class_scope(outer, name)
    body = suite(walk, node.body)
    walk.scope = outer
    out.append(build.class_(scope, walk.since(start), name, name_span, tuple(arguments), body, decorators))


EXPRESSIONS[cst.Lambda] = _lambda
STATEMENTS.update({cst.FunctionDef: _function, cst.ClassDef: _class})
