"""JAX functions that call the functions they are given: control flow, immediate differentiation, callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitlint.analysis import shapes
from jitlint.analysis.arguments import argument_flow, check_argument
from jitlint.analysis.calls import call
from jitlint.analysis.classes import class_attribute
from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.iteration import elements_of
from jitlint.analysis.joins import alternatives, join_all
from jitlint.analysis.libraries import HANDLERS, apply_model
from jitlint.analysis.operators import array_result, common_lead
from jitlint.analysis.requirements import check_arguments
from jitlint.analysis.results import like, some_tree
from jitlint.analysis.signatures import signature
from jitlint.analysis.structures import (
    check_bounds,
    check_branches,
    check_carry,
    check_combined,
    check_lengths,
    check_operands,
    check_pair,
    check_predicate,
    check_selector,
)
from jitlint.analysis.tracing import cast, dtype_of, map_structure, rank_of, stacked, to_traced, untrace
from jitlint.analysis.transforms import check_result, enter, freshness, function_name, report_fresh
from jitlint.analysis.trees import is_tree
from jitlint.analysis.values import (
    BOOL,
    INT,
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Const,
    Dict,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    JaxArray,
    Lead,
    List,
    Partial,
    Resized,
    Static,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values import Sequence as AbstractSequence
from jitlint.events.event import Entry, EventKind
from jitlint.models.function import FunctionModel
from jitlint.models.tables import Transform
from jitlint.source.places import Span


def traced_call(
    interp: Interpreter,
    name: str,
    function: Value,
    values: list[Value],
    span: Span,
    places: Sequence[Span] = (),
    *,
    staging: bool = True,
    concrete: bool = False,
    axes: tuple[bool, ...] = (),
    check: Callable[[list[Value], Value], None] | None = None,
) -> Value:
    """Traces `function` on `values` under the JAX function `name`; gives its result as the caller sees it.

    `places` says where the values are written, if they are on their own; `axes` which lose their leading axis. `check`
    gets the traced arguments and the result within the trace.
    """
    transform = Transform(name, staging=staging, concrete=concrete)
    if name in _COMPILING and not interp.staging and not interp.guards and not interp.staged_only:
        _check_eager(interp, name, function, span)
    entry = Entry(interp.module.place(span), name, function_name(function))
    trace = enter(interp, transform, entry)
    made = Transformed(transform, function, {}, interp.depth, interp.loops, interp.site(span))
    made.called = True
    target = signature(interp, function)
    inner: list[Value] = []
    for i, value in enumerate(values):
        parameter = target.positional(i) if target else None
        label = parameter.name if parameter else str(i)
        if not check_argument(interp, made, target, value, label, places[i] if i < len(places) else span):
            inner.append(UNKNOWN)
            continue
        flow = argument_flow(interp, made, target, parameter, label, places[i] if i < len(places) else span)
        if isinstance(value, Traced):
            flow = value.flow.then(flow.module, flow.span, flow.note)
        axis = i < len(axes) and axes[i]
        inner.append(to_traced(interp, value, flow, trace.depth, concrete=trace.concrete, axis=axis, label=label))
    outer, interp.trace = interp.trace, trace
    try:
        result = call(interp, function, Args(inner), span)
        check_result(interp, made, result)
        if check is not None:
            check(inner, result)
    finally:
        interp.trace = outer
    where = f"result of `{name}`"
    return untrace(interp, result, trace.depth, interp.source(span, where, where))


def _is_near(interp: Interpreter, loop: int) -> bool:
    """Whether a loop is in the function that runs, or in the function of the same module that calls it."""
    if loop in interp.own_loops():
        return True
    if len(interp.active_frames) < 2:
        return False
    caller = interp.active_frames[-2]
    return caller.module is interp.module and loop not in caller.loops


_CHOICES = frozenset({"jax.lax.cond", "jax.lax.switch"})
_COMPILING = frozenset(f"jax.lax.{name}" for name in ("scan", "while_loop", "fori_loop", "cond", "switch", "map"))


def _check_eager(interp: Interpreter, name: str, function: Value, span: Span) -> None:
    """Eager control flow compiles once per function object: a new one in every round of a loop.

    Functions made of such control flow are mostly traced by those who use them: it is possible only, unless the loop is
    in sight: around it or around its caller beside it (for a choice: in code that runs eagerly, a module's top).
    """
    if interp.trace is not None:
        return
    at_top = interp.root is not None and not interp.root.qualname
    for part in alternatives(function):
        shared = [loop for loop in interp.loops if loop in getattr(part, "loops", ())]
        construct = freshness(part, shared)
        if construct in ("lambda", "local function", "partial"):
            eager = at_top or (name not in _CHOICES and any(_is_near(interp, loop) for loop in shared))
            report_fresh(
                interp, interp.site(span), construct, name, part, shared, span, interp.symbol(),
                guess="" if eager else "no caller traces it",
            )  # fmt: skip
            return


# --- control flow -----------------------------------------------------------------------------------------------------


def _scan(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    check_arguments(interp, model, args, span)
    function, init, xs = args.given(0, "f"), args.given(1, "init"), args.get(2, "xs") or NONE
    check_lengths(interp, model.name, xs, args.get(3, "length"), span)

    def check(inner: list[Value], result: Value) -> None:
        if isinstance(result, Tuple) and len(result.elements) == 2:
            check_carry(interp, model.name, function, inner[0], result.elements[0], span)
        check_pair(interp, model.name, function, result, span)

    places = [args.span(1, "init", span), args.span(2, "xs", span)]
    result = traced_call(interp, model.name, function, [init, xs], span, places, axes=(False, True), check=check)
    if isinstance(result, Tuple) and len(result.elements) == 2:
        carry, ys = result.elements
        return Tuple((carry, stacked(interp, ys)))
    return Tuple((like(interp, init, span, "jax.lax"), some_tree(interp, [xs], span, model.name)))


def _while_loop(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    condition, body, init = args.given(0, "cond_fun"), args.given(1, "body_fun"), args.given(2, "init_val")

    def predicate(inner: list[Value], result: Value) -> None:
        check_predicate(interp, model.name, condition, result, span)

    def carry(inner: list[Value], result: Value) -> None:
        check_carry(interp, model.name, body, inner[0], result, span)

    places = [args.span(2, "init_val", span)]
    traced_call(interp, model.name, condition, [init], span, places, check=predicate)
    result = traced_call(interp, model.name, body, [init], span, places, check=carry)
    return like(interp, init, span, "jax.lax") if isinstance(result, Unknown) else result


def _fori_loop(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    check_arguments(interp, model, args, span)
    body, init = args.given(2, "body_fun"), args.given(3, "init_val")
    check_bounds(interp, model.name, args.given(0, "lower"), args.given(1, "upper"), span)

    def carry(inner: list[Value], result: Value) -> None:
        check_carry(interp, model.name, body, inner[1], result, span)

    places = [span, args.span(3, "init_val", span)]
    result = traced_call(interp, model.name, body, [INT, init], span, places, check=carry)
    return like(interp, init, span, "jax.lax") if isinstance(result, Unknown) else result


def _cond(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    branches = [args.given(1, "true_fun"), args.given(2, "false_fun")]
    selector = args.given(0, "pred")
    check_selector(interp, model.name, selector, span)
    operands = args.positional[3:]
    if len(args.positional) == 5 and all(_can_be_called(interp, args.positional[i]) for i in (2, 4)):
        return _old_cond(interp, model, args, span)
    if "operand" in args.keywords:
        operands = [args.keywords["operand"]]
    result = _run_branches(interp, model.name, branches, operands, span, args.spans[3:])
    return _chosen(interp, result, selector, span)


def _can_be_called(interp: Interpreter, value: Value) -> bool:
    if isinstance(value, Instance):
        return class_attribute(interp, value.cls, "__call__") is not None
    return isinstance(value, (Function, BoundMethod, Partial, Transformed))


def _run_branches(
    interp: Interpreter, name: str, branches: list[Value], operands: list[Value], span: Span, places: list[Span]
) -> Value:
    """Traces each branch on the operands, written at `places`; they must agree."""
    inside: list[Value] = []

    def keep(inner: list[Value], result: Value) -> None:
        inside.append(result)

    fitting = [b for b in branches if check_operands(interp, name, b, len(operands), span)]
    results = [traced_call(interp, name, branch, operands, span, places, check=keep) for branch in fitting]
    if len(inside) == len(branches):
        check_branches(interp, name, branches, inside, span)
    return _either(interp, results, span)


def _old_cond(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`cond(pred, true_operand, true_fun, false_operand, false_fun)`, as JAX still takes it."""
    selector, true_operand, true_fun, false_operand, false_fun = args.positional
    pairs = ((true_fun, true_operand), (false_fun, false_operand))
    results = [traced_call(interp, model.name, f, [operand], span) for f, operand in pairs]
    return _chosen(interp, _either(interp, results, span), selector, span)


def _switch(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    selector = args.given(0, "index")
    check_selector(interp, model.name, selector, span)
    branches = args.given(1, "branches")
    if isinstance(branches, Dict):
        interp.emit(EventKind.BRANCHES, span, model.name, detail={"difference": "a dict is no sequence of branches"})
        return UNKNOWN
    content = branches.content if isinstance(branches, List) else branches
    functions = [elements_of(interp, branches, span, "switch")]
    if isinstance(content, Tuple):
        functions = list(content.elements)
    operands = [*args.positional[2:], *[args.keywords[name] for name in ("operand",) if name in args.keywords]]
    result = _run_branches(interp, model.name, functions, operands, span, args.spans[2:])
    return _chosen(interp, result, selector, span)


def _either(interp: Interpreter, results: list[Value], span: Span) -> Value:
    """The result of one of several branches: the same structure from each, always of traced leaves."""
    result = join_all(results)
    return some_tree(interp, [], span, "jax.lax.cond") if isinstance(result, Unknown) else result


def _chosen(interp: Interpreter, result: Value, selector: Value, span: Span) -> Value:
    """The result of the branch that `selector` chooses: it is traced where the selector is."""
    if interp.staging or interp.traced(selector) is None:
        return result
    if isinstance(result, Unknown):
        return some_tree(interp, [selector], span, "jax.lax.cond")
    if isinstance(result, Array):
        if is_tree(result):
            return result
        return array_result(interp, [result, selector], span, result.dtype, result.rank, by="jax.lax.cond")
    return map_structure(interp, result, lambda leaf: _chosen(interp, leaf, selector, span))


def _lax_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    check_arguments(interp, model, args, span)
    places = [args.span(1, "xs", span)]
    result = traced_call(interp, model.name, args.given(0, "f"), [args.given(1, "xs")], span, places, axes=(True,))
    return stacked(interp, result)


def _associative_scan(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    check_arguments(interp, model, args, span)
    elems = args.given(1, "elems")
    values = [elems, elems]

    def combined(inner: list[Value], result: Value) -> None:
        check_combined(interp, model.name, inner[0], result, span)

    if interp.trace is None:
        combined(values, call(interp, args.given(0, "fn"), Args(values), span))
    else:
        traced_call(interp, model.name, args.given(0, "fn"), values, span, staging=interp.staging, check=combined)
    return like(interp, elems, span, "jax.lax")


def _psum(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.given(0, "x")
    if isinstance(value, (Const, Static)):
        return INT
    return like(interp, value, span, "jax.lax")


def _calls_back(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Functions that trace what they are given with arguments that we do not work out."""
    return some_tree(interp, args.all(), span, model.name)


# --- immediate transforms ---------------------------------------------------------------------------------------------


def _jvp(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    primals = args.given(1, "primals")
    content = primals.content if isinstance(primals, List) else primals
    values: list[Value] = list(content.elements) if isinstance(content, Tuple) else [UNKNOWN]
    result = traced_call(interp, model.name, args.given(0, "fun"), values, span, staging=False, concrete=True)
    return Tuple((result, result))


def _vjp(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    values = args.positional[1:]
    linear = model.name.endswith("linearize")
    result = traced_call(
        interp, model.name, args.given(0, "fun"), values, span, staging=False, concrete=True
    )  # fmt: skip
    pull = ExternalInstance(f"{model.name}()", (), interp.depth, interp.loops, interp.site(span))
    if "has_aux" in args.keywords and not linear and isinstance(result, Tuple) and len(result.elements) == 2:
        return Tuple((result.elements[0], pull, result.elements[1]))
    return Tuple((result, pull))


def _eval_shape(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    function = args.given(0, "fun")
    values = [_abstract(value) for value in args.positional[1:]]
    bound = Partial(function, (), {}, interp.loops, interp.site(span)) if args.keywords else function
    return _described(interp, traced_call(interp, model.name, bound, values, span))


def _described(interp: Interpreter, value: Value) -> Value:
    """The structure of a result with descriptions of arrays for leaves."""
    if isinstance(value, Array):
        return UNKNOWN if is_tree(value) else ExternalInstance("jax.ShapeDtypeStruct")
    return map_structure(interp, value, lambda leaf: _described(interp, leaf))


def _abstract(value: Value) -> Value:
    """`ShapeDtypeStruct`s stand for arrays."""
    if isinstance(value, ExternalInstance) and value.of == "jax.ShapeDtypeStruct":
        return JaxArray()
    return value


def _callback(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """The function gets real arrays on the host; the result is whatever its specification says."""
    spec = args.get(1, "result_shape_dtypes")
    if isinstance(spec, (Array, ExternalInstance)):
        return array_result(interp, args.all(), span, None, by=model.name)
    return some_tree(interp, args.all(), span, model.name)


def _host_callback(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return NONE


def _identity_decorator(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _device_get(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    if isinstance(value, JaxArray):
        return HostArray(value.dtype, value.rank)
    return value if isinstance(value, Traced) else UNKNOWN


def _is_concrete(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    tracer = interp.traced(args.positional[0] if args.positional else UNKNOWN)
    return Const(False) if tracer is not None and not tracer.tree else BOOL


def _jnp_where(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if len(args.positional) == 1 and not {"x", "y"} & set(args.keywords):
        positions = interp.models.function("jax.numpy.nonzero")
        assert positions is not None
        check_arguments(interp, positions._replace(name=model.name), args, span)
        result = array_result(interp, args.positional, span, "int", 1, by=model.name)
        return Tuple((result,))
    values = args.positional[1:3]
    kinds = {dtype_of(value) for value in values}
    dtype = kinds.pop() if len(kinds) == 1 and len(values) == 2 else None
    ranks = {rank_of(value) for value in args.positional[:3]}
    rank = max(r for r in ranks if r is not None) if None not in ranks and len(values) == 2 else None
    lead = common_lead(args.positional[:3])
    return array_result(interp, args.all(), span, dtype, rank, by=model.name, lead=lead)


def _jnp_array(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    content = value.content if isinstance(value, List) else value
    if isinstance(content, Tuple) and not args.keywords and len(args.positional) == 1:
        kinds = {dtype_of(element) for element in content.elements}
        rank, lead = shapes.nested(content)
        dtype = kinds.pop() if len(kinds) == 1 else None
        return array_result(interp, [value], span, dtype, rank, by=model.name, lead=lead)
    if isinstance(value, Array) and not args.keywords and len(args.positional) == 1:
        return array_result(
            interp, [value], span, value.dtype, value.rank, by=model.name, lead=value.lead, least=value.least
        )
    if isinstance(value, Resized):
        return array_result(interp, [value], span, None, by=model.name, lead=(value.rounds, 0))
    is_number = isinstance(value, (Const, Static)) and dtype_of(value) in ("int", "float", "complex")
    if is_number and not args.keywords and len(args.positional) == 1:
        return array_result(interp, [value], span, dtype_of(value), 0, weak=True, by=model.name)
    return _nested(interp, model, args, span)


def _nested(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """An array of a dtype that is given, possibly of nested lists of numbers."""
    result = apply_model(interp, model, args, span)
    given = args.positional[0] if args.positional else None
    content = given.content if isinstance(given, List) else given
    if not isinstance(result, Array) or not isinstance(content, (Tuple, AbstractSequence)) or "ndmin" in args.keywords:
        return result
    rank, lead = shapes.nested(content)
    return cast(array_result(interp, args.all(), span, result.dtype, rank, by=model.name, lead=lead), result.exact)


def _concatenate(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    check_arguments(interp, model, args, span)
    first = args.positional[0] if args.positional else UNKNOWN
    content = first.content if isinstance(first, List) else first
    if not isinstance(content, Tuple):
        return array_result(interp, args.all(), span, None, by=model.name)
    arrays = [part for part in content.elements if isinstance(part, Array)]
    complete = len(arrays) == len(content.elements) > 0
    kinds = {array.dtype for array in arrays}
    dtype = kinds.pop() if len(kinds) == 1 and complete else None
    axis = args.get(1, "axis") or Const(0)
    along_first = isinstance(axis, Const) and axis.value == 0
    lead = _sum_of_leads(arrays) if complete and along_first else None
    rank = arrays[0].rank if complete else None
    return array_result(interp, args.all(), span, dtype, rank, by=model.name, lead=lead)


def _append(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    first, second = (*args.positional, UNKNOWN, UNKNOWN)[:2]
    lead = None
    if isinstance(first, Array) and first.lead is not None and len(args.positional) == 2:
        more = second.lead if isinstance(second, Array) and second.lead is not None else (None, 1)
        lead = (first.lead[0], first.lead[1] + more[1]) if more[0] is None else None
    dtype = first.dtype if isinstance(first, Array) and dtype_of(second) == first.dtype else None
    return array_result(interp, args.all(), span, dtype, 1, by=model.name, lead=lead)


def _sum_of_leads(arrays: list[Array]) -> Lead | None:
    symbols: list[object] = []
    total = 0
    for array in arrays:
        if array.lead is None:
            return None
        if array.lead[0] is not None:
            symbols.append(array.lead[0])
        total += array.lead[1]
    symbol = symbols[0] if len(symbols) == 1 else (tuple(symbols) or None)
    return symbol, total


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
        "custom_root": _calls_back,
        "reduce_function": _calls_back,
    }
)
HANDLERS.update(
    {
        "jax_jvp": _jvp,
        "jax_vjp": _vjp,
        "jax_linearize": _vjp,
        "eval_shape": _eval_shape,
        "callback": _callback,
        "host_callback": _host_callback,
        "identity_decorator": _identity_decorator,
        "device_get": _device_get,
        "is_concrete": _is_concrete,
    }
)
HANDLERS.update(
    {
        "jnp_where": _jnp_where,
        "jnp_array": _jnp_array,
        "nested": _nested,
        "append": _append,
        "concatenate": _concatenate,
    }
)
