"""Selections by a mask: of what, by what, and whether the mask certainly has the array's shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.parts.nodes import Change, argument, changed, keeps_value, single_argument, value_of
from jitlint.fixes.parts.numbers import kind_of
from jitlint.fixes.scopes import scope_of, uses
from jitlint.fixes.site import Site
from jitlint.fixes.tree import walk

_ELEMENTWISE = frozenset(
    """
    abs absolute exp expm1 log log10 log1p log2 logaddexp maximum minimum multiply add subtract divide power
    sqrt square sin cos tan tanh arctan arcsin arccos sinh cosh sign clip isnan isfinite isinf logical_and
    logical_or logical_not greater less greater_equal less_equal equal not_equal where nan_to_num floor ceil
    round
    """.split()
)


@dataclass(frozen=True, slots=True)
class Selection:
    """`array[mask]`, or the positions of a mask.

    Attributes:
        node: the whole.
        array: what is selected from; None of positions.
        mask: a boolean array.
        is_write: whether it is `array.at[mask]`.
        same_shape: whether the mask certainly has the array's shape: it is computed from it element by element.
        name: the variable that has the selection as its value.
    """

    node: cst.BaseExpression
    array: cst.BaseExpression | None
    mask: cst.BaseExpression
    is_write: bool = False
    same_shape: bool = False
    name: str = ""

    def array_of(self, site: Site, node: cst.CSTNode) -> cst.BaseExpression | None:
        """What an expression selects from by the same mask."""
        if node is self.node or (self.name and isinstance(node, cst.Name) and node.value == self.name):
            return self.array
        index = _only_index(node) if isinstance(node, cst.Subscript) else None
        same = index is not None and argument(site.tree, index) == argument(site.tree, self.mask)
        return node.value if same and isinstance(node, cst.Subscript) else None

    def is_within(self, site: Site, node: cst.CSTNode) -> bool:
        """Whether a part of an expression selects by the mask."""
        return any(self.array_of(site, each) is not None for each in walk(node))


def selection_at(site: Site) -> Selection | None:
    """The selection that an event is about."""
    if site.event.kind is EventKind.MASK_INDEX:
        subscript = site.tree.at(site.event.place, cst.Subscript)
        mask = _only_index(subscript) if subscript is not None else None
        return _selection(site, subscript, mask) if subscript is not None and mask is not None else None
    call = site.tree.at(site.event.place, cst.Call)
    mask = single_argument(call) if call is not None else None
    if call is None or mask is None or kind_of(site, mask) != "bool":
        return None
    match site.names.qualified(call.func):
        case "jax.numpy.nonzero" | "jax.numpy.where":
            return _by_positions(site, call, mask)
        case "jax.numpy.flatnonzero" | "jax.numpy.argwhere":
            return Selection(call, None, mask)
    return None


def _by_positions(site: Site, call: cst.Call, mask: cst.BaseExpression) -> Selection | None:
    """The selection by a tuple of positions, or by the positions along the first axis."""
    selecting = indexed_by(site, call)
    if selecting is not None:
        return _selection(site, selecting, mask)
    first = next(site.tree.parents(call), None)
    if not isinstance(first, cst.Subscript) or site.tree.code(first.slice[0]) != "0" or len(first.slice) != 1:
        return None
    selecting = indexed_by(site, first)
    if selecting is not None:
        return replace(_selection(site, selecting, mask), same_shape=False)
    return Selection(first, None, mask)


def indexed_by(site: Site, index: cst.BaseExpression) -> cst.Subscript | None:
    """What has an expression as its only index."""
    parents = site.tree.parents(index)
    match next(parents, None), next(parents, None), next(parents, None):
        case cst.Index(), cst.SubscriptElement(), cst.Subscript(slice=[_]) as subscript:
            return subscript
    return None


def _only_index(subscript: cst.Subscript) -> cst.BaseExpression | None:
    match subscript.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value, star=None))] if not isinstance(value, cst.Tuple):
            return value
    return None


def _selection(site: Site, subscript: cst.Subscript, mask: cst.BaseExpression) -> Selection:
    is_write = isinstance(subscript.value, cst.Attribute) and subscript.value.attr.value == "at"
    array = subscript.value.value if is_write and isinstance(subscript.value, cst.Attribute) else subscript.value
    return Selection(subscript, array, mask, is_write, _has_shape_of(site, mask, array))


def _has_shape_of(site: Site, mask: cst.BaseExpression, array: cst.BaseExpression) -> bool:
    """Whether a mask is computed from an array element by element, with numbers beside it."""
    if isinstance(mask, cst.Name):
        if not isinstance(array, cst.Name) or not keeps_value(site.tree, array):
            return False
        value = value_of(site.tree, mask)
        return value is not None and value is not mask and _has_shape_of(site, value, array)
    code = site.tree.code(array)
    operands = list(_operands(site, mask))
    return any(site.tree.code(each) == code for each in operands) and all(
        isinstance(each, (cst.Integer, cst.Float)) or site.tree.code(each) == code or _is_scalar(site, each)
        for each in operands
    )


def has_axes(site: Site, selection: Selection) -> bool:
    """Whether the function treats the array as one of several axes: the mask may select along the first only."""
    array = selection.array
    if not isinstance(array, cst.Name):
        return False
    return any(_shows_axes(site, use) for use in uses(scope_of(site.tree, array), array.value))


def _shows_axes(site: Site, use: cst.Name) -> bool:
    node: cst.CSTNode = use
    for parent in site.tree.parents(use):
        match parent:
            case cst.Subscript(value=value, slice=elements) if value is node:
                if len(elements) > 1:
                    return True
            case cst.Attribute(value=value, attr=cst.Name(value=name)) if value is node:
                if name in ("T", "mT"):
                    return True
                if name == "shape":
                    return _is_of_several(site, parent)
            case cst.BinaryOperation(operator=cst.MatrixMultiply()):
                return True
            case cst.Call(args=args):
                return any(arg.keyword is not None and arg.keyword.value == "axis" for arg in args)
            case cst.Arg() if parent.keyword is None:
                pass
            case _:
                return False
        node = parent
    return False


def _is_of_several(site: Site, shape: cst.Attribute) -> bool:
    """Whether a shape is taken apart into several lengths."""
    match next(site.tree.parents(shape), None):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))]):
            return len(elements) > 1
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=value))]):
            return site.tree.code(value) not in ("0", "-1")
    return False


def _is_scalar(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an operand is the name of a number."""
    value = value_of(site.tree, node)
    return isinstance(value, (cst.Integer, cst.Float)) or (
        isinstance(value, cst.UnaryOperation) and isinstance(value.expression, (cst.Integer, cst.Float))
    )


def _operands(site: Site, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """What an expression is computed from element by element."""
    match node:
        case cst.Comparison(left=left, comparisons=comparisons):
            for each in (left, *(each.comparator for each in comparisons)):
                yield from _operands(site, each)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(
            operator, cst.MatrixMultiply
        ):
            yield from _operands(site, left)
            yield from _operands(site, right)
        case cst.UnaryOperation(expression=inner):
            yield from _operands(site, inner)
        case cst.Call() if is_elementwise(site, node):
            for arg in node.args:
                yield from _operands(site, arg.value)
        case _:
            yield node


def is_elementwise(site: Site, call: cst.Call) -> bool:
    qualified = site.names.qualified(call.func)
    plain = not any(arg.keyword or arg.star for arg in call.args)
    return plain and qualified.startswith("jax.numpy.") and qualified.removeprefix("jax.numpy.") in _ELEMENTWISE


def with_whole_arrays(
    site: Site,
    value: cst.BaseExpression,
    selection: Selection,
    number: Callable[[cst.BaseExpression], str | None] = lambda node: None,
) -> str | None:
    """An expression, as text, with whole arrays in place of their selections by the mask.

    None if it is not computed from them element by element.

    Args:
        site: the place that is fixed.
        value: the expression.
        selection: the selection.
        number: what takes the place of an operand that is a number computed from a selection, as text.
    """
    changes: dict[cst.CSTNode, Change] = {}
    for each in _operands(site, value):
        array = selection.array_of(site, each)
        if array is not None:
            changes[each] = _in_place(array)
        elif selection.is_within(site, each):
            text = number(each)
            if text is None:
                return None
            changes[each] = _in_place(cst.parse_expression(text))
    return argument(site.tree, changed(value, changes))


def _in_place(array: cst.BaseExpression) -> Change:
    return lambda node: array.with_changes(lpar=[*node.lpar, *array.lpar], rpar=[*array.rpar, *node.rpar])
