"""`dataclasses` and `copy`: an object's fields, copies of it with other attributes, or as a dict or tuple."""

from __future__ import annotations

from jitlint.analysis.language.annotations import evaluate_annotation, evaluate_in_module_scope
from jitlint.analysis.language.classes import bind_self, class_attribute, class_facts
from jitlint.analysis.language.instances import field_default, given_field
from jitlint.analysis.language.type_tests import has_attribute
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.cache.fresh_fields import replaced_fields
from jitlint.analysis.values import (
    BOOL,
    NEVER,
    UNKNOWN,
    Array,
    Class,
    Const,
    Dict,
    ExternalInstance,
    Instance,
    Sequence,
    Traced,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives, join_all
from jitlint.analysis.values.objects import FieldFact
from jitlint.analysis.values.outside import DATACLASS_FIELD
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _replace(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dataclasses.replace(x, name=value)`."""
    _, sections = interp.world.settings.sections.get(id(args.first), (None, ()))
    return join_all(_replaced(interp, value, args, span) for value in sections or alternatives(args.first))


def _replaced(interp: Interpreter, value: Value, args: Args, span: Span) -> Value:
    """A copy of an object in which some fields are others: `replace` makes it anew, with `__post_init__`."""
    if isinstance(value, Instance):
        copy = Instance(value.cls, interp.depth, interp.loops, value.site, value.guessed)
        copy.fields.update(value.fields)
        copy.fields.update(replaced_fields(interp, value, args, span))
        for field in class_facts(interp, value.cls).fields if args.open_keywords else ():
            given = args.further(field.name) if field.name not in args.keywords else None
            if given is not None:
                copy.fields[field.name] = given_field(interp, field, given, value.fields.get(field.name, UNKNOWN))
        copy.traced = value.traced
        after = class_attribute(interp, value.cls, "__post_init__")
        if after is not None and class_facts(interp, value.cls).dataclass:
            call(interp, bind_self(interp, after[0], copy, span), Args([]), span)
        return copy
    return value if isinstance(value, Traced) else UNKNOWN


def _as_dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dataclasses.asdict(x)` and `astuple(x)`. Values inside, which Python converts too, stay as they are."""
    value = args.positional[0] if args.positional else UNKNOWN
    if not isinstance(value, Instance) or value.guessed or value.traced is not None:
        return UNKNOWN
    names = [field.name for field in class_facts(interp, value.cls).fields]
    entries = {name: value.fields.get(name, UNKNOWN) for name in names}
    if model.name.endswith("astuple"):
        return Tuple(tuple(entries.values()))
    return interp.new_dict(entries, NEVER, span)


def _fields(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dataclasses.fields(x)` of an object or a class: of a field, its name, type, default and metadata are known."""
    parts = [part.cls if isinstance(part, Instance) else part for part in alternatives(args.first)]
    classes = [part for part in parts if isinstance(part, Class) and class_facts(interp, part).dataclass]
    if len(classes) != len(parts):
        return UNKNOWN
    known = [_field(interp, field, span) for cls in classes for field in class_facts(interp, cls).fields]
    return Tuple(tuple(known)) if len(classes) == 1 else Sequence("tuple", join_all(known))


def _is_dataclass(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dataclasses.is_dataclass(x)`: a constant if the outcome is the same for every value that x may be."""
    outcomes = {_is_of_dataclass(interp, part) for part in alternatives(args.first)}
    return Const(outcomes.pop()) if len(outcomes) == 1 and None not in outcomes else BOOL


def _is_of_dataclass(interp: Interpreter, value: Value) -> bool | None:
    """Whether a value is a dataclass or an object of one; None if that is not known. Classes of attrs are none."""
    if isinstance(value, Array):
        return None if isinstance(value, Traced) and value.tree else False
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return has_attribute(interp, value, "__dataclass_fields__")
    known = class_facts(interp, cls)
    attrs = any(name.startswith(("attr.", "attrs.")) for each in known.lineage for name in each.decorations)
    if known.dataclass and not attrs:
        return True
    return None if known.open or attrs or (isinstance(value, Instance) and value.guessed) else False


def _field(interp: Interpreter, field: FieldFact, span: Span) -> Value:
    declared = UNKNOWN if field.annotation is None else evaluate_annotation(interp, field.owner, field.annotation)
    facts = {"name": Const(field.name), "type": declared, **_facts_of_field(interp, field)}
    attributes = interp.new_dict(facts, UNKNOWN, span)
    return ExternalInstance(DATACLASS_FIELD, (), interp.depth, interp.loops, interp.site(span), attributes=attributes)


def _facts_of_field(interp: Interpreter, field: FieldFact) -> dict[object, Value]:
    """The attributes `default` and `metadata` of a field, as far as its declaration gives them."""
    given = UNKNOWN if field.default is None else evaluate_in_module_scope(interp, field.owner, field.default)
    if isinstance(given, ExternalInstance) and given.of == DATACLASS_FIELD and isinstance(given.attributes, Dict):
        return dict(given.attributes.entries)
    return {} if field.default is None else {"default": field_default(interp, field)}


def _type_hints(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`typing.get_type_hints(cls)` of a dataclass or NamedTuple: its fields' types by their names."""
    cls = args.first
    fields = class_facts(interp, cls).fields if isinstance(cls, Class) else ()
    hints = {each.name: evaluate_annotation(interp, each.owner, each.annotation) for each in fields if each.annotation}
    return interp.new_dict(dict(hints), NEVER, span) if hints else UNKNOWN


def _made_field(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dataclasses.field(default=x, metadata={…})`."""
    attributes = interp.new_dict(dict(args.keywords), UNKNOWN, span)
    return ExternalInstance(DATACLASS_FIELD, (), interp.depth, interp.loops, interp.site(span), attributes=attributes)


def _copy(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`copy.copy(x)` and `copy.deepcopy(x)`: another object with the same attributes; all else is taken for itself."""
    value = args.positional[0] if args.positional else UNKNOWN
    return value.with_fields({}) if isinstance(value, Instance) else value


def _cast(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`typing.cast(type, value)`."""
    return args.positional[1] if len(args.positional) > 1 else UNKNOWN


FUNCTIONS.update(
    {
        "dataclasses.replace": _replace,
        "dataclasses.asdict": _as_dict,
        "dataclasses.astuple": _as_dict,
        "dataclasses.field": _made_field,
        "dataclasses.fields": _fields,
        "dataclasses.is_dataclass": _is_dataclass,
        "copy.copy": _copy,
        "copy.deepcopy": _copy,
        "typing.cast": _cast,
        "typing.get_type_hints": _type_hints,
    }
)
