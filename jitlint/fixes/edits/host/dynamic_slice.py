"""Slices of fixed length at traced positions become `jax.lax.dynamic_slice_in_dim`; updates of them, `.at[]`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.host_calls import written
from jitlint.fixes.parts.linear import differences
from jitlint.fixes.parts.nodes import argument, placed, put_alone
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in


def propose(site: Site) -> Iterator[Proposal]:
    """Takes or writes a window whose length is the difference of the slice's bounds."""
    window = site.tree.at(site.event.place, cst.Slice)
    if window is None or window.step is not None or window.lower is None or window.upper is None:
        return
    parents = site.tree.parents(window)
    element, subscript = next(parents), next(parents)
    if not isinstance(element, cst.SubscriptElement) or not isinstance(subscript, cst.Subscript):
        return
    if not names_in(window.lower) or any(_adds_axis(site, each) for each in subscript.slice):
        return
    at = next(at for at, each in enumerate(subscript.slice) if each is element)
    for size in differences(site.tree, window.lower, window.upper):
        if isinstance(subscript.value, cst.Attribute) and subscript.value.attr.value == "at":
            yield from _written(site, subscript, at, window.lower, size)
        elif not _is_target(site, subscript):
            yield from _taken(site, subscript, at, window.lower, size)


def _adds_axis(site: Site, element: cst.SubscriptElement) -> bool:
    """Whether it is `None`: what stands behind it is not about the axis of its number."""
    return isinstance(element.slice, cst.Index) and site.tree.code(element.slice.value).endswith(("None", "newaxis"))


def _is_target(site: Site, subscript: cst.Subscript) -> bool:
    parent = next(site.tree.parents(subscript), None)
    if isinstance(parent, cst.AugAssign):
        return parent.target is subscript
    return isinstance(parent, (cst.AssignTarget, cst.AnnAssign, cst.Del))


def _taken(site: Site, subscript: cst.Subscript, at: int, start: cst.BaseExpression, size: str) -> Iterator[Proposal]:
    """The window as `jax.lax.dynamic_slice_in_dim`, with what else the subscript says behind it."""
    code = site.tree.code
    function = written(site, subscript, "jax.lax.dynamic_slice_in_dim")
    axis = _axis(subscript.slice, at)
    named = f", axis={axis}" if axis else ""
    text = f"{function}({argument(site.tree, subscript.value)}, {argument(site.tree, start)}, {size}{named})"
    rest = [":" if each is subscript.slice[at] else code(each).rstrip(",").strip() for each in subscript.slice]
    while rest and rest[-1] == ":":
        rest.pop()
    if rest and any(each not in (":", "...") for each in rest):
        text += f"[{', '.join(rest)}]"
    replacements = put_alone(site.tree, subscript, text)
    if replacements is not None:
        yield site.proposal("Take a window of fixed length", Grade.UNSAFE, replacements)


def _axis(elements: Sequence[cst.SubscriptElement], at: int) -> int:
    dots = any(
        isinstance(each.slice, cst.Index) and isinstance(each.slice.value, cst.Ellipsis) for each in elements[:at]
    )
    return at - len(elements) if dots else at


def _written(site: Site, subscript: cst.Subscript, at: int, start: cst.BaseExpression, size: str) -> Iterator[Proposal]:
    """The positions of the window as an index; beside another one, it would no longer be an axis of its own."""
    others = [each.slice for each in (*_behind(subscript.slice[at + 1 :]), *_behind(subscript.slice[:at][::-1]))]
    if not all(map(_is_static, others)):
        return
    element = subscript.slice[at].slice
    sum_ = cst.BinaryOperation(cst.Name("_"), cst.Add(), cst.Name("_"))
    arange = cst.parse_expression(f"{written(site, subscript, 'jax.numpy.arange')}({size})")
    arithmetic = isinstance(start, cst.BinaryOperation) and isinstance(start.operator, _BINDING)
    left = start if arithmetic else placed(site.tree, start, start)
    index = cst.Index(sum_.with_changes(left=left, right=arange))
    yield site.proposal("Write a window of fixed length", Grade.UNSAFE, {element: index})


_BINDING = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power)


def _behind(elements: Sequence[cst.SubscriptElement]) -> Iterator[cst.SubscriptElement]:
    """What stands beside a window, without the numbers right beside it: its axis stays where it is with them."""
    return itertools.dropwhile(lambda each: _is_number(each.slice), elements)


def _is_number(each: cst.BaseSlice) -> bool:
    node = each.value if isinstance(each, cst.Index) else None
    return isinstance(node.expression if isinstance(node, cst.UnaryOperation) else node, cst.Integer)


def _is_static(each: cst.BaseSlice) -> bool:
    """Whether it takes a whole axis, or a slice with constant bounds."""
    if isinstance(each, cst.Slice):
        return all(bound is None or not names_in(bound) for bound in (each.lower, each.upper))
    return isinstance(each, cst.Index) and isinstance(each.value, cst.Ellipsis)
