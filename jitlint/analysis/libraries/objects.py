"""Library objects (`ExternalInstance`): calling them, their methods and their attributes, as their class's model says.

A few kinds of objects have a role (`models/roles.py`) instead of a model of their own: loggers, random states,
namespaces, and variables that stand for the array they hold.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.results import array_result, is_variable
from jitlint.analysis.arrays.rounds import drawn_number
from jitlint.analysis.language.attribute_writes import check_outer_update
from jitlint.analysis.language.attributes import attributes_of
from jitlint.analysis.language.blocks import enter_context
from jitlint.analysis.language.definitions import call_class_decorator
from jitlint.analysis.libraries.callers import call_with_functions
from jitlint.analysis.libraries.requirements import emit_for_argument, shows_tracer, tracer_in
from jitlint.analysis.libraries.result_words import LibraryCall, object_attribute, value_of_phrase
from jitlint.analysis.libraries.tables import METHODS, OBJECT_METHODS
from jitlint.analysis.machine.accesses import record_arrays_changed, record_read
from jitlint.analysis.machine.effects import emit_effect
from jitlint.analysis.machine.interpreter import CALLERS, GETTERS, Interpreter, get_attribute
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Dict,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    Method,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_LOG_METHODS: Final = {
    "debug": "debug",
    **dict.fromkeys(("info", "log"), "log"),
    **dict.fromkeys(("warning", "warn", "error", "critical", "exception"), "warning"),
}
"""A logger's methods, and the category of their effect."""


def _call_instance(interp: Interpreter, callee: ExternalInstance, args: Args, span: Span) -> Value:
    """Calls a library object: a layer or a schedule returns arrays, a decorator with options returns the function."""
    if interp.models.has_role(callee.of, "memoizes"):
        function = args.positional[0] if args.positional else UNKNOWN
        if isinstance(function, Function):
            function.cached = True
        return function
    if callee.of == "functools.wraps" and args.positional and isinstance(args.positional[0], Function):
        function = args.positional[0]
        function.wrapped = callee.arguments[0] if callee.arguments else None
        return function
    if callee.of in OBJECT_METHODS:
        return OBJECT_METHODS[callee.of](interp, callee, Method(callee, "__call__", span), args, span)
    decorated = call_class_decorator(interp, callee.of, args)
    if decorated is not None:
        return decorated
    return _call_modelled(interp, callee, "__call__", interp.models.result_of_calling(callee.of), args, span)


def _call_modelled(
    interp: Interpreter, receiver: ExternalInstance, name: str, result: str, args: Args, span: Span
) -> Value:
    """Calls a method as the models say: by its `[calls]` table, or else by its result word.

    Args:
        receiver: the library object.
        name: the method.
        result: its result word.
        args: the arguments.
        span: where the call is written.
    """
    full = f"{receiver.of}.{name}"
    if interp.models.has_role(full, "writes-its-variables"):
        check_outer_update(interp, receiver, interp.module.snippet(span).partition("(")[0], span)
        if isinstance(args.first, Instance):
            record_arrays_changed(interp, args.first, span)
    calls = interp.models.calls.get(full)
    if calls is not None:
        return call_with_functions(interp, full, calls, args, span, receiver)
    if result == "host":
        emit_for_argument(interp, EventKind.HOST, args, span, full.removesuffix(".__call__"))
        return UNKNOWN
    return value_of_phrase(interp, result, LibraryCall(full, args, span, receiver))


def _object_method(interp: Interpreter, receiver: ExternalInstance, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a library object."""
    of, name = receiver.of, method.name
    if of in OBJECT_METHODS:
        return OBJECT_METHODS[of](interp, receiver, method, args, span)
    is_logger = interp.models.has_role(of, "logger")
    if is_logger and name in _LOG_METHODS:
        emit_effect(
            interp, span, f"{of.partition('.')[0]}.{name}", _LOG_METHODS[name], shows_tracer=shows_tracer(interp, args)
        )
        return NONE
    if is_logger and name == "getChild":
        return receiver
    if interp.models.has_role(of, "random-state"):
        trace = interp.trace
        if trace is not None and receiver.depth < trace.depth:
            emit_effect(interp, span, f"{of}().{name}", "random")
        tracer = tracer_in(interp, args.all())
        if tracer is not None:
            interp.emit(EventKind.HOST, span, f"{of}().{name}", value=tracer)
        drawn = drawn_number(interp, name, args, span)
        if drawn is not None:
            return drawn
        dtype = "int" if name in ("integers", "permutation", "randint") else "float"
        return HostArray(dtype, None, least=shapes.element_count(name, args))
    if of == "builtins.open" and name in ("write", "writelines", "read", "readline", "readlines"):
        emit_effect(interp, span, f"file.{name}", "file")
        return UNKNOWN
    model = interp.models.classes.get(of)
    if is_variable(interp, receiver) and (model is None or name not in model.methods):
        return array_result(interp, [], span, None, by=of)
    if of == "contextlib.ExitStack" and name == "enter_context" and args.positional:
        return enter_context(interp, args.positional[0], span)
    return _call_modelled(
        interp, receiver, name, model.methods.get(name, "unknown") if model else "unknown", args, span
    )


CALLERS[ExternalInstance] = _call_instance
METHODS[ExternalInstance] = _object_method


def _library_attribute(interp: Interpreter, value: ExternalInstance, name: str, span: Span) -> Value:
    """Reads an attribute of a library object; what is no attribute in its model is a method."""
    if interp.models.has_role(value.of, "namespace") and value.site is not None:
        trace = interp.trace
        if trace is not None and trace.cached and value.depth < trace.stage:
            key = ("object", str(value.site[0].source.path), value.site[1], name)
            record_read(interp, key, "attribute", interp.module.snippet(span), span)
        attributes = attributes_of(interp, value)
        if name == "__dict__":
            return attributes
        entries: dict[object, Value] = attributes.entries if isinstance(attributes, Dict) else {}
        return entries.get(name, UNKNOWN)
    model = interp.models.classes.get(value.of)
    if is_variable(interp, value) and (model is None or name not in model.methods):
        array = array_result(interp, [value], span, None, by=value.of)
        return array if name in ("value", "raw_value") else get_attribute(interp, array, name, span)
    found = object_attribute(interp, value, name, span)
    return Method(value, name, span) if found is None else found


GETTERS[ExternalInstance] = _library_attribute
