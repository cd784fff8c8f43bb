"""What JAX refuses as an argument of a traced function: a string, an iterator, an object of a class that is no pytree.

`check_argument` predicts the error. It is sure only of what every alternative of an argument holds: of a value that may
be a name or an array, the array may be the one that comes.
"""

from __future__ import annotations

from collections.abc import Callable

from jitlint.analysis.arrays.constants import check_constants
from jitlint.analysis.language.annotations import evaluate_annotation
from jitlint.analysis.language.classes import ClassFacts, class_facts, lineage
from jitlint.analysis.language.guessed_classes import class_of_parameter
from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.language.signatures import Signature
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.values import (
    STR,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    DictView,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    Iterator,
    List,
    Member,
    Partial,
    Sequence,
    Static,
    Transformed,
    Tuple,
    Unknown,
    UnknownArgument,
    Value,
    is_none,
)
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_argument(
    interp: Interpreter, transformed: Transformed, target: Signature | None, value: Value, name: str, span: Span
) -> bool:
    """Whether an argument can be traced. Emits an event if not: an iterator, a string, a set, a function, no pytree.

    Args:
        transformed: the transformed function.
        target: its signature.
        value: the argument.
        name: the parameter, for the message.
        span: where the argument is written.
    """
    transform = transformed.transform
    check_constants(interp, [value], span)
    if not transform.staging and not transform.checks_arguments:
        return True
    from_outside = isinstance(value, UnknownArgument) or (isinstance(value, Instance) and value.guessed)
    if target is not None:
        if from_outside and _refuse_object(interp, transformed, target, name, span):
            return False
        if isinstance(value, Unknown) and _refuse_text(interp, transformed, target, name, span):
            return False
    own_class = target.function.cls if target is not None else None
    found = refused_part(interp, value, span, own_class)
    if found is None:
        return True
    part, assuming = found
    if lazy_kind(part) or isinstance(part, Iterator):
        _refuse_iterator(interp, transformed, part, name, span, assuming)
        return False
    assert transformed.site is not None
    module, place = transformed.site
    detail = {"parameter": name}
    made_by = _library_of(interp, value, part)
    if made_by:
        detail["library"] = made_by
    interp.emit(
        EventKind.INVALID_ARGUMENT,
        span,
        _refused_kind_of(interp, part, own_class),
        flow=interp.source_at(module, place, f"`{transform.name}` is applied here"),
        detail=detail,
        entry=entry_of(interp, transformed),
        assuming=assuming,
    )
    return False


def refused_part(
    interp: Interpreter, value: Value, span: Span, own_class: Class | None = None
) -> tuple[Value, Assumption | None] | None:
    """The first leaf of an argument that JAX refuses, and what that rests on; None if there is none.

    Args:
        value: the argument.
        span: where it is written.
        own_class: the class whose method is traced; that of its `self` is no guess.
    """

    def is_refused(part: Value) -> bool:
        return bool(lazy_kind(part) or isinstance(part, Iterator) or _refused_kind_of(interp, part, own_class))

    def holds_refused(part: Value) -> bool:
        return is_refused(part) or any(map(is_refused, _fields_within(interp, part)))

    part = next(filter(is_refused, [*leaves(value), *_fields_within(interp, value)]), None)
    if part is None:
        return _text_if_given(interp, value)
    text = interp.module.snippet(span)
    held = all(isinstance(each, Instance) or is_none(each) for each in alternatives(value))
    if not held and not holds_in_any_case(value, holds_refused):
        return part, Assumption(AssumptionKind.IS_REFUSED, f"`{text}` is that, not something else")
    if part is not value and not (lazy_kind(part) or isinstance(part, Iterator)):
        return part, Assumption(AssumptionKind.HOLDS_REFUSED, f"`{text}` is or holds one")
    return part, None


def _text_if_given(interp: Interpreter, value: Value) -> tuple[Value, Assumption] | None:
    """The text that an argument is or holds where an option is given that is None by default; None if there is none.

    What a pytree's own field is by default, code leaves as it is.
    """
    parts = [*alternatives(value), *leaves(value)]
    classes = [part.cls for part in parts if isinstance(part, (Instance, Tuple)) and part.cls is not None]
    own = {field.owner_name for cls in classes for field in class_facts(interp, cls).fields}
    for part in [*leaves(value), *_fields_within(interp, value)]:
        option = part.option if isinstance(part, Const) and part.value is None else None
        if option in interp.world.settings.texts and option is not None and option.owner not in own:
            return STR, Assumption(AssumptionKind.OTHER_OPTION, f"`{option.name}` is given")
    return None


def _library_of(interp: Interpreter, value: Value, part: Value) -> str:
    """The library that has made what is refused, or whose class has it for a leaf; "" if there is none."""
    if isinstance(part, ExternalInstance):
        return part.of.partition(".")[0]
    holders = [each for each in alternatives(value) if isinstance(each, Instance) and each is not part]
    models = [model.name for each in holders for model in class_facts(interp, each.cls).models]
    return models[0].partition(".")[0] if models else ""


def _fields_within(interp: Interpreter, value: Value, depth: int = 3) -> list[Value]:
    """The leaves that the instances of pytree classes hold which are among the leaves of a value.

    What is left out: instances of a guessed class, parts of modules, and what a loop or branch may have joined, but for
    the objects of libraries that all of them hold.
    """
    found: list[Value] = []
    for part in leaves(value):
        if not isinstance(part, Instance) or part.guessed or part.traced is not None or not depth:
            continue
        names = leaf_fields(interp, part.cls)
        known = class_facts(interp, part.cls)
        if names is None or any(cls.by_functions for cls in known.lineage):
            continue
        for field in known.fields:
            inner = part.fields.get(field.name)
            if not isinstance(inner, Value) or field.static or (names and field.name not in names):
                continue
            if not (part.several or part.is_part) or isinstance(inner, ExternalInstance):
                found += [*leaves(inner), *_fields_within(interp, inner, depth - 1)]
    return found


def _refused_kind_of(interp: Interpreter, part: Value, own_class: Class | None) -> str:
    """As `refused_kind`, but "" for an instance of a guessed class: it may be of a subclass that is a pytree.

    Args:
        own_class: the class whose method is traced; that of its `self` is no guess.
    """
    if not isinstance(part, Instance) or not part.guessed:
        return refused_kind(interp, part)
    if part.cls is own_class:
        return "" if _has_accepted_subclass(interp, part.cls) else refused_kind(interp, part)
    made_here = part.site != part.cls.site and _is_container(class_facts(interp, part.cls))
    return "object" if made_here else ""


def _has_accepted_subclass(interp: Interpreter, cls: Class) -> bool:
    """Whether JAX takes, or may take, instances of a subclass in view: an abstract class may have registered ones."""
    others = [other for other in interp.world.classes if other is not cls and cls in lineage(other)]
    return any(known.pytree or known.open for known in (class_facts(interp, other) for other in others))


def _refuse_iterator(
    interp: Interpreter, transformed: Transformed, value: Value, name: str, span: Span, assuming: Assumption | None
) -> None:
    """Emits the event for an iterator, a range or a view of a dict, which JAX refuses.

    Args:
        assuming: what is assumed if the argument may be something else, too.
    """
    detail, entry = {"parameter": name}, entry_of(interp, transformed)
    lazy = lazy_kind(value)
    if lazy:
        if assuming is None and isinstance(value, Sequence) and isinstance(value.element, (Unknown, Tuple)):
            assuming = Assumption(AssumptionKind.VIEW_OF_DICT, "it is a dict's")
        interp.emit(
            EventKind.ITERATOR_ARGUMENT,
            span,
            lazy,
            detail=detail,
            entry=entry,
            assuming=assuming,
        )
    elif isinstance(value, Iterator):
        flow = interp.source_at(value.site[0], value.site[1], f"{value.kind} made here") if value.site else None
        interp.emit(
            EventKind.ITERATOR_ARGUMENT,
            span,
            value.kind,
            flow=flow,
            detail=detail,
            entry=entry,
            assuming=assuming,
        )


def _refuse_object(interp: Interpreter, transformed: Transformed, target: Signature, name: str, span: Span) -> bool:
    """Whether the body uses an unknown argument as an instance of a class that is no pytree. Emits an event if so.

    The attributes that the body reads of the parameter tell the class, if only one class in view defines them all. A
    class without the decorator of a dataclass counts in the module of the function only.
    """
    cls = class_of_parameter(interp, target, name)
    if cls is None:
        return False
    known = class_facts(interp, cls)
    plain = not cls.decorations and cls.module is target.function.module
    if known.pytree or known.open or known.models or not (plain or "dataclasses.dataclass" in cls.decorations):
        return False
    if _has_accepted_subclass(interp, cls):
        return False
    interp.emit(
        EventKind.INVALID_ARGUMENT,
        span,
        "object",
        detail={"parameter": name},
        entry=entry_of(interp, transformed),
        assuming=Assumption(AssumptionKind.CLASS_GUESSED, f"it is a `{cls.code.name}`"),
    )
    return True


def _refuse_text(interp: Interpreter, transformed: Transformed, target: Signature, name: str, span: Span) -> bool:
    """Whether an unknown argument is declared to be a text, or a pytree that holds one. Emits an event if so."""
    parameter = next((each for each in target.parameters if each.name == name and "*" not in each.kind), None)
    if parameter is None or not transformed.transform.name.startswith("jax."):
        return False
    declared: Value = UNKNOWN
    if parameter.annotation is not None:
        declared = evaluate_annotation(interp, target.function, parameter.annotation)
    else:
        declared = class_of_parameter(interp, target, name) or UNKNOWN
    field = _declared_text(interp, declared)
    if field is None:
        return False
    text, kind = f"`{name}` is a `str`", AssumptionKind.HOLDS_REFUSED
    if isinstance(declared, Class):
        text = f"`{name}` is a `{declared.code.name}`, whose `{field}` is a `str`"
        kind = kind if parameter.annotation is not None else AssumptionKind.CLASS_GUESSED
    assert transformed.site is not None
    interp.emit(
        EventKind.INVALID_ARGUMENT,
        span,
        "str",
        flow=interp.source_at(*transformed.site, f"`{transformed.transform.name}` is applied here"),
        detail={"parameter": name, "field": field} if field else {"parameter": name},
        entry=entry_of(interp, transformed),
        assuming=Assumption(kind, text),
    )
    return True


def _declared_text(interp: Interpreter, declared: Value, depth: int = 2) -> str | None:
    """The field that a pytree class declares to be a text, and traces; "" for the annotation `str`; else None."""
    if isinstance(declared, External):
        return "" if declared.name == "builtins.str" else None
    names = leaf_fields(interp, declared) if isinstance(declared, Class) and depth else None
    if not isinstance(declared, Class) or names is None:
        return None
    known = class_facts(interp, declared)
    if any(cls.by_functions for cls in known.lineage):
        return None
    for field in known.fields:
        if field.annotation is None or field.static or (names and field.name not in names):
            continue
        inner = _declared_text(interp, evaluate_annotation(interp, field.owner, field.annotation), depth - 1)
        if inner is not None:
            return f"{field.name}.{inner}".rstrip(".")
    return None


def lazy_kind(value: Value) -> str:
    """The kind of a lazy container that JAX does not accept: "view" (of a dict) or "range"; "" for anything else."""
    if isinstance(value, DictView) or (isinstance(value, Sequence) and value.kind == "view"):
        return "view"
    if isinstance(value, Const) and isinstance(value.value, range):
        return "range"
    return "range" if isinstance(value, Sequence) and value.kind == "range" else ""


def leaves(value: Value, depth: int = 3) -> list[Value]:
    """The parts of a value that JAX would take for leaves, down to `depth` nested containers."""
    found: list[Value] = []
    for part in alternatives(value):
        inner = _contents(part) if depth else None
        found += [part] if inner is None else [leaf for element in inner for leaf in leaves(element, depth - 1)]
    return found


def holds_in_any_case(value: Value, wanted: Callable[[Value], bool], depth: int = 3) -> bool:
    """Whether a value has a leaf for which `wanted` is true, whichever of its alternatives it is."""
    parts = alternatives(value)
    if len(parts) > 1:
        return all(holds_in_any_case(part, wanted, depth) for part in parts)
    inner = _contents(value) if depth else None
    if inner is None:
        return wanted(value)
    return any(holds_in_any_case(element, wanted, depth - 1) for element in inner)


def _contents(value: Value) -> tuple[Value, ...] | None:
    """The values in a container that JAX looks into; None if it is none."""
    if isinstance(value, DictView):
        return None
    if isinstance(value, Tuple):
        return value.elements
    if isinstance(value, List) and value.kind == "list":
        content = value.content
        return content.elements if isinstance(content, Tuple) else (content.element,)  # type: ignore[attr-defined]
    if not isinstance(value, Dict):
        return None
    rest = (value.rest,) if isinstance(value.rest, Array) else ()
    return *value.entries.values(), *rest


def refused_kind(interp: Interpreter, value: Value) -> str:
    """What kind of thing a leaf is, if JAX refuses it as an argument; "" if it accepts it, or if that is not known."""
    if isinstance(value, Const):
        kind = type(value.value).__name__
        return kind if kind in ("str", "bytes") else ""
    if isinstance(value, Static):
        return value.kind if value.kind in ("str", "bytes") else ""
    if isinstance(value, HostArray):
        return "string array" if value.dtype == "str" else ""
    if isinstance(value, List):
        return value.kind if value.kind in ("set", "frozenset", "deque") else ""
    if isinstance(value, (Function, Transformed, BoundMethod)):
        return "function"
    if isinstance(value, Member):
        return "object" if class_facts(interp, value.cls).externals == ("enum.Enum",) else ""
    if isinstance(value, ExternalInstance):
        model = interp.models.classes.get(value.of)
        return "object" if model is not None and model.refused else ""
    if isinstance(value, External):
        return "function" if value.name.startswith(_FUNCTION_MODULES) and interp.models.function(value.name) else ""
    if isinstance(value, Partial):
        return ""
    if isinstance(value, Class):
        return "class"
    if isinstance(value, Instance) and value.traced is None:
        known = class_facts(interp, value.cls)
        refused = any(model.refused for model in known.models)
        return "object" if not known.pytree and (refused or not known.open) else ""
    return ""


def _is_container(known: ClassFacts) -> bool:
    """Whether a class is one of dicts or lists with further methods: JAX knows containers by their very type."""
    opened = known.pytree or any(cls.is_open or cls.decorations for cls in known.lineage)
    return not opened and bool(known.externals) and _CONTAINERS.issuperset(known.externals)


_CONTAINERS = frozenset({"builtins.dict", "builtins.list", "collections.OrderedDict", "collections.UserDict"})

_FUNCTION_MODULES = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.scipy.", "math.", "operator.")
"""Modules whose public names are functions."""
