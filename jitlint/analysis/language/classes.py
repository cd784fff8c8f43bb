"""Classes of the project: their bases, fields and decorators, and whether their instances are pytrees.

`class_facts` says what a class is. It is found out once and forgotten when a class changes, since decorators and
registrations (`register_pytree_node(Class, …)`) come after the body. instances.py makes instances, definitions.py runs
the `class` statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.limits import MAX_LINEAGE
from jitlint.analysis.values import NEVER, BoundMethod, Class, Const, External, Function, Partial, Tuple, Value
from jitlint.analysis.values.args import Args
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
    enum: bool
    """Whether the names that the body binds are members."""
    dataclass: bool
    """Whether `__init__` is generated from the fields."""
    pytree: bool
    """Whether an instance as an argument of a traced function has traced leaves."""
    frozen: bool
    """Whether attributes cannot be assigned once the instance is made."""
    sparse: bool
    """Whether only attributes that are arrays are leaves."""
    static_numbers: bool
    """Whether attributes that are Python numbers are no leaves."""


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
    pytree = named_tuple or any(model.pytree for model in known) or any(current.is_registered for current in line)
    return ClassFacts(
        lineage=line,
        models=tuple(known),
        externals=tuple(externals),
        fields=_all_fields(interp, line, {name for current in line for name in current.static_fields}),
        open=is_open,
        named_tuple=named_tuple,
        enum=enum,
        dataclass=is_dataclass,
        pytree=pytree,
        frozen=any(model.frozen for model in known) or any(_is_frozen_dataclass(current) for current in line),
        sparse=any(model.sparse for model in known),
        static_numbers=any(model.static_numbers for model in known),
    )


_KNOWN_DECORATORS = ("plain-decorator", "dataclass", "registers-pytree")
"""Roles of class decorators of which we know what they make of a class."""


def _is_frozen_dataclass(cls: Class) -> bool:
    """Whether the class is decorated with `@dataclasses.dataclass(frozen=True)`."""
    for decorator in cls.code.decorators:
        if isinstance(decorator, ir.Call) and "dataclasses.dataclass" in cls.decorations:
            for argument in decorator.arguments:
                if argument.keyword == "frozen" and isinstance(argument.value, ir.Const):
                    return argument.value.value is True
    return False


def _all_fields(interp: Interpreter, line: tuple[Class, ...], static: set[str]) -> tuple[FieldFact, ...]:
    """The fields of a class and its bases, as a dataclass has them: the bases' first, overridden ones in place."""
    found: dict[str, FieldFact] = {}
    for cls in reversed(line):
        if cls.declared is None:
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
            static = _default_says_static(default) or _maker_says_static(interp, cls, default)
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


def _default_says_static(node: ir.Expr | None) -> bool:
    """Whether a field's default makes it static.

    `field(static=True)`, `field(pytree_node=False)`, `field(metadata=dict(static=True))`, `static_field()`.
    """
    if not isinstance(node, ir.Call):
        return False
    called = node.function.name if isinstance(node.function, (ir.Name, ir.Attribute)) else ""
    if called == "static_field":
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
        return says.get("pytree_node") is False or says.get("static") is True
    if isinstance(maker, Function):
        body = interp.project.body(maker.code)
        return bool(body) and isinstance(body[-1], ir.Return) and _default_says_static(body[-1].value)
    return False


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


def apply_class_decorator(interp: Interpreter, name: str, cls: Class) -> None:
    """Notes that a library's decorator is applied to a class; it may be a registration, too."""
    cls.decorations.add(name)
    register_class(interp, name, cls, Args([cls]))


def call_class_decorator(interp: Interpreter, name: str, args: Args) -> Class | None:
    """Calls a library's class decorator as a function: `dataclass(Class)`. Returns the class.

    None if `name` is no decorator of classes, or the first argument no class of the project.
    """
    cls = args.positional[0] if args.positional else None
    model = interp.models.classes.get(name)
    if not isinstance(cls, Class) or not (
        interp.models.has_role(name, "dataclass") or (model is not None and model.decorator)
    ):
        return None
    apply_class_decorator(interp, name, cls)
    return cls


def register_class(interp: Interpreter, name: str, cls: Class, args: Args) -> None:
    """Notes what a registration makes of a class, if `name` is one: a pytree, with some fields static.

    `register_dataclass(Class, data_fields=[…], meta_fields=["name"])`; `register_pytree_node(Class, flatten,
    unflatten)`.
    """
    models = interp.models
    if models.has_role(name, "registers-pytree"):
        cls.is_registered = True
        cls.by_functions = models.has_role(name, "registers-by-functions")
        if cls.by_functions and len(args.positional) > 1:
            cls.flatten = args.positional[1]
        meta = args.keywords.get("meta_fields")
        content = getattr(meta, "content", meta)
        if isinstance(content, Tuple):
            names = {e.value for e in content.elements if isinstance(e, Const) and isinstance(e.value, str)}
            cls.static_fields = cls.static_fields | names
        if models.has_role(name, "registers-static"):
            cls.static_fields = cls.static_fields | declared_names(cls)
    forget_class_facts(interp)
