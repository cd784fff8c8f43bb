"""Objects on the host: namespaces, random states, arrays that NumPy changes in place, and what it takes for a scalar.

Model files ask for these mechanisms by the words at the end of the file.
"""

from __future__ import annotations

from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.libraries.calls import host_call
from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.effects import emit_effect
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    BOOL,
    NONE,
    UNKNOWN,
    Array,
    Const,
    Dict,
    ExternalInstance,
    Instance,
    JaxArray,
    List,
    Sequence,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _namespace(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`SimpleNamespace(a=1)`, `Namespace(…)`, `ConfigDict({…})`: attributes are what was put into it."""
    given = args.positional[0] if args.positional else None
    entries = {**(given.entries if isinstance(given, Dict) else {}), **args.keywords}
    attributes = interp.new_dict(entries, UNKNOWN, span)
    return ExternalInstance(model.name, (), interp.depth, interp.loops, interp.site(span), attributes=attributes)


def _random_state(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`numpy.random.default_rng()`: without a seed it takes entropy, an effect while tracing."""
    tracer = tracer_in(interp, args.all())
    if tracer is not None:
        interp.emit(EventKind.HOST, span, model.name, value=tracer)
    elif not args.all():
        emit_effect(interp, span, model.name, "random")
    return ExternalInstance(model.name, (), interp.depth, interp.loops, interp.site(span))


def _in_place(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A NumPy function that changes its first argument (`np.copyto(x, …)`), which no JAX array allows."""
    first = args.positional[0] if args.positional else UNKNOWN
    if model.name.startswith("jax.numpy.") and "inplace" in args.keywords:
        return first
    tracer = interp.traced(first)
    if tracer is not None or isinstance(first, JaxArray):
        interp.emit(EventKind.INPLACE, span, model.name, value=first, flow=tracer.flow if tracer else None)
    elif tracer_in(interp, args.positional) is not None and not model.name.startswith("jax."):
        host_call(interp, model.name, args, span)
    return NONE


def _isscalar(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`numpy.isscalar(x)`: False for every array, of any rank, and for a tracer; True for numbers and text.

    For `jax.numpy.isscalar`, an array of rank 0 is a scalar, too. Source: `jax/_src/numpy/lax_numpy.py`.
    """
    given = args.given(0, "element")
    if isinstance(given, Array) and model.name.startswith("jax."):
        return BOOL if given.rank is None else Const(given.rank == 0)
    if isinstance(given, Instance):
        stands_for_array = class_attribute(interp, given.cls, "__jax_array__") is not None
        return BOOL if stands_for_array or class_facts(interp, given.cls).open else Const(False)
    if isinstance(given, (Array, Tuple, Sequence, List, Dict)) or is_none(given):
        return Const(False)
    return Const(True) if isinstance(given, Const) and isinstance(given.value, (int, float, complex, str)) else BOOL


HANDLERS.update({"namespace": _namespace, "random_state": _random_state, "in_place": _in_place, "isscalar": _isscalar})
