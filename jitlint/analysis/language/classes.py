"""Classes of the project: their bases, fields and decorators, and whether their instances are pytrees.

`class_facts` says what a class is. It is found out once and forgotten when a class changes, since decorators and
registrations (`register_pytree_node(Class, …)`) come after the body. instances.py makes instances, definitions.py runs
the `class` statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from jitlint import ir
from jitlint.analysis.machine.buffers import is_number
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.limits import MAX_LINEAGE
from jitlint.analysis.values import (
    NEVER,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Member,
    Partial,
    Static,
    Value,
)
from jitlint.analysis.values.objects import FieldFact
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """What a class is, with all that it inherits."""

    lineage: tuple[Class, ...]
    """The class and its project bases, in the order in which attributes are looked up."""
    models: tuple[ClassModel, ...]
    """What is known of the library bases and decorators of the lineage."""
    externals: tuple[str, ...]
    """The qualified names of the library bases."""
    fields: tuple[FieldFact, ...]
    """The fields that the bodies declare, those of the bases first."""
    open: bool
    """Whether a base or decorator is not known, so that the class may have more than is in view."""
    named_tuple: bool
    """Whether instances are tuples."""
    typed_dict: bool
    """Whether it only describes dicts: what a call of it gives is a plain one."""
    enum: bool
    """Whether the names that the body binds are members."""
    dataclass: bool
    """Whether `__init__` is generated from the fields."""
    pytree: bool
    """Whether an instance as an argument of a traced function has traced leaves."""
    frozen: bool
    """Whether attributes cannot be assigned once the instance is made."""
    frozen_names: frozenset[str] | None
    """The attributes that this holds for; None if it is all of them.

    A frozen dataclass refuses its fields only, once a plain class inherits from it.
    """
    sparse: bool
    """Whether only attributes that are arrays are leaves."""
    static_numbers: bool
    """Whether attributes that are Python numbers are no leaves."""
    without_buffers: frozenset[str]
    """The fields that hold Python numbers, or are static: none of them holds an array."""


def lineage(cls: Class) -> tuple[Class, ...]:
    """A class and its project bases, in the order in which attributes are looked up."""
    if cls.lineage is None:
        cls.lineage = _lookup_order(cls)
    return cls.lineage


def _lookup_order(cls: Class) -> tuple[Class, ...]:
    """A class and its project bases, depth first; of a base that is reached twice, the last place counts."""
    seen: set[int] = set()  # of MAX_LINEAGE classes at most
    last_first: list[Class] = []

    def visit(current: Class) -> None:
        seen.add(current.serial)
        for base in reversed(current.bases):
            if isinstance(base, Class) and base.serial not in seen and len(seen) < MAX_LINEAGE:
                visit(base)
        last_first.append(current)

    visit(cls)
    return tuple(reversed(last_first))


def class_facts(interp: Interpreter, cls: Class) -> ClassFacts:
    """What the class is: found out when it is first asked for, and again after `forget_class_facts`."""
    known = interp.world.class_facts.get(cls)
    if known is None:
        known = interp.world.class_facts[cls] = _find_class_facts(interp, cls)
    return known


def forget_class_facts(interp: Interpreter) -> None:
    """Forgets the facts of all classes: one was decorated, registered or opened, and others may inherit from it."""
    interp.world.class_facts.clear()


def _find_class_facts(interp: Interpreter, cls: Class) -> ClassFacts:
    """Finds out what the class is, from its bases, its decorators and the models of both."""
    line = lineage(cls)
    externals: list[str] = []
    is_open = any(current.is_open for current in line) or len(line) == MAX_LINEAGE
    for current in line:
        for base in current.bases:
            if isinstance(base, External):
                externals.append(base.name)
            elif not isinstance(base, Class):
                is_open = True
    decorations = {name for current in line for name in current.decorations}
    known = [interp.models.classes[name] for name in (*externals, *decorations) if name in interp.models.classes]
    models = interp.models
    named_tuple = any(models.has_role(name, "named-tuple") for name in externals)
    enum = any(models.has_role(name, "enum") for name in externals)
    modelled = {model.name for model in known}
    is_open = is_open or any(
        name not in modelled
        and not models.has_role(name, "plain-base")
        and not models.has_role(name, "enum")
        and not name.startswith("typing.")
        for name in externals
    )
    is_open = is_open or any(
        name not in modelled
        and not any(models.has_role(name, role) for role in _KNOWN_DECORATORS)
        and not name.startswith("typing.")
        for name in decorations
    )
    decorated = any(models.has_role(name, "dataclass") for name in decorations)
    is_dataclass = decorated or any(not model.decorator for model in known)
    by_base = any(_is_frozen_by_base(interp, current) for current in line)
    by_decorator = tuple(current for current in line if _is_frozen_by_decorator(interp, current))
    frozen_fields = (field.name for field in _all_fields(interp, by_decorator, set()))
    pytree = named_tuple or _is_registered(interp, cls, line, externals)
    fields = _all_fields(interp, line, {name for current in line for name in current.static_fields})
    return ClassFacts(
        lineage=line,
        models=tuple(known),
        externals=tuple(externals),
        fields=fields,
        open=is_open,
        named_tuple=named_tuple,
        typed_dict=any(models.has_role(name, "typed-dict") for name in externals),
        enum=enum,
        dataclass=is_dataclass,
        pytree=pytree,
        frozen=by_base or bool(by_decorator),
        frozen_names=None if by_base or cls in by_decorator else frozenset(frozen_fields),
        sparse=any(model.sparse for model in known),
        static_numbers=any(model.static_numbers for model in known),
        without_buffers=frozenset(each.name for each in fields if each.static or is_number(each.annotation)),
    )


def _is_registered(interp: Interpreter, cls: Class, line: tuple[Class, ...], externals: Sequence[str]) -> bool:
    """Whether JAX knows a class: by a base of a library, or by itself. Its own bases' registration is not enough.

    A base that has a hook for its subclasses may register them there.
    """
    hooked = any("__init_subclass__" in base.fields for base in line)
    registered = line if hooked else (cls,)
    names = (*externals, *(name for each in registered for name in each.decorations))
    models = (interp.models.classes[name] for name in names if name in interp.models.classes)
    return any(model.pytree for model in models) or any(each.is_registered for each in registered)


_KNOWN_DECORATORS = ("plain-decorator", "dataclass", "registers-pytree")
"""Roles of class decorators of which we know what they make of a class."""


OTHER_OPTIONS: Final = "**"
"""The name under which the options of a class stand for those that are given, but not in view: `**options`."""


def class_option(options: Mapping[str, Value], name: str, default: bool) -> bool | None:
    """What an option of a class or its decorator is: `frozen=True`. None if it is given, but not known."""
    value = options.get(name, options.get(OTHER_OPTIONS))
    if value is None:
        return default
    return value.value if isinstance(value, Const) and isinstance(value.value, bool) else None


def _is_frozen_by_base(interp: Interpreter, cls: Class) -> bool:
    """Whether what the class inherits from a library refuses assignments.

    `class State(flax.struct.PyTreeNode, frozen=False)` says that it does not.
    """
    models = [interp.models.classes.get(base.name) for base in cls.bases if isinstance(base, External)]
    frozen = any(model is not None and model.frozen for model in models)
    return frozen and class_option(cls.options, "frozen", default=True) is True


def _is_frozen_by_decorator(interp: Interpreter, cls: Class) -> bool:
    """Whether a decorator makes the class refuse assignments, by itself or because of its option `frozen=True`."""
    models = interp.models.classes
    return any(
        class_option(options, "frozen", default=name in models and models[name].frozen) is True
        for name, options in cls.decorations.items()
        if decorates_classes(interp, name)
    )


def decorates_classes(interp: Interpreter, name: str) -> bool:
    """Whether a library's function is a decorator of classes of which the models tell something."""
    model = interp.models.classes.get(name)
    return interp.models.has_role(name, "dataclass") or (model is not None and model.decorator)


def _all_fields(interp: Interpreter, line: tuple[Class, ...], static: set[str]) -> tuple[FieldFact, ...]:
    """The fields of a class and its bases, as a dataclass has them: the bases' first, overridden ones in place."""
    found: dict[str, FieldFact] = {}
    for cls in reversed(line):
        if cls.declared is None:
            cls.declared = ()  # as long as an annotation asks for an attribute of the class itself
            cls.declared = tuple(_declared_fields(interp, cls))
        for field in cls.declared:
            found[field.name] = replace(field, static=True) if field.name in static else field
    return tuple(found.values())


def _declared_fields(interp: Interpreter, cls: Class) -> Iterator[FieldFact]:
    """The fields that a class's own body declares: `name: annotation = default`."""
    for statement in cls.code.body:
        if not isinstance(statement, ir.AnnAssign) or not isinstance(statement.target, ir.Name):
            continue
        if not any(annotation_is(statement.annotation, word) for word in _NOT_FIELDS):
            name, default = statement.target.name, statement.value
            static = (
                _default_says_static(default)
                or _maker_says_static(interp, cls, default)
                or _annotation_says_static(interp, cls, statement.annotation)
            )
            yield FieldFact(name, statement.annotation, default, static, cls)


_NOT_FIELDS = ("ClassVar", "KW_ONLY", "AbstractVar", "AbstractClassVar")
"""Annotations of names that a class declares without a field; subclasses define the last two (Equinox)."""


def annotation_is(node: ir.Expr, name: str) -> bool:
    """Whether an annotation is `name` or `name[…]`, with any prefix: `typing.ClassVar[int]`."""
    if isinstance(node, ir.Subscript):
        return annotation_is(node.value, name)
    if isinstance(node, ir.Attribute):
        return node.name == name
    return isinstance(node, ir.Name) and node.name == name


def declares_sequence(annotation: ir.Expr) -> bool:
    """Whether an annotation is one of tuples or lists, or of None."""
    if isinstance(annotation, ir.Binary):
        return declares_sequence(annotation.left) or declares_sequence(annotation.right)
    return any(annotation_is(annotation, name) for name in ("tuple", "Tuple", "list", "List", "Sequence"))


def _default_says_static(node: ir.Expr | None) -> bool:
    """Whether a field's default makes it static.

    `field(static=True)`, `field(pytree_node=False)`, `field(metadata=dict(static=True))`, `static_field()`,
    `jax.tree.static()`. Of all functions called `field`, that of `flax.struct` alone takes an argument by position:
    `pytree_node`.
    """
    if not isinstance(node, ir.Call):
        return False
    called = node.function.name if isinstance(node.function, (ir.Name, ir.Attribute)) else ""
    if called in ("static_field", "static"):
        return True
    if called == "field" and node.arguments and not node.arguments[0].keyword and _is_false(node.arguments[0].value):
        return True
    for argument in node.arguments:
        value = argument.value
        if argument.keyword == "static" and isinstance(value, ir.Const) and value.value is True:
            return True
        if argument.keyword == "pytree_node" and _is_false(value):
            return True
        if argument.keyword == "metadata" and _metadata_says_static(value):
            return True
    return False


def _maker_says_static(interp: Interpreter, cls: Class, node: ir.Expr | None) -> bool:
    """Whether a field's default is a call of what the module itself has made for static fields.

    `hidden = partial(struct.field, pytree_node=False)`, or a function that returns such a field.
    """
    if not isinstance(node, ir.Call) or not isinstance(node.function, ir.Name):
        return False
    maker = interp.world.frames[cls.module].fields.get(node.function.name)
    if isinstance(maker, Partial):
        says = {name: value.value for name, value in maker.keywords.items() if isinstance(value, Const)}
        first = maker.positional[0] if maker.positional else None
        by_position = isinstance(first, Const) and first.value is False
        return by_position or says.get("pytree_node") is False or says.get("static") is True
    if isinstance(maker, Function):
        body = interp.project.body(maker.code)
        return bool(body) and isinstance(body[-1], ir.Return) and _default_says_static(body[-1].value)
    return False


def _annotation_says_static(interp: Interpreter, cls: Class, node: ir.Expr) -> bool:
    """Whether a field's annotation is one that a library has for static fields: `jax_dataclasses.Static[int]`."""
    if not isinstance(node, ir.Subscript) or not isinstance(node.value, (ir.Name, ir.Attribute)):
        return False
    frame, interp.frame = interp.frame, interp.world.frames[cls.module]
    try:
        annotation = interp.evaluate(node.value)
    finally:
        interp.frame = frame
    return isinstance(annotation, External) and interp.models.has_role(annotation.name, "static-annotation")


def _metadata_says_static(node: ir.Expr) -> bool:
    """Whether `metadata=` of a field makes it static: `dict(static=…)`, `{"pytree_node": False}`."""
    if isinstance(node, ir.Call):
        return any(a.keyword == "static" for a in node.arguments)
    if isinstance(node, ir.DictDisplay):
        entries = [(k.value, v) for k, v in node.items if isinstance(k, ir.Const)]
        return any(k == "static" or (k == "pytree_node" and _is_false(v)) for k, v in entries)
    return False


def _is_false(node: ir.Expr) -> bool:
    """Whether an expression is the literal `False`."""
    return isinstance(node, ir.Const) and node.value is False


# --- attributes -------------------------------------------------------------------------------------------------------


def class_attribute(interp: Interpreter, cls: Class, name: str) -> tuple[Value, Class] | None:
    """An attribute of a class, and the class of its lineage that has it; None if none has it."""
    for current in lineage(cls):
        value = current.fields.get(name)
        if value is not None and value is not NEVER:
            return value, current
    return None


def bind_self(interp: Interpreter, function: Value, receiver: Value, span: Span) -> Value:
    """A function that was found on a class, bound to the instance (or class) through which it was reached."""
    return BoundMethod(receiver, function, interp.loops, interp.site(span))


def declared_names(cls: Class) -> frozenset[str]:
    """The names that a class body declares with annotations."""
    body = cls.code.body
    return frozenset(s.target.name for s in body if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name))


_PLAIN_ENUMS: Final = {
    "enum.IntEnum": "int",
    "enum.IntFlag": "int",
    "enum.StrEnum": "str",
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.str": "str",
}
"""The bases that make members of an enum numbers or texts, and which."""


def plain_member(interp: Interpreter, value: Value) -> Value:
    """The number or text that the member of such an enum is, for operators and for JAX; other values as they are."""
    if not isinstance(value, Member):
        return value
    bases = class_facts(interp, value.cls).externals
    kind = next((_PLAIN_ENUMS[base] for base in bases if base in _PLAIN_ENUMS), "")
    if not kind:
        return value
    known = isinstance(value.value, Const) and type(value.value.value).__name__ == kind
    return value.value if known else Static(kind)
