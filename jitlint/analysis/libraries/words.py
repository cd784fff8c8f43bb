"""What library functions give: the result words of the models that say more than one kind.

word        array, float, static-int, tree … (`FunctionModel.result`)
name@1      the argument itself; `like name@1`: its structure with arrays for leaves; `name@1.other@0`: an argument
            that made the library object given
new         an instance of the class, with the keywords for fields (class methods only)
self, call  the object whose method was called; what the function gave that was called
a.b.C       an object of a library's class
x or y      x if that argument was given, else y
x, y        a tuple
list of x   a list of any length
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.arrays.rules import Bound, array_facts, kind_of, result_by_rules
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import like, some_tree
from jitlint.analysis.values import (
    NONE,
    SHAPE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    ExternalInstance,
    Function,
    Instance,
    Lead,
    Partial,
    Sequence,
    Static,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.models.calls import parameter
from jitlint.models.function import FunctionModel
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class Called:
    """A call into a library: the function's name, its arguments, the object whose method it is, and what the function
    gave that it called."""

    name: str
    args: Args
    span: Span
    receiver: Value = UNKNOWN
    inner: Value = UNKNOWN


def is_phrase(word: str) -> bool:
    """Whether a result word says more than one kind."""
    return any(sign in word for sign in " @.") or word in ("self", "call", "tree")


def value_of(interp: Interpreter, word: str, called: Called) -> Value:
    """The value that a result word stands for."""
    if ", " in word:
        return Tuple(tuple(value_of(interp, part, called) for part in word.split(", ")))
    first, _, rest = word.partition(" or ")
    if rest:
        given = argument(called.args, first)
        if isinstance(given, Unknown):
            return UNKNOWN
        return value_of(interp, rest, called) if given is None or given is NONE else given
    if word.startswith("list of "):
        element = value_of(interp, word.removeprefix("list of "), called)
        return interp.new_list("list", Sequence("tuple", element), called.span)
    if word.startswith("like "):
        return like(interp, argument(called.args, word.removeprefix("like ")) or UNKNOWN, called.span, called.name)
    if "@" in word:
        return argument(called.args, word) or UNKNOWN
    if word == "self":
        return called.receiver
    if word == "call":
        unknown = isinstance(called.inner, Unknown)
        return some_tree(interp, called.args.all(), called.span, called.name) if unknown else called.inner
    if word == "tree":
        return some_tree(interp, called.args.all(), called.span, called.name)
    if "." in word:
        return library_object(interp, word, called.args, called.span)
    return result_of(interp, FunctionModel(called.name, word), called.args, called.span)


def argument(args: Args, text: str) -> Value | None:
    """The argument of a parameter ("name@1"), or one that made the library object given there ("name@1.other@0"); None
    if it was not given."""
    first, _, rest = text.partition(".")
    wanted = parameter(first)
    given = args.get(wanted.position, wanted.name)
    if not rest:
        return given
    return argument(made_with(given), rest) if isinstance(given, ExternalInstance) else None


def object_attribute(interp: Interpreter, value: ExternalInstance, name: str, span: Span) -> Value | None:
    """What the model of a library object's class says of an attribute: traced if the object was made while tracing.

    None if it says nothing.
    """
    model = interp.models.classes.get(value.of)
    if model is None or name not in model.attributes:
        return None
    trace = interp.trace
    if not value.depth:
        interp.trace = None
    try:
        word = model.attributes[name]
        args = made_with(value) if "@" in word else Args([])
        return value_of(interp, word, Called(f"{value.of}.{name}", args, span, value))
    finally:
        interp.trace = trace


# --- objects of libraries that hold functions -------------------------------------------------------------------------


def library_object(interp: Interpreter, of: str, args: Args, span: Span) -> ExternalInstance:
    """What a library's class or factory makes; functions of the project that it is given are lent to it."""
    made = ExternalInstance(
        of, tuple(args.positional), interp.depth, interp.loops, interp.site(span), keywords=args.keywords
    )
    model = interp.models.classes.get(of)
    if model is not None and model.runs_with is not None:
        for function in held(interp, made):
            target = signature_of(interp, function)
            if target is not None:
                interp.unit.held_functions.setdefault(id(target.code), (function, made))
    return made


def held_by(interp: Interpreter, holder: ExternalInstance, method: str = "", nesting: int = 4) -> list[Value]:
    """What `held` finds in the arguments that made a library object."""
    model = interp.models.classes.get(holder.of)
    names = model.holds if model is not None else ()
    args = made_with(holder)
    parts = args.all() if "*" in names else [argument(args, name) for name in names]
    return [found for part in parts for found in held(interp, part, method, nesting - 1)]


def made_with(value: ExternalInstance) -> Args:
    """The arguments that made a library object."""
    return Args(list(value.arguments), dict(value.keywords))


def _offers(interp: Interpreter, model: ClassModel, method: str) -> bool:
    return method in model.attributes or f"{model.name}.{method}" in interp.models.calls


_CALLABLE = (Function, Class, BoundMethod, Partial, Transformed)


def held(interp: Interpreter, value: Value | None, method: str = "", nesting: int = 4) -> list[Value]:
    """The project's functions that a value is, or that the library objects in it hold; with `method`, the objects that
    have such a method."""
    if isinstance(value, ExternalInstance) and nesting:
        model = interp.models.classes.get(value.of)
        if method and model is not None and _offers(interp, model, method):
            return [value]
        return held_by(interp, value, method, nesting)
    if isinstance(value, Union):
        return [found for part in value.alternatives for found in held(interp, part, method, nesting)]
    content = content_of(value)
    if isinstance(content, Tuple) and nesting:
        return [found for part in content.elements for found in held(interp, part, method, nesting - 1)]
    if isinstance(content, Sequence):
        return held(interp, content.element, method, nesting - 1) if nesting else []
    if isinstance(value, Instance) and (method or signature_of(interp, value) is not None):
        return [value]
    return [value] if isinstance(value, _CALLABLE) and not method else []


def result_of(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """The value that a function's `result` word stands for."""
    kind = model.result
    if kind == "none":
        return NONE
    if kind == "unknown":
        return UNKNOWN
    if kind == "static-shape":
        return SHAPE
    if kind == "static-object":
        return library_object(interp, model.name, args, span)
    if is_phrase(kind):
        return value_of(interp, kind, Called(model.name, args, span))
    if kind.startswith("static-"):
        return Static(kind.removeprefix("static-"))
    if model.structure.base:
        return result_by_rules(interp, model, args, span)
    first = args.positional[0] if args.positional else UNKNOWN
    if model.name.startswith("numpy."):
        dtype, rank, lead = as_in_jax(interp, model.name, args)
        return array_result(interp, args.all(), span, dtype, rank, lead=lead)
    if kind == "same" and isinstance(first, Array):
        lead, least = first.lead, first.least
        return array_result(interp, args.all(), span, first.dtype, first.rank, by=model.name, lead=lead, least=least)
    return array_result(interp, args.all(), span, None if kind in ("array", "same") else kind, by=model.name)


def as_in_jax(interp: Interpreter, name: str, args: Args) -> tuple[str | None, int | None, Lead | None]:
    """Kind, rank and leading axis of what a NumPy function gives: those of `jax.numpy`'s function of that name."""
    if name in ("numpy.array", "numpy.asarray") and args.positional:
        return (_host_dtype(args), *shapes.nested_list_facts(args.positional[0]))
    twin = interp.models.function(f"jax.{name}")
    if twin is None or twin.result != "array":
        return None, None, None
    return array_facts(twin, Bound(twin, args))


COPYING_FUNCTIONS: Final = frozenset({"array", "asarray", "ascontiguousarray"})


def _host_dtype(args: Args) -> str | None:
    """The kind of dtype of what `numpy.array` makes."""
    first, dtype = args.positional[0], args.get(1, "dtype")
    if dtype is not None:
        return kind_of(dtype)
    content = content_of(first)
    element = content.elements[0] if isinstance(content, Tuple) and content.elements else content
    if isinstance(element, Const) and isinstance(element.value, str):
        return "str"
    return kind_of(content)
