"""Functions, lambdas and classes: what opens a scope."""

from __future__ import annotations

import ast
from typing import Any

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.annotations import unquoted
from jitlint.syntax.from_ast.expressions import keywords
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, STATEMENTS, Walk
from jitlint.syntax.from_ast.parsing import Refused, expression_of
from jitlint.syntax.from_ast.suites import statements
from jitlint.syntax.scopes import class_scope, function_scope


def annotation(walk: Walk, node: ast.expr) -> ir.Expr:
    """Lower an annotation."""
    return unquoted(EXPRESSIONS[type(node)](walk, node), _expression_in)


def _expression_in(code: str) -> ir.Expr | None:
    try:
        tree = expression_of(code)
        return EXPRESSIONS[type(tree)](Walk(code), tree)
    except (Refused, RecursionError):
        return None


def _parameters(walk: Walk, node: ast.arguments, position: int) -> tuple[ir.Parameter, ...]:
    """Lower parameters; `position` is behind what comes before the first."""
    lowered: list[ir.Parameter] = []
    plain = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
    defaults += node.defaults
    for at, (parameter, default) in enumerate(zip(plain, defaults, strict=True)):
        kind = "positional-only" if at < len(node.posonlyargs) else "positional"
        lowered.append(_parameter(walk, parameter, kind, default))
    if node.vararg is not None:
        lowered.append(_starred(walk, node.vararg, "*", lowered[-1].span.end if lowered else position))
    for parameter, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        lowered.append(_parameter(walk, parameter, "keyword-only", default))
    if node.kwarg is not None:
        lowered.append(_starred(walk, node.kwarg, "**", lowered[-1].span.end if lowered else position))
    return tuple(lowered)


def _parameter(walk: Walk, node: ast.arg, kind: str, default: ast.expr | None) -> ir.Parameter:
    span = walk.lines.span(node)
    noted = None if node.annotation is None else annotation(walk, node.annotation)
    value = None
    if default is not None:
        value = EXPRESSIONS[type(default)](walk, default)
        span = Span(span.start, walk.closed(walk.after("=", span.end), value.span))
    return ir.Parameter(span, node.arg, kind, value, noted)


def _starred(walk: Walk, node: ast.arg, star: str, position: int) -> ir.Parameter:
    """Lower a parameter with its stars, which come after `position`."""
    parameter = _parameter(walk, node, star, None)
    start = parameter.span.start - len(star)
    if not walk.text.startswith(star, start):
        start = walk.after(star, _behind_slash(walk, position)) - len(star)
    return parameter._replace(span=Span(start, parameter.span.end))


def _behind_slash(walk: Walk, position: int) -> int:
    """The position behind the `/` after positional-only parameters, if there is one at the next token."""
    start = walk.skip(position)
    return start + 1 if walk.text[start] == "/" else start


def _lambda(walk: Walk, node: ast.Lambda) -> ir.Expr:
    span = walk.lines.span(node)
    parameters = _parameters(walk, node.args, span.start + len("lambda"))
    outer = walk.scope
    scope = walk.scope = function_scope(outer, "<lambda>", parameters)
    body = EXPRESSIONS[type(node.body)](walk, node.body)
    walk.scope = outer
    return build.lambda_(scope, span, parameters, body)


def _opening(walk: Walk, node: Any, position: int) -> int:
    """The position behind the parenthesis that opens a function's parameters; `position` is behind its name.

    Type parameters are skipped: they are evaluated lazily, and no value ever depends on them.
    """
    position = walk.skip(position)
    if walk.text[position] == "[":
        position = walk.after("]", walk.lines.span(node.type_params[-1]).end)
    return walk.after("(", position)


def _function(walk: Walk, node: ast.FunctionDef | ast.AsyncFunctionDef, out: list[ir.Stmt]) -> None:
    decorators = tuple([EXPRESSIONS[type(decorator)](walk, decorator) for decorator in node.decorator_list])
    span = walk.block(node)
    is_async = type(node) is ast.AsyncFunctionDef
    name = node.name
    name_span = walk.name(name, walk.after("def", walk.after("async", span.start) if is_async else span.start))
    opening = _opening(walk, node, name_span.end)
    parameters = _parameters(walk, node.args, opening)
    returns = None if node.returns is None else annotation(walk, node.returns)
    begin = walk.after(")", _behind_slash(walk, parameters[-1].span.end if parameters else opening))
    if returns is not None:
        begin = walk.closed(walk.after("->", begin), returns.span)
    suite = Span(begin, span.end)
    outer = walk.scope
    scope = walk.scope = function_scope(outer, name, parameters)
    body = statements(walk, node.body)
    walk.scope = outer
    out.append(build.function(scope, span, name, name_span, parameters, returns, suite, body, is_async, decorators))


def _class(walk: Walk, node: ast.ClassDef, out: list[ir.Stmt]) -> None:
    decorators = tuple([EXPRESSIONS[type(decorator)](walk, decorator) for decorator in node.decorator_list])
    span = walk.block(node)
    name = node.name
    name_span = walk.name(name, walk.after("class", span.start))
    arguments: list[ir.Argument] = []
    for base in node.bases:
        value = EXPRESSIONS[type(base)](walk, base)
        if type(value) is ir.Starred:
            arguments.append(ir.Argument(value.span, "*", None, value.value))
        else:
            arguments.append(ir.Argument(value.span, "", None, value))
    keywords(walk, node.keywords, arguments)
    outer = walk.scope
    scope = walk.scope = class_scope(outer, name)
    body = statements(walk, node.body)
    walk.scope = outer
    out.append(build.class_(scope, span, name, name_span, tuple(arguments), body, decorators))


EXPRESSIONS[ast.Lambda] = _lambda
STATEMENTS.update({ast.FunctionDef: _function, ast.AsyncFunctionDef: _function, ast.ClassDef: _class})
