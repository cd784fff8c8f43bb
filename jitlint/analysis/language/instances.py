"""Instances of project classes: made by a call, or assumed where their maker is not in view.

Three kinds: `instantiate` calls the class; `generic_instance` stands for any instance, for methods that nothing in view
calls; `traced_instance` is what a traced function gets for a pytree argument, with tracers in its fields.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.annotations import (
    declared_container,
    evaluate_annotation,
    evaluate_in_module_scope,
    is_array_annotation,
    is_array_field,
)
from jitlint.analysis.language.classes import (
    ClassFacts,
    annotation_is,
    bind_self,
    class_attribute,
    class_facts,
    declares_sequence,
    lineage,
)
from jitlint.analysis.language.signatures import Signature, signature_of
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.machine.options import as_default, as_typed, left_open, note_empty, note_field, note_type
from jitlint.analysis.values import (
    PARSED,
    UNKNOWN,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Function,
    Instance,
    List,
    Member,
    OneOfArguments,
    Parsed,
    Sequence,
    Static,
    Traced,
    Tuple,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    is_none,
    look,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, with_new_identity
from jitlint.analysis.values.joins import alternatives, join, offered_like
from jitlint.analysis.values.named_axes import DeclaredArray
from jitlint.analysis.values.objects import FieldFact
from jitlint.analysis.values.outside import DATACLASS_FIELD
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def leaf_fields(interp: Interpreter, cls: Class) -> frozenset[str] | None:
    """The fields that are traced when an instance is an argument of a traced function.

    Empty if that is all of them; None if the class is no pytree, so that JAX refuses it.
    """
    known = class_facts(interp, cls)
    if not known.pytree:
        return None
    if any(current.is_static for current in known.lineage):
        return frozenset({""})
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


def crossing_fields(interp: Interpreter, instance: Instance) -> dict[str, Value]:
    """The attributes that an object has after JAX has taken it apart and put it together again.

    Values of cached properties are not among them: the new object computes them again.
    """
    found = {}
    for name, value in instance.fields.items():
        attribute = class_attribute(interp, instance.cls, name)
        if attribute is None or not isinstance(attribute[0], Descriptor) or attribute[0].kind != "cached_property":
            found[name] = value
    return found


def pytree_children(interp: Interpreter, cls: Class) -> dict[str, bool] | None:
    """The attributes that the project's own flattening function may give as children; None if that cannot be followed.

    The function is called with an instance whose fields are all different unknown values; those that come back in the
    first element of its result are the children.

    Returns:
        For each name whether it is a child of every instance, not only of some.
    """
    owner = next((current for current in lineage(cls) if current.by_functions), None)
    if owner is None:
        return None
    found = interp.unit.pytree_children
    if cls.serial not in found:
        found[cls.serial] = None
        method = class_attribute(interp, cls, "tree_flatten") or class_attribute(interp, cls, "tree_flatten_with_keys")
        flatten = owner.flatten or (method[0] if method is not None else None)
        # its key is that of no other instance, or the call would get the remembered result of another one's fields
        probe = Instance(cls, 0, (), cls.site)
        names = {*generic_instance(interp, cls).fields, *(field.name for field in class_facts(interp, cls).fields)}
        probe.fields.update({name: UnknownArgument(frozenset({f"part {name}"})) for name in names})
        if flatten is not None:
            saved = interp.enter_module(interp.world.frames[cls.module])
            try:
                result = call(interp, flatten, Args([probe]), cls.code.name_span)
            finally:
                interp.return_to(saved)
            children = content_of(result.elements[0] if isinstance(result, Tuple) and result.elements else UNKNOWN)
            sure, possible = _identities_within(children, False), _identities_within(children, True)
            named = {name: id(value) in sure for name, value in probe.fields.items() if id(value) in possible}
            found[cls.serial] = named if named or (isinstance(children, Tuple) and not children.elements) else None
    return found[cls.serial]


def _identities_within(value: Value, possible: bool) -> set[int]:
    """The identities of the values in nested tuples and lists.

    Args:
        value: a value that may be a container.
        possible: whether those count, too, that are there only on some paths, or in one of several places.
    """
    content = content_of(value)
    parts: tuple[Value, ...]
    if isinstance(content, Tuple):
        parts = content.elements
    elif isinstance(content, Dict):
        parts = tuple(content.entries.values())
    elif possible and isinstance(content, Sequence):
        parts = (content.element,)
    elif possible and isinstance(content, (Union, OneOfArguments)):
        parts = content.alternatives if isinstance(content, Union) else content.parts
    else:
        return {id(content)}
    return {identity for part in parts for identity in _identities_within(part, possible)}


def instantiate(interp: Interpreter, cls: Class, args: Args, span: Span) -> Value:
    """Calls a class: `__new__`, `__init__` (or what a dataclass generates), then the checks of a library base."""
    known = class_facts(interp, cls)
    if known.named_tuple:
        return _make_named_tuple(interp, cls, known, args)
    if known.enum:
        return UNKNOWN
    if known.typed_dict:
        return call(interp, External("builtins.dict"), args, span)
    instance = Instance(cls, interp.depth, interp.loops, interp.site(span))
    maker = class_attribute(interp, cls, "__new__")
    if maker is not None:
        call(interp, maker[0], Args([cls, *args.positional], args.keywords, args.rest, args.more), span)
    found = class_attribute(interp, cls, "__init__")
    if found is not None:
        call(interp, bind_self(interp, found[0], instance, span), args, span)
    elif known.dataclass and known.fields:
        passed = _run_generated_init(interp, instance, known, args)
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


def _option_default(interp: Interpreter, field: FieldFact) -> Value:
    """A field's default, marked as an option if it is one; Unknown if there is none."""
    return note_type(interp, as_default(field_default(interp, field), field.name, field.owner_name), field.annotation)


def _make_named_tuple(interp: Interpreter, cls: Class, known: ClassFacts, args: Args) -> Value:
    """Calls a NamedTuple class. With too few arguments Python refuses the call: nothing is known of what comes."""
    if args.rest is not None or args.open_keywords:
        return Tuple(tuple(with_new_identity(args.rest or UNKNOWN) for _ in known.fields), cls)
    if any(args.get(i, f.name) is None and f.default is None for i, f in enumerate(known.fields)):
        return UNKNOWN
    return Tuple(tuple(_field_value(interp, args, i, f) for i, f in enumerate(known.fields)), cls)


def _field_value(interp: Interpreter, args: Args, position: int | None, field: FieldFact) -> Value:
    """The value of a field in a call of the class: an argument, the field's default, or Unknown."""
    value = passed = args.get(position, field.name)
    if value is None:
        default = UNKNOWN if field.default is None else _option_default(interp, field)
        value = note_empty(interp, default, field.name, field.owner_name, field.annotation)
    if isinstance(passed, Static) and field.default is not None:
        value = as_typed(interp, passed, field_default(interp, field))
    given = passed if isinstance(passed, Parsed) else args.further(field.name) if passed is None else None
    return value if given is None else given_field(interp, field, given, value)


def given_field(interp: Interpreter, field: FieldFact, given: Value, held: Value) -> Value:
    """What a dataclass's field holds that settings give: `Settings(**json.load(file))`, `replace(base, **sections)`.

    A text has lists where the class declares tuples.

    Args:
        interp: where it is made.
        field: the field.
        given: what is given for it, or for some fields that are not known by name.
        held: what it holds otherwise.
    """
    if field.annotation is None or isinstance(held, Traced) or _is_set_here(interp, field.name):
        return held
    if isinstance(given, Parsed) and declares_sequence(field.annotation):
        return interp.new_list("list", Sequence("tuple", PARSED), field.annotation.span)
    lists = isinstance(held, Tuple) and any(isinstance(part, List) for part in alternatives(given))
    if lists or (isinstance(given, (Const, Static)) and isinstance(held, (Const, Static))):
        return join(held, given)
    sections = given.sections if isinstance(given, Parsed) else alternatives(given)
    declared = evaluate_annotation(interp, field.owner, field.annotation) if sections else UNKNOWN
    return next((part for part in sections if isinstance(part, Instance) and part.cls is declared), held)


def _is_set_here(interp: Interpreter, key: str) -> bool:
    """Whether the running function assigns to an item of this key, as where it makes a tuple of what a text gave."""
    frame = interp.function_frame()
    body = interp.project.body(frame.function) if frame is not None and frame.function is not None else ()
    targets = (target for node in own_nodes(body) if isinstance(node, ir.Assign) for target in node.targets)
    items = (target.item for target in targets if isinstance(target, ir.Subscript))
    return any(isinstance(item, ir.Const) and item.value == key for item in items)


def field_default(interp: Interpreter, field: FieldFact) -> Value:
    """A dataclass field's default: the literal, or what `default=` or `default_factory=` gives."""
    node = field.default
    if node is None:
        return UNKNOWN
    called = getattr(node.function, "name", "") if isinstance(node, ir.Call) else ""
    if isinstance(node, ir.Call) and called in ("field", "static_field", "static", "ib", "attrib"):
        for argument in node.arguments:
            value = evaluate_in_module_scope(interp, field.owner, argument.value)
            if argument.keyword == "default":
                return value
            if argument.keyword in ("default_factory", "factory"):
                return call(interp, value, Args([]), node.span)
        return UNKNOWN
    value = evaluate_in_module_scope(interp, field.owner, node)
    made = value.attributes if isinstance(value, ExternalInstance) and value.of == DATACLASS_FIELD else None
    if not isinstance(made, Dict):
        return value
    factory = made.entries.get("default_factory")
    return call(interp, factory, Args([]), node.span) if factory is not None else made.entries.get("default", UNKNOWN)


def _run_generated_init(interp: Interpreter, instance: Instance, known: ClassFacts, args: Args) -> list[Value]:
    """Does what the `__init__` does that a dataclass generates.

    Returns the values for `__post_init__`, which are those of the `InitVar`s.
    """
    passed: list[Value] = []
    position = 0
    for field in known.fields:
        if _is_left_out_of_init(field):
            value = _field_value(interp, Args([]), None, field)
        else:
            value = _field_value(interp, args, position, field)
            position += 1
        if field.annotation is not None and annotation_is(field.annotation, "InitVar"):
            passed.append(value)
        else:
            interp.store.set(instance, field.name, value)
    return passed


def _is_left_out_of_init(field: FieldFact) -> bool:
    """Whether a field is no parameter of `__init__`: `field(init=False)`."""
    arguments = field.default.arguments if isinstance(field.default, ir.Call) else ()
    return any(a.keyword == "init" and isinstance(a.value, ir.Const) and a.value.value is False for a in arguments)


def generic_instance(interp: Interpreter, cls: Class) -> Instance:
    """The instance that stands for any instance of the class: made once per class and unit, from unknown arguments.

    Methods that nothing in view calls run on it.
    """
    found: Instance | None = interp.unit.assumed_instances.get(cls.serial)
    if found is not None:
        return found
    instance = Instance(cls, 0, (), cls.site, guessed=True)
    interp.unit.assumed_instances[cls.serial] = instance
    known = class_facts(interp, cls)
    for field in known.fields:
        instance.fields[field.name] = _unknown_field(interp, field, known.pytree)
    outer, interp.trace = interp.trace, None  # whoever made it did so before the code that runs now is traced
    try:
        for name in ("__init__", "__post_init__", "setup"):
            method = class_attribute(interp, cls, name)
            if method is not None and isinstance(method[0], Function):
                callee = bind_self(interp, method[0], instance, cls.code.span)
                target = signature_of(interp, callee)
                if target is not None:
                    call(interp, callee, guessed_arguments(interp, target), cls.code.span)
    finally:
        interp.trace = outer
    return instance


def _unknown_field(interp: Interpreter, field: FieldFact, in_pytree: bool) -> Value:
    """What a field of any instance holds, by its annotation.

    Args:
        in_pytree: whether the class is a pytree: what its leaves are, `traced_instance` says where they are traced.
    """
    if field.static:
        return _declared_number(interp, field)
    declared = declared_container(interp, field.owner, field.annotation)
    if declared is not None:
        return declared
    if in_pytree:
        return UNKNOWN
    if _is_table_of_scalars(interp, field):
        return Dict({}, UNKNOWN, 0, (), None)
    cls = evaluate_annotation(interp, field.owner, field.annotation) if field.annotation is not None else UNKNOWN
    if isinstance(cls, Class):
        return assumed_argument(interp, cls)
    return note_field(interp, UnknownArgument(), _option_default(interp, field))


def _is_table_of_scalars(interp: Interpreter, field: FieldFact) -> bool:
    """Whether a field is declared as a dict, whose default holds numbers and texts of Python: no pytree of arrays."""
    if not isinstance(field.annotation, ir.Name) or field.annotation.name != "dict" or field.default is None:
        return False
    entries = getattr(field_default(interp, field), "entries", {})
    return bool(entries) and all(isinstance(value, (Const, Static)) for value in entries.values())


def _declared_number(interp: Interpreter, field: FieldFact) -> Value:
    """What a static field holds: a number or text, if its annotation says so, and no default None the contrary."""
    default = field_default(interp, field) if field.default is not None else UNKNOWN
    name = field.annotation.name if isinstance(field.annotation, ir.Name) else ""
    return Static(name) if name in ("int", "float", "bool", "str") and not is_none(default) else UNKNOWN


def traced_instance(interp: Interpreter, cls: Class, tracer: Traced, around: tuple[Class, ...] = ()) -> Value:
    """The argument of a traced function that is known to be an instance of a pytree class, and no more.

    Fields that are leaves hold tracers, each with what its annotation says; static fields are those of the generic
    instance.

    Args:
        cls: the class.
        tracer: the tracer of the argument.
        around: the classes of the instances that it is a field of, the outermost first.
    """
    look()
    known = class_facts(interp, cls)
    around = (*around, cls)
    if known.named_tuple:
        return Tuple(tuple(_traced_field(interp, f, tracer, around) for f in known.fields), cls)
    base = generic_instance(interp, cls)
    instance = Instance(cls, tracer.depth, (), base.site, guessed=True)
    instance.fields.update(crossing_fields(interp, base))
    names = leaf_fields(interp, cls) or frozenset()
    static = {f.name for f in known.fields if f.static}
    for current in known.lineage:
        static |= current.static_fields
    by_functions = any(current.by_functions for current in known.lineage)
    for name, always in (pytree_children(interp, cls) or {}).items():
        if always:
            instance.fields[name] = tracer.replace(param="", tree=True)
    for field in known.fields:
        if field.name in static or (names and field.name not in names):
            continue
        if (known.sparse or by_functions) and not is_array_field(interp, cls, field.name):
            continue
        instance.fields[field.name] = _traced_field(interp, field, tracer, around)
    for model in known.models:
        for name in model.array_fields:
            instance.fields[name] = tracer.element_tracer(tree=name != "step")
    instance.traced = tracer
    return instance


def _traced_field(interp: Interpreter, field: FieldFact, tracer: Traced, around: tuple[Class, ...]) -> Value:
    """The tracer (or pytree of tracers) in a field, by its annotation.

    A field of a class that it is already in, as in `class Node: left: Node`, may be any pytree.
    """
    annotation = evaluate_annotation(interp, field.owner, field.annotation) if field.annotation is not None else UNKNOWN
    if isinstance(annotation, Class) and class_facts(interp, annotation).pytree and annotation not in around:
        return traced_instance(interp, annotation, tracer, around)
    if isinstance(annotation, (Unknown, Class)):
        return tracer.element_tracer(tree=True)
    if isinstance(annotation, DeclaredArray):
        return tracer.element_tracer(tree=False, dtype=annotation.dtype, rank=annotation.rank)
    if isinstance(annotation, External):
        kind = annotation.name.rpartition(".")[2]
        leaf = is_array_annotation(annotation) or kind in ("int", "float", "bool", "ndarray", "ArrayLike")
        if kind in ("str", "Callable", "Callable[]"):
            return UNKNOWN
        return tracer.element_tracer(tree=not leaf, dtype=kind if kind in ("int", "float", "bool") else None)
    return tracer.element_tracer(tree=True)


def guessed_arguments(interp: Interpreter, target: Signature) -> Args:
    """The arguments of a call from outside of the project's view, for code that runs as plain Python.

    Each is Unknown, or an instance of the project class that the parameter is annotated with or named after. For a
    transformed function, `tracing.arguments.required_arguments` guesses nothing.
    """
    args = Args([])
    for parameter in target.parameters:
        if parameter.kind in ("positional-only", "positional"):
            args.positional.append(_unknown_argument(interp, target.function, parameter))
            args.spans.append(parameter.span)
        elif parameter.kind == "keyword-only":
            args.keywords[parameter.name] = _unknown_argument(interp, target.function, parameter)
        elif parameter.kind == "*":
            args.rest = UNKNOWN
        else:
            args.more = UNKNOWN
    return args


def _unknown_argument(interp: Interpreter, function: Function, parameter: ir.Parameter) -> Value:
    """The argument that a parameter gets in a call from outside."""
    cls = None
    default = function.defaults.get(parameter.name)
    if isinstance(default, Const) and isinstance(default.value, (str, bool, int, float)):
        decides = isinstance(default.value, (bool, str))
        return left_open(interp, default.option if decides else None, Static(type(default.value).__name__))
    if isinstance(default, Member):
        return default
    if parameter.annotation is not None:
        declared_as = evaluate_annotation(interp, function, parameter.annotation)
        cls = declared_as if isinstance(declared_as, Class) else None
    else:
        cls = interp.world.guesses.named(parameter.name, function.module)
    if cls is None:
        # a new object each time: donation tells values apart by identity
        declared = declared_container(interp, function, parameter.annotation)
        return UnknownArgument(parameter.attributes) if declared is None else declared
    return assumed_argument(interp, cls)


def as_declared(interp: Interpreter, function: Function, annotation: ir.Expr, value: Value) -> Value:
    """An argument of which not all is known, as the annotation of its parameter says.

    Of several objects it is one that fits. What is unknown is some instance of the class, unless that is a pytree class
    outside of any trace: donation tells its instances apart by identity.
    """
    cls = evaluate_annotation(interp, function, annotation)
    if not isinstance(cls, Class):
        return value
    if isinstance(value, Union):
        fitting = [part for part in value.alternatives if _may_be_of(interp, part, cls)]
        return offered_like(value, fitting) if fitting else value
    known = class_facts(interp, cls)
    if known.named_tuple or known.enum or known.typed_dict or (known.pytree and interp.trace is None):
        return value
    return assumed_argument(interp, cls)


def _may_be_of(interp: Interpreter, value: Value, cls: Class) -> bool:
    """Whether a value may be what a parameter of this class gets, as far as its own class is known."""
    own = value.cls if isinstance(value, (Instance, Tuple)) else None
    if own is None:
        return True
    return cls in lineage(own) or own in lineage(cls) or class_facts(interp, own).open


def assumed_argument(interp: Interpreter, cls: Class) -> Value:
    """An argument from callers out of view that is taken for an instance of a class.

    Instances of a pytree class do not change, so that each argument is one of its own: it can be donated.
    """
    known = class_facts(interp, cls)
    if known.named_tuple or known.enum or known.typed_dict:
        return UnknownArgument()
    base = generic_instance(interp, cls)
    if not known.pytree:
        return base
    instance = Instance(cls, 0, (), cls.site, guessed=True)
    instance.fields.update({k: UnknownArgument() if type(v) is Unknown else v for k, v in base.fields.items()})
    return instance
