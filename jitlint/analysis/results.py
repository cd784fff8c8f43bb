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

from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.operators import array_result
from jitlint.analysis.signatures import signature
from jitlint.analysis.tracing import map_structure
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    ExternalInstance,
    Function,
    Instance,
    List,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
)
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
        return List("list", Sequence("tuple", element), interp.depth, interp.loops, interp.site(called.span))
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
    from jitlint.analysis.libraries import result_of

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


def some_tree(interp: Interpreter, operands: list[Value], span: Span, by: str) -> Value:
    """A result of which only the stage is known: a tree of any structure."""
    result = array_result(interp, operands, span, None, by=by)
    return result.replace(tree=True) if isinstance(result, Traced) else UNKNOWN


def like(interp: Interpreter, value: Value, span: Span, by: str) -> Value:
    """The structure of a value with arrays for leaves."""
    if isinstance(value, Unknown) or (isinstance(value, Traced) and value.tree):
        return some_tree(interp, [value], span, by)
    if isinstance(value, (Array, Const, Static)) and value is not NONE:
        return array_result(interp, [value], span, None, by=by)
    return map_structure(interp, value, lambda leaf: like(interp, leaf, span, by))


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
            target = signature(interp, function)
            if target is not None:
                interp.lent.setdefault(id(target.code), (function, made))
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
    content = value.content if isinstance(value, List) else value
    if isinstance(content, Tuple) and nesting:
        return [found for part in content.elements for found in held(interp, part, method, nesting - 1)]
    if isinstance(content, Sequence):
        return held(interp, content.element, method, nesting - 1) if nesting else []
    if isinstance(value, Instance) and (method or signature(interp, value) is not None):
        return [value]
    return [value] if isinstance(value, _CALLABLE) and not method else []
