"""Attributes of abstract values: reading and assigning them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.calls import call
from jitlint.analysis.classes import bind_self, class_attribute, facts, generic_instance, lineage, traced_instance
from jitlint.analysis.containers import is_tree_method
from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.joins import alternatives, join_all
from jitlint.analysis.names import check_escape, find_tracer, lookup, record_read, record_write
from jitlint.analysis.operators import VARIABLES, array_result
from jitlint.analysis.protocols import special
from jitlint.analysis.results import Called, object_attribute, value_of
from jitlint.analysis.values import (
    INT,
    NAMESPACES,
    NEVER,
    NONE,
    OBJECT,
    SHAPE,
    UNKNOWN,
    Array,
    AtIndexer,
    BoundMethod,
    ByType,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    Iterator,
    List,
    Member,
    Method,
    ModuleValue,
    Outside,
    Partial,
    Sequence,
    Static,
    Super,
    Traced,
    Transformed,
    Tuple,
    Union,
    Value,
)
from jitlint.events.event import Confidence, EventKind
from jitlint.source.places import Span

_COMMON: Final = frozenset(
    {name for kind in (list, dict, str, set, int, float, tuple) for name in dir(kind)}
    | {"init", "apply", "update", "step", "reset", "fit", "predict", "sample", "log_prob", "transform", "forward",
       "eval", "close", "run", "save", "load", "read", "write", "astype", "reshape", "sum", "mean", "max", "min", "dot",
       "std", "var", "item", "tolist", "replace", "call", "render", "submit", "result", "put", "send", "start", "stop"}
)  # fmt: skip
"""Names of methods that objects of many libraries have: they say nothing of the class."""

IMPLICIT_CLASS_METHODS: Final = frozenset({"__init_subclass__", "__class_getitem__"})
_CONSTRUCTORS: Final = (
    "__set_name__",
    "__init__",
    "__post_init__",
    "setup",
    "__new__",
    "__setattr__",
    "__setstate__",
    "tree_unflatten",
    "init",
)


def get_attribute(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """`value.name`."""
    return _GETTERS[type(value)](interp, value, name, span)


def _unknown_attribute(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    return UNKNOWN


def _attribute_of_each(interp: Interpreter, value: Union, name: str, span: Span) -> Value:
    return join_all([get_attribute(interp, part, name, span) for part in value.alternatives])


def _tuple_attribute(interp: Interpreter, value: Tuple, name: str, span: Span) -> Value:
    return Method(value, name, span) if value.cls is None else _named_tuple_attribute(interp, value, name, span)


def _method(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    return Method(value, name, span)


def _function_attribute(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    if name == "__name__" and isinstance(value, Function):
        return Const(value.code.name)
    if name in ("__name__", "__qualname__", "__doc__", "__module__"):
        return Static("str")
    return Method(value, name, span) if name in ("defjvp", "defvjp", "func", "cache_clear") else UNKNOWN


def _outside_attribute(interp: Interpreter, value: Outside, name: str, span: Span) -> Value:
    """An attribute of an object that callers bring: a method that one class alone of the project has is its."""
    if name in ("items", "keys", "values"):
        return Method(value, name, span)
    cls = None if name in _COMMON else interp.guesses.that_defines(frozenset({name}), interp.module)
    if cls is None and len(value.used) > 1:
        cls = interp.guesses.that_defines(value.used, interp.module)
    if cls is None or not cls.module.given:
        return Outside()
    method = cls.fields.get(name)
    if not isinstance(method, (Function, Transformed)):
        return Outside()
    known = facts(interp, cls)
    receiver: Value
    if known.named_tuple:
        receiver = Tuple(tuple(Outside() for _ in known.fields), cls)
    elif known.pytree:
        return Outside()
    else:
        receiver = generic_instance(interp, cls)
    return BoundMethod(receiver, method, interp.loops, interp.site(span), guessed=True)


def _array_attribute(interp: Interpreter, value: Array, name: str, span: Span) -> Value:
    model = interp.models.array
    kind = model["attributes"].get(name)
    if name == "at" and not isinstance(value, HostArray):
        return AtIndexer(value, False)
    if kind is not None:
        if isinstance(value, Traced) and value.tree and kind == "float":
            return UNKNOWN
        return _array_fact(interp, value, kind, span)
    if name in model["host"]["attributes"] and isinstance(value, Traced) and not value.concrete:
        interp.emit(EventKind.HOST_METHOD, span, f".{name}", value=value, subject=interp.owner(span, name))
        return OBJECT
    known = name in model["methods"] or name in model["same"]["methods"] or name in model["convert"]["methods"]
    if isinstance(value, Traced) and value.tree and not known and name not in model["host"]["methods"]:
        if name == "copy" or is_tree_method(interp, name):
            return Method(value, name, span)
        return guessed_attribute(interp, value, name, span)
    own = (
        known
        or isinstance(value, HostArray)
        or name in model["host"]["methods"]
        or name in model["in_place"]["methods"]
    )
    return Method(value, name, span) if own else UNKNOWN


def guessed_attribute(interp: Interpreter, value: Traced, name: str, span: Span) -> Value:
    """An attribute of an argument of unknown structure: only one class of the project may have it, or a library's."""
    cls = interp.guesses.with_attribute(name, interp.module)
    if cls is None:
        return value.replace(param="") if name in interp.models.array_fields else UNKNOWN
    part = value.replace(flow=value.flow.assuming(f"`{interp.owner(span, name)}` is a `{cls.code.name}`"))
    return get_attribute(interp, traced_instance(interp, cls, part), name, span)


def _array_fact(interp: Interpreter, value: Array, kind: str, span: Span) -> Value:
    if kind == "static-shape":
        return Tuple((INT,) * value.rank) if value.rank is not None else SHAPE
    if kind == "static-int":
        return INT
    if kind.startswith("static-"):
        return Static(kind.removeprefix("static-"))
    dtype = "float" if kind == "float" else value.dtype
    if isinstance(value, HostArray):
        return HostArray(dtype, value.rank)
    return array_result(interp, [value], span, dtype, value.rank, by="" if isinstance(value, Traced) else "T")


# --- instances --------------------------------------------------------------------------------------------------------


def instance_attribute(interp: Interpreter, value: Instance, name: str, span: Span) -> Value:
    """An attribute of an instance of a project class."""
    own = value.fields.get(name)
    if own is not None and own is not NEVER:
        _note_read(interp, value, name, span)
        return own if isinstance(own, Value) else UNKNOWN
    found = class_attribute(interp, value.cls, name)
    if found is not None:
        if not isinstance(found[0], (Function, Descriptor, Transformed, Class, BoundMethod)):
            _note_read(interp, value, name, span)
        return _bound(interp, value, found[0], found[1], name, span)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return attributes_of(value)
    known = facts(interp, value.cls)
    if value.guessed or known.open or class_attribute(interp, value.cls, "__getattr__") is not None:
        _note_read(interp, value, name, span)
    for model in known.models:
        if name in model.attributes:
            return value_of(interp, model.attributes[name], Called(f"{model.name}.{name}", Args([]), span, value))
    return Method(value, name, span) if known.models else UNKNOWN


def _note_read(interp: Interpreter, value: Instance, name: str, span: Span) -> None:
    trace = interp.trace
    if trace is None or not trace.cached or value.depth >= trace.stage or value.traced is not None:
        return
    known = facts(interp, value.cls)
    if known.models and not known.sparse:
        return
    field = value.fields.get(name)
    if isinstance(field, (Function, BoundMethod, Transformed, Class)):
        return
    key = attribute_key(interp, value, name)
    record_read(interp, key, "attribute", f"{value.cls.code.name}.{name}", span, holder=_identity(value))


def _identity(value: Instance) -> int:
    return 0 if value.guessed else value.serial


def attribute_key(interp: Interpreter, value: Instance, name: str) -> tuple[object, ...]:
    """The identity of an attribute over all instances of the class that declares it."""
    known = interp.attribute_keys.get((value.cls, name))
    if known is None:
        owner = next((cls for cls in reversed(lineage(value.cls)) if name in _assigned(cls)), value.cls)
        known = interp.attribute_keys[value.cls, name] = _class_key(owner, name)
    return known


def _assigned(cls: Class) -> frozenset[str]:
    """The attributes that a class's own methods or body set."""
    if cls.assigned is None:
        cls.assigned = cls.code.locals | cls.code.assigned | cls.code.augmented
    return cls.assigned


def _bound(interp: Interpreter, receiver: Value, value: Value, owner: Class, name: str, span: Span) -> Value:
    if isinstance(value, Descriptor):
        if value.kind in ("property", "cached_property"):
            found = call(interp, bind_self(interp, value.function, receiver, span), Args([]), span)
            if value.kind == "cached_property" and isinstance(receiver, Instance):
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
        cls = receiver.cls if isinstance(receiver, Instance) else owner
        return bind_self(interp, value.function, cls, span)
    if name == "__new__":
        return value
    if name in IMPLICIT_CLASS_METHODS and isinstance(value, Function):
        return bind_self(interp, value, receiver.cls if isinstance(receiver, Instance) else owner, span)
    if isinstance(value, (Function, Transformed)):
        return bind_self(interp, value, receiver, span)
    if isinstance(value, Instance):
        got = special(interp, value, "__get__", (receiver, owner), span)
        return value if got is None else got
    return value


def _class_attribute(interp: Interpreter, cls: Class, name: str, span: Span) -> Value:
    found = class_attribute(interp, cls, name)
    if found is None:
        if name in ("__name__", "__qualname__", "__module__", "__doc__"):
            return Const(cls.code.name) if name == "__name__" else Static("str")
        known = facts(interp, cls)
        if name == "_fields" and known.named_tuple:
            return Tuple(tuple(Const(field.name) for field in known.fields))
        return Method(cls, name, span)
    value, owner = found
    if isinstance(value, Descriptor):
        if value.kind == "classmethod":
            return bind_self(interp, value.function, cls, span)
        return value.function if value.kind == "staticmethod" else UNKNOWN
    if facts(interp, cls).enum and not isinstance(value, Function):
        return interp.members.setdefault((cls.serial, name), Member(cls, name, value))
    trace = interp.trace
    kept = isinstance(value, (Function, Transformed, Class, BoundMethod))
    if trace is not None and trace.cached and owner.depth < trace.stage and not kept:
        record_read(interp, _class_key(owner, name), "attribute", f"{owner.code.name}.{name}", span)
    return value


def _class_key(cls: Class, name: str) -> tuple[str, ...]:
    return ("attribute", str(cls.module.source.path), cls.code.qualname, name)


def _super_attribute(interp: Interpreter, value: Super, name: str, span: Span) -> Value:
    start = value.receiver.cls if isinstance(value.receiver, Instance) else value.cls
    order = lineage(start)
    after = order[order.index(value.cls) + 1 :] if value.cls in order else lineage(value.cls)[1:]
    for cls in after:
        found = cls.fields.get(name)
        if found is not None and found is not NEVER:
            return _bound(interp, value.receiver, found, cls, name, span)
    return Method(value.receiver, name, span) if isinstance(value.receiver, Instance) else UNKNOWN


def _named_tuple_attribute(interp: Interpreter, value: Tuple, name: str, span: Span) -> Value:
    assert value.cls is not None
    for i, field in enumerate(facts(interp, value.cls).fields):
        if field.name == name and i < len(value.elements):
            return value.elements[i]
    found = class_attribute(interp, value.cls, name)
    if found is not None:
        return _bound(interp, value, found[0], found[1], name, span)
    return Method(value, name, span)


def _member_attribute(interp: Interpreter, value: Member, name: str, span: Span) -> Value:
    if name in ("name", "value"):
        return Const(value.name) if name == "name" else value.value
    found = class_attribute(interp, value.cls, name)
    if found is None or not isinstance(found[0], (Function, Descriptor)):
        return Method(value, name, span)
    return _bound(interp, value, found[0], found[1], name, span)


def _library_attribute(interp: Interpreter, value: ExternalInstance, name: str, span: Span) -> Value:
    if value.of in NAMESPACES and value.site is not None:
        trace = interp.trace
        if trace is not None and trace.cached and value.depth < trace.stage:
            key = ("object", str(value.site[0].source.path), value.site[1], name)
            record_read(interp, key, "attribute", interp.module.snippet(span), span)
        attributes = attributes_of(value)
        entries: dict[object, Value] = attributes.fields["entries"] if isinstance(attributes, Dict) else {}
        return entries.get(name, UNKNOWN)
    if value.of in VARIABLES:
        array = array_result(interp, [value], span, None, by=value.of)
        return array if name in ("value", "raw_value") else get_attribute(interp, array, name, span)
    found = object_attribute(interp, value, name, span)
    return Method(value, name, span) if found is None else found


def attributes_of(value: Value) -> Value:
    """`value.__dict__`, to be read."""
    if isinstance(value, Instance):
        known = {name: part for name, part in value.fields.items() if isinstance(part, Value) and part is not NEVER}
        return Dict(known, UNKNOWN, value.depth, value.loops, None)
    if isinstance(value, ExternalInstance) and value.of in NAMESPACES and value.arguments:
        return value.arguments[0]
    return UNKNOWN


def _plain_attribute(interp: Interpreter, value: Const | Static, name: str, span: Span) -> Value:
    if isinstance(value, Const) and value.value is None:
        return UNKNOWN
    if isinstance(value, Static) and value.kind in ("object", "dtype"):
        return OBJECT
    if name in ("real", "imag", "numerator", "denominator"):
        return Static("number")
    return Method(value, name, span)


# --- modules ----------------------------------------------------------------------------------------------------------


def module_attribute(interp: Interpreter, value: ModuleValue | External, name: str, span: Span) -> Value:
    """An attribute of a module, or of anything in a library."""
    if isinstance(value, External):
        constant = _CONSTANTS.get(f"{value.name}.{name}")
        return constant if constant is not None else External(interp.models.canonical(f"{value.name}.{name}"))
    from jitlint.analysis.imports import ensure_module

    public = interp.public(value.module, name)
    if public is not None:
        return public
    frame = ensure_module(interp, value.module)
    if frame is not None and frame.fields.get(name, NEVER) is not NEVER:
        current = interp.frame
        interp.frame = frame
        try:
            found = lookup(interp, name, span) if interp.trace is None else frame.fields[name]
        finally:
            interp.frame = current
        return found if isinstance(found, Value) else UNKNOWN
    submodule = interp.project.resolve(value.module, f"{value.module.name}.{name}") if value.module.is_package else None
    return ModuleValue(submodule) if submodule is not None else UNKNOWN


_CONSTANTS: Final[dict[str, Value]] = {
    **{f"{m}.{n}": Static("float") for m in ("math", "numpy", "jax.numpy") for n in ("pi", "e", "inf", "nan", "tau")},
    "jax.numpy.newaxis": NONE,
    "numpy.newaxis": NONE,
    "typing.TYPE_CHECKING": Const(False),
    "sys.version_info": OBJECT,
    "sys.platform": Static("str"),
    "sys.maxsize": INT,
}


_GETTERS: Final[ByType[Callable[[Interpreter, Any, str, Span], Value]]] = ByType(
    {
        Value: _unknown_attribute,
        Union: _attribute_of_each,
        Array: _array_attribute,
        Instance: instance_attribute,
        ModuleValue: module_attribute,
        External: module_attribute,
        Class: _class_attribute,
        Super: _super_attribute,
        Tuple: _tuple_attribute,
        Member: _member_attribute,
        ExternalInstance: _library_attribute,
        List: _method,
        Dict: _method,
        Sequence: _method,
        Iterator: _method,
        AtIndexer: _method,
        Transformed: _method,
        Const: _plain_attribute,
        Static: _plain_attribute,
        Function: _function_attribute,
        Partial: _function_attribute,
        BoundMethod: _function_attribute,
        Outside: _outside_attribute,
    }
)


# --- assignment -------------------------------------------------------------------------------------------------------


def set_attribute(interp: Interpreter, base: Value, name: str, value: Value, node: ir.Attribute) -> None:
    """`base.name = value`."""
    for part in alternatives(base):
        if isinstance(part, Instance):
            _set_instance(interp, part, name, value, node)
        elif isinstance(part, (ModuleValue, Class, ExternalInstance)):
            _set_namespace(interp, part, name, value, node)
        elif isinstance(part, Tuple) and part.cls is not None:
            if _is_slotted(interp, part.cls, name):
                detail = {"class": part.cls.code.name, "attribute": name}
                interp.emit(EventKind.FROZEN, node.span, "attribute", detail=detail)
        elif isinstance(part, Traced) and part.tree:
            _set_guessed(interp, part, name, node)
        else:
            _unknown_write(interp, name, node)


def _is_slotted(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether a NamedTuple refuses an attribute: fields cannot be assigned, and only its subclasses have others."""
    return len(lineage(cls)) == 1 or any(field.name == name for field in facts(interp, cls).fields)


def _set_namespace(
    interp: Interpreter, part: ModuleValue | Class | ExternalInstance, name: str, value: Value, node: ir.Attribute
) -> None:
    """Assignment to an attribute of a module, a class or a library's object."""
    key: tuple[object, ...]
    if isinstance(part, ModuleValue):
        frame = interp.frames.get(part.module)
        key = ("global", part.module.name, str(part.module.root), name)
        record_write(interp, key, node.span, ordered=False, initial=interp.frame.parent is None)
        if frame is not None:
            interp.store.set(frame, name, value)
        return
    if isinstance(part, Class):
        key = _class_key(part, name)
        interp.store.set(part, name, value)
    elif part.site is not None and part.of not in VARIABLES:
        key = ("object", str(part.site[0].source.path), part.site[1], name)
        attributes = attributes_of(part)
        if isinstance(attributes, Dict):
            interp.store.set(attributes, "entries", {**attributes.fields["entries"], name: value})
    else:
        return
    record_write(interp, key, node.span, ordered=interp.frame.parent is None, initial=False)
    check_escape(interp, part, value, node.span, "attribute", _dotted(interp, node), write=True)


def _dotted(interp: Interpreter, node: ir.Expr) -> str:
    return interp.module.snippet(node.span)


def _set_guessed(interp: Interpreter, part: Traced, name: str, node: ir.Attribute) -> None:
    cls = interp.guesses.with_attribute(name, interp.module)
    if cls is not None and facts(interp, cls).frozen:
        detail = {"class": cls.code.name, "attribute": name}
        interp.emit(
            EventKind.FROZEN, node.span, "attribute", detail=detail, value=part,
            confidence=Confidence.LIKELY, guess=f"`{interp.module.snippet(node.value.span)}` is a `{cls.code.name}`",
        )  # fmt: skip


def _unknown_write(interp: Interpreter, name: str, node: ir.Attribute) -> None:
    cls = interp.guesses.with_attribute(name, interp.module)
    if cls is not None and not interp.staging:
        key = ("attribute", str(cls.module.source.path), cls.code.qualname, name)
        record_write(interp, key, node.span, ordered=False, initial=False)


def _named_after(interp: Interpreter, part: Instance, node: ir.Expr) -> str:
    """What is assumed of an instance whose class only a parameter's name tells."""
    code = interp.frame.function
    if (
        not part.guessed
        or not isinstance(node, ir.Name)
        or code is None
        or interp.guesses.named(node.name, interp.module) is not part.cls
    ):
        return ""
    only_named = any(p.name == node.name and p.annotation is None for p in code.parameters)
    return f"`{node.name}` is a `{part.cls.code.name}`" if only_named else ""


def _set_instance(interp: Interpreter, part: Instance, name: str, value: Value, node: ir.Attribute) -> None:
    code = interp.frame.function
    constructing = code is not None and code.name in _CONSTRUCTORS
    known = facts(interp, part.cls)
    found = class_attribute(interp, part.cls, name)
    if found is not None and isinstance(found[0], Descriptor) and found[0].setter is not None:
        call(interp, bind_self(interp, found[0].setter, part, node.span), Args([value]), node.span)
        return
    described = found is not None and isinstance(found[0], Descriptor)
    inside = code is not None and interp.method_owner.get(id(code)) in known.lineage
    loose = any(model.frozen_inside for model in known.models) and not inside
    if known.frozen and not constructing and not described and not loose:
        detail = {"class": part.cls.code.name, "attribute": name}
        guess = _named_after(interp, part, node.value)
        sure = Confidence.LIKELY if guess else Confidence.CERTAIN
        interp.emit(EventKind.FROZEN, node.span, "attribute", detail=detail, confidence=sure, guess=guess)
        return
    set_plainly(interp, part, name, value, node)


def set_plainly(interp: Interpreter, part: Instance, name: str, value: Value, node: ir.Attribute) -> None:
    """`object.__setattr__(part, name, value)`: whatever the class says of assignments."""
    code = interp.frame.function
    constructing = code is not None and code.name in _CONSTRUCTORS
    if isinstance(value, Traced):
        value = value.going(interp.module, node.span, f"assigned to `{_dotted(interp, node)}`")
    key = attribute_key(interp, part, name)
    record_write(interp, key, node.span, ordered=False, initial=constructing, holder=_identity(part))
    if not facts(interp, part.cls).models:
        check_escape(
            interp,
            part,
            value,
            node.span,
            "attribute",
            _dotted(interp, node),
            write=interp.staging and not constructing and not temporary(interp, node),
        )
    if isinstance(value, Transformed):
        value.stored = True
    interp.store.set(part, name, value)


def temporary(interp: Interpreter, node: ir.Attribute) -> bool:
    """Whether the function sets the attribute more than once: it is set and set back around something."""
    code = interp.frame.function
    if code is None:
        return False
    if code.name in ("__enter__", "__exit__"):
        return True
    return interp.module.source.text[node.span.start : node.span.end] in code.reassigned
