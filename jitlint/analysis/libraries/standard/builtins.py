"""Built-in functions about objects: isinstance, getattr, hasattr, type, vars …

`sequences.py`, `ordering.py` and `conversions.py` have the other built-in functions.
"""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.language.attribute_writes import set_attribute, set_attribute_directly, set_unknown_attribute
from jitlint.analysis.language.attributes import attributes_of, fields_as_dict
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.type_tests import has_attribute, instance_of, type_of
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.interpreter import Interpreter, get_attribute
from jitlint.analysis.machine.options import NAMESPACE, note_dtype
from jitlint.analysis.machine.store import is_data
from jitlint.analysis.values import (
    BOOL,
    INT,
    NEVER,
    NONE,
    OBJECT,
    STR,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    JaxArray,
    Partial,
    Slice,
    Static,
    Traced,
    TracerText,
    Transformed,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives, join, join_all
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _isinstance(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`isinstance(x, types)`: a constant if the outcome is the same for every value that x may be."""
    if len(args.positional) < 2:
        return BOOL
    value, types = args.positional[:2]
    outcomes = {instance_of(interp, part, types) for part in alternatives(value)}
    return Const(outcomes.pop()) if len(outcomes) == 1 and None not in outcomes else BOOL


def _getattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`getattr(x, "name", default)`: a tracer lacks some attributes of arrays, and the default is returned."""
    name = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    if isinstance(args.first, External) and args.first.name in _OFFERING_DTYPES:
        note_dtype(interp, name, span)
    if isinstance(name, TracerText) and len(args.positional) == 2 and interp.traced(name.tracer) is not None:
        interp.emit(EventKind.FORMAT, span, "getattr", value=name.tracer)
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return _section(interp, args.first)
    if len(args.positional) > 2 and name.value in interp.models.array["host"]["missing"]:
        if _is_missing(interp, args.first, name.value):
            return args.positional[2]
        if any(isinstance(part, Traced) for part in alternatives(args.first)):
            return UNKNOWN
    found = get_attribute(interp, args.first, name.value, span)
    return join(found, args.positional[2]) if len(args.positional) > 2 else found


_OFFERING_DTYPES: Final = frozenset({"jax.numpy", "numpy"})
"""Modules from which programs take a dtype by its name."""


def _section(interp: Interpreter, value: Value) -> Value:
    """One of the objects that a dataclass consists of, as the sections of settings; else Unknown.

    Where it has other fields as well, it is noted which objects it may be, if it is used as one.
    """
    if not isinstance(value, Instance) or not class_facts(interp, value.cls).dataclass:
        return UNKNOWN
    held = [value.fields.get(field.name, UNKNOWN) for field in class_facts(interp, value.cls).fields]
    sections = [part for part in held if isinstance(part, Instance)]
    if not sections or len(sections) == len(held):
        return join_all(sections) if sections else UNKNOWN
    some = Unknown()
    interp.world.settings.sections[id(some)] = some, tuple(sections)
    return some


def _hasattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`hasattr(x, "name")`: a constant if the outcome is the same for every value that x may be."""
    name = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return BOOL
    outcomes = {has_attribute(interp, part, name.value) for part in alternatives(args.first)}
    return Const(outcomes.pop()) if len(outcomes) == 1 and None not in outcomes else BOOL


def _is_missing(interp: Interpreter, value: Value, name: object) -> bool:
    """Whether `name` is an attribute of arrays for which a tracer raises AttributeError, and `value` a tracer."""
    names = interp.models.array["host"]["missing"]
    return name in names and all(isinstance(part, Traced) and not part.tree for part in alternatives(value))


def _vars(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`vars(x)`: the attributes as a dict. With one command line, those that the parser declares are all."""
    given = args.first
    if isinstance(given, ExternalInstance) and given.of == NAMESPACE and interp.root_run.command_line is not None:
        entries = given.attributes.entries if isinstance(given.attributes, Dict) else {}
        return interp.new_dict(dict(entries), NEVER, span)
    return attributes_of(interp, args.first) if args.positional else UNKNOWN


def _exec(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`exec(code, globals, locals)`: the code may put anything into the dicts, also in the place of what they hold."""
    for given in args.positional[1:]:
        if isinstance(given, Dict):
            interp.store.set(given, "entries", {})
            interp.store.set(given, "rest", UNKNOWN)
    return NONE


def _globals(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`globals()`: the module's variables as a dict. A function that is looked up in it may be any."""
    variables = fields_as_dict(interp.world.frames[interp.module], has_more=True)
    variables.fields["entries"] = {name: value for name, value in variables.entries.items() if is_data(value)}
    return variables


def _setattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`setattr(x, "name", value)` is an assignment; if the name is not known, the value may still leak."""
    if len(args.positional) == 3:
        target, name, value = args.positional
        if isinstance(name, Const) and isinstance(name.value, str):
            node = ir.Attribute(span, ir.Const(span, None), name.value, span)
            set_attribute(interp, target, name.value, value, node)
        else:
            for part in alternatives(target):
                check_escape(interp, part, value, span, "attribute", interp.module.snippet(args.place(span)))
                set_unknown_attribute(interp, part, value)
    return NONE


def _object_setattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`object.__setattr__(x, "name", value)`: an assignment that frozen classes let pass."""
    if len(args.positional) == 3:
        target, name, value = args.positional
        for part in alternatives(target):
            if not isinstance(name, Const) or not isinstance(name.value, str):
                set_unknown_attribute(interp, part, value)
            elif isinstance(part, Instance):
                set_attribute_directly(
                    interp, part, name.value, value, ir.Attribute(span, ir.Const(span, None), name.value, span)
                )
    return NONE


def _type(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`type(x)`; `type(name, bases, members)` makes a class of which nothing is known."""
    if len(args.positional) > 1:
        return UNKNOWN
    return join_all(map(type_of, alternatives(args.first)))


def _callable(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`callable(x)`: known for functions and classes (true), and for numbers and arrays (false)."""
    value = args.first
    if isinstance(value, (Function, Partial, BoundMethod, Transformed, Class)):
        return Const(True)
    if isinstance(value, (Const, Static, JaxArray, HostArray)) or (isinstance(value, Traced) and not value.tree):
        return Const(False)
    return BOOL


def _open(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`open(path)`: an object whose methods have effects."""
    return ExternalInstance("builtins.open", (), interp.depth, interp.loops, interp.site(span))


def _slice(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`."""
    bounds = list(args.positional)
    padded = [NONE, *bounds, NONE] if len(bounds) == 1 else [*bounds, NONE][:3]
    return Slice(tuple(padded))


def _descriptor(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`property(f)`, `staticmethod(f)`, `classmethod(f)`."""
    return Descriptor(model.name.rpartition(".")[2], args.first)


def _bool_result(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function that always returns a bool, such as `issubclass(a, b)`."""
    return BOOL


FUNCTIONS.update(
    {
        "builtins.isinstance": _isinstance,
        "builtins.issubclass": _bool_result,
        "builtins.hasattr": _hasattr,
        "builtins.getattr": _getattr,
        "builtins.setattr": _setattr,
        "builtins.object.__setattr__": _object_setattr,
        "builtins.exec": _exec,
        "builtins.vars": _vars,
        "builtins.globals": _globals,
        "builtins.type": _type,
        "builtins.callable": _callable,
        "builtins.open": _open,
        "builtins.print": lambda *_: NONE,
        "builtins.slice": _slice,
        **{f"builtins.{name}": _descriptor for name in ("property", "staticmethod", "classmethod")},
        "builtins.id": lambda *_: INT,
        "builtins.ord": lambda *_: INT,
        "builtins.chr": lambda *_: STR,
        "builtins.object": lambda *_: OBJECT,
    }
)
