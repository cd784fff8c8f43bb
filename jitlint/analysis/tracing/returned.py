"""What a transformed function returns: JAX refuses what is no array, and what it returns nothing of is not computed."""

from __future__ import annotations

from collections.abc import Iterator as Iterable
from typing import Any

from jitlint import ir
from jitlint.analysis.language.functions import is_stub
from jitlint.analysis.language.signatures import Signature, signature_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.refusals import holds_in_any_case, lazy_kind, leaves, refused_kind
from jitlint.analysis.values import (
    UNKNOWN,
    Const,
    External,
    Function,
    Instance,
    Iterator,
    Static,
    Transformed,
    Value,
)
from jitlint.analysis.values.joins import alternatives, join_all
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def check_result(interp: Interpreter, transformed: Transformed, result: Value, span: Span) -> Value:
    """Emits an event if JAX refuses the result of a function under a trace, or if there is none.

    Args:
        transformed: the transformed function.
        result: what it returns, still within the trace.
        span: where the call is written.

    Returns:
        what the call returns: the result, without what JAX refuses, since nothing runs after that.
    """
    transform = transformed.transform
    target = signature_of(interp, transformed.function)
    differentiated = transform.result in ("grad", "value_and_grad") and "has_aux" not in transformed.options
    if not (transform.staging or transform.traces == "in_axes" or differentiated):
        return result
    if target is not None and (target.code.is_generator or is_stub(interp, target.code)):
        return result
    if isinstance(result, Const) and result.value is None:
        _check_nothing(interp, transformed, target, span, differentiated)
        return result
    for part in leaves(result):
        if isinstance(part, Iterator) and part.site is not None:
            module, place = part.site
            symbol = f"{module.name}.{target.code.qualname}" if target else None
            interp.emit(EventKind.ITERATOR_RESULT, place, part.kind, module=module, symbol=symbol)
    if transform.leaves == "all" and target is not None and _check_types(interp, transformed, target, result, span):
        taken = [part for part in alternatives(result) if not any(_refused(interp, leaf) for leaf in leaves(part))]
        return join_all(taken) if taken else UNKNOWN
    return result


def _check_types(interp: Interpreter, transformed: Transformed, target: Signature, result: Value, span: Span) -> bool:
    """Emits an event if a leaf of a result is of no JAX type. Its flow tells the call, where JAX refuses it."""
    part = next((leaf for leaf in leaves(result) if _refused(interp, leaf)), None)
    if part is None:
        return False
    assuming = None
    if not holds_in_any_case(result, lambda leaf: bool(_refused(interp, leaf))):
        assuming = Assumption(AssumptionKind.IS_REFUSED, "that is returned, not something else")
    module = target.function.module
    lazy = lazy_kind(part)
    interp.emit(
        EventKind.ITERATOR_RESULT if lazy else EventKind.INVALID_RESULT,
        _return_of(interp, target, part),
        _refused(interp, part),
        flow=interp.source_at(interp.module, span, "JAX refuses the result here"),
        module=module,
        symbol=f"{module.name}.{target.code.qualname}",
        entry=entry_of(interp, transformed),
        assuming=assuming,
    )
    return True


def _refused(interp: Interpreter, leaf: Value) -> str:
    """What a leaf of a result is, if JAX refuses it; else ""."""
    if isinstance(leaf, External) or (isinstance(leaf, Instance) and leaf.guessed):
        return ""
    if isinstance(leaf, Static) and leaf.kind == "dtype":
        return "dtype"
    return lazy_kind(leaf) or refused_kind(interp, leaf)


def _return_of(interp: Interpreter, target: Signature, part: Value) -> Span:
    """Where a function returns a part of its result: of several returns, the one that writes it or names it."""
    values = [node.value for node in _returns(interp.project.body(target.code)) if node.value is not None]
    for value in values:
        if any(_writes(node, part) for node in own_nodes(value)):
            return value.span
    return values[-1].span if values else target.code.name_span


def _writes(node: Any, part: Value) -> bool:
    """Whether an expression is the text that a part of a result is, or the name of the function that it is."""
    if isinstance(part, Const):
        return isinstance(node, ir.Const) and node.value == part.value
    return isinstance(part, Function) and isinstance(node, ir.Name) and node.name == part.code.name


def _returns(node: Any) -> Iterable[ir.Return]:
    """The `return` statements of a body, without those of functions in it."""
    return (part for part in own_nodes(node) if isinstance(part, ir.Return))


# --- nothing ----------------------------------------------------------------------------------------------------------


def _check_nothing(
    interp: Interpreter, transformed: Transformed, target: Signature | None, span: Span, differentiated: bool
) -> None:
    """Emits an event for a function that computes something and returns nothing of it."""
    transform = transformed.transform
    if differentiated:
        detail = {"fails": "yes"}
        interp.emit(EventKind.NO_RESULT, span, transform.name, detail=detail, entry=entry_of(interp, transformed))
        return
    keeps = transform.updates_arguments or not (transform.cached or transform.traces == "in_axes")
    last = None if keeps or target is None else _last_assigned(interp.project.body(target.code))
    if last is None or target is None:
        return
    module = target.function.module
    flow = interp.source_at(module, target.code.name_span, f"`{target.code.name}` has no `return`")
    interp.emit(
        EventKind.NO_RESULT,
        last.span,
        transform.name,
        flow=flow.then(interp.module, span, "called here"),
        module=module,
        symbol=f"{module.name}.{target.code.qualname}",
        entry=entry_of(interp, transformed),
        assuming=Assumption(AssumptionKind.NO_EFFECT, "what it calls has no effect"),
    )


def _last_assigned(body: tuple[ir.Stmt, ...]) -> ir.Expr | None:
    """The value of the last assignment in a body that assigns variables of its own; None if it may do more than that,
    or does nothing."""
    last: ir.Expr | None = None
    for node in own_nodes(body):
        if isinstance(node, (ir.Assign, ir.AugAssign)):
            targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
            if any(isinstance(part, (ir.Attribute, ir.Subscript)) for part in own_nodes(targets)):
                return None
            last = node.value
        elif isinstance(node, ir.ExprStmt):
            if any(isinstance(part, (ir.Call, ir.Await, ir.Yield)) for part in own_nodes(node.value)):
                return None
        elif isinstance(node, (ir.Return, ir.Raise, ir.Try, ir.Assert, ir.Delete)):
            return None
    return last
