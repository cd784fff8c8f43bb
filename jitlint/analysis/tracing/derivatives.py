"""The derivative rules of `custom_jvp` and `custom_vjp` functions, which run when the function is differentiated.

A rule has a body of its own, which can misuse tracers as well: it is interpreted with the arguments that JAX gives it.
"""

from __future__ import annotations

import contextlib

from jitlint.analysis.language.signatures import option_constants, signature_of
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.borders import arrays_like, map_structure
from jitlint.analysis.tracing.derivative_rules import check_cotangents, check_rule_arguments, check_rule_pair
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.values import NONE, UNKNOWN, HostArray, JaxArray, Traced, Transformed, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.events.assumption import AssumptionKind
from jitlint.source.places import Span


def define_rule(transformed: Transformed, name: str, args: Args) -> Value:
    """`f.defvjp(fwd, bwd)` and `f.defjvp(rule)`: notes the rules. The latter is a decorator and returns the rule."""
    if name == "defvjp" and len(args.positional) >= 2:
        transformed.options.update(fwd=args.positional[0], bwd=args.positional[1])
        return NONE
    if name == "defjvp" and args.positional:
        transformed.options["jvp"] = args.positional[0]
        return args.positional[0]
    return UNKNOWN


def call_primal(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> Value:
    """Calls a function that is traced by whoever calls it.

    Where eager differentiation is the only trace, a function with derivative rules runs on the arrays themselves, so
    that it may compute with NumPy; its result is differentiated again.
    """
    trace = interp.trace
    parts = [part for value in args.all() for part in leaves(value)]
    tracer = next((found for part in parts if (found := interp.traced(part, concrete=True))), None)
    alone = trace is not None and trace.parent is None and trace.concrete
    if not (transformed.transform.has_rules and alone and tracer is not None):
        return call(interp, transformed.function, args, span)
    inner = Args(
        [_with_values(interp, value) for value in args.positional],
        {name: _with_values(interp, value) for name, value in args.keywords.items()},
        args.rest and _with_values(interp, args.rest),
        args.more,
        args.spans,
        args.keyword_spans,
    )
    return _differentiated_again(interp, call(interp, transformed.function, inner, span), tracer)


def _with_values(interp: Interpreter, value: Value) -> Value:
    """A value in which arrays stand for the tracers that have values."""
    if isinstance(value, Traced):
        array = JaxArray(value.dtype, value.rank, value.weak, value.lead, value.exact)
        return value if not value.concrete else UNKNOWN if value.tree else array
    return map_structure(interp, value, lambda leaf: _with_values(interp, leaf))


def _differentiated_again(interp: Interpreter, value: Value, tracer: Traced) -> Value:
    """A result in which tracers like `tracer` stand for arrays."""
    if isinstance(value, (JaxArray, HostArray)):
        return tracer.replace(
            dtype=value.dtype,
            rank=value.rank,
            weak=value.weak,
            lead=value.lead,
            exact=value.exact,
            tree=False,
            param="",
        )
    return map_structure(interp, value, lambda leaf: _differentiated_again(interp, leaf, tracer))


def run_rules(interp: Interpreter, transformed: Transformed, args: Args, result: Value, span: Span) -> None:
    """Runs the rules of a function, as differentiation does.

    If nothing in view differentiates the call, that somebody does is a guess, so that events are likely at most.

    Args:
        transformed: the function, with its rules among its options.
        args: the arguments that it is called with.
        result: what the call returned.
        span: where the call is written.
    """
    if not {"bwd", "jvp"} & transformed.options.keys() or not (interp.staging or _differentiated(interp)):
        return
    numbers = _undifferentiated(interp, transformed)
    args = _by_position(interp, transformed, args)
    if numbers is None or args.rest is not None or args.keywords:
        return
    with contextlib.ExitStack() as stack:
        if not _differentiated(interp):
            text = f"`{interp.module.snippet(span)}` is differentiated"
            stack.enter_context(interp.assuming(AssumptionKind.IS_DIFFERENTIATED, text))
        if "bwd" in transformed.options:
            _backward(interp, transformed, args, numbers, result, span)
        else:
            _forward(interp, transformed, args, numbers, span)


def _undifferentiated(interp: Interpreter, transformed: Transformed) -> set[object] | None:
    """The positions of the arguments that the rules get first, as they are; None if they are not known."""
    numbers = option_constants(transformed.options.get("nondiff_argnums"), int)
    names = option_constants(transformed.options.get("nondiff_argnames"), str)
    target = signature_of(interp, transformed.function)
    if numbers is None or names is None or (names and target is None):
        return None
    parameters = target.parameters if target is not None else ()
    return {*numbers, *(i for i, parameter in enumerate(parameters) if parameter.name in names)}


def _by_position(interp: Interpreter, transformed: Transformed, args: Args) -> Args:
    """The arguments as the rules get them: all by position, with the defaults of what the call leaves out.

    As they are, if the signature does not tell where each goes.
    """
    target = signature_of(interp, transformed.function)
    if target is None or args.rest is not None or args.open_keywords:
        return args
    given = []
    left, keywords = list(args.positional), dict(args.keywords)
    for parameter in target.parameters:
        if parameter.kind not in ("positional-only", "positional"):
            return args
        default = target.function.defaults.get(parameter.name)
        value = left.pop(0) if left else keywords.pop(parameter.name, default)
        if value is None:
            return args
        given.append(value)
    return args if left or keywords else Args(given)


def _differentiated(interp: Interpreter) -> bool:
    """Whether a transform around the running code differentiates."""
    trace = interp.trace
    while trace is not None:
        transform = interp.models.transforms.get(trace.transform)
        if interp.models.has_role(trace.transform, "differentiates"):
            return True
        if transform is not None and transform.result in ("grad", "value_and_grad", "jacobian"):
            return True
        trace = trace.parent
    return False


def _backward(
    interp: Interpreter, transformed: Transformed, args: Args, numbers: set[object], result: Value, span: Span
) -> None:
    """Runs the rules of `defvjp`: `fwd` with the arguments, then `bwd` with the residuals and a cotangent."""
    if not check_rule_arguments(interp, transformed, "fwd", len(args.positional), span):
        return
    forward = _run(interp, transformed.options["fwd"], args, span)
    check_rule_pair(interp, transformed, "fwd", forward, span)
    residuals = forward.elements[1] if isinstance(forward, Tuple) and len(forward.elements) == 2 else UNKNOWN
    fixed = [value for i, value in enumerate(args.positional) if i in numbers]
    if not check_rule_arguments(interp, transformed, "bwd", len(fixed) + 2, span, backward=True):
        return
    cotangents = _run(interp, transformed.options["bwd"], Args([*fixed, residuals, result]), span)
    check_cotangents(interp, transformed, cotangents, len(args.positional) - len(fixed), span)


def _forward(interp: Interpreter, transformed: Transformed, args: Args, numbers: set[object], span: Span) -> None:
    """Runs the rule of `defjvp` with the arguments and tangents of the same structure."""
    fixed = [value for i, value in enumerate(args.positional) if i in numbers]
    if not check_rule_arguments(interp, transformed, "jvp", len(fixed) + 2, span):
        return
    primals = tuple(value for i, value in enumerate(args.positional) if i not in numbers)
    tangents = tuple(arrays_like(interp, value, span, transformed.transform.name) for value in primals)
    result = _run(interp, transformed.options["jvp"], Args([*fixed, Tuple(primals), Tuple(tangents)]), span)
    check_rule_pair(interp, transformed, "jvp", result, span)


def _run(interp: Interpreter, rule: Value, args: Args, span: Span) -> Value:
    """Calls a rule. Where derivatives are taken eagerly it gets values, and may do with them what it likes."""
    with contextlib.nullcontext() if interp.staging else interp.silenced():
        return call(interp, rule, args, span)
