"""Sizes that `jax.numpy` computes from static shapes are computed with `math`, NumPy or Python alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from jitlint.events.event import Event, EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.nodes import put, put_alone
from jitlint.fixes.parts.sizes import Kind, NoSizeError, Size, Sizes
from jitlint.fixes.parts.values import assignment_of
from jitlint.fixes.scopes import scope_of, uses
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement
from jitlint.source.places import Place


class _NoFormError(Exception):
    """A part of the computation has no form without `jax.numpy`."""


def propose(site: Site) -> Iterator[Proposal]:
    """Computes a size on the host, from where `jax.numpy` first comes in to where it is needed."""
    event = site.event
    if not _is_of_shapes(event) or not event.flow or event.flow[0].place.path != event.place.path:
        return
    source = site.tree.at(event.flow[0].place, cst.Call)
    if source is None:
        return
    try:
        found, exact = _computations(site, source)
    except (_NoFormError, NoSizeError):
        return
    replacements: dict[cst.CSTNode, Replacement] = {}
    for node, size in found.items():
        new = (put if len(found) > 1 else put_alone)(site.tree, node, size.text)
        if new is None:
            return
        replacements |= new
    grade = Grade.SAFE if exact and not event.construct.endswith(".arange") else Grade.UNSAFE
    yield site.proposal("Compute the size without jax.numpy", grade, replacements)


def _is_of_shapes(event: Event) -> bool:
    """Whether `jax.numpy` made the value of what is known: of a slice's bound, its origin says so."""
    if event.kind is EventKind.SLICE:
        return event.origin.startswith("computed by `jax.numpy.")
    return event.detail.get("from_shape") == "yes"


def _computations(site: Site, source: cst.BaseExpression) -> tuple[Mapping[cst.BaseExpression, Size], bool]:
    """The expressions to compute on the host, from the source on, and whether they give the same numbers exactly."""
    sizes = Sizes(site)
    found: dict[cst.BaseExpression, Size] = {}
    waiting = [_whole(site, source)]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        size = found[node] = sizes.of(node)
        name = _target(site, node)
        if name is None:
            continue
        sizes.known[name.value] = size.kind
        for use in uses(scope_of(site.tree, name), name.value):
            if use is name:
                continue
            whole = _whole(site, use)
            if whole is not use and _on_the_way(site, whole) and sizes.has(whole):
                waiting.append(whole)
            elif not _can_be_python(site, use, size.kind):
                raise _NoFormError
    return found, sizes.exact


def _target(site: Site, node: cst.BaseExpression) -> cst.Name | None:
    """The variable that has the expression as its only value.

    Raises:
        _NoFormError: the value goes to a variable that has others, too.
    """
    assign = next(site.tree.parents(node), None)
    if not isinstance(assign, (cst.Assign, cst.AnnAssign)):
        return None
    target = assign.target if isinstance(assign, cst.AnnAssign) else assign.targets[0].target
    if not isinstance(target, cst.Name) or assignment_of(site.tree, target) is not assign:
        raise _NoFormError
    return target


def _can_be_python(site: Site, use: cst.Name, kind: Kind) -> bool:
    """Whether a variable can be a number of Python, or a tuple, where it is read."""
    parent = next(site.tree.parents(use), None)
    if isinstance(parent, cst.Attribute):
        return False
    return kind in (Kind.INT, Kind.NUMBER) or isinstance(parent, (cst.Arg, cst.Element, cst.Subscript, cst.For))


def _whole(site: Site, node: cst.BaseExpression) -> cst.BaseExpression:
    """The whole computation that a part belongs to: operators, functions and methods of numbers."""
    whole = node
    inner: cst.CSTNode = node
    for parent in site.tree.parents(node):
        match parent:
            case cst.Arg():
                pass
            case cst.Attribute(value=value, attr=cst.Name(value=name)):
                if value is not inner or name not in Sizes.METHODS:
                    break
            case cst.Call():
                if parent.func is not inner and not Sizes.computes(site, parent):
                    break
                whole = parent
            case cst.BinaryOperation() | cst.UnaryOperation():
                whole = parent
            case cst.Subscript(value=value):
                if value is not inner:
                    break
                whole = parent
            case _:
                break
        inner = parent
    return whole


def _on_the_way(site: Site, node: cst.BaseExpression) -> bool:
    """Whether the value goes through an expression to where it is needed."""
    statement = site.tree.statement(node)
    if statement is None:
        return False
    places = [site.event.place, *(step.place for step in site.event.flow)]
    return any(_within(site, statement, place) for place in places if place.path == site.tree.path)


def _within(site: Site, statement: cst.CSTNode, place: Place) -> bool:
    found = site.tree.positions[statement]
    return found.start.line <= place.line and place.end_line <= found.end.line
