"""What library functions require of their arguments: concrete values, hashable ones, equal dtypes.

The requirements themselves are in the models (`FunctionModel.concrete`, `data_shape`, `hashable`, `strict`), mostly as
JAX answered when it was asked. A requirement that an argument breaks is an event.
"""

from __future__ import annotations

from jitlint.analysis.arrays.dtypes import AT_LEAST, differ, dtype_of
from jitlint.analysis.arrays.rules import Bound
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    Const,
    Dict,
    Iterator,
    List,
    Sequence,
    Static,
    TracerText,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption
from jitlint.events.event import EventKind
from jitlint.models.function import Concrete, FunctionModel
from jitlint.source.places import Span


def check_arguments(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """Emits an event for each argument of a call that the function refuses."""
    if not (model.concrete or model.data_shape or model.strict or model.hashable):
        return
    bound = Bound(model, args)
    _check_concrete(interp, model, bound, args, span)
    for parameter in model.data_shape:
        value = bound.values.get(parameter.name)
        tracer = None if value is None or _is_waived(parameter, bound) else tracer_in(interp, [value])
        if tracer is not None:
            detail = {"option": _option(parameter, bound)} if parameter.unless else {}
            subject = interp.module.snippet(args.span(parameter.position, parameter.name, span))
            interp.emit(EventKind.DATA_SHAPE, span, model.name, value=tracer, detail=detail, subject=subject)
            break
    for name in model.hashable:
        _check_hashable(interp, model, name, bound, args, span)
    if model.strict:
        _check_strict(interp, model, [bound.values[name] for name in model.strict if name in bound.values], span)


def shows_tracer(interp: Interpreter, args: Args) -> bool:
    """Whether a call that puts out its arguments shows a tracer, or a text that one was formatted into."""
    values = args.all()
    return tracer_in(interp, values) is not None or any(
        isinstance(part, TracerText) for value in values for part in alternatives(value)
    )


def tracer_in(interp: Interpreter, values: list[Value], *, concrete: bool = False) -> Value | None:
    """The first value that is or contains a tracer; None if there is none.

    Args:
        values: the values to search, also inside of tuples, lists and sequences.
        concrete: whether tracers count that keep their values (eager differentiation).
    """
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
    """Emits an event for the first argument that is or contains a tracer. Returns whether there is one.

    The argument is the event's subject; the event's place is the call.
    """
    for value, place in args.placed():
        tracer = tracer_in(interp, [value], concrete=kind is EventKind.HOST)
        if tracer is not None:
            assuming = answered_by_project(interp, args, span) if construct.startswith("numpy.") else None
            subject = interp.module.snippet(place or span)
            interp.emit(kind, span, construct, value=tracer, subject=subject, assuming=assuming)
            return True
    return False


def answered_by_project(interp: Interpreter, args: Args, span: Span) -> Assumption | None:
    """The assumption that no unknown argument of a NumPy function answers the call itself, if a class in view does."""
    unknown = any(isinstance(part, Unknown) for value in args.positional for part in alternatives(value))
    return interp.world.guesses.not_wrapped(interp.module, span) if unknown else None


def _option(parameter: Concrete, bound: Bound) -> str:
    """How to write the option that would let the argument be traced: "unique_indices=True", or "size="."""
    other = {"True": "False", "False": "True"}.get(bound.defaults.get(parameter.unless, ""), "")
    return f"{parameter.unless}={other}"


def _is_waived(parameter: Concrete, bound: Bound) -> bool:
    """Whether an option that lets the argument be traced is given, or may be."""
    return bool(parameter.unless) and bound.given(parameter.unless) is not False


def _check_concrete(interp: Interpreter, model: FunctionModel, bound: Bound, args: Args, span: Span) -> None:
    """Events for tracers in arguments whose values decide a shape, or must be known for another reason."""
    # `jnp.arange(n)`: the first parameter is called `start`, but a single argument is the stop.
    alone = model.name == "jax.numpy.arange" and len(args.positional) == 1 and "stop" not in args.keywords
    for parameter in model.concrete:
        value = bound.values.get(parameter.name)
        if value is None or _is_waived(parameter, bound) or (parameter.scalar and not _is_scalar(value)):
            continue
        rest = next((p for p in model.parameters if p.rest and p.name == parameter.name), None)
        if rest is not None:
            for i in range(rest.position or 0, len(args.positional)):
                report_shape(interp, args.positional[i], args.span(i, "", span), model.name, "shape")
            continue
        name = "stop" if alone and parameter.name == "start" else parameter.name
        report_shape(interp, value, args.span(parameter.position, parameter.name, span), model.name, name)


def _is_scalar(value: Value) -> bool:
    return isinstance(value, Array) and value.rank == 0


def _check_hashable(interp: Interpreter, model: FunctionModel, name: str, bound: Bound, args: Args, span: Span) -> None:
    """An event for a list or dict as an argument that must be hashable."""
    value = bound.values.get(name)
    if isinstance(value, (List, Dict)):
        position = next((p.position for p in model.parameters if p.name == name), None)
        construct = value.kind if isinstance(value, List) else "dict"
        detail = {"parameter": name, "function": model.name}
        interp.emit(EventKind.STATIC_VALUE, args.span(position, name, span), construct, detail=detail)


_ONE_NUMBER = frozenset(
    {"start", "stop", "step", "n", "N", "m", "M", "k", "num", "size", "length", "num_segments", "num_classes"}
)
"""Parameters that take one size. What the code has seen to be no array is none of those: no container fits there."""


def report_shape(interp: Interpreter, value: Value, span: Span, construct: str, parameter: str) -> bool:
    """Emits an event if a size is traced. Returns whether it is.

    Args:
        value: a size, or a shape of several sizes.
        span: where it is written.
        construct: the function that gets it.
        parameter: the parameter that takes it.
    """
    size = _traced_size(interp, value)
    tracer = interp.traced(size) if size is not None else None
    if tracer is None or (tracer.container and parameter in _ONE_NUMBER):
        return False
    detail = {"parameter": parameter}
    if tracer.from_shape:
        detail["from_shape"] = "yes"
    interp.emit(EventKind.SHAPE, span, construct, value=size, detail=detail)
    return True


def _traced_size(interp: Interpreter, value: Value) -> Value | None:
    """A size, or the first size of a shape, that is traced; None if there is none."""
    if interp.traced(value) is not None:
        return value
    if isinstance(value, List):
        return _traced_size(interp, value.content)
    if isinstance(value, Tuple):
        found = [size for size in (_traced_size(interp, part) for part in value.elements) if size is not None]
        return found[0] if found else None
    return _traced_size(interp, value.element) if isinstance(value, Sequence) else None


_STRICT_KINDS = ("bool", "int", "float", "complex")


def _check_strict(interp: Interpreter, model: FunctionModel, values: list[Value], span: Span) -> None:
    """An event for `lax` operands of different dtypes.

    A Python scalar takes the other operand's dtype, if that is of a higher kind: `lax.add(x, 1)` works for floats.
    """
    if len(values) < 2:
        return
    first, second = values[:2]
    kinds = (dtype_of(first), dtype_of(second))
    if kinds[0] not in _STRICT_KINDS or kinds[1] not in _STRICT_KINDS:
        return
    if kinds[0] == kinds[1]:
        exact = [value.exact for value in (first, second) if isinstance(value, Array)]
        if len(exact) == 2 and differ(*exact):
            exact = [name.rstrip(AT_LEAST) for name in exact]
            interp.emit(EventKind.OPERAND_DTYPES, span, model.name, detail={"dtypes": ", ".join(exact)})
        return
    both_scalars = isinstance(first, (Const, Static)) and isinstance(second, (Const, Static))
    for value, kind, other in ((first, kinds[0], kinds[1]), (second, kinds[1], kinds[0])):
        lower = _STRICT_KINDS.index(str(kind)) < _STRICT_KINDS.index(str(other))
        if isinstance(value, (Const, Static)) and lower and not both_scalars:
            return
    interp.emit(EventKind.OPERAND_DTYPES, span, model.name, detail={"dtypes": f"{kinds[0]}, {kinds[1]}"})
