"""Classes of a file: what makes them, and their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.names import Names
from jitlint.fixes.parts.values import assignment_of
from jitlint.fixes.scopes import scope_of
from jitlint.fixes.tree import Tree, walk


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a class declares: its annotation and the value that is written behind it."""

    name: str
    annotation: cst.BaseExpression
    value: cst.BaseExpression | None


def class_named(tree: Tree, name: str) -> cst.ClassDef | None:
    """The only class of a name in a file."""
    found = [each for each in walk(tree.module) if isinstance(each, cst.ClassDef) and each.name.value == name]
    return found[0] if len(found) == 1 else None


def value_named(tree: Tree, name: str) -> cst.BaseExpression | None:
    """What the module assigns to a name at its top level, if it does so once."""
    found = []
    for statement in tree.module.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value):
                    found += [value] if target == name else []
    return found[0] if len(found) == 1 else None


def decorations(tree: Tree, cls: cst.ClassDef) -> list[tuple[str, cst.BaseExpression]]:
    """The decorators of a class: their qualified names, "" where the file does not tell, and their expressions."""
    return [(_made_by(tree, each.decorator), each.decorator) for each in cls.decorators]


def _made_by(tree: Tree, node: cst.BaseExpression) -> str:
    """The function that a decorator is, whichever options it is given."""
    names = Names(tree)
    function = node.func if isinstance(node, cst.Call) else node
    name = names.qualified(function)
    if name == "functools.partial" and isinstance(node, cst.Call) and node.args:
        return names.qualified(node.args[0].value)
    if not name and isinstance(function, cst.Name):
        assigned = value_named(tree, function.value)
        return _made_by(tree, assigned) if isinstance(assigned, cst.Call) else ""
    return name


def lineage(tree: Tree, cls: cst.ClassDef, depth: int = 8) -> Iterator[cst.ClassDef]:
    """A class and those of the file that it inherits from."""
    yield cls
    for base in cls.bases if depth else ():
        inherited = class_named(tree, base.value.value) if isinstance(base.value, cst.Name) else None
        if inherited is not None and inherited is not cls:
            yield from lineage(tree, inherited, depth - 1)


def bases(tree: Tree, cls: cst.ClassDef) -> set[str]:
    """The qualified names of what a class and those that it inherits from have as bases, as far as the file tells."""
    names = Names(tree)
    return {names.qualified(_generic(base.value)) for each in lineage(tree, cls) for base in each.bases} - {""}


def _generic(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.value if isinstance(node, cst.Subscript) else node


def fields(cls: cst.ClassDef) -> list[Field]:
    """The annotated fields that a class itself declares."""
    found = []
    for statement in cls.body.body if isinstance(cls.body, cst.IndentedBlock) else ():
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            match small:
                case cst.AnnAssign(target=cst.Name(value=name), annotation=annotation, value=value):
                    found.append(Field(name, annotation.annotation, value))
    return found


def class_of(tree: Tree, given: cst.BaseExpression) -> str:
    """The name of the class of an object, or of those in a list, by how it is made or by an annotation; or ""."""
    match given:
        case cst.Call(func=cst.Name(value=name)):
            return name
        case cst.List(elements=[first, *_]) | cst.Tuple(elements=[first, *_]):
            return class_of(tree, first.value)
        case cst.ListComp(elt=element):
            return class_of(tree, element)
        case cst.Name():
            assignment = assignment_of(tree, given)
            if assignment is None:
                return _annotated(scope_of(tree, given), given.value)
            return class_of(tree, assignment.value) if assignment.value is not None else ""
    return ""


def _annotated(scope: cst.CSTNode, name: str) -> str:
    for node in walk(scope.params) if isinstance(scope, cst.FunctionDef) else ():
        match node:
            case cst.Param(name=cst.Name(value=found), annotation=cst.Annotation(annotation=cst.Name(value=cls))) if (
                found == name
            ):
                return cls
    return ""


def option(node: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """The value of a keyword in a call."""
    for arg in node.args if isinstance(node, cst.Call) else ():
        if arg.keyword is not None and arg.keyword.value == name:
            return arg.value
    return None


def is_true(node: cst.BaseExpression | None) -> bool:
    """Whether an expression is `True`."""
    return isinstance(node, cst.Name) and node.value == "True"
