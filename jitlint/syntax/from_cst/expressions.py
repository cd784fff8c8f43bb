"""Expressions, but for literals with parts, comprehensions and lambdas."""

from __future__ import annotations

import libcst as cst

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.from_cst.lowering import EXPRESSIONS, Walk
from jitlint.syntax.literals import MISSING, value_of
from jitlint.syntax.scopes import identifier

_CONSTANTS: dict[str, object] = {"None": None, "True": True, "False": False}

BINARY_OPERATORS: dict[type, str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}

_COMPARISONS: dict[type, tuple[str, ...]] = {
    cst.LessThan: ("<",),
    cst.LessThanEqual: ("<=",),
    cst.GreaterThan: (">",),
    cst.GreaterThanEqual: (">=",),
    cst.Equal: ("==",),
    cst.NotEqual: ("!=",),
    cst.Is: ("is",),
    cst.IsNot: ("is", "not"),
    cst.In: ("in",),
    cst.NotIn: ("not", "in"),
}

_UNARY_OPERATORS: dict[type, str] = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}

_expressions = EXPRESSIONS


def _name(walk: Walk, node: cst.Name) -> ir.Expr:
    if node.lpar:
        walk.enter(node)
    written = node.value
    start = walk.take(written)
    span = Span(start, walk.position)
    if node.rpar:
        walk.leave(node, start)
    if written in _CONSTANTS:
        return ir.Const(span, _CONSTANTS[written])
    return ir.Name(span, identifier(written))


def _literal(walk: Walk, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString) -> ir.Expr:
    start = walk.enter(node)
    walk.take(node.value)
    span = walk.leave(node, start)
    value = value_of(node.value)
    return ir.Opaque(span, ()) if value is MISSING else ir.Const(span, value)


def _ellipsis(walk: Walk, node: cst.Ellipsis) -> ir.Expr:
    start = walk.enter(node)
    walk.take("...")
    return ir.Const(walk.leave(node, start), ...)


def _attribute(walk: Walk, node: cst.Attribute) -> ir.Expr:
    start = walk.enter(node)
    value = _expressions[type(node.value)](walk, node.value)
    walk.take(".")
    written = node.attr.value
    name_span = Span(walk.take(written), walk.position)
    return build.attribute(walk.scope, walk.leave(node, start), value, identifier(written), name_span)


def _subscript(walk: Walk, node: cst.Subscript) -> ir.Expr:
    start = walk.enter(node)
    value = _expressions[type(node.value)](walk, node.value)
    walk.take("[")
    elements = node.slice
    first = walk.skip()
    indices = [_index(walk, element.slice) for element in elements]
    trailing = isinstance(elements[-1].comma, cst.Comma)
    if trailing:
        walk.take_comma()
    if trailing or len(elements) > 1:
        index: ir.Expr = ir.Display(walk.since(first), "tuple", tuple(indices))
    else:
        index = indices[0]
        if type(index) is ir.Starred:  # x[*a] is x[(*a,)]
            index = ir.Display(index.span, "tuple", (index,))
    walk.take("]")
    return ir.Subscript(walk.leave(node, start), value, index)


def _index(walk: Walk, node: cst.BaseSlice) -> ir.Expr:
    if type(node) is cst.Index:
        if node.star:
            start = walk.take("*")
            value = _expressions[type(node.value)](walk, node.value)
            return ir.Starred(walk.since(start), value)
        return _expressions[type(node.value)](walk, node.value)
    assert isinstance(node, cst.Slice)
    start = walk.skip()
    lower = optional(walk, node.lower)
    walk.take(":")
    upper = optional(walk, node.upper)
    if isinstance(node.second_colon, cst.Colon):
        walk.take(":")
    step = optional(walk, node.step)
    return ir.Slice(walk.since(start), lower, upper, step)


def optional(walk: Walk, node: cst.BaseExpression | None) -> ir.Expr | None:
    """Lower an expression that may be absent."""
    return None if node is None else _expressions[type(node)](walk, node)


def argument(walk: Walk, node: cst.Arg) -> ir.Argument:
    """Lower one argument of a call or class definition."""
    star = node.star
    keyword = node.keyword
    if not star and keyword is None:
        value = _expressions[type(node.value)](walk, node.value)
        return ir.Argument(value.span, "", None, value)
    start = walk.skip()
    name = None
    if star:
        walk.take(star)
    elif keyword is not None:
        name = identifier(keyword.value)
        walk.take(keyword.value)
        walk.take("=")
    value = _expressions[type(node.value)](walk, node.value)
    return ir.Argument(walk.since(start), star, name, value)


def _call(walk: Walk, node: cst.Call) -> ir.Expr:
    start = walk.enter(node)
    function = _expressions[type(node.func)](walk, node.func)
    walk.take("(")
    arguments: list[ir.Argument] = []
    for arg in node.args:
        # The commonest kind in place: no frame of its own, so that calls nest as deep as other expressions.
        if arg.keyword is None and not arg.star:
            value = _expressions[type(arg.value)](walk, arg.value)
            arguments.append(ir.Argument(value.span, "", None, value))
        else:
            arguments.append(argument(walk, arg))
    walk.take(")")
    return ir.Call(walk.leave(node, start), function, tuple(arguments))


def _binary(walk: Walk, node: cst.BinaryOperation) -> ir.Expr:
    start = walk.enter(node)
    left = _expressions[type(node.left)](walk, node.left)
    op = BINARY_OPERATORS[type(node.operator)]
    walk.take(op)
    right = _expressions[type(node.right)](walk, node.right)
    return ir.Binary(walk.leave(node, start), op, left, right)


def _boolean(walk: Walk, node: cst.BooleanOperation) -> ir.Expr:
    start = walk.enter(node)
    left = _expressions[type(node.left)](walk, node.left)
    op = "and" if type(node.operator) is cst.And else "or"
    walk.take(op)
    right = _expressions[type(node.right)](walk, node.right)
    return ir.BoolOp(walk.leave(node, start), op, left, right)


def _unary(walk: Walk, node: cst.UnaryOperation) -> ir.Expr:
    start = walk.enter(node)
    op = _UNARY_OPERATORS[type(node.operator)]
    walk.take(op)
    operand = _expressions[type(node.expression)](walk, node.expression)
    return ir.Unary(walk.leave(node, start), op, operand)


def _comparison(walk: Walk, node: cst.Comparison) -> ir.Expr:
    start = walk.enter(node)
    first = _expressions[type(node.left)](walk, node.left)
    ops: list[str] = []
    rest: list[ir.Expr] = []
    for target in node.comparisons:
        words = _COMPARISONS[type(target.operator)]
        for word in words:
            walk.take(word)
        ops.append(" ".join(words))
        rest.append(_expressions[type(target.comparator)](walk, target.comparator))
    return ir.Compare(walk.leave(node, start), first, tuple(ops), tuple(rest))


def _conditional(walk: Walk, node: cst.IfExp) -> ir.Expr:
    start = walk.enter(node)
    body = _expressions[type(node.body)](walk, node.body)
    walk.take("if")
    test = _expressions[type(node.test)](walk, node.test)
    walk.take("else")
    orelse = _expressions[type(node.orelse)](walk, node.orelse)
    return ir.IfExp(walk.leave(node, start), test, body, orelse)


def _tuple(walk: Walk, node: cst.Tuple) -> ir.Expr:
    start = walk.enter_bracketed(node.lpar)
    elements = [_expressions[type(element)](walk, element) for element in node.elements]
    if elements and not node.rpar and isinstance(node.elements[-1].comma, cst.Comma):
        walk.take_comma()
    return ir.Display(walk.leave_bracketed(node.rpar, start), "tuple", tuple(elements))


def _list(walk: Walk, node: cst.List) -> ir.Expr:
    start = walk.enter(node)
    walk.take("[")
    elements = [_expressions[type(element)](walk, element) for element in node.elements]
    walk.take("]")
    return ir.Display(walk.leave(node, start), "list", tuple(elements))


def _set(walk: Walk, node: cst.Set) -> ir.Expr:
    start = walk.enter(node)
    walk.take("{")
    elements = [_expressions[type(element)](walk, element) for element in node.elements]
    walk.take("}")
    return ir.Display(walk.leave(node, start), "set", tuple(elements))


def _element(walk: Walk, node: cst.Element) -> ir.Expr:
    return _expressions[type(node.value)](walk, node.value)


def _starred(walk: Walk, node: cst.StarredElement) -> ir.Expr:
    start = walk.enter(node)
    walk.take("*")
    value = _expressions[type(node.value)](walk, node.value)
    return ir.Starred(walk.leave(node, start), value)


def _dict(walk: Walk, node: cst.Dict) -> ir.Expr:
    start = walk.enter(node)
    walk.take("{")
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for element in node.elements:
        key = None
        if type(element) is cst.DictElement:
            key = _expressions[type(element.key)](walk, element.key)
            walk.take(":")
        else:
            walk.take("**")
        items.append((key, _expressions[type(element.value)](walk, element.value)))
    walk.take("}")
    return ir.DictDisplay(walk.leave(node, start), tuple(items))


def _walrus(walk: Walk, node: cst.NamedExpr) -> ir.Expr:
    start = walk.enter(node)
    target = _expressions[type(node.target)](walk, node.target)
    assert isinstance(target, ir.Name)  # the grammar has nothing else
    walk.take(":=")
    value = _expressions[type(node.value)](walk, node.value)
    return build.named(walk.scope, walk.leave(node, start), target, value)


def _await(walk: Walk, node: cst.Await) -> ir.Expr:
    start = walk.enter(node)
    walk.take("await")
    value = _expressions[type(node.expression)](walk, node.expression)
    return ir.Await(walk.leave(node, start), value)


def _yield(walk: Walk, node: cst.Yield) -> ir.Expr:
    start = walk.enter(node)
    walk.take("yield")
    walk.scope.yields = True
    is_from = type(node.value) is cst.From
    value = node.value
    if isinstance(value, cst.From):
        walk.take("from")
        value = value.item
    lowered = optional(walk, value)
    return ir.Yield(walk.leave(node, start), lowered, is_from)


EXPRESSIONS.update(
    {
        cst.Name: _name,
        cst.Integer: _literal,
        cst.Float: _literal,
        cst.Imaginary: _literal,
        cst.SimpleString: _literal,
        cst.Ellipsis: _ellipsis,
        cst.Attribute: _attribute,
        cst.Subscript: _subscript,
        cst.Call: _call,
        cst.BinaryOperation: _binary,
        cst.BooleanOperation: _boolean,
        cst.UnaryOperation: _unary,
        cst.Comparison: _comparison,
        cst.IfExp: _conditional,
        cst.Tuple: _tuple,
        cst.List: _list,
        cst.Set: _set,
        cst.Element: _element,
        cst.StarredElement: _starred,
        cst.Dict: _dict,
        cst.NamedExpr: _walrus,
        cst.Await: _await,
        cst.Yield: _yield,
    }
)
