"""Binds a changed copy of an immutable object where code assigns to its attribute: `state = state.replace(step=1)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.classes import bases, class_named, decorations, fields, lineage, value_named
from jitlint.fixes.scopes import bindings, parameters, scope_of, uses
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk

_OWN_METHOD = {
    "flax.struct.dataclass": "replace",
    "flax.struct.PyTreeNode": "replace",
    "flax.training.train_state.TrainState": "replace",
    "chex.dataclass": "replace",
    "typing.NamedTuple": "_replace",
    "typing_extensions.NamedTuple": "_replace",
    "collections.namedtuple": "_replace",
}
"""The methods that give a changed copy, by what makes a class."""
_NAMED_TUPLES = frozenset({"typing.NamedTuple", "collections.namedtuple"})
_OPERATORS = {
    cst.AddAssign: "+", cst.SubtractAssign: "-", cst.MultiplyAssign: "*", cst.DivideAssign: "/", cst.PowerAssign: "**",
    cst.FloorDivideAssign: "//", cst.ModuloAssign: "%", cst.MatrixMultiplyAssign: "@", cst.BitAndAssign: "&",
    cst.BitOrAssign: "|", cst.BitXorAssign: "^", cst.LeftShiftAssign: "<<", cst.RightShiftAssign: ">>",
}  # fmt: skip
_MAKING = frozenset({"replace", "_replace", "tree_at", "create", "init"})
_TIGHT = (cst.Multiply, cst.Divide, cst.MatrixMultiply, cst.Power, cst.FloorDivide, cst.Modulo)
_SIMPLE = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Integer, cst.Float)


def propose(site: Site) -> Iterator[Proposal]:
    """Binds the variable to a copy with another value of the attribute."""
    target = site.expression
    if not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
        return
    statement = next(site.tree.parents(target))
    if isinstance(statement, cst.Element):
        yield from _one_of_several(site, target, target.value)
        return
    if isinstance(statement, cst.AssignTarget):
        statement = next(site.tree.parents(statement))
    value = _value(site, statement, target)
    name, attribute = target.value, target.attr.value
    if value is None or not _keeps_copy(site, name):
        return
    copy = _copy(site, name.value, attribute, value)
    if copy is None:
        return
    new = cst.Assign([cst.AssignTarget(cst.Name(name.value))], _expression(site, copy), semicolon=_semicolon(statement))
    yield site.proposal(f"Bind a copy of '{name.value}' with another '{attribute}'", Grade.SAFE, {statement: new})


def _one_of_several(site: Site, target: cst.Attribute, variable: cst.Name) -> Iterator[Proposal]:
    """`state.key, part = split(…)`: a variable takes the value, and the statement below binds the copy."""
    tree, name = site.tree, variable.value
    line = tree.statement(target)
    match line:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements) as targets)]) as assignment]
        ) if any(each.value is target for each in elements) and tree.block(line) is not None:
            pass
        case _:
            return
    if not _keeps_copy(site, variable) or _is_bound_by(elements, name):
        return
    attribute = target.attr.value
    part = site.names.fresh(attribute, f"new_{attribute}")
    copy = _copy(site, name, attribute, part)
    if copy is None:
        return
    renamed = [each.with_changes(value=cst.Name(part)) if each.value is target else each for each in elements]
    parts = assignment.with_changes(targets=[cst.AssignTarget(targets.with_changes(elements=renamed))])
    below = tree.statements(f"{name} = {copy}\n")
    message = f"Bind a copy of '{name}' with another '{attribute}'"
    yield site.proposal(message, Grade.SAFE, {line: [line.with_changes(body=[parts]), *below]})


def _is_bound_by(elements: Sequence[cst.BaseElement], name: str) -> bool:
    """Whether targets of an assignment are more than variables and attributes, or bind a name."""
    plain = (cst.Name, cst.Attribute)
    return any(
        not isinstance(each, cst.Element)
        or not isinstance(each.value, plain)
        or (isinstance(each.value, cst.Name) and each.value.value == name)
        for each in elements
    )


def _expression(site: Site, text: str) -> cst.BaseExpression:
    return cst.parse_expression(text, site.tree.module.config_for_parsing)


def _semicolon(statement: cst.CSTNode) -> cst.Semicolon | cst.MaybeSentinel:
    assert isinstance(statement, (cst.Assign, cst.AnnAssign, cst.AugAssign))
    return statement.semicolon


def _value(site: Site, statement: cst.CSTNode, target: cst.Attribute) -> str | None:
    """What the attribute is to be, as text; None if the statement does more than assign it."""
    code = site.tree.code
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=found)], value=value) if found is target:
            bare = isinstance(value, (cst.Tuple, cst.Yield)) and not value.lpar
            return f"({code(value)})" if bare else code(value)
        case cst.AnnAssign(target=found, value=cst.BaseExpression() as value) if found is target:
            return code(value)
        case cst.AugAssign(target=found, operator=operator, value=value) if found is target:
            sign = _OPERATORS.get(type(operator))
            binds = sign in ("+", "-") and isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _TIGHT)
            simple = bool(value.lpar) or isinstance(value, _SIMPLE) or binds
            operand = code(value) if simple else f"({code(value)})"
            return f"{code(target)} {sign} {operand}" if sign is not None else None
    return None


def _keeps_copy(site: Site, name: cst.Name) -> bool:
    """Whether it is enough that a variable holds the copy: what else held the object does not need the change.

    The function has made the object, or it returns what the variable holds.
    """
    scope = scope_of(site.tree, name)
    if isinstance(scope, cst.ClassDef):
        return False
    if _is_made(site, scope, name.value):
        return True
    if not isinstance(scope, cst.FunctionDef) or scope.name.value in ("__init__", "__post_init__", "setup"):
        return False
    own = name.value in parameters(scope) or any(name.value in bindings(each) for each in scope.body.children)
    declared = any(isinstance(each, (cst.Global, cst.Nonlocal)) for each in walk(scope))
    return own and not declared and _is_returned(scope, name.value)


def _is_made(site: Site, scope: cst.CSTNode, name: str) -> bool:
    """Whether a variable holds nothing but objects that its function makes, or copies of them."""
    body = scope.body if isinstance(scope, cst.FunctionDef) else scope
    made = 0
    for use in uses(body, name):
        parents = site.tree.parents(use)
        match next(parents), next(parents):
            case cst.AssignTarget(), cst.Assign(targets=[_], value=cst.Call(func=function)):
                called = site.tree.code(function).rpartition(".")[2]
                made += called[:1].isupper() or called in _MAKING
    own = not isinstance(scope, cst.FunctionDef) or name not in parameters(scope)
    return own and made > 0 and made == sum(each == name for node in body.children for each in bindings(node))


def _is_returned(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function returns what a variable holds, or what a method such as `_replace` makes of it."""
    returned = [each.value for each in walk(function) if isinstance(each, cst.Return) and each.value is not None]
    return bool(returned) and all(any(_gives(part, name) for part in _parts(each)) for each in returned)


def _parts(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    match node:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return [part for each in elements for part in _parts(each.value)]
    return [node]


def _gives(node: cst.BaseExpression, name: str) -> bool:
    match node:
        case cst.Name(value=found):
            return found == name
        case cst.Call(func=cst.Attribute(value=cst.Name(value=found), attr=cst.Name(value="replace" | "_replace"))):
            return found == name
    return False


def _copy(site: Site, name: str, attribute: str, value: str) -> str | None:
    """The expression for a copy of an object, by what its class is."""
    tree = site.tree
    class_name = site.event.detail.get("class", "")
    cls = class_named(tree, class_name)
    if cls is None:
        made = value_named(tree, class_name)
        maker = site.names.qualified(made.func) if isinstance(made, cst.Call) else ""
        return f"{name}._replace({attribute}={value})" if maker in _NAMED_TUPLES else None
    declared = [field for each in lineage(tree, cls) for field in fields(each) if field.name == attribute]
    if not declared or any(_is_special(site, field.value) for field in declared):
        return None
    makers = bases(tree, cls) | {maker for each in lineage(tree, cls) for maker, _ in decorations(tree, each)}
    if "equinox.Module" in makers:
        optional = "None" in tree.code(declared[0].annotation) or "Optional" in tree.code(declared[0].annotation)
        tree_at = site.names.of("equinox.tree_at")
        return None if optional else f"{tree_at}(lambda {name}: {name}.{attribute}, {name}, {value})"
    for maker, method in _OWN_METHOD.items():
        if maker in makers:
            return f"{name}.{method}({attribute}={value})"
    if "dataclasses.dataclass" in makers:
        return f"{site.names.of('dataclasses.replace')}({name}, {attribute}={value})"
    return None


def _is_special(site: Site, value: cst.BaseExpression | None) -> bool:
    """Whether a field is declared with options that a copy may not change: it is static, or no parameter."""
    return isinstance(value, cst.Call) and any(word in site.tree.code(value) for word in ("static", "init=False"))
