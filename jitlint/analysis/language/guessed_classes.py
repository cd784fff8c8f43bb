"""Attributes of objects whose class nothing in view shows: those of the classes that fit.

Code asks such an object for what its class defines. If few classes of the project fit, the object is taken for an
instance of any of these; what follows names the assumption. This concerns arguments from callers out of view, and
traced arguments of unknown structure, whose class must be a pytree.
"""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.language.annotations import evaluate_annotation
from jitlint.analysis.language.classes import class_facts, lineage
from jitlint.analysis.language.instances import assumed_argument, generic_instance, traced_instance
from jitlint.analysis.language.signatures import Signature
from jitlint.analysis.machine.interpreter import GETTERS, Interpreter, get_attribute
from jitlint.analysis.machine.options import field_given, option_of
from jitlint.analysis.values import (
    FLOAT,
    NEVER,
    STR,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Method,
    OneOfArguments,
    Option,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    UnknownArgument,
    Value,
)
from jitlint.analysis.values.joins import join
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.source.places import Span

_OF_BUILTINS: Final = frozenset({name for kind in (list, dict, str, set, int, float, tuple) for name in dir(kind)})
"""Names of methods that objects of Python's own types have: they say nothing about the class."""

_OF_ARRAYS: Final = frozenset(
    {"astype", "reshape", "sum", "mean", "max", "min", "dot", "std", "var", "item", "tolist", "replace"}
)
"""Names of methods that arrays and pytrees have."""

_OF_LIBRARIES: Final = frozenset(
    {
        "init",
        "apply",
        "update",
        "step",
        "reset",
        "fit",
        "predict",
        "sample",
        "log_prob",
        "transform",
        "forward",
        "eval",
        "close",
        "run",
        "save",
        "load",
        "read",
        "write",
        "call",
        "render",
        "submit",
        "result",
        "put",
        "send",
        "start",
        "stop",
    }
)
"""Names of methods that objects of many libraries have: they tell the class only within the module that defines it."""

MAX_CLASSES: Final = 4
"""How many classes an object may be an instance of."""


def _attribute_of_unknown_argument(interp: Interpreter, value: UnknownArgument, name: str, span: Span) -> Value:
    """The attribute of an object that comes from callers out of view.

    Methods and properties are those of the classes that fit, so that their bodies are run. Attributes that are set on
    `self` stay unknown.
    """
    if name in ("items", "keys", "values"):
        return Method(value, name, span)
    found: Value = NEVER
    for cls in _classes_that_fit(interp, name, value.used):
        found = join(found, _member(interp, cls, name, span))
    return UnknownArgument() if found is NEVER else found


def _attribute_of_one_of_arguments(interp: Interpreter, value: OneOfArguments, name: str, span: Span) -> Value:
    """The attribute of one of several objects from callers out of view: it must be of a class that has it."""
    used = frozenset[str]().union(*(part.used for part in value.parts if isinstance(part, UnknownArgument)))
    return _attribute_of_unknown_argument(interp, UnknownArgument(used), name, span)


def _classes_that_fit(interp: Interpreter, name: str, used: frozenset[str]) -> list[Class]:
    """The classes that an object may be an instance of, by an attribute and by all that is asked of it."""
    fitting: list[Class] = []
    if name not in _OF_BUILTINS and name not in _OF_ARRAYS:
        fitting = interp.world.guesses.all_that_define(frozenset({name}), interp.module)
        if name in _OF_LIBRARIES:
            fitting = [cls for cls in _family(fitting) if cls.module is interp.module]
        elif not _family(fitting):  # what one module offers side by side
            one_module = len({cls.module for cls in fitting}) == 1
            fitting = [cls for cls in fitting if one_module and _has_all(interp, cls, used)]
    if not fitting and len(used) > 1:
        fitting = _family(interp.world.guesses.all_that_define(used, interp.module))
    return [cls for cls in fitting if cls.module.given] if len(fitting) <= MAX_CLASSES else []


def _family(classes: list[Class]) -> list[Class]:
    """Some classes, if they are one alone or one of them and subclasses of it; else none."""
    heads = [cls for cls in classes if not any(base in classes for base in lineage(cls)[1:])]
    return classes if len(heads) == 1 and len(classes) <= MAX_CLASSES else []


def _member(interp: Interpreter, cls: Class, name: str, span: Span) -> Value:
    """A method or property of an instance that stands for any of a class; Never for its other attributes."""
    member = cls.fields.get(name)
    known = class_facts(interp, cls)
    if isinstance(member, (Function, Transformed)):
        receiver: Value
        if known.named_tuple:
            receiver = Tuple(tuple(UnknownArgument() for _ in known.fields), cls)
        else:
            receiver = generic_instance(interp, cls)
        return BoundMethod(receiver, member, interp.loops, interp.site(span), guessed=True)
    if isinstance(member, Descriptor) and member.kind == "property" and not known.named_tuple:
        text = f"`{interp.module.snippet(span)}` is that of `{cls.code.name}`"
        with interp.assuming(AssumptionKind.CLASS_GUESSED, text):
            return get_attribute(interp, generic_instance(interp, cls), name, span)
    _note_compiled_attribute(interp, cls, name, span)
    return NEVER


def _note_compiled_attribute(interp: Interpreter, cls: Class, name: str, span: Span) -> None:
    """Notes that code gets an attribute which is a compiled function in any instance of a class: it is to be called."""
    instance = interp.unit.assumed_instances.get(cls.serial)
    field = instance.fields.get(name) if instance is not None else None
    if isinstance(field, Transformed) and field.transform.cached and interp.trace is None:
        text = f"`{interp.module.snippet(span)}` is that of `{cls.code.name}`"
        compiled = Assumption(AssumptionKind.CALLS_COMPILED, text)
        owner = ("attribute", str(cls.module.source.path), cls.code.qualname)
        interp.unit.state.order.may_be_called(id(field), owner, compiled, tuple(interp.store.branches))


def attribute_of_tree(interp: Interpreter, value: Traced, name: str, span: Span) -> Value:
    """The attribute of a traced argument of unknown structure, which is an instance of the pytree class that fits.

    A method may be that of any of few classes of one module. Without such a class, the attribute is a tracer if a
    library's pytree classes have an array of that name, else Unknown.
    """
    guesses = interp.world.guesses
    field_of = guesses.with_attribute(name, interp.module)
    defining = guesses.all_that_define(frozenset({name}), interp.module)
    fitting = [field_of] if field_of is not None and _may_be_argument(interp, field_of) else []
    if any(each is not field_of and _may_be_argument(interp, each) for each in defining if fitting):
        fitting = []  # another one has a property or method of that name
    elif not fitting and name not in _OF_BUILTINS and name not in _OF_ARRAYS:
        fitting = [each for each in defining if class_facts(interp, each).pytree and each.module.given]
        if name in _OF_LIBRARIES and defining != fitting:
            fitting = []
    fitting = [cls for cls in fitting if _fits_parameter(interp, cls, value)]
    methods = len({cls.module for cls in fitting}) == 1 and all(
        isinstance(c.fields.get(name), Function) for c in fitting
    )
    if len(fitting) == 1 or (methods and len(fitting) <= MAX_CLASSES):
        found = [_attribute_of_class(interp, cls, value, name, span) for cls in fitting]
        return found[0] if len(found) == 1 else Union(tuple(found), True)
    return value.replace(param="") if name in interp.models.array_fields else UNKNOWN


def _attribute_of_class(interp: Interpreter, cls: Class, value: Traced, name: str, span: Span) -> Value:
    """The attribute of a traced argument that is taken for an instance of a class."""
    text = f"`{interp.owner_text(span, name)}` is a `{cls.code.name}`"
    part = value.replace(flow=value.flow.assuming(Assumption(AssumptionKind.CLASS_GUESSED, text)))
    found = get_attribute(interp, traced_instance(interp, cls, part), name, span)
    if isinstance(found, BoundMethod):
        return BoundMethod(found.receiver, found.function, found.loops, found.site, guessed=True)
    return found


def may_be_object_with(interp: Interpreter, value: Traced, name: str) -> bool:
    """Whether a part of a traced argument, of unknown structure, may be an object of the project with such a method.

    Of a parameter itself, the function says more by all that it asks of it.
    """
    if not value.tree or value.param:
        return False
    defining = interp.world.guesses.all_that_define(frozenset({name}), interp.module)
    return any(cls.module.given and _may_be_argument(interp, cls) for cls in defining)


def _may_be_argument(interp: Interpreter, cls: Class) -> bool:
    """Whether JAX may take an instance as a traced argument: it is a pytree, or has bases that are not in view."""
    known = class_facts(interp, cls)
    return known.pytree or known.open or bool(known.models)


def _fits_parameter(interp: Interpreter, cls: Class, value: Traced) -> bool:
    """Whether a tracer may be an instance of a class, if it is a parameter: by its annotation and by all that the
    function asks of it.
    """
    start = value.flow.start
    function, parameter = interp.unit.tree_parameters.get((start.module.name, start.span), (None, None))
    if function is None or parameter is None or parameter.name != value.param:
        return True
    return _fits_annotation(interp, cls, function, parameter) and _has_all(interp, cls, parameter.attributes)


def _fits_annotation(interp: Interpreter, cls: Class, function: Function, parameter: ir.Parameter) -> bool:
    """Whether a parameter's annotation does not name a class out of view, of which the guessed one may know nothing."""
    annotation = parameter.annotation
    if not isinstance(annotation, (ir.Name, ir.Attribute)):
        return True
    known = class_facts(interp, cls)
    if any(current.code.name == annotation.name for current in known.lineage):
        return True
    named = evaluate_annotation(interp, function, annotation)
    if isinstance(named, External):
        anything = named.name.startswith(("typing.", "builtins.")) or named.name in interp.models.annotations
        return anything or named.name in known.externals
    return not isinstance(named, Unknown)


def callable_objects(interp: Interpreter, given: int) -> list[Value]:
    """The objects that an argument from outside may be which code calls: of the module's own classes with `__call__`.

    Args:
        given: how many arguments the call has.
    """
    found: list[Value] = []
    for cls in interp.world.guesses.all_that_define(frozenset({"__call__"}), interp.module):
        known = class_facts(interp, cls)
        method = cls.fields.get("__call__")
        if cls.module is not interp.module or not isinstance(method, Function) or known.pytree or known.open:
            continue
        if not known.models and not known.named_tuple and len(method.code.parameters) == given + 1:
            found.append(BoundMethod(generic_instance(interp, cls), method, interp.loops, cls.site, guessed=True))
    return found if len(found) <= MAX_CLASSES else []


def _has_all(interp: Interpreter, cls: Class, names: frozenset[str]) -> bool:
    """Whether the instances of a class have all attributes of these names, as far as its bases are in view."""
    known = class_facts(interp, cls)
    if known.open or known.models:
        return True
    own = {field.name for field in known.fields}.union(*(c.code.locals for c in known.lineage))
    own.update(*(c.code.assigned for c in known.lineage))
    of_python = [*dir(tuple), "_replace", "_asdict", "_fields"] if known.named_tuple else dir(object)
    return "__getattr__" in own or names <= own.union(of_python)


def as_read(interp: Interpreter, value: Value) -> Value:
    """The value of a variable, attribute or item as code reads it.

    That of an option whose default it is is unknown if the option is open, or another one that the run gives it.
    """
    run, settings = interp.root_run, interp.world.settings.given
    if isinstance(value, Const) and value.option is not None:
        run.defaults.setdefault(value.option, value)
        given: Const | None = run.given.get(value.option)
        if given is not None and _replaces(given.value, value.value):
            run.asked_settings += 1
            return given
    if isinstance(value, UnknownArgument) and (chosen := field_given(interp, value)) is not None:
        run.asked_settings += 1
        return chosen
    if not settings and not run.open_options:
        return value
    if id(value) in settings:
        run.asked_settings += 1
        return value
    option = option_of(interp, value) if run.open_options else None
    if option is None or option not in run.open_options:
        return value
    run.asked_settings += 1
    opened = run.opened.get(option)
    if opened is None:
        opened = run.opened[option] = _opened(interp, value, option)
        settings[id(opened)] = opened
    return opened


def _replaces(given: object, default: object) -> bool:
    """Whether what an option is given stands for its default, and not for the truth of a test of it."""
    return not isinstance(default, bool) if given is None else default is None or type(given) is type(default)


def _opened(interp: Interpreter, value: Value, option: Option) -> Value:
    """What an open option may be.

    What is None by default may be an object instead, of the class that the option is named after.
    """
    if not isinstance(value, Const):
        return Sequence("tuple", STR if option.names else FLOAT)
    if value.value is not None:
        return Static(type(value.value).__name__)
    cls = interp.world.guesses.named(option.name, interp.module) if not option.declared else None
    return UnknownArgument() if cls is None else assumed_argument(interp, cls)


def class_of_parameter(interp: Interpreter, target: Signature, name: str) -> Class | None:
    """The class whose instance a function wants for a parameter: the only one that has all that the body asks of it.

    One attribute alone tells the class if it is a field, or if the parameter is named after the class.
    """
    guesses, module = interp.world.guesses, target.function.module
    used = next((p.attributes for p in target.function.code.parameters if p.name == name), frozenset())
    known = interp.models.array["attributes"]
    if not used or any(each in _OF_BUILTINS or each in _OF_ARRAYS or each in known for each in used):
        return None
    cls = guesses.that_defines(used, module)
    if len(used) > 1 or cls is None or cls is guesses.named(name, module):
        return cls
    return cls if guesses.with_attribute(next(iter(used)), module) is cls else None


GETTERS[UnknownArgument] = _attribute_of_unknown_argument
GETTERS[OneOfArguments] = _attribute_of_one_of_arguments
