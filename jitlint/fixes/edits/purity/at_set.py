"""Changes of a JAX array in place become changed copies: `x[i] = v` becomes `x = x.at[i].set(v)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.parts.rebinding import can_bind, grade_of
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, names_in, parenthesized
from jitlint.fixes.variables import root

_METHODS = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "add",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}
_OPERATORS: dict[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.SubtractAssign: cst.Subtract,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}
_OPERANDS = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Integer, cst.Float)
_PRODUCTS = (cst.Multiply, cst.Divide, cst.Add, cst.Subtract, cst.MatrixMultiply, cst.Power)


def propose(site: Site) -> Iterator[Proposal]:
    """Binds the name of an array anew, to a copy in which the item is changed."""
    target = site.expression
    if not isinstance(target, cst.Subscript):
        return
    for statement, new in _statements(site, target):
        yield site.proposal("Bind a changed copy with .at[]", grade_of(site, target.value), {statement: new})


def _statements(site: Site, target: cst.Subscript) -> Iterator[tuple[cst.CSTNode, Replacement]]:
    """The statement that assigns to an item, and what takes its place."""
    parents = list(site.tree.parents(target))
    match parents:
        case [cst.AugAssign() as statement, *_] if statement.target is target and can_bind(
            site, target.value, statement
        ):
            if isinstance(statement.value, (cst.List, cst.Tuple)):
                return  # JAX's operators take no lists
            for base, update in _updates(site, target, *_augmented(target, statement)):
                yield statement, _assign(base, update, statement.semicolon)
        case [cst.AssignTarget(), cst.Assign(targets=[_]) as statement, *_] if can_bind(site, target.value, statement):
            if not isinstance(statement.value, cst.Yield):
                for base, update in _updates(site, target, "set", statement.value):
                    yield statement, _assign(base, update, statement.semicolon)
        case [cst.AssignTarget() as one, cst.Assign() as statement, *_] if can_bind(site, target.value, statement):
            yield from _several(site, target, one, statement)
        case [cst.Element(), cst.Tuple() as pattern, cst.AssignTarget(), cst.Assign(targets=[_]) as statement, *_]:
            if can_bind(site, target.value, statement):
                yield from _parallel(site, pattern, statement)


def _assign(
    base: cst.BaseExpression, value: cst.BaseExpression, semicolon: cst.Semicolon | cst.MaybeSentinel
) -> cst.Assign:
    assert isinstance(base, (cst.Name, cst.Attribute, cst.Subscript)), "`can_bind` says so"
    return cst.Assign([cst.AssignTarget(base)], value, semicolon)


def _augmented(target: cst.Subscript, statement: cst.AugAssign) -> tuple[str, cst.BaseExpression]:
    """The method that does what `x[i] += v` says, and its argument; "set" if there is none."""
    operator, value = type(statement.operator), statement.value
    negative = _negative(value) if operator is cst.SubtractAssign else value
    if operator in _METHODS and negative is not None:
        return _METHODS[operator], negative
    operand = value if isinstance(value, _OPERANDS) else parenthesized(value)
    return "set", cst.BinaryOperation(target, _OPERATORS[operator](), operand)


def _negative(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """A number's negative; None if the value may have none, as a list or a condition."""
    match value:
        case cst.UnaryOperation(operator=cst.Minus(), expression=expression):
            return expression
        case cst.BinaryOperation(operator=operator) if isinstance(operator, _PRODUCTS):
            return cst.UnaryOperation(cst.Minus(), parenthesized(value))
    return cst.UnaryOperation(cst.Minus(), value) if isinstance(value, _OPERANDS) else None


def _updates(
    site: Site, target: cst.Subscript, method: str, value: cst.BaseExpression
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What to bind, and to which copy. Of `x[i][j]`, either `x[i]` is what is bound, or `x` is an array."""
    yield target.value, _updated(target.value, target, method, value)
    if method == "set" and (selected := _selected(site, target, value)) is not None:
        yield target.value, selected
    outer = target.value
    if isinstance(outer, cst.Subscript):
        if _is_number(site, outer):
            joined = outer.with_changes(slice=[_with_comma(outer.slice[0]), *target.slice])
            yield outer.value, _updated(outer.value, joined, method, value)
        else:
            yield outer.value, _updated(outer.value, outer, "set", _updated(outer, target, method, value))


def _selected(site: Site, target: cst.Subscript, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """`jnp.where(mask, value, x)` for `x[mask] = value`, unless the value is a row for what the mask selects.

    Of `x[mask] = y[mask]`, that is `jnp.where(mask, y, x)`.
    """
    match target.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Comparison() | cst.UnaryOperation() as mask, star=None))]:
            pass
        case _:
            return None
    if isinstance(value, cst.Subscript):
        same = len(value.slice) == 1 and value.slice[0].slice.deep_equals(target.slice[0].slice)
        value = value.value
        if not same:
            return None
    elif not isinstance(value, (cst.Integer, cst.Float, cst.Name, cst.UnaryOperation)):
        return None
    parts = ", ".join(site.tree.code(each) for each in (mask, value, target.value))
    return cst.parse_expression(f"{site.names.of('jax.numpy.where')}({parts})")


def _with_comma(element: cst.SubscriptElement) -> cst.SubscriptElement:
    return element.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))


def _is_number(site: Site, item: cst.Subscript) -> bool:
    """Whether an index is one whole number: written out, or counted by a `for` over a range."""
    match item.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Integer(), star=None))]:
            return True
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name), star=None))]:
            loops = (each for each in site.tree.parents(item) if isinstance(each, cst.For))
            return any(
                isinstance(loop.target, cst.Name)
                and loop.target.value == name
                and isinstance(loop.iter, cst.Call)
                and isinstance(loop.iter.func, cst.Name)
                and loop.iter.func.value == "range"
                for loop in loops
            )
    return False


def _updated(base: cst.BaseExpression, item: cst.Subscript, method: str, value: cst.BaseExpression) -> cst.Call:
    """`base.at[item].method(value)`; the parentheses of the call stand for those around the value."""
    place = item.with_changes(value=cst.Attribute(base, cst.Name("at")), lpar=[], rpar=[])
    function = cst.Attribute(place, cst.Name(method))
    if isinstance(value, (cst.Tuple, cst.GeneratorExp)) or len(value.lpar) != 1:
        return cst.Call(function, [cst.Arg(parenthesized(value) if isinstance(value, cst.Tuple) else value)])
    inner = value.with_changes(lpar=[], rpar=[])
    arg = cst.Arg(inner, whitespace_after_arg=value.rpar[0].whitespace_before)
    return cst.Call(function, [arg], whitespace_before_args=value.lpar[0].whitespace_after)


def _several(
    site: Site, target: cst.Subscript, one: cst.AssignTarget, statement: cst.Assign
) -> Iterator[tuple[cst.CSTNode, Replacement]]:
    """`x[0] = x[-1] = 0.0` becomes two statements; the value is one that costs nothing to write twice."""
    line = site.tree.statement(statement)
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return
    value, others = statement.value, [each for each in statement.targets if each is not one]
    names = {name for each in others if isinstance(each.target, cst.Name) for name in names_in(each.target)}
    if not isinstance(value, (cst.Integer, cst.Float, cst.Name)) or names & (names_in(target) | names_in(value)):
        return
    if any(not isinstance(each.target, (cst.Name, cst.Subscript)) for each in others):
        return
    start = root(target.value)
    rests = [each.target for each in others if isinstance(each.target, cst.Subscript)]
    if start is None or any(start.value in names_in(part) for each in rests for part in each.slice):
        return
    if isinstance(value, cst.Name) and value.value == start.value:
        return
    for base, update in _updates(site, target, "set", value):
        first = line.with_changes(body=[_assign(base, update, cst.MaybeSentinel.DEFAULT)], trailing_whitespace=_END)
        rest = line.with_changes(body=[statement.with_changes(targets=others)], leading_lines=[])
        yield line, [first, rest]


_END = cst.TrailingWhitespace()


def _parallel(site: Site, pattern: cst.Tuple, statement: cst.Assign) -> Iterator[tuple[cst.CSTNode, Replacement]]:
    """`x[i], x[j] = x[j], x[i]` becomes one chain of updates, all of whose values are those from before."""
    places = [each.value for each in pattern.elements if isinstance(each, cst.Element)]
    values = _values(statement.value)
    items = [each for each in places if isinstance(each, cst.Subscript)]
    if len(items) != len(pattern.elements) or values is None or len(values) != len(items):
        return
    base = items[0].value
    start = root(base)
    if start is None or any(not each.value.deep_equals(base) for each in items):
        return
    if any(start.value in names_in(part) for each in items[1:] for part in each.slice):
        return
    changed: cst.BaseExpression = base
    for item, value in zip(items, values, strict=True):
        changed = _updated(changed, item, "set", value)
    yield statement, _assign(base, changed, statement.semicolon)


def _values(node: cst.BaseExpression) -> Sequence[cst.BaseExpression] | None:
    if not isinstance(node, (cst.Tuple, cst.List)):
        return None
    if any(isinstance(each, cst.StarredElement) for each in node.elements):
        return None
    return [each.value for each in node.elements]
