"""Gradients that JAX refuses: of what is not one real number, and with respect to what is not made of floats."""

from __future__ import annotations

from jitlint.analysis.language.signatures import option_constants, signature_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.refusals import holds_in_any_case
from jitlint.analysis.values import Array, Const, Static, Traced, Transformed, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_gradient(interp: Interpreter, transformed: Transformed, args: Args, value: Value, span: Span) -> None:
    """Emits an event where JAX refuses to differentiate: by one of the arguments, or else what the function returns.

    Args:
        transformed: the function under a transform that gives gradients.
        args: what it is called with.
        value: what it returns, without auxiliary data.
        span: where the call is written.
    """
    transform, options = transformed.transform, transformed.options
    if transform.result not in ("grad", "value_and_grad") or not transform.checks_arguments:
        return
    open_options = {name for name, option in options.items() if not _is_false(option)}
    if {"holomorphic", "allow_int"} & open_options:
        return
    target = signature_of(interp, transformed.function)
    for number in option_constants(options.get("argnums", Const(0)), int) or ():
        assert isinstance(number, int)
        argument = args.get(number, "")
        if argument is None or not holds_in_any_case(argument, _is_discrete):
            continue
        position = number + len(args.positional) if number < 0 else number
        parameter = target.positional(position) if target is not None and position >= 0 else None
        detail = {"given": "integers", "parameter": parameter.name if parameter is not None else "it"}
        place = args.span(number, "", span)
        interp.emit(EventKind.GRADIENT, place, transform.name, detail=detail, entry=entry_of(interp, transformed))
        return
    if "has_aux" in open_options and not isinstance(options["has_aux"], Const):
        return
    found = [_refused_result(part) for part in alternatives(value)]
    if all(found):
        detail = {"given": found[0]}
        interp.emit(EventKind.GRADIENT, span, transform.name, detail=detail, entry=entry_of(interp, transformed))


def check_pair(interp: Interpreter, transformed: Transformed, result: Value, span: Span) -> None:
    """Emits an event where a function under `has_aux=True` does not return a value and auxiliary data.

    Args:
        transformed: the function under a transform that gives gradients.
        result: what it returns.
        span: where the call is written.
    """
    parts = alternatives(result)
    if all(_is_no_pair(part) for part in parts):
        detail = {"given": "no pair"}
        name = transformed.transform.name
        interp.emit(EventKind.GRADIENT, span, name, detail=detail, entry=entry_of(interp, transformed))


def _is_no_pair(value: Value) -> bool:
    """Whether a result is no tuple of two."""
    if isinstance(value, Tuple):
        return len(value.elements) != 2
    return isinstance(value, Array) and not (isinstance(value, Traced) and value.tree)


def _is_false(option: Value) -> bool:
    """Whether an option is written as False."""
    return isinstance(option, Const) and option.value is False


def _is_discrete(value: Value) -> bool:
    """Whether a leaf holds integers or booleans."""
    if isinstance(value, Array):
        return value.dtype in ("int", "bool") and not (isinstance(value, Traced) and value.tree)
    if isinstance(value, Static):
        return value.kind in ("int", "bool")
    return isinstance(value, Const) and isinstance(value.value, int)


def _refused_result(value: Value) -> str:
    """What a result is that has no gradient, in words; "" if it has one, or may have one."""
    if isinstance(value, Tuple):
        return "a tuple"
    if not isinstance(value, Array) or (isinstance(value, Traced) and value.tree):
        return ""
    if value.rank:
        return f"an array of rank {value.rank}"
    if value.dtype == "complex":
        return "a complex number"
    return "an integer" if value.dtype in ("int", "bool") else ""
