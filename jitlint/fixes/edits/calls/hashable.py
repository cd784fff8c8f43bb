"""Gives static arguments that can be compared: tuples for lists, frozen classes, functions that are made once."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.classes import bases, class_named, class_of, decorations, fields, option
from jitlint.fixes.parts.made_once import made_once
from jitlint.fixes.parts.values import expression_at, is_bound
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk

_FRESH = ("lambda", "function", "partial", "instance")


def propose(site: Site) -> Iterator[Proposal]:
    """Changes the argument of an event, or its class, so that equal arguments are equal keys."""
    event = site.event
    given = expression_at(site.tree, event.place)
    if given is None or "function" in event.detail:
        return
    if event.construct in _FRESH:
        yield from made_once(site, given)
    elif event.construct == "list" and not is_bound(site.tree, "tuple"):
        yield _proposal(site, given, _tuple(site, given))
    elif event.construct == "set" and not is_bound(site.tree, "frozenset"):
        yield _proposal(site, given, _frozenset(site, given))
    elif event.construct == "object":
        yield from _frozen(site, given)


def _proposal(site: Site, given: cst.BaseExpression, new: cst.BaseExpression) -> Proposal:
    return site.proposal("Pass a static argument that can be hashed", Grade.UNSAFE, {given: new})


def _tuple(site: Site, node: cst.BaseExpression) -> cst.BaseExpression:
    """A tuple in place of a list, with tuples in place of the lists in it."""
    match node:
        case cst.List():
            elements = [
                each.with_changes(value=_tuple(site, each.value)) if _is_list(each.value) else each
                for each in node.elements
            ]
            if len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
                elements[0] = elements[0].with_changes(comma=cst.Comma())
            left = cst.LeftParen(node.lbracket.whitespace_after)
            right = cst.RightParen(node.rbracket.whitespace_before)
            return cst.Tuple(elements, lpar=[left], rpar=[right])
        case cst.ListComp(elt=element, for_in=loop):
            return cst.Call(cst.Name("tuple"), [cst.Arg(cst.GeneratorExp(element, loop, lpar=[], rpar=[]))])
        case cst.Call(func=cst.Name(value="list"), args=[_]):
            return node.with_changes(func=cst.Name("tuple"))
    return cst.Call(cst.Name("tuple"), [cst.Arg(node.with_changes(lpar=[], rpar=[]) if _is_call(node) else node)])


def _is_list(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.List, cst.ListComp))


def _is_call(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call)


def _frozenset(site: Site, node: cst.BaseExpression) -> cst.BaseExpression:
    match node:
        case cst.Call(func=cst.Name(value="set")):
            return node.with_changes(func=cst.Name("frozenset"))
    return cst.Call(cst.Name("frozenset"), [cst.Arg(node)])


def _frozen(site: Site, given: cst.BaseExpression) -> Iterator[Proposal]:
    """Makes the dataclass of an object frozen, and so hashable, if nothing in the file assigns to its fields."""
    tree = site.tree
    cls = class_named(tree, class_of(tree, given))
    if cls is None or cls.bases or not _is_never_changed(site, cls):
        return
    for made_by, decorator in decorations(tree, cls):
        frozen = option(decorator, "frozen") or option(decorator, "eq") or option(decorator, "unsafe_hash")
        if made_by != "dataclasses.dataclass" or frozen is not None:
            continue
        new: cst.BaseExpression
        argument = cst.parse_expression("f(frozen=True)")
        assert isinstance(argument, cst.Call)
        if isinstance(decorator, cst.Call):
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            before = [
                arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=comma) for arg in decorator.args
            ]
            new = decorator.with_changes(args=[*before, *argument.args])
        else:
            new = argument.with_changes(func=decorator)
        yield site.proposal(
            f"Freeze '{cls.name.value}': its objects can then be hashed", Grade.UNSAFE, {decorator: new}
        )


def _is_never_changed(site: Site, cls: cst.ClassDef) -> bool:
    """Whether the file assigns to no attribute named as a field of a class, and inherits from it nowhere."""
    names = {field.name for field in fields(cls)}
    for node in walk(site.tree.module):
        match node:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                if any(isinstance(each, cst.Attribute) and each.attr.value in names for each in walk(target)):
                    return False
            case cst.ClassDef(bases=inherited):
                if any(isinstance(each.value, cst.Name) and each.value.value == cls.name.value for each in inherited):
                    return False
            case cst.Call(func=cst.Name(value="setattr" | "delattr")):
                return False
    return not bases(site.tree, cls)
