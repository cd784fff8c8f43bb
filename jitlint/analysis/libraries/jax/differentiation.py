"""JAX functions that differentiate at once (jvp, vjp), that describe results (eval_shape), and host callbacks."""

from __future__ import annotations

from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.language.classes import class_attribute
from jitlint.analysis.language.type_tests import SHAPED
from jitlint.analysis.libraries.jax.trees import is_tree
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import map_structure, unknown_tree
from jitlint.analysis.tracing.traced_call import traced_call
from jitlint.analysis.values import (
    BOOL,
    NONE,
    UNKNOWN,
    Array,
    Const,
    ExternalInstance,
    HostArray,
    Instance,
    JaxArray,
    Partial,
    Traced,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _jvp(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jvp(fun, primals, tangents)`: the function runs now, and tracers keep their values."""
    primals = args.given(1, "primals")
    content = content_of(primals)
    values: list[Value] = list(content.elements) if isinstance(content, Tuple) else [UNKNOWN]
    result = traced_call(interp, model.name, args.given(0, "fun"), values, span, staging=False, concrete=True)
    return Tuple((result, result))


def _vjp(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`vjp(fun, *primals)` and `linearize`: the result, and a function for the derivative."""
    values = args.positional[1:]
    linear = model.name.endswith("linearize")
    result = traced_call(interp, model.name, args.given(0, "fun"), values, span, staging=False, concrete=True)
    pull = ExternalInstance(f"{model.name}()", (), interp.depth, interp.loops, interp.site(span))
    if "has_aux" in args.keywords and not linear and isinstance(result, Tuple) and len(result.elements) == 2:
        return Tuple((result.elements[0], pull, result.elements[1]))
    return Tuple((result, pull))


def _eval_shape(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`eval_shape(fun, *args)`: the function is traced on descriptions of arrays, and returns descriptions."""
    return _trace_described(interp, model, args, span, arrays_only=False)


def _filter_eval_shape(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """As `eval_shape`, for arguments of any kind: what is no array stays as it is."""
    return _trace_described(interp, model, args, span, arrays_only=True)


def _trace_described(interp: Interpreter, model: FunctionModel, args: Args, span: Span, *, arrays_only: bool) -> Value:
    """Traces the first argument on the others, and returns a description of the result."""
    function = args.given(0, "fun")
    values = [_as_array(interp, value) for value in args.positional[1:]]
    bound = Partial(function, (), dict(args.keywords), interp.loops, interp.site(span)) if args.keywords else function
    places = args.spans[1:]
    result = traced_call(interp, model.name, bound, values, span, places, arrays_only=arrays_only)
    return _described(interp, result)


def _described(interp: Interpreter, value: Value) -> Value:
    """A result in which a `ShapeDtypeStruct` stands for each array."""
    if isinstance(value, Array):
        return UNKNOWN if is_tree(value) else ExternalInstance("jax.ShapeDtypeStruct")
    return map_structure(interp, value, lambda leaf: _described(interp, leaf))


def _as_array(interp: Interpreter, value: Value) -> Value:
    """An argument of `eval_shape`: whatever has a shape and a dtype stands for an array, as `ShapeDtypeStruct` does."""
    if isinstance(value, ExternalInstance) and value.of == "jax.ShapeDtypeStruct":
        return JaxArray()
    if isinstance(value, Instance) and all(
        name in value.fields or class_attribute(interp, value.cls, name) is not None for name in ("shape", "dtype")
    ):
        return JaxArray()
    return map_structure(interp, value, lambda part: _as_array(interp, part))


def _callback(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`pure_callback(function, result_shape_dtypes, …)`: the result is what its description says.

    The function gets real arrays on the host, so that this trace does not run it.
    """
    spec = args.get(1, "result_shape_dtypes")
    if isinstance(spec, (Array, ExternalInstance)):
        return array_result(interp, args.all(), span, None, by=model.name)
    return unknown_tree(interp, args.all(), span, model.name)


def _host_callback(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`debug.callback(function, …)`, `debug.print(…)`: the function runs on the host; the call returns None."""
    return NONE


def _identity_decorator(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function that returns its first argument: `nn.compact`, `jax.block_until_ready` …"""
    return args.positional[0] if args.positional else UNKNOWN


def _device_get(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`device_get(x)`: a NumPy array, outside of a trace."""
    value = args.positional[0] if args.positional else UNKNOWN
    if isinstance(value, JaxArray):
        return HostArray(value.dtype, value.rank)
    return value if isinstance(value, Traced) else UNKNOWN


def _is_concrete(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.core.is_concrete(x)`: false for a tracer. Nobody asks it of a container."""
    tracer = interp.traced(args.positional[0] if args.positional else UNKNOWN)
    return Const(False) if tracer is not None and not tracer.container else BOOL


def _get_aval(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.core.get_aval(x)`: of a tracer it is no `ConcreteArray`, which JAX had for arrays with values."""
    tracer = interp.traced(args.positional[0] if args.positional else UNKNOWN)
    if tracer is None or tracer.container:
        return UNKNOWN
    return ExternalInstance(SHAPED, (), interp.depth, interp.loops, interp.site(span))


HANDLERS.update(
    {
        "jax_jvp": _jvp,
        "jax_vjp": _vjp,
        "jax_linearize": _vjp,
        "eval_shape": _eval_shape,
        "filter_eval_shape": _filter_eval_shape,
        "callback": _callback,
        "host_callback": _host_callback,
        "identity_decorator": _identity_decorator,
        "device_get": _device_get,
        "is_concrete": _is_concrete,
        "get_aval": _get_aval,
    }
)
