"""Classes of the project: their bases, their fields, their decorators, and whether they are pytrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import NEVER, BoundMethod, Class, Const, External, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.objects import FieldFact
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """What a class is. `lineage` are its project classes in lookup order, `models` what is known of its library bases,
    `open` if something among its bases or decorators is not known. `sparse`: only fields that are arrays are leaves."""

    lineage: tuple[Class, ...]
    models: tuple[ClassModel, ...]
    externals: tuple[str, ...]
    fields: tuple[FieldFact, ...]
    open: bool
    named_tuple: bool
    enum: bool
    dataclass: bool
    pytree: bool
    frozen: bool
    sparse: bool
    static_numbers: bool


def lineage(cls: Class) -> tuple[Class, ...]:
    """A class and its project bases, in lookup order (depth first, later duplicates kept)."""
    if cls.lineage is None:
        cls.lineage = _lookup_order(cls)
    return cls.lineage


def _lookup_order(cls: Class) -> tuple[Class, ...]:
    order: list[Class] = []

    def visit(current: Class) -> None:
        if current in order:
            order.remove(current)
        order.append(current)
        for base in current.bases:
            if isinstance(base, Class) and base is not cls:
                visit(base)

    visit(cls)
    return tuple(order)


def class_facts(interp: Interpreter, cls: Class) -> ClassFacts:
    """What the class is. Decorations and registrations come after the body: what was known before one is forgotten."""
    known = interp.world.class_facts.get(cls)
    if known is None:
        known = interp.world.class_facts[cls] = _find_class_facts(interp, cls)
    return known


def forget_class_facts(interp: Interpreter) -> None:
    """A class was decorated, registered or opened."""
    interp.world.class_facts.clear()


def _find_class_facts(interp: Interpreter, cls: Class) -> ClassFacts:
    line = lineage(cls)
    externals: list[str] = []
    is_open = any(current.is_open for current in line)
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
    decorated = any(models.has_role(name, "dataclass") for name in decorations)
    is_dataclass = decorated or any(not model.decorator for model in known)
    pytree = named_tuple or any(model.pytree for model in known) or any(current.is_registered for current in line)
    return ClassFacts(
        lineage=line,
        models=tuple(known),
        externals=tuple(externals),
        fields=_all_fields(line, {name for current in line for name in current.static_fields}),
        open=is_open,
        named_tuple=named_tuple,
        enum=enum,
        dataclass=is_dataclass,
        pytree=pytree,
        frozen=any(model.frozen for model in known) or any(_is_frozen_dataclass(current) for current in line),
        sparse=any(model.sparse for model in known),
        static_numbers=any(model.static_numbers for model in known),
    )


def _is_frozen_dataclass(cls: Class) -> bool:
    for decorator in cls.code.decorators:
        if isinstance(decorator, ir.Call) and "dataclasses.dataclass" in cls.decorations:
            for argument in decorator.arguments:
                if argument.keyword == "frozen" and isinstance(argument.value, ir.Const):
                    return argument.value.value is True
    return False


def _all_fields(line: tuple[Class, ...], static: set[str]) -> tuple[FieldFact, ...]:
    found: dict[str, FieldFact] = {}
    for cls in reversed(line):
        if cls.declared is None:
            cls.declared = tuple(_declared_fields(cls))
        for field in cls.declared:
            found[field.name] = replace(field, static=True) if field.name in static else field
    return tuple(found.values())


def _declared_fields(cls: Class) -> Iterator[FieldFact]:
    """The fields of a class's own body."""
    for statement in cls.code.body:
        if not isinstance(statement, ir.AnnAssign) or not isinstance(statement.target, ir.Name):
            continue
        if not any(annotation_is(statement.annotation, word) for word in _NOT_FIELDS):
            name, default = statement.target.name, statement.value
            yield FieldFact(name, statement.annotation, default, _default_says_static(default), cls)


_NOT_FIELDS = ("ClassVar", "KW_ONLY", "AbstractVar", "AbstractClassVar")
"""Annotations of what is declared and no field: the last two are Equinox's, for subclasses to define."""


def annotation_is(node: ir.Expr, name: str) -> bool:
    if isinstance(node, ir.Subscript):
        return annotation_is(node.value, name)
    if isinstance(node, ir.Attribute):
        return node.name == name
    return isinstance(node, ir.Name) and node.name == name


def _default_says_static(node: ir.Expr | None) -> bool:
    """`field(static=True)`, `field(pytree_node=False)`, `field(metadata=dict(static=True))`, `static_field()`."""
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


def _metadata_says_static(node: ir.Expr) -> bool:
    if isinstance(node, ir.Call):
        return any(a.keyword == "static" for a in node.arguments)
    if isinstance(node, ir.DictDisplay):
        entries = [(k.value, v) for k, v in node.items if isinstance(k, ir.Const)]
        return any(k == "static" or (k == "pytree_node" and _is_false(v)) for k, v in entries)
    return False


def _is_false(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is False


# --- attributes -------------------------------------------------------------------------------------------------------


def class_attribute(interp: Interpreter, cls: Class, name: str) -> tuple[Value, Class] | None:
    """An attribute of a class, and the class that has it, found along its lineage."""
    for current in lineage(cls):
        value = current.fields.get(name)
        if value is not None and value is not NEVER:
            return value, current
    return None


def bind_self(interp: Interpreter, function: Value, receiver: Value, span: Span) -> Value:
    """A function found on a class as seen through an instance."""
    return BoundMethod(receiver, function, interp.loops, interp.site(span))


def declared_names(cls: Class) -> frozenset[str]:
    """The names that a class body declares with annotations."""
    body = cls.code.body
    return frozenset(s.target.name for s in body if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name))


def apply_class_decorator(interp: Interpreter, name: str, cls: Class) -> None:
    """A library's decorator is applied to a class."""
    cls.decorations.add(name)
    register_class(interp, name, cls, Args([cls]))


def call_class_decorator(interp: Interpreter, name: str, args: Args) -> Class | None:
    """The class that a call of a library's class decorator decorates; None if that is not what is called."""
    cls = args.positional[0] if args.positional else None
    model = interp.models.classes.get(name)
    if not isinstance(cls, Class) or not (
        interp.models.has_role(name, "dataclass") or (model is not None and model.decorator)
    ):
        return None
    apply_class_decorator(interp, name, cls)
    return cls


def register_class(interp: Interpreter, name: str, cls: Class, args: Args) -> None:
    """A class becomes a pytree by a registration."""
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
