"""Calls into libraries: what the models say that a function does to its arguments."""

from __future__ import annotations

from collections.abc import Callable

from jitlint import ir
from jitlint.analysis import shapes
from jitlint.analysis.classes import DATACLASSES
from jitlint.analysis.containers import SUMMING, dtype_of_name, report_shape
from jitlint.analysis.context import Args
from jitlint.analysis.donation import check_passed, reads_arrays
from jitlint.analysis.events import EventKind
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.joins import alternatives
from jitlint.analysis.operators import array_result
from jitlint.analysis.results import Called, is_phrase, library_object, value_of
from jitlint.analysis.tracing import cast, dtype_of, name_of_dtype, rank_of
from jitlint.analysis.values import (
    NONE,
    SHAPE,
    UNKNOWN,
    Array,
    Class,
    Const,
    ExternalInstance,
    Function,
    HostArray,
    Iterator,
    Lead,
    List,
    Static,
    Traced,
    Tuple,
    Value,
)
from jitlint.models.library import FunctionModel
from jitlint.source.places import Span

Handler = Callable[[Interpreter, FunctionModel, Args, Span], Value]

HANDLERS: dict[str, Handler] = {}
"""The mechanisms that the models' `handler` words name."""

FUNCTIONS: dict[str, Handler] = {}
"""The mechanisms of the standard library's functions, by qualified name."""


def call_external(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """Calls a library function by its canonical name."""
    from jitlint.analysis.library_calls import call_with_functions
    from jitlint.analysis.transforms import apply_transform

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
    decorated = _class_decorated(interp, name, args)
    if decorated is not None:
        return decorated
    if name in interp.models.classes:
        return library_object(interp, name, args, span)
    return apply_model(interp, model, args, span)


def apply_model(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """What a function without a mechanism of its own does: it checks its arguments and gives its result."""
    if model.result == "host" or _needs_conversion(interp, model, args):
        return host_call(interp, model.name, args, span)
    check_concrete(interp, model, args, span)
    if model.strict:
        check_strict(interp, model, args, span)
    if model.data_shape:
        check_data_shape(interp, model, args, span)
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
    first = args.positional[0] if args.positional else UNKNOWN
    dtype: str | None = kind
    rank: int | None = None
    if kind in ("array", "same"):
        dtype = _array_dtype(model.name, args)
    if kind == "same" and isinstance(first, Array):
        rank = first.rank
    lead = first.lead if kind == "same" and isinstance(first, Array) else None
    last = model.name.rpartition(".")[2]
    if last in shapes.REDUCTIONS and isinstance(first, Array):
        rank = shapes.reduced(first, args.get(1, "axis"), args.keywords.get("keepdims"))
    elif last == "reshape" and len(args.positional) == 2:
        rank = shapes.reshaped(args.positional[1:])
    elif dtype_of_name(last) is not None and len(args.positional) == 1:
        rank = rank_of(first)
    elif rank is None:
        rank, lead = shapes.created(last, args)
    by = "" if model.name.startswith("numpy.") else model.name
    least = first.least if kind == "same" and isinstance(first, Array) else shapes.count(last, args)
    result = array_result(interp, args.all(), span, dtype, rank, by=by, lead=lead, least=least)
    return cast(result, name_of_dtype(args.keywords["dtype"]) if "dtype" in args.keywords else last)


def _array_dtype(name: str, args: Args) -> str | None:
    given = args.keywords.get("dtype")
    if given is not None:
        return dtype_of_name(name_of_dtype(given))
    last = name.rpartition(".")[2]
    first_only = last in _LIKE_FIRST or last in shapes.REDUCTIONS
    kinds = {dtype_of(value) for value in (args.positional[:1] if first_only else args.positional)}
    if last in ("zeros", "ones", "full", "eye", "empty", "normal", "uniform"):
        return _created_dtype(last, args)
    if last in ("one_hot", "softmax", "sigmoid", "relu", "gelu"):
        return "float"
    if kinds == {"bool"} and last in SUMMING:
        return "int"
    if last in _PROMOTING and "float" in kinds and "complex" not in kinds:
        return "float"
    return kinds.pop() if len(kinds) == 1 else None


_LIKE_FIRST = frozenset(
    {"reduce_max", "reduce_min", "reduce_prod", "cumsum", "cumprod", "cummax", "cummin", "sort", "diff", "roll", "flip",
     "reshape", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis", "broadcast_to", "tile", "repeat", "take",
     "dynamic_slice", "dynamic_slice_in_dim", "dynamic_index_in_dim", "slice_in_dim", "integer_pow", "full_like"}
)  # fmt: skip
"""Functions whose other arguments are axes, sizes and places: the result has the first one's dtype."""

_PROMOTING = frozenset({"maximum", "minimum", "add", "subtract", "multiply", "power", "clip", "hypot", "fmax", "fmin"})


def _created_dtype(name: str, args: Args) -> str | None:
    position = {"full": 2, "eye": 3, "normal": 2, "uniform": 2}.get(name, 1)
    if len(args.positional) > position:
        return dtype_of_name(getattr(args.positional[position], "name", ""))
    return None if name == "full" else "float"


# --- checks -----------------------------------------------------------------------------------------------------------


def tracer_in(interp: Interpreter, values: list[Value], *, concrete: bool = False) -> Value | None:
    """The first argument that is or contains a tracer without a value (with `concrete`, any tracer)."""
    for value in values:
        if interp.traced(value, concrete=concrete) is not None:
            return value
        for part in alternatives(value):
            inner: list[Value] = []
            if isinstance(part, Tuple):
                inner = list(part.elements)
            elif isinstance(part, List):
                inner = [part.content]
            elif hasattr(part, "element") and not isinstance(part, Iterator):
                inner = [part.element]
            found = tracer_in(interp, inner, concrete=concrete) if inner else None
            if found is not None:
                return found
    return None


def emit_for_argument(interp: Interpreter, kind: EventKind, args: Args, span: Span, construct: str) -> bool:
    """An event at a call that has a tracer in an argument, which is the event's subject; whether there is one."""
    for value, place in args.placed():
        tracer = tracer_in(interp, [value], concrete=kind is EventKind.HOST)
        if tracer is not None:
            interp.emit(kind, span, construct, value=tracer, subject=interp.module.snippet(place or span))
            return True
    return False


def host_call(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """A function that computes on the host: an event if it gets a tracer."""
    emit_for_argument(interp, EventKind.HOST, args, span, name)
    if name.startswith(("math.", "cmath.", "statistics.")):
        return Static("number")
    if name.startswith("numpy."):
        rank, lead = _host_shape(name, args)
        first = args.positional[0] if args.positional else UNKNOWN
        last = name.rpartition(".")[2]
        least = first.least if last in _COPYING and isinstance(first, Array) else shapes.count(last, args)
        return HostArray(_host_dtype(name, args), rank, lead=lead, least=least)
    return UNKNOWN


_COPYING = frozenset({"array", "asarray", "ascontiguousarray"})


def _host_shape(name: str, args: Args) -> tuple[int | None, Lead | None]:
    """Rank and leading axis of an array that NumPy makes of a shape or of a list."""
    last = name.rpartition(".")[2]
    if last in ("array", "asarray") and args.positional:
        return shapes.nested(args.positional[0])
    return shapes.created(last, args)


def _host_dtype(name: str, args: Args) -> str | None:
    if name in ("numpy.array", "numpy.asarray") and args.positional:
        first = args.positional[0]
        content = first.content if isinstance(first, List) else first
        if isinstance(content, Tuple) and content.elements:
            element = content.elements[0]
            if isinstance(element, Const) and isinstance(element.value, str):
                return "str"
            return dtype_of(element)
    return _array_dtype(name, args)


def check_concrete(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """Arguments that must be concrete."""
    if model.name == "jax.numpy.arange" and len(args.positional) == 1 and "stop" not in args.keywords:
        report_shape(interp, args.positional[0], args.span(0, "", span), model.name, "stop")
        return
    if model.name == "jax.numpy.repeat" and "total_repeat_length" in args.keywords:
        return
    for parameter in model.concrete:
        value = args.keywords.get(parameter.name)
        if value is None and parameter.position is not None and parameter.position < len(args.positional):
            value = args.positional[parameter.position]
        if value is not None:
            report_shape(interp, value, args.span(parameter.position, parameter.name, span), model.name, parameter.name)


def check_data_shape(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """A result whose shape depends on values."""
    if "size" in args.keywords:
        return
    emit_for_argument(interp, EventKind.DATA_SHAPE, args, span, model.name)


_STRICT_KINDS = frozenset({"bool", "int", "float", "complex"})


def check_strict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """`lax` operands of different dtypes. Python scalars take the other operand's dtype if it is of a higher kind."""
    if len(args.positional) < (3 if model.name == "jax.lax.select" else 2):
        return
    first, second = args.positional[1:3] if model.name == "jax.lax.select" else args.positional[:2]
    kinds = (dtype_of(first), dtype_of(second))
    if kinds[0] not in _STRICT_KINDS or kinds[1] not in _STRICT_KINDS:
        return
    if kinds[0] == kinds[1]:
        exact = [value.exact for value in (first, second) if isinstance(value, Array) and value.exact]
        if len(set(exact)) == 2:
            interp.emit(EventKind.OPERAND_DTYPES, span, model.name, detail={"dtypes": ", ".join(exact)})
        return
    order = ("bool", "int", "float", "complex")
    both_scalars = isinstance(first, (Const, Static)) and isinstance(second, (Const, Static))
    for value, kind, other in ((first, kinds[0], kinds[1]), (second, kinds[1], kinds[0])):
        if isinstance(value, (Const, Static)) and order.index(kind) < order.index(other) and not both_scalars:
            return
    detail = {"dtypes": f"{kinds[0]}, {kinds[1]}"}
    interp.emit(EventKind.OPERAND_DTYPES, span, model.name, detail=detail)


def _effect(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    tracer = tracer_in(interp, args.all())
    flow = tracer.flow if isinstance(tracer, Traced) else None
    name = model.name.removeprefix("builtins.")
    interp.emit_effect(span, name, model.effect, flow)


# --- objects of libraries ---------------------------------------------------------------------------------------------

_LOGGERS = frozenset({"logging.getLogger", "absl.logging.get_absl_logger", "structlog.get_logger"})
_LOG_CALLS = {
    **dict.fromkeys(("debug", "info", "log"), "log"),
    **dict.fromkeys(("warning", "warn", "error", "critical", "exception"), "warning"),
}
_RANDOM_STATES = frozenset(
    {"numpy.random.default_rng", "numpy.random.RandomState", "random.Random", "numpy.random.Generator"}
)


def call_instance(interp: Interpreter, callee: ExternalInstance, args: Args, span: Span) -> Value:
    """Calls an object of a library: layers, activations, initializers give arrays."""
    if callee.of in ("functools.lru_cache", "functools.cache"):
        function = args.positional[0] if args.positional else UNKNOWN
        if isinstance(function, Function):
            function.cached = True
        return function
    decorated = _class_decorated(interp, callee.of, args)
    if decorated is not None:
        return decorated
    return _call_modelled(interp, callee, "__call__", interp.models.when_called(callee.of), args, span)


def _call_modelled(
    interp: Interpreter, receiver: ExternalInstance, name: str, result: str, args: Args, span: Span
) -> Value:
    from jitlint.analysis.library_calls import call_with_functions

    full = f"{receiver.of}.{name}"
    calls = interp.models.calls.get(full)
    if calls is not None:
        return call_with_functions(interp, full, calls, args, span, receiver)
    return value_of(interp, result, Called(full, args, span, receiver))


def call_library_method(interp: Interpreter, receiver: ExternalInstance, name: str, args: Args, span: Span) -> Value:
    """Calls a method of an object of a library."""
    of = receiver.of
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
        from jitlint.analysis.statements import enter

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


def _class_decorated(interp: Interpreter, name: str, args: Args) -> Class | None:
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
