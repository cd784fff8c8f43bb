"""Calls into libraries: finds what the models say about a function, and does it.

`call_external` is the way of every call of a library function; README.md lists the places where it looks, in order.
"""

from __future__ import annotations

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.ragged import as_wide
from jitlint.analysis.arrays.reads import asks_only, reads_arrays
from jitlint.analysis.arrays.rounds import drawn_number, function_of_counter, is_series, joined_by_library
from jitlint.analysis.arrays.selections import selection
from jitlint.analysis.language.classes import lineage
from jitlint.analysis.language.definitions import call_class_decorator
from jitlint.analysis.libraries.array_arguments import check_array_arguments
from jitlint.analysis.libraries.bases import instance_from_class_method
from jitlint.analysis.libraries.callers import call_with_functions
from jitlint.analysis.libraries.requirements import (
    answered_by_project,
    check_arguments,
    emit_for_argument,
    shows_tracer,
    tracer_in,
)
from jitlint.analysis.libraries.result_words import (
    COPYING_FUNCTIONS,
    facts_from_jax_twin,
    host_dtype,
    library_object,
    result_of,
)
from jitlint.analysis.libraries.tables import FUNCTIONS, HANDLERS
from jitlint.analysis.machine.buffers import check_passed
from jitlint.analysis.machine.effects import emit_effect
from jitlint.analysis.machine.interpreter import CALLERS, Interpreter
from jitlint.analysis.tracing.transforms import apply_transform
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    DecoratorOf,
    External,
    HostArray,
    Instance,
    List,
    Sequence,
    Static,
    Traced,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def call_external(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """Calls a library function.

    Args:
        name: its canonical qualified name, "jax.numpy.sum".
        args: the arguments.
        span: where the call is written.
    """
    transform = interp.models.transforms.get(name)
    if transform is not None:
        return apply_transform(interp, transform, args, span)
    model = interp.models.function(name) or FunctionModel(name)
    if interp.models.has_role(name, "unfreezes"):
        _note_thawed(args)
    reads = reads_arrays(name) or interp.models.has_role(name, "writes-arrays")
    if interp.world.buffers.fields and reads and not asks_only(interp, args.first):
        check_passed(interp, args, span)
    if model.effect:
        _effect(interp, model, args, span)
        drawn = drawn_number(interp, name.rpartition(".")[2], args, span) if model.effect == "random" else None
        if drawn is not None:
            return drawn
    if model.structure.base:
        check_array_arguments(interp, model, args, span)
    mechanism = FUNCTIONS.get(name) or HANDLERS.get(model.handler)
    if mechanism is not None:
        return mechanism(interp, model, args, span)
    calls = interp.models.calls.get(name)
    if calls is not None:
        return call_with_functions(interp, name, calls, args, span)
    decorated = call_class_decorator(interp, name, args)
    if decorated is not None:
        return decorated
    if name in interp.models.classes:
        return library_object(interp, name, args, span)
    owner, _, method = name.rpartition(".")
    if owner in interp.models.classes and interp.models.classes[owner].methods.get(method) == "new":
        return instance_from_class_method(interp, interp.library_class(owner), args, span)
    return apply_model(interp, model, args, span)


def _note_thawed(args: Args) -> None:
    """Notes the classes of the instances that a function lets be assigned to."""
    for value in args.all():
        for cls in lineage(value.cls) if isinstance(value, Instance) else ():
            cls.is_thawed = True


def apply_model(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """What a function without a mechanism does: it refuses bad arguments, and returns what its model says."""
    if model.result == "host" or _needs_conversion(interp, model, args):
        return host_call(interp, model.name, args, span)
    check_arguments(interp, model, args, span)
    if model.result == "static-object" and model.name.startswith("scipy."):  # it converts what it is made of to NumPy
        emit_for_argument(interp, EventKind.HOST, args, span, model.name)
    return result_of(interp, model, args, span)


def _needs_conversion(interp: Interpreter, model: FunctionModel, args: Args) -> bool:
    """Whether a NumPy function must make an array of its argument itself, which fails for a list or tuple of tracers.

    Given a traced array, such a function calls the array's own method, which works.
    """
    if not model.name.startswith("numpy.") or model.result not in ("array", "bool", "int", "float"):
        return False
    first = args.positional[0] if args.positional else UNKNOWN
    return isinstance(first, (List, Tuple, Sequence)) and tracer_in(interp, [first], concrete=True) is not None


# --- on the host ------------------------------------------------------------------------------------------------------


def host_call(interp: Interpreter, name: str, args: Args, span: Span) -> Value:
    """Calls a function that computes on the host with NumPy or Python: a tracer among its arguments is an event."""
    emit_for_argument(interp, EventKind.HOST, args, span, name)
    if name.startswith(("math.", "cmath.", "statistics.")):
        return function_of_counter(name, args) or Static("number")
    if name.startswith("numpy."):
        if answered_by_project(interp, args, span) is not None:
            return UNKNOWN
        dtype, rank, lead = facts_from_jax_twin(interp, name, args)
        first = args.positional[0] if args.positional else UNKNOWN
        last = name.rpartition(".")[2]
        least = (
            first.least if last in COPYING_FUNCTIONS and isinstance(first, Array) else shapes.element_count(last, args)
        )
        series = is_series(last, args, rank)
        return HostArray(dtype, rank, lead=lead, exact=host_dtype(args, dtype), least=least, series=series)
    return UNKNOWN


def _effect(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """An event for the effect of a call on the outside world (output, clock, file …), if it happens while tracing."""
    tracer = tracer_in(interp, args.all())
    flow = tracer.flow if isinstance(tracer, Traced) else None
    name = model.name.removeprefix("builtins.")
    emit_effect(interp, span, name, model.effect, flow, shows_tracer=shows_tracer(interp, args))


def _call_external(interp: Interpreter, callee: External, args: Args, span: Span) -> Value:
    """What calling an `External` value does."""
    given = call_external(interp, callee.name, args, span)
    result = selection(interp, as_wide(given, callee.name, args), callee.name, args, span)
    return joined_by_library(interp, result, callee.name, args, span)


def _call_decorator(interp: Interpreter, callee: DecoratorOf, args: Args, span: Span) -> Value:
    """Applies a decorator that got its options first, `@jax.jit(static_argnums=0)`; `@partial(…)` is a `Partial`."""
    options = {**callee.options, **args.keywords}
    return call_external(interp, callee.name, Args(args.positional, options, spans=args.spans), span)


CALLERS.update({External: _call_external, DecoratorOf: _call_decorator})
