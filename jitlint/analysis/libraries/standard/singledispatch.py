"""functools.singledispatch: a function that goes by the class of its first argument.

The object that stands for it holds the function itself, and in its attributes each registered function by a number,
beside the class that it is registered for.
"""

from __future__ import annotations

from typing import Any, Final

from jitlint.analysis.language.annotations import evaluate_annotation
from jitlint.analysis.language.classes import lineage
from jitlint.analysis.language.type_tests import instance_of
from jitlint.analysis.libraries.tables import FUNCTIONS, OBJECT_METHODS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    NEVER,
    UNKNOWN,
    Class,
    Dict,
    ExternalInstance,
    Function,
    Method,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives, join_all
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_DISPATCHER: Final = "functools.singledispatch"
_METHOD: Final = "functools.singledispatchmethod"
_REGISTER: Final = "functools.singledispatch.register"
"""What `f.register(Class)` makes, a decorator; it holds `f` and the class."""


def _dispatcher(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`@singledispatch`, or `@singledispatchmethod`, of whose calls nothing is known."""
    attributes = interp.new_dict({}, NEVER, span)
    given = tuple(args.positional[:1])
    return ExternalInstance(model.name, given, interp.depth, interp.loops, interp.site(span), attributes=attributes)


def _use(interp: Interpreter, receiver: ExternalInstance, method: Method, args: Args, span: Span) -> Value:
    """A call `f(x)` of such a function, or of its method `register`."""
    if method.name == "register":
        return _register(interp, receiver, args, span)
    if method.name != "__call__" or receiver.of == _METHOD or not args.positional or not receiver.arguments:
        return UNKNOWN
    return join_all(_dispatched(interp, receiver, part, args, span) for part in alternatives(args.first))


def _dispatched(interp: Interpreter, dispatcher: ExternalInstance, value: Value, args: Args, span: Span) -> Value:
    """The result for one value of the first argument; Unknown if its class does not tell what is called."""
    fitting: list[tuple[Value, Value]] = []
    held = dispatcher.attributes.entries.values() if isinstance(dispatcher.attributes, Dict) else ()
    for pair in held:
        if not isinstance(pair, Tuple):
            return UNKNOWN
        fits = instance_of(interp, value, pair.elements[0])
        if fits is None:
            return UNKNOWN
        if fits:
            fitting.append((pair.elements[0], pair.elements[1]))
    given = Args([value, *args.positional[1:]], args.keywords, args.rest, args.more, args.spans, args.keyword_spans)
    return call(interp, _most_special(fitting) if fitting else dispatcher.arguments[0], given, span)


def _most_special(fitting: list[tuple[Value, Value]]) -> Value:
    """The function for the class that no other class in question inherits from."""
    chosen = fitting[0]
    for cls, function in fitting[1:]:
        if isinstance(cls, Class) and isinstance(chosen[0], Class) and chosen[0] in lineage(cls):
            chosen = cls, function
    return chosen[1]


def _register(interp: Interpreter, dispatcher: ExternalInstance, args: Args, span: Span) -> Value:
    """`f.register(Class, function)`; as a decorator, with the class or above an annotated function."""
    first = args.first
    if isinstance(first, (Function, Transformed)):
        return _add(interp, dispatcher, _annotated_class(interp, first), first)
    if len(args.positional) > 1:
        return _add(interp, dispatcher, first, args.positional[1])
    return ExternalInstance(_REGISTER, (dispatcher, first), interp.depth, interp.loops, interp.site(span))


def _decorate(interp: Interpreter, receiver: ExternalInstance, method: Method, args: Args, span: Span) -> Value:
    """`@f.register(Class)` above a function."""
    dispatcher, cls = receiver.arguments
    return _add(interp, dispatcher, cls, args.first)


def _add(interp: Interpreter, dispatcher: Value, cls: Value, function: Value) -> Value:
    """Registers a function for a class, and gives it back."""
    attributes: Any = dispatcher.attributes if isinstance(dispatcher, ExternalInstance) else None
    if isinstance(attributes, Dict):
        entries = attributes.entries
        interp.store.set(attributes, "entries", {**entries, len(entries): Tuple((cls, function))})
    return function


def _annotated_class(interp: Interpreter, function: Function | Transformed) -> Value:
    """The class that the first parameter of a function is annotated with."""
    inner: Value = function
    while isinstance(inner, Transformed):
        inner = inner.function
    if not isinstance(inner, Function) or not inner.code.parameters:
        return UNKNOWN
    annotation = inner.code.parameters[0].annotation
    return UNKNOWN if annotation is None else evaluate_annotation(interp, inner, annotation)


FUNCTIONS[_DISPATCHER] = FUNCTIONS[_METHOD] = _dispatcher
OBJECT_METHODS[_DISPATCHER] = OBJECT_METHODS[_METHOD] = _use
OBJECT_METHODS[_REGISTER] = _decorate
