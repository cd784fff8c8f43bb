"""The derivative rules of `custom_jvp` and `custom_vjp` functions, which run where the function is differentiated."""

from __future__ import annotations

from jitlint.analysis.language.signatures import constants
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.borders import arrays_like
from jitlint.analysis.values import NONE, UNKNOWN, Transformed, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.source.places import Span


def define_rule(made: Transformed, name: str, args: Args) -> Value:
    """`f.defvjp(fwd, bwd)`, `f.defjvp(rule)`; the latter decorates, and gives the rule."""
    if name == "defvjp" and len(args.positional) >= 2:
        made.options.update(fwd=args.positional[0], bwd=args.positional[1])
        return NONE
    if name == "defjvp" and args.positional:
        made.options["jvp"] = args.positional[0]
        return args.positional[0]
    return UNKNOWN


def run_rules(interp: Interpreter, made: Transformed, args: Args, result: Value, span: Span) -> None:
    """Runs the rules of a function that is called with `args` and gives `result`, as staged differentiation does.

    Where nothing in view differentiates, that somebody will is a guess.
    """
    if not interp.staging or not {"bwd", "jvp"} & made.options.keys():
        return
    numbers = constants(made.options.get("nondiff_argnums"), int)
    if numbers is None or args.rest is not None or args.keywords:
        return
    guess = "" if _differentiated(interp) else f"`{interp.module.snippet(span)}` is differentiated"
    with interp.doubting(guess):
        if "bwd" in made.options:
            _backward(interp, made, args, numbers, result, span)
        else:
            _forward(interp, made, args, numbers, span)


def _differentiated(interp: Interpreter) -> bool:
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
    interp: Interpreter, made: Transformed, args: Args, numbers: list[object], result: Value, span: Span
) -> None:
    forward = call(interp, made.options["fwd"], args, span)
    residuals = forward.elements[1] if isinstance(forward, Tuple) and len(forward.elements) == 2 else UNKNOWN
    fixed = [value for i, value in enumerate(args.positional) if i in numbers]
    call(interp, made.options["bwd"], Args([*fixed, residuals, result]), span)


def _forward(interp: Interpreter, made: Transformed, args: Args, numbers: list[object], span: Span) -> None:
    fixed = [value for i, value in enumerate(args.positional) if i in numbers]
    primals = tuple(value for i, value in enumerate(args.positional) if i not in numbers)
    tangents = tuple(arrays_like(interp, value, span, made.transform.name) for value in primals)
    call(interp, made.options["jvp"], Args([*fixed, Tuple(primals), Tuple(tangents)]), span)
