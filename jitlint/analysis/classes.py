"""Classes of the project: their bases, their fields, how they are constructed, and whether they are pytrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jitlint import ir
from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.named_axes import DeclaredArray, declared_array
from jitlint.analysis.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Class,
    External,
    Function,
    Instance,
    List,
    Outside,
    Traced,
    Tuple,
    Unknown,
    Value,
)
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span

DATACLASSES = frozenset({"dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass", "attrs.define", "attr.s",
                        "attrs.frozen", "jax_dataclasses.pytree_dataclass", "attr.dataclass"})  # fmt: skip
_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum"})
_PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "builtins.type"})


@dataclass(frozen=True, slots=True)
class FieldFact:
    """A field declared in a class body."""

    name: str
    annotation: ir.Expr | None
    default: ir.Expr | None
    static: bool
    owner: Class


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
        cls.lineage = _lineage(cls)
    return cls.lineage


def _lineage(cls: Class) -> tuple[Class, ...]:
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


def facts(interp: Interpreter, cls: Class) -> ClassFacts:
    """What the class is. Decorations and registrations come after the body: what was known before one is forgotten."""
    known = interp.class_facts.get(cls)
    if known is None:
        known = interp.class_facts[cls] = _facts(interp, cls)
    return known


def changed(interp: Interpreter) -> None:
    """A class was decorated, registered or opened."""
    interp.class_facts.clear()


def _facts(interp: Interpreter, cls: Class) -> ClassFacts:
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
    named_tuple = any(name in ("typing.NamedTuple", "collections.namedtuple") for name in externals)
    enum = any(name in _ENUMS for name in externals)
    modelled = {model.name for model in known}
    is_open = is_open or any(
        name not in modelled and name not in _PLAIN_BASES and name not in _ENUMS and not name.startswith("typing.")
        for name in externals
    )
    is_dataclass = bool(decorations & DATACLASSES) or any(not model.decorator for model in known)
    pytree = named_tuple or any(model.pytree for model in known) or any(current.is_registered for current in line)
    return ClassFacts(
        lineage=line,
        models=tuple(known),
        externals=tuple(externals),
        fields=_fields(line, {name for current in line for name in current.static_fields}),
        open=is_open,
        named_tuple=named_tuple,
        enum=enum,
        dataclass=is_dataclass,
        pytree=pytree,
        frozen=any(model.frozen for model in known) or any(_frozen_dataclass(current) for current in line),
        sparse=any(model.sparse for model in known),
        static_numbers=any(model.static_numbers for model in known),
    )


def _frozen_dataclass(cls: Class) -> bool:
    for decorator in cls.code.decorators:
        if isinstance(decorator, ir.Call) and "dataclasses.dataclass" in cls.decorations:
            for argument in decorator.arguments:
                if argument.keyword == "frozen" and isinstance(argument.value, ir.Const):
                    return argument.value.value is True
    return False


def _fields(line: tuple[Class, ...], static: set[str]) -> tuple[FieldFact, ...]:
    found: dict[str, FieldFact] = {}
    for cls in reversed(line):
        if cls.declared is None:
            cls.declared = tuple(_declared(cls))
        for field in cls.declared:
            found[field.name] = replace(field, static=True) if field.name in static else field
    return tuple(found.values())


def _declared(cls: Class) -> Iterator[FieldFact]:
    """The fields of a class's own body."""
    for statement in cls.code.body:
        if not isinstance(statement, ir.AnnAssign) or not isinstance(statement.target, ir.Name):
            continue
        if not any(mentions(statement.annotation, word) for word in _NO_FIELDS):
            name, default = statement.target.name, statement.value
            yield FieldFact(name, statement.annotation, default, _static_default(default), cls)


_NO_FIELDS = ("ClassVar", "KW_ONLY", "AbstractVar", "AbstractClassVar")
"""Annotations of what is declared and no field: the last two are Equinox's, for subclasses to define."""


def mentions(node: ir.Expr, name: str) -> bool:
    if isinstance(node, ir.Subscript):
        return mentions(node.value, name)
    if isinstance(node, ir.Attribute):
        return node.name == name
    return isinstance(node, ir.Name) and node.name == name


def _static_default(node: ir.Expr | None) -> bool:
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
        if argument.keyword == "metadata" and _static_metadata(value):
            return True
    return False


def _static_metadata(node: ir.Expr) -> bool:
    if isinstance(node, ir.Call):
        return any(a.keyword == "static" for a in node.arguments)
    if isinstance(node, ir.DictDisplay):
        entries = [(k.value, v) for k, v in node.items if isinstance(k, ir.Const)]
        return any(k == "static" or (k == "pytree_node" and _is_false(v)) for k, v in entries)
    return False


def _is_false(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is False


def leaf_fields(interp: Interpreter, cls: Class) -> frozenset[str] | None:
    """The fields that are traced when an instance is an argument (empty: all); None if the class is no pytree."""
    known = facts(interp, cls)
    if not known.pytree:
        return None
    static = {field.name for field in known.fields if field.static}
    for current in known.lineage:
        static |= current.static_fields
    for model in known.models:
        static.update(model.static_fields)
    if not static:
        return frozenset()
    names = {name for current in known.lineage for name in current.code.locals} | {f.name for f in known.fields}
    for model in known.models:
        names.update(model.array_fields)
    return frozenset(names - static) or frozenset({""})


def children(interp: Interpreter, cls: Class) -> frozenset[str]:
    """The attributes that the project's flattening function gives as children; empty if that cannot be followed."""
    from jitlint.analysis.calls import call

    owner = next((current for current in lineage(cls) if current.by_functions), None)
    if owner is None:
        return frozenset()
    if cls.serial not in interp.children:
        interp.children[cls.serial] = frozenset()
        method = class_attribute(interp, cls, "tree_flatten") or class_attribute(interp, cls, "tree_flatten_with_keys")
        flatten = owner.flatten or (method[0] if method is not None else None)
        probe = Instance(cls, 0, (), cls.site, guessed=True)
        names = {*generic_instance(interp, cls).fields, *(field.name for field in facts(interp, cls).fields)}
        probe.fields.update({name: Outside() for name in names})
        if flatten is not None:
            saved = interp.save_context(interp.frames[cls.module])
            try:
                result = call(interp, flatten, Args([probe]), cls.code.name_span)
            finally:
                interp.restore_context(saved)
            given = _flat_identities(result.elements[0]) if isinstance(result, Tuple) and result.elements else set()
            interp.children[cls.serial] = frozenset(name for name, value in probe.fields.items() if id(value) in given)
    return interp.children[cls.serial]


def _flat_identities(value: Value) -> set[int]:
    content = value.content if isinstance(value, List) else value
    if isinstance(content, Tuple):
        return {identity for element in content.elements for identity in _flat_identities(element)}
    return {id(content)}


def array_annotation(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether a field is declared as an array."""
    for field in facts(interp, cls).fields:
        if field.name == name and field.annotation is not None:
            return array_type(evaluate_annotation(interp, field.owner, field.annotation))
    return False


def array_type(annotation: Value) -> bool:
    """Whether an annotation means an array."""
    if isinstance(annotation, External):
        return annotation.name == "jax.Array" or declared_array(annotation.name) is not None
    return False


def evaluate_annotation(interp: Interpreter, owner: Class | Function, node: ir.Expr) -> Value:
    """What an annotation names, in the scope where it stands; Unknown for anything but names and subscripts."""
    frame = interp.frame
    closure = owner.closure if isinstance(owner, Function) else interp.frames.get(owner.module)
    if closure is None:
        return UNKNOWN
    interp.frame = closure
    try:
        return _annotation(interp, node)
    finally:
        interp.frame = frame


def _annotation(interp: Interpreter, node: ir.Expr) -> Value:
    if isinstance(node, (ir.Name, ir.Attribute)):
        return interp.evaluate(node)
    if isinstance(node, ir.Const) and node.value is None:
        return NONE
    if isinstance(node, ir.Subscript):
        base = _annotation(interp, node.value)
        if isinstance(base, External):
            if base.name in ("typing.Optional",):
                return UNKNOWN
            if base.name == "typing.Annotated" and isinstance(node.item, ir.Display):
                return _annotation(interp, node.item.elements[0])
            declared = declared_array(base.name, node.item)
            if declared is not None:
                return declared
            return External(f"{base.name}[]")
        return base
    return UNKNOWN


# --- attributes -------------------------------------------------------------------------------------------------------


def class_attribute(interp: Interpreter, cls: Class, name: str) -> tuple[Value, Class] | None:
    """An attribute of a class, and the class that has it, found along its lineage."""
    for current in lineage(cls):
        value = current.fields.get(name)
        if value is not None and value is not NEVER:
            return value, current
    return None


# --- construction -----------------------------------------------------------------------------------------------------


def construct(interp: Interpreter, cls: Class, args: Args, span: Span) -> Value:
    """Calls a class."""
    from jitlint.analysis.calls import call

    known = facts(interp, cls)
    if known.named_tuple:
        return _named_tuple(interp, cls, known, args)
    if known.enum:
        return UNKNOWN
    instance = Instance(cls, interp.depth, interp.loops, interp.site(span))
    maker = class_attribute(interp, cls, "__new__")
    if maker is not None:
        call(interp, maker[0], Args([cls, *args.positional], args.keywords, args.rest, args.open_keywords), span)
    found = class_attribute(interp, cls, "__init__")
    if found is not None:
        call(interp, bind_self(interp, found[0], instance, span), args, span)
    elif known.dataclass and known.fields:
        passed = _fill_fields(interp, instance, known, args)
        post = class_attribute(interp, cls, "__post_init__")
        if post is not None:
            call(interp, bind_self(interp, post[0], instance, span), Args(passed), span)
    elif known.open:
        instance.guessed = True
    for name in {model.checks for model in known.models} - {""}:
        for owner in lineage(cls):
            check = owner.fields.get(name)
            if isinstance(check, Function):
                call(interp, bind_self(interp, check, instance, span), Args([]), span)
    return instance


def bind_self(interp: Interpreter, function: Value, receiver: Value, span: Span) -> Value:
    """A function found on a class as seen through an instance."""
    from jitlint.analysis.values import BoundMethod

    return BoundMethod(receiver, function, interp.loops, interp.site(span))


def _named_tuple(interp: Interpreter, cls: Class, known: ClassFacts, args: Args) -> Value:
    if args.rest is not None or args.open_keywords:
        return Tuple(tuple(args.rest or UNKNOWN for _ in known.fields), cls)
    return Tuple(tuple(_given(interp, args, i, f) for i, f in enumerate(known.fields)), cls)


def _given(interp: Interpreter, args: Args, position: int | None, field: FieldFact) -> Value:
    value = args.get(position, field.name)
    if value is None and field.default is not None:
        value = field_default(interp, field)
    return UNKNOWN if value is None else value


def field_default(interp: Interpreter, field: FieldFact) -> Value:
    """A dataclass field's default: the literal, or what `default=` or `default_factory=` gives."""
    from jitlint.analysis.calls import call

    node = field.default
    if node is None:
        return UNKNOWN
    called = (
        node.function.name if isinstance(node, ir.Call) and isinstance(node.function, (ir.Name, ir.Attribute)) else ""
    )
    if isinstance(node, ir.Call) and called in ("field", "static_field", "ib", "attrib"):
        for argument in node.arguments:
            value = evaluate_annotation_free(interp, field.owner, argument.value)
            if argument.keyword == "default":
                return value
            if argument.keyword in ("default_factory", "factory"):
                return call(interp, value, Args([]), node.span)
        return UNKNOWN
    return evaluate_annotation_free(interp, field.owner, node)


def evaluate_annotation_free(interp: Interpreter, owner: Class, node: ir.Expr) -> Value:
    """An expression of a class body, evaluated in the module's scope."""
    frame = interp.frame
    home = interp.frames.get(owner.module)
    if home is None:
        return UNKNOWN
    interp.frame = home
    try:
        return interp.evaluate(node)
    finally:
        interp.frame = frame


def _fill_fields(interp: Interpreter, instance: Instance, known: ClassFacts, args: Args) -> list[Value]:
    """Does what a dataclass's own `__init__` does. Gives the values for `__post_init__`: those of `InitVar`s."""
    passed: list[Value] = []
    position = 0
    for field in known.fields:
        if _left_out(field):
            value = _given(interp, Args([]), None, field)
        else:
            value = _given(interp, args, position, field)
            position += 1
        if field.annotation is not None and mentions(field.annotation, "InitVar"):
            passed.append(value)
        else:
            interp.store.set(instance, field.name, value)
    return passed


def _left_out(field: FieldFact) -> bool:
    """Whether a field is no parameter of `__init__`: `field(init=False)`."""
    arguments = field.default.arguments if isinstance(field.default, ir.Call) else ()
    return any(a.keyword == "init" and isinstance(a.value, ir.Const) and a.value.value is False for a in arguments)


def generic_instance(interp: Interpreter, cls: Class) -> Instance:
    """The instance on which methods are run that nobody in view calls: constructed once per class, from Unknown."""
    from jitlint.analysis.arguments import unknown_arguments
    from jitlint.analysis.calls import call
    from jitlint.analysis.signatures import signature

    found: Instance | None = interp.instances.get(cls.serial)
    if found is not None:
        return found
    instance = Instance(cls, 0, (), cls.site, guessed=True)
    interp.instances[cls.serial] = instance
    known = facts(interp, cls)
    for field in known.fields:
        instance.fields[field.name] = UNKNOWN
    for name in ("__init__", "__post_init__", "setup"):
        method = class_attribute(interp, cls, name)
        if method is not None and isinstance(method[0], Function):
            callee = bind_self(interp, method[0], instance, cls.code.span)
            target = signature(interp, callee)
            if target is not None:
                call(interp, callee, unknown_arguments(interp, target), cls.code.span)
    return instance


def traced_instance(interp: Interpreter, cls: Class, tracer: Traced) -> Value:
    """An argument of a traced function that is only known to be an instance of a pytree class."""
    known = facts(interp, cls)
    if known.named_tuple:
        return Tuple(tuple(_leaf(interp, f, tracer) for f in known.fields), cls)
    base = generic_instance(interp, cls)
    instance = Instance(cls, tracer.depth, (), base.site, guessed=True)
    instance.fields.update(base.fields)
    names = leaf_fields(interp, cls) or frozenset()
    static = {f.name for f in known.fields if f.static}
    for current in known.lineage:
        static |= current.static_fields
    by_functions = any(current.by_functions for current in known.lineage)
    for name in children(interp, cls):
        instance.fields[name] = tracer.replace(param="", tree=True)
    for field in known.fields:
        if field.name in static or (names and field.name not in names):
            continue
        if (known.sparse or by_functions) and not array_annotation(interp, cls, field.name):
            continue
        instance.fields[field.name] = _leaf(interp, field, tracer)
    for model in known.models:
        for name in model.array_fields:
            instance.fields[name] = tracer.part(tree=name != "step")
    instance.traced = tracer
    return instance


def _leaf(interp: Interpreter, field: FieldFact, tracer: Traced) -> Value:
    annotation = evaluate_annotation(interp, field.owner, field.annotation) if field.annotation is not None else UNKNOWN
    if isinstance(annotation, Class) and facts(interp, annotation).pytree:
        return traced_instance(interp, annotation, tracer)
    if isinstance(annotation, (Unknown, Class)):
        return tracer.part(tree=True)
    if isinstance(annotation, DeclaredArray):
        return tracer.part(tree=False, dtype=annotation.dtype, rank=annotation.rank)
    if isinstance(annotation, External):
        kind = annotation.name.rpartition(".")[2]
        leaf = array_type(annotation) or kind in ("int", "float", "bool", "ndarray", "ArrayLike")
        if kind in ("str", "Callable", "Callable[]"):
            return UNKNOWN
        return tracer.part(tree=not leaf, dtype=kind if kind in ("int", "float", "bool") else None)
    return tracer.part(tree=True)
