"""Expressions, but for strings with parts, comprehensions and lambdas."""

from __future__ import annotations

import ast

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_ast.lowering import EXPRESSIONS, Walk

BINARY_OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}

_COMPARISONS: dict[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

_UNARY_OPERATORS: dict[type, str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}

_expressions = EXPRESSIONS


def _name(walk: Walk, node: ast.Name) -> ir.Expr:
    return ir.Name(walk.lines.span(node), node.id)


def _constant(walk: Walk, node: ast.Constant) -> ir.Expr:
    return ir.Const(walk.lines.span(node), node.value)


def _attribute(walk: Walk, node: ast.Attribute) -> ir.Expr:
    value = _expressions[type(node.value)](walk, node.value)
    span = walk.lines.span(node)
    name = node.attr
    start = span.end - len(name)
    if not walk.text.startswith(name, start):
        start = walk.name(name, walk.after(".", walk.closed(span.start, value.span))).start
    return build.attribute(walk.scope, span, value, name, Span(start, span.end))


def _subscript(walk: Walk, node: ast.Subscript) -> ir.Expr:
    value = _expressions[type(node.value)](walk, node.value)
    item = _expressions[type(node.slice)](walk, node.slice)
    return ir.Subscript(walk.lines.span(node), value, item)


def _slice(walk: Walk, node: ast.Slice) -> ir.Expr:
    lower = optional(walk, node.lower)
    upper = optional(walk, node.upper)
    step = optional(walk, node.step)
    return ir.Slice(walk.lines.span(node), lower, upper, step)


def optional(walk: Walk, node: ast.expr | None) -> ir.Expr | None:
    """Lower an expression that may be absent."""
    return None if node is None else _expressions[type(node)](walk, node)


def keywords(walk: Walk, nodes: list[ast.keyword], arguments: list[ir.Argument]) -> None:
    """Add the keyword arguments of a call or class definition to the others, in source order."""
    for node in nodes:
        value = _expressions[type(node.value)](walk, node.value)
        star = "**" if node.arg is None else ""
        arguments.append(ir.Argument(walk.lines.span(node), star, node.arg, value))
    arguments.sort()  # by their spans, which all differ


def _call(walk: Walk, node: ast.Call) -> ir.Expr:
    function = _expressions[type(node.func)](walk, node.func)
    span = walk.lines.span(node)
    arguments: list[ir.Argument] = []
    for arg in node.args:
        value = _expressions[type(arg)](walk, arg)
        if type(value) is ir.Starred:
            arguments.append(ir.Argument(value.span, "*", None, value.value))
        elif type(value) is ir.Comprehension and value.span.end == span.end:  # f(x for x in y)
            value = value._replace(span=Span(walk.skip(value.span.start + 1), value.clauses[-1].span.end))
            arguments.append(ir.Argument(value.span, "", None, value))
        else:
            arguments.append(ir.Argument(value.span, "", None, value))
    if node.keywords:
        keywords(walk, node.keywords, arguments)
    return ir.Call(span, function, tuple(arguments))


def _binary(walk: Walk, node: ast.BinOp) -> ir.Expr:
    left = _expressions[type(node.left)](walk, node.left)
    right = _expressions[type(node.right)](walk, node.right)
    return ir.Binary(walk.lines.span(node), BINARY_OPERATORS[type(node.op)], left, right)


def _boolean(walk: Walk, node: ast.BoolOp) -> ir.Expr:
    """`ast` has one node for `a and b and c`, the IR has (a and b) and c."""
    span = walk.lines.span(node)
    op = "and" if type(node.op) is ast.And else "or"
    values = [_expressions[type(value)](walk, value) for value in node.values]
    joined = values[0]
    end = -1
    for value in values[1:-1]:
        if end < 0:
            end = walk.closed(span.start, joined.span)
        end = walk.closed(walk.after(op, end), value.span)
        joined = ir.BoolOp(Span(span.start, end), op, joined, value)
    return ir.BoolOp(span, op, joined, values[-1])


def _unary(walk: Walk, node: ast.UnaryOp) -> ir.Expr:
    operand = _expressions[type(node.operand)](walk, node.operand)
    return ir.Unary(walk.lines.span(node), _UNARY_OPERATORS[type(node.op)], operand)


def _comparison(walk: Walk, node: ast.Compare) -> ir.Expr:
    first = _expressions[type(node.left)](walk, node.left)
    ops = [_COMPARISONS[type(op)] for op in node.ops]
    rest = [_expressions[type(value)](walk, value) for value in node.comparators]
    return ir.Compare(walk.lines.span(node), first, tuple(ops), tuple(rest))


def _conditional(walk: Walk, node: ast.IfExp) -> ir.Expr:
    body = _expressions[type(node.body)](walk, node.body)
    test = _expressions[type(node.test)](walk, node.test)
    orelse = _expressions[type(node.orelse)](walk, node.orelse)
    return ir.IfExp(walk.lines.span(node), test, body, orelse)


def _tuple(walk: Walk, node: ast.Tuple) -> ir.Expr:
    elements = [_expressions[type(element)](walk, element) for element in node.elts]
    return ir.Display(walk.lines.span(node), "tuple", tuple(elements))


def _list(walk: Walk, node: ast.List) -> ir.Expr:
    elements = [_expressions[type(element)](walk, element) for element in node.elts]
    return ir.Display(walk.lines.span(node), "list", tuple(elements))


def _set(walk: Walk, node: ast.Set) -> ir.Expr:
    elements = [_expressions[type(element)](walk, element) for element in node.elts]
    return ir.Display(walk.lines.span(node), "set", tuple(elements))


def _starred(walk: Walk, node: ast.Starred) -> ir.Expr:
    value = _expressions[type(node.value)](walk, node.value)
    return ir.Starred(walk.lines.span(node), value)


def _dict(walk: Walk, node: ast.Dict) -> ir.Expr:
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        lowered = None if key is None else _expressions[type(key)](walk, key)
        items.append((lowered, _expressions[type(value)](walk, value)))
    return ir.DictDisplay(walk.lines.span(node), tuple(items))


def _walrus(walk: Walk, node: ast.NamedExpr) -> ir.Expr:
    target = ir.Name(walk.lines.span(node.target), node.target.id)
    value = _expressions[type(node.value)](walk, node.value)
    return build.named(walk.scope, walk.lines.span(node), target, value)


def _await(walk: Walk, node: ast.Await) -> ir.Expr:
    value = _expressions[type(node.value)](walk, node.value)
    return ir.Await(walk.lines.span(node), value)


def _yield(walk: Walk, node: ast.Yield | ast.YieldFrom) -> ir.Expr:
    walk.scope.yields = True
    value = optional(walk, node.value)
    return ir.Yield(walk.lines.span(node), value, type(node) is ast.YieldFrom)


EXPRESSIONS.update(
    {
        ast.Name: _name,
        ast.Constant: _constant,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Call: _call,
        ast.BinOp: _binary,
        ast.BoolOp: _boolean,
        ast.UnaryOp: _unary,
        ast.Compare: _comparison,
        ast.IfExp: _conditional,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Starred: _starred,
        ast.Dict: _dict,
        ast.NamedExpr: _walrus,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield,
    }
)
