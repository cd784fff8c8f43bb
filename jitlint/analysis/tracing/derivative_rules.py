"""What JAX asks of the derivative rules of `custom_jvp` and `custom_vjp` functions, and events where they differ.

JAX calls `fwd` and the rule of `defjvp` where the function is called, but `bwd` where the derivative is taken: there it
fails. The trace that goes backwards keeps faults of `bwd` until then.
"""

from __future__ import annotations

from jitlint.analysis.machine.context import Trace
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.backwards import going_backwards
from jitlint.analysis.tracing.structures import other_count, where_written
from jitlint.analysis.values import Array, Const, Static, Traced, Transformed, Tuple, Value, is_none
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_rule_arguments(
    interp: Interpreter, transformed: Transformed, name: str, count: int, span: Span, *, backward: bool = False
) -> bool:
    """Whether a rule can take as many arguments as JAX gives it. Emits an event, or notes the fault, if it cannot.

    Args:
        name: under which of the function's options the rule is.
        backward: whether JAX calls it where the derivative is taken.
    """
    taken = other_count(interp, transformed.options[name], count)
    if taken:
        _report(interp, transformed, name, f"takes {taken} arguments and gets {count}", span, backward=backward)
    return not taken


def check_rule_pair(interp: Interpreter, transformed: Transformed, name: str, result: Value, span: Span) -> None:
    """`fwd` returns the result and residuals, the rule of `defjvp` the result and its tangent: a pair."""
    given = _no_tuple(result)
    if isinstance(result, Tuple) and len(result.elements) != 2:
        given = f"a tuple of {len(result.elements)}"
    if given:
        _report(interp, transformed, name, f"returns {given} and not a pair", span)


def check_cotangents(interp: Interpreter, transformed: Transformed, result: Value, count: int, span: Span) -> None:
    """`bwd` returns a tuple with a cotangent for each argument that is differentiated."""
    given = _no_tuple(result)
    if isinstance(result, Tuple) and result.cls is None and len(result.elements) != count:
        given = f"a tuple of {len(result.elements)}"
    if given:
        wanted = f"a tuple of {count}, one for each argument"
        _report(interp, transformed, "bwd", f"returns {given} and not {wanted}", span, backward=True)


def check_backward_rules(interp: Interpreter, trace: Trace, span: Span) -> None:
    """Emits events for the faults of `bwd` that were noted in a trace, where its derivative is taken."""
    for flow, construct, fault in trace.rule_faults:
        interp.emit(EventKind.DERIVATIVE_RULE, span, construct, flow=flow, detail={"fault": fault})


def _no_tuple(value: Value) -> str:
    """What a result is, in words, if it certainly is no container."""
    if is_none(value):
        return "None"
    is_array = isinstance(value, Array) and not (isinstance(value, Traced) and value.tree)
    return "an array" if is_array or isinstance(value, (Const, Static)) else ""


def _report(
    interp: Interpreter, transformed: Transformed, name: str, fault: str, span: Span, *, backward: bool = False
) -> None:
    """Emits an event for a rule at `span`, or notes it in the trace that goes backwards."""
    rule = transformed.options[name]
    flow = where_written(interp, [rule], "the rule")
    fault = f"`{name}` {fault}" if name != "jvp" else f"the rule {fault}"
    construct = transformed.transform.name
    trace = going_backwards(interp)
    if not backward:
        interp.emit(EventKind.DERIVATIVE_RULE, span, construct, flow=flow, detail={"fault": fault})
    elif trace is not None:
        trace.rule_faults.append((flow, construct, fault))
