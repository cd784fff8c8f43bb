"""JAX functions that run the functions they are given: scan, while_loop, cond, switch …

Each traces its functions with `tracing.traced_call`, and checks with `tracing.structures` what JAX demands: a carry
comes out as it went in, branches agree, a predicate is a boolean scalar.
"""

from __future__ import annotations

import contextlib

from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.language.classes import class_attribute
from jitlint.analysis.language.iteration import joined_elements
from jitlint.analysis.libraries.jax.trees import is_tree
from jitlint.analysis.libraries.requirements import check_arguments
from jitlint.analysis.libraries.result_words import result_of
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.context import Chosen
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.axis_names import check_axis_names
from jitlint.analysis.tracing.backwards import note_open_loop
from jitlint.analysis.tracing.borders import arrays_like, map_structure, stacked, unknown_tree
from jitlint.analysis.tracing.branch_bodies import check_branch_bodies
from jitlint.analysis.tracing.structures import (
    check_arguments_of_body,
    check_bounds,
    check_branches,
    check_carry,
    check_combined,
    check_counter,
    check_lengths,
    check_operands,
    check_pair,
    check_predicate,
    check_selector,
)
from jitlint.analysis.tracing.traced_call import traced_call
from jitlint.analysis.values import (
    INT,
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    Function,
    Instance,
    Partial,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join_all
from jitlint.events.assumption import AssumptionKind
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _scan(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`scan(f, init, xs, length)`: `f` gets the carry and a slice of `xs`, and returns a pair."""
    check_arguments(interp, model, args, span)
    function, init, xs = args.given(0, "f"), args.given(1, "init"), args.get(2, "xs") or NONE
    check_lengths(interp, model.name, xs, args.get(3, "length"), span)
    if not check_arguments_of_body(interp, model.name, function, 2, span):
        return unknown_tree(interp, args.all(), span, model.name)

    def check(inner: list[Value], result: Value) -> None:
        if isinstance(result, Tuple) and len(result.elements) == 2:
            check_carry(interp, model.name, function, inner[0], result.elements[0], span)
        check_pair(interp, model.name, function, result, span)

    places = [args.span(1, "init", span), args.span(2, "xs", span)]
    fixed = [args.span(3, "length", span)]
    result = traced_call(
        interp, model.name, function, [init, xs], span, places, axes=(False, True), fixed=fixed, check=check
    )
    if isinstance(result, Tuple) and len(result.elements) == 2:
        carry, ys = result.elements
        return Tuple((carry, stacked(interp, ys)))
    return Tuple((arrays_like(interp, init, span, "jax.lax"), unknown_tree(interp, [xs], span, model.name)))


def _while_loop(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`while_loop(cond_fun, body_fun, init_val)`."""
    condition, body, init = args.given(0, "cond_fun"), args.given(1, "body_fun"), args.given(2, "init_val")
    if not all(check_arguments_of_body(interp, model.name, each, 1, span) for each in (condition, body)):
        return unknown_tree(interp, args.all(), span, model.name)

    def predicate(inner: list[Value], result: Value) -> None:
        check_predicate(interp, model.name, condition, result, span)

    def carry(inner: list[Value], result: Value) -> None:
        check_carry(interp, model.name, body, inner[0], result, span)
        note_open_loop(interp, init, result, span)

    places = [args.span(2, "init_val", span)]
    traced_call(interp, model.name, condition, [init], span, places, check=predicate)
    result = traced_call(interp, model.name, body, [init], span, places, check=carry)
    return arrays_like(interp, init, span, "jax.lax") if isinstance(result, Unknown) else result


def _fori_loop(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`fori_loop(lower, upper, body_fun, init_val)`: `body_fun` gets the counter and the carry."""
    check_arguments(interp, model, args, span)
    body, init = args.given(2, "body_fun"), args.given(3, "init_val")
    if not check_arguments_of_body(interp, model.name, body, 2, span):
        return unknown_tree(interp, args.all(), span, model.name)
    bounds = [args.given(0, "lower"), args.given(1, "upper")]
    check_bounds(interp, model.name, bounds[0], bounds[1], span)
    open_bounds = any(interp.traced(bound) is not None for bound in bounds)

    def carry(inner: list[Value], result: Value) -> None:
        if check_counter(interp, model.name, inner[0], span):
            check_carry(interp, model.name, body, inner[1], result, span)
        if open_bounds:
            note_open_loop(interp, init, result, span)

    places = [span, args.span(3, "init_val", span)]
    fixed = [args.span(0, "lower", span), args.span(1, "upper", span)]
    result = traced_call(interp, model.name, body, [INT, init], span, places, fixed=fixed, check=carry)
    return arrays_like(interp, init, span, "jax.lax") if isinstance(result, Unknown) else result


def _cond(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`cond(pred, true_fun, false_fun, *operands)`."""
    branches = [args.given(1, "true_fun"), args.given(2, "false_fun")]
    selector = args.given(0, "pred")
    check_selector(interp, model.name, selector, span)
    operands = args.positional[3:]
    if len(args.positional) == 5 and not _can_be_called(interp, branches[0]):
        if all(_can_be_called(interp, args.positional[i]) for i in (2, 4)):
            return _old_cond(interp, model, args, span)
        if isinstance(branches[0], Unknown) and isinstance(operands[1], Unknown):
            return unknown_tree(interp, args.all(), span, model.name)  # which of both forms this is cannot be told
    if "operand" in args.keywords:
        operands = [args.keywords["operand"]]
    result = _run_branches(interp, model.name, branches, selector, operands, span, args.spans[3:])
    return _depending_on(interp, result, selector, span)


def _can_be_called(interp: Interpreter, value: Value) -> bool:
    """Whether a value is certainly a function: the old form of `cond` has one where the new form has operands."""
    if isinstance(value, Instance):
        return class_attribute(interp, value.cls, "__call__") is not None
    if isinstance(value, Union):
        return all(_can_be_called(interp, part) for part in value.alternatives)
    return isinstance(value, (Function, BoundMethod, Partial, Transformed, Class, External))


def _run_branches(
    interp: Interpreter,
    name: str,
    branches: list[Value],
    selector: Value,
    operands: list[Value],
    span: Span,
    places: list[Span],
) -> Value:
    """Traces each branch on the operands, and checks that all branches return the same structure.

    Args:
        name: the JAX function.
        branches: the functions.
        selector: what chooses one of them.
        operands: their arguments.
        span: where the call is written.
        places: where the operands are written.
    """
    inside: list[Value] = []
    chosen: list[Chosen] = []

    def keep(inner: list[Value], result: Value) -> None:
        inside.append(result)
        if interp.trace is not None:
            chosen.extend(interp.trace.chosen)

    if not check_branch_bodies(interp, name, branches, selector, span):
        return unknown_tree(interp, operands, span, name)
    fitting = [b for b in branches if check_operands(interp, name, b, len(operands), span)]
    results = [traced_call(interp, name, branch, operands, span, places, check=keep) for branch in fitting]
    if len(inside) == len(branches):
        check_branches(interp, name, branches, inside, chosen, span)
    return _either(interp, results, span)


def _old_cond(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """The old form that JAX still takes: `cond(pred, true_operand, true_fun, false_operand, false_fun)`."""
    selector, true_operand, true_fun, false_operand, false_fun = args.positional
    pairs = ((true_fun, true_operand), (false_fun, false_operand))
    results = [traced_call(interp, model.name, f, [operand], span) for f, operand in pairs]
    return _depending_on(interp, _either(interp, results, span), selector, span)


def _switch(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`switch(index, branches, *operands)`."""
    selector = args.given(0, "index")
    check_selector(interp, model.name, selector, span)
    branches = args.given(1, "branches")
    if isinstance(branches, Dict):
        interp.emit(EventKind.BRANCHES, span, model.name, detail={"difference": "a dict is no sequence of branches"})
        return UNKNOWN
    content = content_of(branches)
    functions = [joined_elements(interp, branches, span, "switch")]
    if isinstance(content, Tuple):
        functions = list(content.elements)
    operands = [*args.positional[2:], *[args.keywords[name] for name in ("operand",) if name in args.keywords]]
    offered = functions[0] if functions and not isinstance(content, Tuple) else UNKNOWN
    assumed = ""
    if isinstance(offered, Union) and offered.offered:
        functions = list(offered.alternatives)
        assumed = f"`{interp.module.snippet(args.span(1, 'branches', span))}` holds all that the code offers"
    with interp.assuming(AssumptionKind.OFFERED_FUNCTION, assumed) if assumed else contextlib.nullcontext():
        result = _run_branches(interp, model.name, functions, selector, operands, span, args.spans[2:])
    return _depending_on(interp, result, selector, span)


def _either(interp: Interpreter, results: list[Value], span: Span) -> Value:
    """The result of one of several branches, which JAX makes arrays in any case."""
    result = join_all(results)
    return unknown_tree(interp, [], span, "jax.lax.cond") if isinstance(result, Unknown) else result


def _depending_on(interp: Interpreter, result: Value, selector: Value, span: Span) -> Value:
    """The result of branches, which is traced (outside of staging, too) if the selector is."""
    if interp.staging or interp.traced(selector) is None:
        return result
    if isinstance(result, Unknown):
        return unknown_tree(interp, [selector], span, "jax.lax.cond")
    if isinstance(result, Array):
        if is_tree(result):
            return result
        return array_result(interp, [result, selector], span, result.dtype, result.rank, by="jax.lax.cond")
    return map_structure(interp, result, lambda leaf: _depending_on(interp, leaf, selector, span))


def _lax_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`lax.map(f, xs)`: `f` gets a slice of `xs`; its results are stacked."""
    check_arguments(interp, model, args, span)
    function, places = args.given(0, "f"), [args.span(1, "xs", span)]
    if not check_arguments_of_body(interp, model.name, function, 1, span):
        return unknown_tree(interp, args.all(), span, model.name)
    result = traced_call(interp, model.name, function, [args.given(1, "xs")], span, places, axes=(True,))
    return stacked(interp, result)


def _associative_scan(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`associative_scan(fn, elems)`: `fn` combines two elements; outside of any trace JAX calls it eagerly."""
    check_arguments(interp, model, args, span)
    elems = args.given(1, "elems")
    values = [elems, elems]

    def combined(inner: list[Value], result: Value) -> None:
        check_combined(interp, model.name, inner[0], result, span)

    if interp.trace is None:
        combined(values, call(interp, args.given(0, "fn"), Args(values), span))
    else:
        traced_call(interp, model.name, args.given(0, "fn"), values, span, staging=interp.staging, check=combined)
    return arrays_like(interp, elems, span, "jax.lax")


def _psum(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`psum(x, axis)`: of a constant it returns the size of the axis, which is static."""
    value = args.given(0, "x")
    check_axis_names(interp, model.name, args.given(1, "axis_name"), span)
    if isinstance(value, (Const, Static)):
        return INT
    return arrays_like(interp, value, span, "jax.lax")


def _collective(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`all_gather(x, axis)` and its like take trees: each leaf becomes an array of another shape."""
    value = args.given(0, "x")
    check_axis_names(interp, model.name, args.given(1, "axis_name"), span)
    if isinstance(value, Array) and not is_tree(value):
        return result_of(interp, model, args, span)
    return _without_shapes(interp, arrays_like(interp, value, span, model.name))


def _of_axis(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`axis_index(axis)` and `axis_size(axis)`."""
    check_axis_names(interp, model.name, args.given(0, "axis_name"), span)
    return result_of(interp, model, args, span)


def _without_shapes(interp: Interpreter, value: Value) -> Value:
    """The same tree with arrays of unknown shapes for leaves."""
    if isinstance(value, Traced):
        return value.replace(rank=None, lead=None)
    if isinstance(value, Array):
        return value
    return map_structure(interp, value, lambda part: _without_shapes(interp, part))


def _not_followed(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function that traces its function argument with arguments that we do not work out: the result is a tree."""
    return unknown_tree(interp, args.all(), span, model.name)


HANDLERS.update(
    {
        "scan": _scan,
        "while_loop": _while_loop,
        "fori_loop": _fori_loop,
        "cond": _cond,
        "switch": _switch,
        "lax_map": _lax_map,
        "associative_scan": _associative_scan,
        "psum": _psum,
        "collective": _collective,
        "of_axis": _of_axis,
        "custom_root": _not_followed,
        "reduce_function": _not_followed,
    }
)
