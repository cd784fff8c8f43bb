"""Calls into libraries: what the models say that a function does to its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jitlint import ir
from jitlint.analysis import shapes
from jitlint.analysis.array_rules import Bound, array_facts, kind_of, result_by_rules
from jitlint.analysis.tables import FUNCTIONS, HANDLERS, METHODS
from jitlint.analysis.interpreter import CALLERS
from jitlint.analysis.classes import DATACLASSES, changed
from jitlint.analysis.context import Args
from jitlint.analysis.donation import check_passed, reads_arrays
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.library_calls import call_with_functions
from jitlint.analysis.operators import array_result
from jitlint.analysis.requirements import check_arguments, emit_for_argument, tracer_in
from jitlint.analysis.results import Called, is_phrase, library_object, value_of
from jitlint.analysis.transforms import apply_transform
from jitlint.analysis.values import (
    NONE,
    SHAPE,
    UNKNOWN,
    Array,
    Class,
    Const,
    DecoratorOf,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Lead,
    List,
    Method,
    Static,
    Traced,
    Tuple,
    Value,
)
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def call_external(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """Calls a library function by its canonical name."""
    transform = interp.models.transforms.get(name)
    if transform is not None:
        return apply_transform(interp, transform, args, span)
    model = interp.models.function(name) or FunctionModel(name)
    if interp.buffers.fields and reads_arrays(name):
        check_passed(interp, args, span)
    if model.effect:
        _effect(interp, model, args, span)
    own = FUNCTIONS.get(name) or HANDLERS.get(model.handler)
    if own is not None:
        return own(interp, model, args, span)
    calls = interp.models.calls.get(name)
    if calls is not None:
        return call_with_functions(interp, name, calls, args, span)
    decorated = decorated_class(interp, name, args)
    if decorated is not None:
        return decorated
    if name in interp.models.classes:
        return library_object(interp, name, args, span)
    owner, _, method = name.rpartition(".")
    if owner in interp.models.classes and interp.models.classes[owner].methods.get(method) == "new":
        from jitlint.analysis.frameworks import made_by

        return made_by(interp, interp.library_class(owner), args, span)
    return apply_model(interp, model, args, span)


def apply_model(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """What a function without a mechanism of its own does: it checks its arguments and gives its result."""
    if model.result == "host" or _needs_conversion(interp, model, args):
        return host_call(interp, model.name, args, span)
    check_arguments(interp, model, args, span)
    return result_of(interp, model, args, span)


def _needs_conversion(interp: Interpreter, model: FunctionModel, args: Args) -> bool:
    """NumPy functions that hand over to the array's own method find none on a list or tuple of tracers."""
    if not model.name.startswith("numpy.") or model.result not in ("array", "bool", "int", "float"):
        return False
    first = args.positional[0] if args.positional else UNKNOWN
    return isinstance(first, (List, Tuple)) and tracer_in(interp, [first]) is not None


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
        return (_host_dtype(args), *shapes.nested(args.positional[0]))
    twin = interp.models.function(f"jax.{name}")
    if twin is None or twin.result != "array":
        return None, None, None
    return array_facts(twin, Bound(twin, args))


# --- on the host ------------------------------------------------------------------------------------------------------


def host_call(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """A function that computes on the host: an event if it gets a tracer."""
    emit_for_argument(interp, EventKind.HOST, args, span, name)
    if name.startswith(("math.", "cmath.", "statistics.")):
        return Static("number")
    if name.startswith("numpy."):
        dtype, rank, lead = as_in_jax(interp, name, args)
        first = args.positional[0] if args.positional else UNKNOWN
        last = name.rpartition(".")[2]
        least = first.least if last in COPYING_FUNCTIONS and isinstance(first, Array) else shapes.count(last, args)
        return HostArray(dtype, rank, lead=lead, least=least)
    return UNKNOWN


COPYING_FUNCTIONS: Final = frozenset({"array", "asarray", "ascontiguousarray"})


def _host_dtype(args: Args) -> str | None:
    """The kind of dtype of what `numpy.array` makes."""
    first, dtype = args.positional[0], args.get(1, "dtype")
    if dtype is not None:
        return kind_of(dtype)
    content = first.content if isinstance(first, List) else first
    element = content.elements[0] if isinstance(content, Tuple) and content.elements else content
    if isinstance(element, Const) and isinstance(element.value, str):
        return "str"
    return kind_of(content)


def _effect(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    tracer = tracer_in(interp, args.all())
    flow = tracer.flow if isinstance(tracer, Traced) else None
    name = model.name.removeprefix("builtins.")
    interp.emit_effect(span, name, model.effect, flow)


# --- objects of libraries ---------------------------------------------------------------------------------------------

_LOGGERS: Final = frozenset({"logging.getLogger", "absl.logging.get_absl_logger", "structlog.get_logger"})
_LOG_CALLS: Final = {
    **dict.fromkeys(("debug", "info", "log"), "log"),
    **dict.fromkeys(("warning", "warn", "error", "critical", "exception"), "warning"),
}
_RANDOM_STATES: Final = frozenset(
    {"numpy.random.default_rng", "numpy.random.RandomState", "random.Random", "numpy.random.Generator"}
)


def _call_instance(interp: Interpreter, callee: ExternalInstance, args: Args, span: Span) -> Value:
    """Calls an object of a library: layers, activations, initializers give arrays."""
    if callee.of in ("functools.lru_cache", "functools.cache"):
        function = args.positional[0] if args.positional else UNKNOWN
        if isinstance(function, Function):
            function.cached = True
        return function
    if callee.of == "functools.wraps" and args.positional and isinstance(args.positional[0], Function):
        function = args.positional[0]
        function.wrapped = callee.arguments[0] if callee.arguments else None
        return function
    decorated = decorated_class(interp, callee.of, args)
    if decorated is not None:
        return decorated
    return _call_modelled(interp, callee, "__call__", interp.models.when_called(callee.of), args, span)


def _call_modelled(
    interp: Interpreter, receiver: ExternalInstance, name: str, result: str, args: Args, span: Span
) -> Value:
    full = f"{receiver.of}.{name}"
    calls = interp.models.calls.get(full)
    if calls is not None:
        return call_with_functions(interp, full, calls, args, span, receiver)
    return value_of(interp, result, Called(full, args, span, receiver))


def _object_method(interp: Interpreter, receiver: ExternalInstance, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of an object of a library."""
    of, name = receiver.of, method.name
    if of in _LOGGERS and name in _LOG_CALLS:
        interp.emit_effect(span, f"{of.partition('.')[0]}.{name}", _LOG_CALLS[name])
        return NONE
    if of in _LOGGERS and name == "getChild":
        return receiver
    if of in _RANDOM_STATES:
        trace = interp.trace
        if trace is not None and receiver.depth < trace.depth:
            interp.emit_effect(span, f"{of}().{name}", "random")
        tracer = tracer_in(interp, args.all())
        if tracer is not None:
            interp.emit(EventKind.HOST, span, f"{of}().{name}", value=tracer)
        dtype = "int" if name in ("integers", "permutation", "randint") else "float"
        return HostArray(dtype, None, least=shapes.count(name, args))
    if of == "builtins.open" and name in ("write", "writelines", "read", "readline", "readlines"):
        interp.emit_effect(span, f"file.{name}", "file")
        return UNKNOWN
    if of == "flax.linen.Variable":
        return array_result(interp, [], span, None, by=of)
    if of == "contextlib.ExitStack" and name == "enter_context" and args.positional:
        from jitlint.analysis.blocks import enter

        return enter(interp, args.positional[0], span)
    model = interp.models.classes.get(of)
    return _call_modelled(
        interp, receiver, name, model.methods.get(name, "unknown") if model else "unknown", args, span
    )


def declared_names(cls: Class) -> frozenset[str]:
    """The names that a class body declares with annotations."""
    body = cls.code.body
    return frozenset(s.target.name for s in body if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name))


def decorate(interp: Interpreter, name: str, cls: Class) -> None:
    """A library's decorator is applied to a class."""
    cls.decorations.add(name)
    register_class(interp, name, cls, Args([cls]))


def decorated_class(interp: Interpreter, name: str, args: Args) -> Class | None:
    """The class that a call of a library's class decorator decorates; None if that is not what is called."""
    cls = args.positional[0] if args.positional else None
    model = interp.models.classes.get(name)
    if not isinstance(cls, Class) or not (name in DATACLASSES or (model is not None and model.decorator)):
        return None
    decorate(interp, name, cls)
    return cls


def register_class(interp: Interpreter, name: str, cls: Class, args: Args) -> None:
    """A class becomes a pytree by a registration."""
    if name.startswith("jax.tree_util.register") or name in ("jax.tree_util.register_pytree_node_class",):
        cls.is_registered = True
        cls.by_functions = "pytree_node" in name or "with_keys" in name
        if cls.by_functions and len(args.positional) > 1:
            cls.flatten = args.positional[1]
        meta = args.keywords.get("meta_fields")
        content = getattr(meta, "content", meta)
        if isinstance(content, Tuple):
            names = {e.value for e in content.elements if isinstance(e, Const) and isinstance(e.value, str)}
            cls.static_fields = cls.static_fields | names
        if name.endswith("register_static"):
            cls.static_fields = cls.static_fields | declared_names(cls)
    changed(interp)


def _call_external(interp: Interpreter, callee: External, args: Args, span: Span) -> Value:
    return call_external(interp, callee.name, args, span)


def _call_decorator(interp: Interpreter, callee: DecoratorOf, args: Args, span: Span) -> Value:
    options = {**callee.options, **args.keywords}
    return call_external(interp, callee.name, Args(args.positional, options, spans=args.spans), span)


CALLERS.update({External: _call_external, DecoratorOf: _call_decorator})
CALLERS[ExternalInstance] = _call_instance
METHODS[ExternalInstance] = _object_method
