"""Registers a class as a pytree, so that JAX traces the arrays in its objects; and makes arrays of sets of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.classes import Field, class_named, class_of, decorations, fields, option
from jitlint.fixes.parts.values import expression_at, is_bound
from jitlint.fixes.scopes import all_parameters
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_NUMBERS = frozenset({"int", "float", "complex"})
_ARRAYS = frozenset({"Array", "ArrayLike", "ndarray", "PyTree", "Params", "ArrayTree", "PRNGKey", "KeyArray"})
_CONTAINERS = frozenset({"list", "tuple", "dict", "List", "Tuple", "Dict", "Optional", "Union", "None", "Sequence"})
_STATIC = frozenset({"str", "bool", "Callable", "type", "bytes", "Literal"})
_SPECIAL = frozenset(
    {"__post_init__", "__slots__", "tree_flatten", "__setattr__", "__getattr__", "__iter__", "__new__"}
)
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def propose(site: Site) -> Iterator[Proposal]:
    """Makes of the argument of an event something that JAX can trace."""
    event = site.event
    given = expression_at(site.tree, event.place)
    if given is None or "function" in event.detail:
        return
    if event.construct == "set":
        yield from _sorted(site, given)
    elif event.construct == "object":
        cls = class_named(site.tree, class_of(site.tree, given))
        for integers_too in (False, True):
            classes = _pytrees(site, cls, integers_too) if cls is not None else None
            if classes:
                listed = " and ".join(f"'{each.name.value}'" for each in sorted(classes, key=site.tree.line))
                what = "pytrees" if len(classes) > 1 else "a pytree"
                message = f"Register {listed} as {what}: JAX then traces what its objects hold"
                yield site.proposal(message, Grade.UNSAFE, dict(classes.items()))


def _sorted(site: Site, given: cst.BaseExpression) -> Iterator[Proposal]:
    strings = any(isinstance(each, (cst.SimpleString, cst.FormattedString)) for each in walk(given))
    if strings or is_bound(site.tree, "sorted"):
        return
    array = site.names.of("jax.numpy.array")
    new = cst.parse_expression(f"{array}(sorted({site.tree.code(given)}))", site.tree.module.config_for_parsing)
    yield site.proposal("Make an array of the set, in order", Grade.UNSAFE, {given: new})


def _pytrees(
    site: Site, cls: cst.ClassDef, integers_too: bool, around: tuple[cst.ClassDef, ...] = ()
) -> dict[cst.ClassDef, cst.ClassDef] | None:
    """A class and those in its fields, registered: with integers traced or, where they are sizes, static."""
    if cls in around:
        return {}
    if not _can_be_registered(site, cls):
        return None
    makers = decorations(site.tree, cls)
    if not makers:
        return None if integers_too else _plain_class(site, cls)
    if [name for name, _ in makers] != ["dataclasses.dataclass"] or "slots=True" in site.tree.code(makers[0][1]):
        return None
    declared = fields(cls)
    static = [field for field in declared if _is_static(site, field, integers_too)]
    if len(static) == len(declared):
        return None
    found: dict[cst.ClassDef, cst.ClassDef] = {}
    for field in declared:
        for name in set() if field in static else _unknown_names(site, field):
            inner = class_named(site.tree, name)
            classes = _pytrees(site, inner, integers_too, (*around, cls)) if inner is not None else None
            if classes is None:
                return None
            found |= classes
    replacements: dict[cst.CSTNode, Replacement] = {}
    for field in static:
        replacements |= _made_static(site, cls, field)
    if len(replacements) < len(static):
        return None
    return found | {cls: _registered(site, cls, "register_dataclass", replacements)}


def _can_be_registered(site: Site, cls: cst.ClassDef) -> bool:
    special = any(isinstance(each, cst.Name) and each.value in _SPECIAL for each in walk(cls.body))
    within = any(isinstance(each, cst.ClassDef) for each in site.tree.parents(cls))
    return not (cls.bases or cls.keywords or special or within or not isinstance(cls.body, cst.IndentedBlock))


def _is_static(site: Site, field: Field, integers_too: bool) -> bool:
    names = _annotation_names(field)
    return bool(names) and names <= (_STATIC | {"None", "Optional"} | ({"int"} if integers_too else set()))


def _unknown_names(site: Site, field: Field) -> set[str]:
    """What an annotation names beside arrays, numbers, registered classes and containers of them."""
    names = _annotation_names(field) - _CONTAINERS - _NUMBERS - _ARRAYS
    return {name for name in names if not _is_registered(site, name)}


def _is_registered(site: Site, name: str) -> bool:
    cls = class_named(site.tree, name)
    return cls is not None and any("register" in site.tree.code(each.decorator) for each in cls.decorators)


def _annotation_names(field: Field) -> set[str]:
    """The last names of what an annotation consists of: {"Array"} for `jax.Array`."""
    found: set[str] = set()
    waiting: list[cst.CSTNode] = [field.annotation]
    while waiting:
        match waiting.pop():
            case cst.Attribute(attr=cst.Name(value=name)) | cst.Name(value=name):
                found.add(name)
            case cst.SimpleString(value=text):
                found.add(text.strip("\"'").rpartition(".")[2])
            case cst.Subscript(value=cst.Name(value="Literal" | "Callable" as name)):
                found.add(name)
            case node:
                waiting += node.children
    return found


def _made_static(site: Site, cls: cst.ClassDef, field: Field) -> dict[cst.CSTNode, Replacement]:
    """The replacement of a field's declaration that says that JAX shall not trace it."""
    statement = next(
        each
        for each in walk(cls)
        if isinstance(each, cst.AnnAssign) and isinstance(each.target, cst.Name) and each.target.value == field.name
    )
    metadata = cst.parse_expression("f(metadata=dict(static=True))")
    assert isinstance(metadata, cst.Call)
    function = cst.parse_expression(site.names.of("dataclasses.field"))
    value: cst.BaseExpression
    if field.value is None:
        value = metadata.with_changes(func=function)
    elif isinstance(field.value, cst.Call) and site.names.qualified(field.value.func) == "dataclasses.field":
        if option(field.value, "metadata") is not None:
            return {}
        before = [
            each if isinstance(each.comma, cst.Comma) else each.with_changes(comma=_COMMA) for each in field.value.args
        ]
        value = field.value.with_changes(args=[*before, *metadata.args])
    else:
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        default = cst.Arg(field.value, keyword=cst.Name("default"), equal=equal, comma=_COMMA)
        value = cst.Call(function, [default, *metadata.args])
    return {statement: statement.with_changes(value=value)}


def _registered(
    site: Site, cls: cst.ClassDef, function: str, replacements: dict[cst.CSTNode, Replacement], added: str = ""
) -> cst.ClassDef:
    """The class with a decorator that registers it, above those that it has."""
    register = cst.parse_expression(site.names.of(f"jax.tree_util.{function}"))
    methods = [each.with_changes(leading_lines=[cst.EmptyLine(indent=False)]) for each in site.tree.statements(added)]
    body = [*(_with_fields(each, replacements) for each in cls.body.body), *methods]
    decorators = [cst.Decorator(register), *cls.decorators]
    return cls.with_changes(decorators=decorators, body=cls.body.with_changes(body=body))


def _with_fields(statement: cst.CSTNode, replacements: dict[cst.CSTNode, Replacement]) -> cst.CSTNode:
    """A statement of a class with other declarations of fields."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return statement
    return statement.with_changes(body=[replacements.get(each, each) for each in statement.body])


def _plain_class(site: Site, cls: cst.ClassDef) -> dict[cst.ClassDef, cst.ClassDef] | None:
    """Registers a class whose `__init__` does nothing but keep its arguments."""
    names = _kept_arguments(site, cls)
    if not names:
        return None
    indent = site.tree.indent
    children = ", ".join(f"self.{name}" for name in names) + ("," if len(names) == 1 else "")
    text = (
        f"def tree_flatten(self):\n{indent}return ({children}), None\n"
        f"@classmethod\ndef tree_unflatten(cls, _, children):\n{indent}return cls(*children)\n"
    )
    return {cls: _registered(site, cls, "register_pytree_node_class", {}, text)}


def _kept_arguments(site: Site, cls: cst.ClassDef) -> Sequence[str]:
    """The arguments of `__init__`, if each is kept in the attribute of its name, and an object has no others."""
    methods = {each.name.value: each for each in cls.body.body if isinstance(each, cst.FunctionDef)}
    init = methods.get("__init__")
    if init is None or init.params.star_kwarg is not None or init.params.kwonly_params or init.params.posonly_params:
        return ()
    if isinstance(init.params.star_arg, cst.Param):
        return ()
    names = [each.name.value for each in all_parameters(init.params)[1:]]
    typed = {each.annotation.annotation for each in all_parameters(init.params) if each.annotation is not None}
    if any(_annotation_names(Field("", each, None)) & (_STATIC | {"int"}) for each in typed):
        return ()
    kept: list[str] = []
    for statement in init.body.body:
        match statement:
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
                kept += _kept(target, value)
            case cst.SimpleStatementLine(body=[cst.AnnAssign(target=target, value=cst.BaseExpression() as value)]):
                kept += _kept(target, value)
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
                continue
            case _:
                return ()
    own = [name for of_self, name in _assigned_attributes(cls) if of_self]
    everywhere = [name for _, name in _assigned_attributes(site.tree.module)]
    once = all(everywhere.count(name) == 1 for name in names)
    return names if sorted(kept) == sorted(names) == sorted(own) and once else ()


def _kept(target: cst.BaseExpression, value: cst.BaseExpression) -> list[str]:
    """The arguments that an assignment keeps: of `self.x = x`, and of `self.x, self.y = x, y`; "" for all else."""
    match target, value:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)), cst.Name(value=given):
            return [name if name == given else ""]
        case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
            pairs = zip(targets, values, strict=True)
            return [name for one, other in pairs for name in _kept(one.value, other.value)]
    return [""]


def _assigned_attributes(node: cst.CSTNode) -> list[tuple[bool, str]]:
    """The attributes that code assigns to, and whether they are those of `self`."""
    found = []
    for each in walk(node):
        match each:
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                targets = [part.value for part in target.elements] if isinstance(target, cst.Tuple) else [target]
                found += [
                    (isinstance(of, cst.Name) and of.value == "self", name)
                    for part in targets
                    if isinstance(part, cst.Attribute)
                    for of, name in [(part.value, part.attr.value)]
                ]
    return found
