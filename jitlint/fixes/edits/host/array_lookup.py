"""Python sequences, NumPy arrays and dicts that a traced value indexes become arrays of JAX where they are indexed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.host_calls import written
from jitlint.fixes.parts.nodes import put_alone, value_of
from jitlint.fixes.parts.numbers import is_array, is_number
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk

_MESSAGE = "Index an array of JAX"


def propose(site: Site) -> Iterator[Proposal]:
    """Makes an array of what is indexed."""
    subscript = _subscript(site)
    if subscript is None or _is_target(site, subscript):
        return
    text = _array(site, subscript)
    if text is None:
        return
    inner = site.tree.code(subscript.with_changes(value=cst.Name("_"), lpar=[], rpar=[]))
    replacements = put_alone(site.tree, subscript, f"{text}{inner[1:]}")
    if replacements is not None:
        yield site.proposal(_MESSAGE, Grade.UNSAFE, replacements)


def _subscript(site: Site) -> cst.Subscript | None:
    """What is indexed, with its index."""
    if site.event.kind is EventKind.HOST:
        return site.tree.at(site.event.place, cst.Subscript)
    index = site.expression
    if index is None:
        return None
    parents = site.tree.parents(index)
    match next(parents), next(parents, None), next(parents, None):
        case cst.Index(), cst.SubscriptElement(), cst.Subscript(slice=[_]) as subscript:
            return subscript
    return None


def _is_target(site: Site, subscript: cst.Subscript) -> bool:
    """Whether an item is assigned or called, and not read."""
    match next(site.tree.parents(subscript), None):
        case cst.AssignTarget() | cst.AnnAssign() | cst.Del():
            return True
        case cst.AugAssign(target=target):
            return target is subscript
        case cst.Call(func=func):
            return func is subscript
    return False


def _array(site: Site, subscript: cst.Subscript) -> str | None:
    """The array to index, as text."""
    value = subscript.value
    code = site.tree.code(value)
    if site.event.kind is EventKind.HASH:
        return _of_dict(site, value)
    if site.event.kind is EventKind.HOST:
        is_own = site.event.construct == "numpy.ndarray.__getitem__"
        return f"{written(site, subscript, 'jax.numpy.asarray')}({code})" if is_own else None
    if not _is_numbers(site, value, _computes(site, subscript)):
        return None
    name = "array" if isinstance(value, (cst.List, cst.Tuple, cst.ListComp)) else "asarray"
    return f"{written(site, subscript, f'jax.numpy.{name}')}({code})"


def _of_dict(site: Site, value: cst.BaseExpression) -> str | None:
    """The values of a dict whose keys are 0, 1, 2 …"""
    found = value_of(site.tree, value)
    if not isinstance(found, cst.Dict) or not found.elements or (found is not value and _changes(site, value)):
        return None
    values = []
    for at, element in enumerate(found.elements):
        if not isinstance(element, cst.DictElement) or site.tree.code(element.key) != str(at):
            return None
        values.append(element.value)
    if not all(_is_numbers(site, each, False) for each in values):
        return None
    array = written(site, value, "jax.numpy.array")
    if found is not value:
        return f"{array}(list({site.tree.code(value)}.values()))"
    return f"{array}([{', '.join(map(site.tree.code, values))}])"


def _changes(site: Site, name: cst.BaseExpression) -> bool:
    """Whether the file assigns an item of a variable, or calls one of its methods that may change it."""
    assert isinstance(name, cst.Name)
    for node in walk(site.tree.module):
        match node:
            case cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=value))) if value == name.value:
                return True
            case cst.Attribute(value=cst.Name(value=value), attr=cst.Name(value=method)) if value == name.value:
                if method not in ("get", "items", "keys", "values"):
                    return True
    return False


def _computes(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an expression is an operand: nothing but numbers and arrays can be one here."""
    match next(site.tree.parents(node), None):
        case cst.BinaryOperation(operator=operator):
            return isinstance(operator, (cst.Multiply, cst.Divide, cst.Subtract, cst.Power))
        case cst.UnaryOperation(operator=cst.Minus()):
            return True
    return False


def _is_numbers(site: Site, node: cst.BaseExpression, computes: bool) -> bool:
    """Whether a sequence holds numbers, or arrays; an element that may be anything counts if it is computed with."""
    if isinstance(node, cst.Subscript):
        return _is_numbers(site, node.value, computes)
    if isinstance(node, cst.Attribute):
        values = list(_values_of_attribute(site, node))
        return bool(values) and all(_is_numbers(site, each, computes) for each in values)
    value = value_of(site.tree, node)
    match value:
        case cst.List(elements=elements) | cst.Tuple(elements=elements):
            plain = all(isinstance(each, cst.Element) for each in elements)
            return plain and bool(elements) and all(_is_element(site, each.value, computes) for each in elements)
        case cst.ListComp(elt=element):
            return _is_element(site, element, computes)
    return value is not None and _is_element(site, value, False)


def _is_element(site: Site, node: cst.BaseExpression, computes: bool) -> bool:
    if isinstance(node, (cst.List, cst.Tuple, cst.ListComp)):
        return _is_numbers(site, node, computes)
    if is_number(site, node) or is_array(site, node):
        return True
    return computes and isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.BinaryOperation, cst.Call))


def _values_of_attribute(site: Site, node: cst.Attribute) -> Iterator[cst.BaseExpression]:
    """What the class around gives an attribute of its own: in its body, or `self.name = …`."""
    around = next((each for each in site.tree.parents(node) if isinstance(each, cst.ClassDef)), None)
    if around is None or not isinstance(node.value, cst.Name):
        return
    for each in walk(around):
        match each:
            case cst.AssignTarget(target=cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name))):
                if name == node.attr.value:
                    yield from _assigned(site, each)
            case cst.AssignTarget(target=cst.Name(value=name)) if name == node.attr.value:
                if next(p for p in site.tree.parents(each) if isinstance(p, (cst.ClassDef, cst.FunctionDef))) is around:
                    yield from _assigned(site, each)


def _assigned(site: Site, target: cst.AssignTarget) -> Iterator[cst.BaseExpression]:
    statement = next(site.tree.parents(target))
    if isinstance(statement, cst.Assign):
        yield statement.value
