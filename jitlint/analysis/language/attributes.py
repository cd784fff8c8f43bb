"""Reading attributes: `value.name` for each kind of value.

One getter per value class, registered in GETTERS at the end of the file. Methods of builtin types and arrays become a
`Method`, which the room `libraries` calls; an instance's own attributes, methods and properties are found here. A read
that a cached trace makes of an object from outside is recorded, since it may become stale.
"""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.arrays.dtypes import PROMOTION_ORDER, least_rank, with_exact_dtype, with_least_rank
from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.language.classes import bind_self, class_attribute, class_facts, lineage
from jitlint.analysis.language.guessed_classes import attribute_of_tree, may_be_object_with
from jitlint.analysis.language.modules import module_attribute
from jitlint.analysis.language.protocols import call_special_method
from jitlint.analysis.machine.accesses import is_changed_only, list_key, record_function_read, record_read
from jitlint.analysis.machine.escapes import check_escape, find_tracer, note_leak_read
from jitlint.analysis.machine.interpreter import GETTERS, Interpreter, call, get_attribute
from jitlint.analysis.machine.scalars import note_scalar_use
from jitlint.analysis.values import (
    INT,
    NEVER,
    NONE,
    OBJECT,
    PARSED,
    SHAPE,
    STR,
    UNKNOWN,
    Array,
    AtIndexer,
    BoundMethod,
    Class,
    Const,
    Descriptor,
    Dict,
    Dtype,
    External,
    ExternalInstance,
    Function,
    HeapObject,
    HostArray,
    Instance,
    Iterator,
    List,
    Member,
    Method,
    ModuleValue,
    Partial,
    Sequence,
    Static,
    Super,
    Traced,
    Transformed,
    Tuple,
    Union,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import offered_like
from jitlint.events.event import EventKind
from jitlint.project.modules import Module
from jitlint.source.places import Span

IMPLICIT_CLASS_METHODS: Final = frozenset({"__init_subclass__", "__class_getitem__"})
"""Methods that Python binds to the class without a decorator."""


def _attribute_of_anything(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """The attribute of a value of which nothing is known: Unknown. A method of what was parsed gives more of it."""
    return PARSED if value is PARSED else UNKNOWN


def _attribute_of_each(interp: Interpreter, value: Union, name: str, span: Span) -> Value:
    """The attribute of each value that it may be, joined. What certainly lacks it is not what the code reads."""
    parts = [part for part in value.alternatives if not _lacks(interp, part, name)] or value.alternatives
    return offered_like(value, [get_attribute(interp, part, name, span) for part in parts])


def _lacks(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether an object of the project has no attribute of that name, and nothing that would give one."""
    if is_none(value):
        return not hasattr(None, name)
    if not isinstance(value, Instance) or value.guessed or name in value.fields or name.startswith("__"):
        return False
    known = class_facts(interp, value.cls)
    given = any(class_attribute(interp, value.cls, each) is not None for each in (name, "__getattr__"))
    return not (given or known.open or known.models)


def _attribute_of_tuple(interp: Interpreter, value: Tuple, name: str, span: Span) -> Value:
    """The attribute of a tuple or NamedTuple."""
    return Method(value, name, span) if value.cls is None else _attribute_of_named_tuple(interp, value, name, span)


def _method_of_builtin(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """A method, to be called: `[].append`."""
    return Method(value, name, span)


def _describing(module: Module, defined: str, name: str) -> Value:
    """What a function or class of the project says of itself, when its module is imported."""
    known = {"__name__": defined, "__module__": module.name}
    return Const(known[name]) if name in known else STR


def _attribute_of_function(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """The attribute of a function, partial or bound method."""
    if name in _DESCRIBING:
        return _describing(value.module, value.code.name, name) if isinstance(value, Function) else STR
    if isinstance(value, Function) and value.attributes is not None and name in value.attributes.fields:
        record_function_read(interp, value, value.attributes, name, span)
        held = value.attributes.fields[name]
        return held if isinstance(held, Value) and held is not NEVER else UNKNOWN
    if isinstance(value, Partial) and name == "keywords":
        value.may_change = True
    return Method(value, name, span) if name in ("defjvp", "defvjp", "func", "cache_clear") else UNKNOWN


def _attribute_of_array(interp: Interpreter, value: Array, name: str, span: Span) -> Value:
    """The attribute of an array: a fact (`shape`), or a method. What only an array with a value has (`sharding`) is
    reported.

    Of a pytree of unknown structure, attributes that no array has are looked for on the project's classes.
    """
    model = interp.models.array
    kind = model["attributes"].get(name)
    if name == "at" and not isinstance(value, HostArray):
        return AtIndexer(value, False)
    if kind is not None:
        if isinstance(value, Traced) and value.tree and kind == "float":
            return UNKNOWN
        return _array_property(interp, value, kind, span)
    if name in model["host"]["attributes"] and isinstance(value, Traced) and not value.concrete:
        interp.emit(EventKind.HOST_METHOD, span, f".{name}", value=value, subject=interp.owner_text(span, name))
        return OBJECT
    known = name in model["methods"] or name in model["same"]["methods"] or name in model["convert"]["methods"]
    of_array = (known or name in model["host"]["methods"]) and not (isinstance(value, Traced) and value.container)
    if isinstance(value, Traced) and value.tree and not of_array:
        if name == "copy" or is_tree_method(interp, name):
            return Method(value, name, span)
        return attribute_of_tree(interp, value, name, span)
    own = of_array or isinstance(value, HostArray) or name in model["in_place"]["methods"]
    if not own:
        note_scalar_use(interp, value, span)
    unclear = isinstance(value, Traced) and may_be_object_with(interp, value, name)
    return Method(value, name, span) if own and not unclear else UNKNOWN


def _array_property(interp: Interpreter, value: Array, kind: str, span: Span) -> Value:
    """The value of an array's attribute, by the word that the models have for it.

    "static-…" ones are known while tracing (`shape`, `ndim`, `dtype`); "same" and "float" ones are arrays (`T`,
    `real`).
    """
    if kind == "static-shape":
        return Tuple((INT,) * value.rank) if value.rank is not None else SHAPE
    if kind == "static-rank":
        return INT if value.rank is None else Const(value.rank)
    if kind == "static-int":
        return INT
    typed_key = value.dtype == "key" and value.rank is not None  # of others it is not known whether they are typed
    if kind == "static-dtype" and value.dtype is not None and (value.dtype in PROMOTION_ORDER or typed_key):
        return Dtype(value.dtype, value.exact)
    if kind.startswith("static-"):
        return Static(kind.removeprefix("static-"))
    dtype = "float" if kind == "float" else value.dtype
    exact = value.exact if kind == "same" else ""
    if isinstance(value, HostArray):
        return HostArray(dtype, value.rank, exact=exact)
    by = "" if isinstance(value, Traced) else "T"
    result = array_result(interp, [value], span, dtype, value.rank, by=by, weak=value.weak)
    return with_least_rank(with_exact_dtype(result, exact), least_rank(value))


# --- instances --------------------------------------------------------------------------------------------------------


def instance_attribute(interp: Interpreter, value: Instance, name: str, span: Span) -> Value:
    """The attribute of an instance: its own, its class's (bound), or what the model of a library base says.

    Where the class may have more than is in view (an unknown base, `__getattr__`), a missing attribute is Unknown.
    """
    own = value.fields.get(name)
    if own is not None and own is not NEVER:
        _record_attribute_read(interp, value, name, span)
        return own if isinstance(own, Value) else UNKNOWN
    found = class_attribute(interp, value.cls, name)
    if found is not None:
        if not isinstance(found[0], (Function, Descriptor, Transformed, Class, BoundMethod)):
            _record_attribute_read(interp, value, name, span)
        return _bind_to_receiver(interp, value, found[0], found[1], name, span)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return attributes_of(interp, value)
    known = class_facts(interp, value.cls)
    if value.guessed or known.open or class_attribute(interp, value.cls, "__getattr__") is not None:
        _record_attribute_read(interp, value, name, span)
    for model in known.models:
        if name in model.attributes:
            return interp.libraries.attribute(interp, value, model, name, span)
    if known.models:
        return Method(value, name, span)
    if _may_return_nothing(interp, value.cls) and _is_not_yet_set(interp, value, name):
        return NONE
    return _looked_up(interp, value, name, span)


def _looked_up(interp: Interpreter, value: Instance, name: str, span: Span) -> Value:
    """What the `__getattr__` of an object gives, as wrappers give the attributes of what they wrap; Unknown without."""
    found = class_attribute(interp, value.cls, "__getattr__")
    if found is None or not isinstance(found[0], Function) or value.guessed or name.startswith("__"):
        return UNKNOWN
    code = found[0].code
    if any(f.function is code and f.fields.get(code.parameters[0].name) is value for f in interp.path.frames):
        return UNKNOWN  # it asks for what the object lacks
    given = call_special_method(interp, value, "__getattr__", [Const(name)], span)
    return UNKNOWN if given is None or given is NEVER else given


def _is_not_yet_set(interp: Interpreter, value: Instance, name: str) -> bool:
    """Whether an object that is being made has no attribute of that name before its class sets it."""
    if class_facts(interp, value.cls).open or not any(_assigns(cls, name) for cls in lineage(value.cls)):
        return False
    for frame in interp.path.frames:
        code = frame.function
        receivers = code.parameters[:1] if code is not None and code.name == "__init__" else ()
        if any(frame.fields.get(parameter.name) is value for parameter in receivers):
            return True
    return False


def _may_return_nothing(interp: Interpreter, cls: Class) -> bool:
    """Whether the `__getattr__` of a class looks names up, and returns None for what it does not find."""
    found = class_attribute(interp, cls, "__getattr__")
    if found is None or not isinstance(found[0], Function):
        return False
    last = interp.project.body(found[0].code)[-1]
    return isinstance(last, ir.If) and not last.orelse


def _record_attribute_read(interp: Interpreter, value: Instance, name: str, span: Span) -> None:
    """Records that an attribute is read, and that a cached trace reads one of an instance that was made outside of it.

    Left out are methods, and instances whose attributes a library manages or that are arguments of the trace.
    """
    trace = interp.trace
    attributes = interp.unit.state.attributes
    attributes.has_read(value, name, attribute_key(interp, value, name), interp.frame.home, trace)
    if trace is None and attributes.leaks:
        note_leak_read(interp, value, name, span)
    if trace is None or not trace.cached or value.depth >= trace.stage or value.traced is not None:
        return
    known = class_facts(interp, value.cls)
    if known.models and not known.sparse:
        return
    field = value.fields.get(name)
    if isinstance(field, (Function, BoundMethod, Transformed, Class)) or _is_static(interp, field, interp.path.asked):
        return
    if is_changed_only(interp, field):
        return
    called = f"{value.cls.code.name}.{name}"
    if isinstance(field, List) and field.depth < trace.stage and (content := list_key(field)) is not None:
        record_read(interp, content, "attribute", called, span, holder=field.serial)
    key = attribute_key(interp, value, name)
    record_read(interp, key, "attribute", called, span, holder=instance_identity(value))


def _is_static(interp: Interpreter, value: Value | None, name: str) -> bool:
    """Whether an attribute is a static field of a pytree: states that follow each other have the same one."""
    if not isinstance(value, (Instance, ExternalInstance)) or not name:
        return False
    if isinstance(value, ExternalInstance):
        model = interp.models.classes.get(value.of)
        return model is not None and model.pytree and name in model.static_fields
    known = class_facts(interp, value.cls)
    of_models = any(name in model.static_fields for model in known.models)
    return known.pytree and (of_models or any(field.static and field.name == name for field in known.fields))


def instance_identity(value: Instance) -> int:
    """The instance in records of reads and writes: its serial, or 0 where it may be any of its class."""
    return 0 if value.guessed else value.serial


def attribute_key(interp: Interpreter, value: Instance, name: str) -> tuple[object, ...]:
    """The key under which reads and writes of an attribute are recorded, which all instances of a class share.

    It names the topmost class of the lineage that assigns the attribute, so that subclasses share it, too.
    """
    known = interp.world.attribute_keys.get((value.cls, name))
    if known is None:
        owner = next((cls for cls in reversed(lineage(value.cls)) if _assigns(cls, name)), value.cls)
        known = interp.world.attribute_keys[value.cls, name] = class_attribute_key(owner, name)
    return known


def _assigns(cls: Class, name: str) -> bool:
    """Whether a class's own methods or body set an attribute."""
    code = cls.code
    return name in code.locals or name in code.assigned or name in code.augmented


def _class_of(receiver: Value, otherwise: Class) -> Class:
    """The class of an object; a class method's receiver, which `super()` keeps, is the class itself."""
    if isinstance(receiver, Class):
        return receiver
    return receiver.cls if isinstance(receiver, Instance) else otherwise


def _bind_to_receiver(interp: Interpreter, receiver: Value, value: Value, owner: Class, name: str, span: Span) -> Value:
    """An attribute that was found on the class `owner`, as it is seen through an instance.

    Functions are bound, properties called; a cached property's value is stored in the instance, which a tracer may leak
    into. Objects with `__get__` say it themselves.
    """
    if isinstance(value, Descriptor):
        if value.kind in ("property", "cached_property"):
            if isinstance(value.function, Function):
                interp.world.readings.getters.add(id(value.function.code))
            found = call(interp, bind_self(interp, value.function, receiver, span), Args([]), span)
            if value.kind == "cached_property" and isinstance(receiver, Instance):
                if interp.trace is None and interp.unit.state.attributes.leaks:
                    note_leak_read(interp, receiver, name, span)
                if find_tracer(found, receiver.depth) is None:
                    interp.store.set(receiver, name, found)
                elif receiver.traced is None and not receiver.guessed:
                    check_escape(interp, receiver, found, span, "cached_property", f"{receiver.cls.code.name}.{name}")
            return found
        if value.kind == "staticmethod":
            return value.function
        if isinstance(value.function, Partial):
            made = value.function
            own = bind_self(interp, made.function, receiver, span)
            return Partial(own, made.positional, made.keywords, made.loops, made.site)
        return bind_self(interp, value.function, _class_of(receiver, owner), span)
    if name == "__new__":
        return value
    if name in IMPLICIT_CLASS_METHODS and isinstance(value, Function):
        return bind_self(interp, value, _class_of(receiver, owner), span)
    if isinstance(value, (Function, Transformed)):
        return bind_self(interp, value, receiver, span)
    if isinstance(value, Instance):
        got = call_special_method(interp, value, "__get__", (receiver, owner), span)
        return value if got is None else got
    return value


def _attribute_of_class(interp: Interpreter, cls: Class, name: str, span: Span) -> Value:
    """The attribute of a class: `Class.name`. Of an enum, it is a member."""
    found = class_attribute(interp, cls, name)
    if found is None:
        if name in _DESCRIBING:
            return _describing(cls.module, cls.code.name, name)
        if name == "__dict__":
            return attributes_of(interp, cls)
        known = class_facts(interp, cls)
        if name == "_fields" and known.named_tuple:
            return Tuple(tuple(Const(field.name) for field in known.fields))
        return Method(cls, name, span)
    value, owner = found
    if isinstance(value, Descriptor):
        if value.kind == "classmethod":
            return bind_self(interp, value.function, cls, span)
        return value.function if value.kind == "staticmethod" else UNKNOWN
    if class_facts(interp, cls).enum and not isinstance(value, Function):
        return interp.world.members.setdefault((cls.serial, name), Member(cls, name, value))
    if isinstance(value, Const) and isinstance(value.value, str) and class_facts(interp, cls).open:
        return UNKNOWN  # a base that is not in view may make something of it, as `equinox.Enumeration` makes members
    trace = interp.trace
    is_code = isinstance(value, (Function, Transformed, Class, BoundMethod))
    if trace is not None and trace.cached and owner.depth < trace.stage and not is_code:
        record_read(interp, class_attribute_key(owner, name), "attribute", f"{owner.code.name}.{name}", span)
    return value


def class_attribute_key(cls: Class, name: str) -> tuple[str, ...]:
    """The key under which reads and writes of a class's attribute are recorded."""
    return ("attribute", str(cls.module.source.path), cls.code.qualname, name)


def _attribute_of_super(interp: Interpreter, value: Super, name: str, span: Span) -> Value:
    """The attribute of `super()`: the search begins after the class in which the method stands."""
    order = lineage(_class_of(value.receiver, value.cls))
    after = order[order.index(value.cls) + 1 :] if value.cls in order else lineage(value.cls)[1:]
    for cls in after:
        found = cls.fields.get(name)
        if found is not None and found is not NEVER:
            return _bind_to_receiver(interp, value.receiver, found, cls, name, span)
    return Method(value.receiver, name, span) if isinstance(value.receiver, Instance) else UNKNOWN


def _attribute_of_named_tuple(interp: Interpreter, value: Tuple, name: str, span: Span) -> Value:
    """The attribute of a NamedTuple: a field, or what its class has."""
    assert value.cls is not None
    for i, field in enumerate(class_facts(interp, value.cls).fields):
        if field.name == name and i < len(value.elements):
            return value.elements[i]
    found = class_attribute(interp, value.cls, name)
    if found is not None:
        return _bind_to_receiver(interp, value, found[0], found[1], name, span)
    return Method(value, name, span)


def _attribute_of_enum_member(interp: Interpreter, value: Member, name: str, span: Span) -> Value:
    """The attribute of an enum's member: `Color.RED.value`."""
    if name in ("name", "value"):
        return Const(value.name) if name == "name" else value.value
    found = class_attribute(interp, value.cls, name)
    if found is None or not isinstance(found[0], (Function, Descriptor)):
        return Method(value, name, span)
    return _bind_to_receiver(interp, value, found[0], found[1], name, span)


def attributes_of(interp: Interpreter, value: Value) -> Value:
    """The dict that `value.__dict__` gives. What is written to it is written to the object."""
    if isinstance(value, Instance):
        return fields_as_dict(value, value.guessed or value.has_more or class_facts(interp, value.cls).open)
    if isinstance(value, Class):
        return fields_as_dict(value, has_more=True)
    if isinstance(value, ExternalInstance) and value.attributes is not None:
        return value.attributes
    return UNKNOWN


def fields_as_dict(target: HeapObject, has_more: bool) -> Dict:
    """The fields of an object as a dict; what is written to it is written to the object.

    Args:
        has_more: whether the object may have further fields.
    """
    known = {name: part for name, part in target.fields.items() if isinstance(part, Value) and part is not NEVER}
    found = Dict(known, UNKNOWN if has_more else NEVER, target.depth, target.loops, None)
    found.owner = target
    return found


_DESCRIBING: Final = ("__name__", "__qualname__", "__module__", "__doc__")
_PLAIN_TYPES: Final = {plain.__name__: plain for plain in (str, bytes, bool, int, float, complex)}


def _attribute_of_plain_value(interp: Interpreter, value: Const | Static, name: str, span: Span) -> Value:
    """The attribute of a constant or host value."""
    if is_none(value):
        return UNKNOWN
    if isinstance(value, Static) and value.kind in ("object", "dtype"):
        return OBJECT
    if name in ("real", "imag", "numerator", "denominator"):
        return Static("number")
    kind = value.kind if isinstance(value, Static) else type(value.value).__name__
    # scalars of NumPy, which are taken for Python's, have methods of arrays: `n.astype(float)`
    return Method(value, name, span) if hasattr(_PLAIN_TYPES.get(kind), name) else UNKNOWN


GETTERS.update(
    {
        Value: _attribute_of_anything,
        Union: _attribute_of_each,
        Array: _attribute_of_array,
        Instance: instance_attribute,
        ModuleValue: module_attribute,
        External: module_attribute,
        Class: _attribute_of_class,
        Super: _attribute_of_super,
        Tuple: _attribute_of_tuple,
        Member: _attribute_of_enum_member,
        List: _method_of_builtin,
        Dict: _method_of_builtin,
        Sequence: _method_of_builtin,
        Iterator: _method_of_builtin,
        AtIndexer: _method_of_builtin,
        Transformed: _method_of_builtin,
        Const: _attribute_of_plain_value,
        Static: _attribute_of_plain_value,
        Function: _attribute_of_function,
        Partial: _attribute_of_function,
        BoundMethod: _attribute_of_function,
    }
)

_PYTREE_METHODS = frozenset(
    {"items", "values", "keys", "get", "pop", "setdefault", "_replace", "append", "update", "_asdict"}
)
"""Methods of containers and NamedTuples, which pytrees are made of."""


def is_tree_method(interp: Interpreter, name: str) -> bool:
    """Whether a method of that name belongs to containers (`items`) or pytrees of a library (`replace`).

    A pytree of unknown structure then has it: the call gives parts of the pytree.
    """
    return name in _PYTREE_METHODS or name in interp.models.self_methods
