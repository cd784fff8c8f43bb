"""Keeps the transformed method of an object with the object, in a `functools.cached_property`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.classes import bases, decorations
from jitlint.fixes.parts.creations import Creation, name_for
from jitlint.fixes.scopes import changed_in, free_names, local_names
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_HARMLESS_BASES = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol"})


def cached_in_object(site: Site, creation: Creation) -> Iterator[Proposal]:
    """Makes the transformed method when it is needed for the first time, and keeps it."""
    tree, call = site.tree, creation.node
    method, cls = tree.around(call, cst.FunctionDef), tree.around(call, cst.ClassDef)
    if not isinstance(call, cst.Call) or method is None or cls is None or method not in cls.body.body:
        return
    if free_names(call) & local_names(tree, call) != {"self"} or not _can_keep(site, cls):
        return
    message = "Keep the transformed method with its object"
    if _returns(method, call):
        for decorator in method.decorators:
            if isinstance(decorator.decorator, cst.Name) and decorator.decorator.value == "property":
                cached = cst.parse_expression(site.names.of("functools.cached_property"))
                yield site.proposal(message, Grade.UNSAFE, {decorator.decorator: cached})
        return
    if creation.statement is not None or method.name.value == "__init__":
        return
    cached_name = site.names.of("functools.cached_property")
    name = site.names.fresh(f"_{name_for(call, site)}")
    text = f"@{cached_name}\ndef {name}(self):\n{tree.indent}return {tree.code(call)}\n"
    new = tree.statements(text)[0].with_changes(leading_lines=method.leading_lines)
    changed = method.deep_replace(call, cst.Attribute(cst.Name("self"), cst.Name(name)))
    assert isinstance(changed, cst.FunctionDef)
    blank = [] if any(line.comment for line in method.leading_lines) else [cst.EmptyLine(indent=False)]
    if blank:
        replacement: Replacement = [new, changed.with_changes(leading_lines=blank)]
        yield site.proposal(message, Grade.UNSAFE, {method: replacement})


def _returns(method: cst.FunctionDef, call: cst.Call) -> bool:
    """Whether a method does nothing but return what is created."""
    body = method.body.body
    match body[-1]:
        case cst.SimpleStatementLine(body=[cst.Return(value=value)]):
            return value is call and len(body) <= 2
    return False


def _can_keep(site: Site, cls: cst.ClassDef) -> bool:
    """Whether an object can hold further attributes, and those that it has stay the same."""
    tree = site.tree
    known = {base.value.value for base in cls.bases if isinstance(base.value, cst.Name)}
    if cls.keywords or not bases(tree, cls) <= _HARMLESS_BASES or (known - {"object"} and not bases(tree, cls)):
        return False
    if "__slots__" in tree.code(cls) or "slots=True" in tree.code(cls):
        return False
    if any(name != "dataclasses.dataclass" for name, _ in decorations(tree, cls)):
        return False
    methods = [each for each in cls.body.body if isinstance(each, cst.FunctionDef)]
    if any("self" in changed_in(each) for each in methods if each.name.value not in ("__init__", "__post_init__")):
        return False
    fields = {attribute for each in methods for attribute in _assigned(each)}
    outside = {attribute for each in walk(tree.module) for attribute in _assigned_here(each)}
    return not fields & outside


def _assigned(method: cst.FunctionDef) -> Iterator[str]:
    for node in walk(method):
        match node:
            case cst.AssignTarget(target=cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name))):
                yield name


def _assigned_here(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case (
            cst.AssignTarget(target=cst.Attribute(value=value, attr=cst.Name(value=name)))
            | cst.AugAssign(target=cst.Attribute(value=value, attr=cst.Name(value=name)))
        ):
            if not (isinstance(value, cst.Name) and value.value == "self"):
                yield name
