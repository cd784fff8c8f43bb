"""Transforms: applying jit, vmap, grad … to a function, and calling the result."""

from __future__ import annotations

from jitlint.analysis.arguments import leaves, traced_arguments
from jitlint.analysis.cache_keys import check_shapes, check_static
from jitlint.analysis.calls import CALLERS, call
from jitlint.analysis.classes import class_attribute
from jitlint.analysis.context import MAX_CALL_DEPTH, TOO_DEEP, Args, Trace
from jitlint.analysis.derivatives import run_rules
from jitlint.analysis.donation import check_passed, donate
from jitlint.analysis.flow import Flow
from jitlint.analysis.functions import renewed
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.signatures import signature, static_parameters
from jitlint.analysis.tracing import map_structure, outer_array, stacked, untrace
from jitlint.analysis.values import (
    OBJECT,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DecoratorOf,
    Descriptor,
    Function,
    Iterator,
    JaxArray,
    List,
    Made,
    Partial,
    Site,
    Static,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.events.event import Confidence, Entry, EventKind
from jitlint.models.tables import Transform
from jitlint.source.places import Span


def apply_transform(interp: Interpreter, transform: Transform, args: Args, span: Span) -> Value:
    """`transform(function, **options)`."""
    function = args.get(0, transform.function)
    options = dict(args.keywords)
    options.pop(transform.function, None)
    if function is None:
        return DecoratorOf(transform.name, options)
    if isinstance(function, Class) and transform.traces != "scan":
        return function
    for name, value in zip(_POSITIONAL.get(transform.name, ()), args.positional[1:], strict=False):
        options.setdefault(name, value)
    if isinstance(function, Descriptor):
        function = function.function
    if isinstance(function, Unknown):
        return UNKNOWN
    result = Transformed(transform, function, options, interp.depth, interp.loops, interp.site(span))
    result.is_decorator = interp.decorating is not None
    result.root = interp.root
    result.symbol = interp.symbol()
    result.frame = interp.function_frame()
    result.guarded = interp.guards > 0
    if isinstance(function, Class):
        return _lifted(interp, result, function)
    if _check_target(interp, result, span):
        return UNKNOWN
    interp.transformed.append(result)
    return result


def _lifted(interp: Interpreter, made: Transformed, cls: Class) -> Value:
    """A class of modules whose `__call__` is transformed: a subclass."""
    found = class_attribute(interp, cls, "__call__")
    lifted = Class(cls.code, cls.module, (cls,), interp.depth, interp.loops)
    if found is not None:
        made.function = found[0]
        lifted.fields["__call__"] = made
    return lifted


_POSITIONAL = {
    "jax.vmap": ("in_axes", "out_axes"),
    "jax.grad": ("argnums",),
    "jax.value_and_grad": ("argnums",),
    "jax.jacfwd": ("argnums",),
    "jax.jacrev": ("argnums",),
    "jax.hessian": ("argnums",),
    "jax.custom_vjp": ("nondiff_argnums",),
    "jax.custom_jvp": ("nondiff_argnums",),
    "jax.checkpoint": (),
}


def _check_target(interp: Interpreter, made: Transformed, span: Span) -> bool:
    """Whether applying a transform fails: to a generator, or because static options name nothing."""
    target = signature(interp, made.function)
    if target is None:
        return False
    if target.code.is_generator and made.transform.staging:
        entry = entry_of(interp, made)
        interp.emit(EventKind.ITERATOR_RESULT, span, "generator", subject=target.code.name, entry=entry)
    _, problems = static_parameters(interp, made, target)
    for option, entry_text in problems:
        detail = {"option": option, "entry": entry_text}
        interp.emit(EventKind.STATIC_NAME, span, option, detail=detail, entry=entry_of(interp, made))
    return bool(problems)


def entry_of(interp: Interpreter, made: Transformed) -> Entry:
    """Where a transform was applied, as findings show it."""
    assert made.site is not None
    module, span = made.site
    return Entry(module.place(span), made.transform.name, function_name(made.function))


def function_name(function: Value) -> str:
    """`module:qualname` of the project function that a callable ends in, "" if it has no such name."""
    while True:
        if isinstance(function, Function):
            return "" if "<" in function.code.qualname else f"{function.module.name}:{function.code.qualname}"
        if isinstance(function, (BoundMethod, Partial, Transformed)):
            function = function.function
            continue
        return ""


def enter(interp: Interpreter, transform: Transform, entry: Entry, fresh: bool = False) -> Trace:
    """The trace that a transform opens inside of the present one."""
    parent = interp.trace
    depth = interp.depth + 1
    staging = transform.staging or interp.staging
    concrete = transform.concrete and not interp.staging and (parent is None or parent.concrete)
    stage = parent.stage if parent is not None and parent.stage else (depth if staging else 0)
    cached = transform.cached or (parent is not None and parent.cached)
    if parent is not None and (parent.staging or not parent.concrete):
        entry = parent.entry
    fresh = fresh if transform.cached else (parent is not None and parent.fresh)
    guess = parent.guess if parent is not None else ""
    return Trace(parent, transform.name, depth, staging, concrete, stage, cached, fresh, entry, guess)


def call_transformed(interp: Interpreter, made: Transformed, args: Args, span: Span) -> Value:
    """Calls a transformed function: its body runs under the transform's trace."""
    if interp.call_depth >= MAX_CALL_DEPTH:
        interp.give_up(TOO_DEEP)
        return UNKNOWN
    made.called = True
    interp.calls(made)
    transform = made.transform
    check_fresh(interp, made, span)
    check_passed(interp, args, span)
    if transform.traces == "none" and not transform.staging:
        result = call(interp, made.function, args, span)
        run_rules(interp, made, args, result, span)
        return result
    target = signature(interp, made.function)
    static, _ = static_parameters(interp, made, target)
    check_static(interp, made, target, static, args, span)
    check_shapes(interp, made, target, static, args, span)
    fresh = made.frame is not None and made.frame in interp.active_frames
    entry = entry_of(interp, made)
    trace = enter(interp, transform, entry, fresh)
    inner = args
    if transform.traces != "none":
        inner = traced_arguments(interp, made, target, static, args, trace, span)
    outer, interp.trace = interp.trace, trace
    try:
        result = call(interp, made.function, inner, span)
        check_result(interp, made, result)
    finally:
        interp.trace = outer
    donate(interp, made, target, args, entry, span)
    given = _result(interp, made, result, args, trace.depth, span)
    return renewed(given) if interp.trace is None else given


def check_result(interp: Interpreter, made: Transformed, result: Value) -> None:
    """A traced body must not return an iterator."""
    if not made.transform.staging and made.transform.traces != "in_axes":
        return
    for part in leaves(result):
        target = signature(interp, made.function)
        generator = target is not None and target.code.is_generator
        if isinstance(part, Iterator) and not generator and part.site is not None:
            module, place = part.site
            interp.emit(
                EventKind.ITERATOR_RESULT, place, part.kind, module=module,
                symbol=f"{module.name}.{target.code.qualname}" if target else None,
            )  # fmt: skip


def _result(interp: Interpreter, made: Transformed, result: Value, args: Args, depth: int, span: Span) -> Value:
    kind = made.transform.result
    flow = interp.source(
        span, f"result of `{interp.module.snippet(span)}`", f"result of `{interp.module.snippet(span)}`"
    )
    if isinstance(result, Traced):
        flow = result.flow
    if kind == "object":
        return OBJECT
    arrays_only = made.transform.leaves == "arrays"
    if kind in ("same", "checked"):
        value = untrace(interp, result, depth, flow, arrays_only)
        if kind == "checked":
            return Tuple((OBJECT, value))
        if made.transform.traces == "scan" and isinstance(value, Tuple) and len(value.elements) == 2:
            return Tuple((value.elements[0], stacked(interp, value.elements[1])))
        mapped = made.transform.traces == "in_axes" and "out_axes" not in made.options
        return stacked(interp, value) if mapped else value
    has_aux = made.options.get("has_aux")
    aux: Value | None = None
    if isinstance(has_aux, Const) and has_aux.value is True:
        pair = result.elements if isinstance(result, Tuple) and len(result.elements) == 2 else (UNKNOWN, UNKNOWN)
        result, aux = pair
        aux = untrace(interp, aux, depth, flow, arrays_only)
    value = untrace(interp, result, depth, flow)
    gradient = _gradient(interp, made, args, value, flow)
    if kind == "value_and_grad":
        return Tuple((Tuple((value, aux)) if aux is not None else value, gradient))
    return Tuple((gradient, aux)) if aux is not None else gradient


def _gradient(interp: Interpreter, made: Transformed, args: Args, value: Value, flow: Flow) -> Value:
    """The gradient: the structure of what is differentiated, with arrays for leaves. `value`: what is differentiated
    as the caller sees it, which the gradient depends on too."""
    numbers = made.options.get("argnums", Const(0))
    content = numbers.content if isinstance(numbers, List) else numbers
    several = isinstance(content, Tuple)
    wanted = content.elements if isinstance(content, Tuple) else (content,)
    plain = value if isinstance(value, Traced) else JaxArray()
    found: list[Value] = []
    for number in wanted:
        index = number.value if isinstance(number, Const) and isinstance(number.value, int) else None
        argument = args.get(index, "") if index is not None else None
        found.append(_like(interp, argument, plain, flow))
    return Tuple(tuple(found)) if several else found[0]


def _like(interp: Interpreter, argument: Value | None, plain: Array, flow: Flow) -> Value:
    if argument is None or isinstance(argument, Unknown):
        return outer_array(interp, flow, _with_facts(plain, JaxArray()), tree=True)
    if isinstance(argument, Array):
        tree = isinstance(argument, Traced) and argument.tree
        return outer_array(interp, flow, argument if tree else _with_facts(plain, argument), tree=tree)
    if isinstance(argument, (Const, Static)):
        return outer_array(interp, flow, _with_facts(plain, JaxArray("float", 0)))
    return map_structure(interp, argument, lambda leaf: _like(interp, leaf, plain, flow))


def _with_facts(plain: Array, like: Array) -> Array:
    """An array that depends on what `plain` does, of the kind of `like`."""
    if isinstance(plain, Traced) and not isinstance(like, Traced):
        return plain.replace(dtype=like.dtype, rank=like.rank, weak=like.weak, lead=like.lead, tree=False)
    return like


# --- the compile cache ------------------------------------------------------------------------------------------------


def check_fresh(interp: Interpreter, made: Transformed, span: Span) -> None:
    """A jitted function that is made and called in the same round of a loop never hits its compile cache."""
    if not made.transform.cached or interp.staging or made.stored or made.guarded or not made.loops:
        return
    shared = [loop for loop in made.loops if loop in interp.loops]
    construct = freshness(made.function, shared)
    if not shared or not construct or made.site is None:
        return
    report_fresh(interp, made.site, construct, made.transform.name, made.function, shared, span, made.symbol)


def report_fresh(
    interp: Interpreter, site: Site, construct: str, transform: str, function: Value, shared: list[int], span: Span,
    symbol: str, guess: str = "",
) -> None:  # fmt: skip
    """Predicts that a transform is applied to something new in every round of a loop (possibly, with a `guess`)."""
    module, place = site
    local = symbol == interp.symbol() and any(loop in interp.own_loops() for loop in shared)
    flow = interp.source_at(module, place, f"`{transform}` is applied here to a new {construct}")
    lines = interp.module.lines, module.lines
    if interp.module is not module or lines[0].position(span.start)[0] != lines[1].position(place.start)[0]:
        flow = flow.then(interp.module, span, "called here" if not local else "called here, in a loop")
    if not local:
        flow = flow.then(*interp.loop_sites[shared[-1]], "in a round of this loop")
    made_in, made_at = function.site if isinstance(function, Made) and function.site else site
    interp.emit(
        EventKind.JIT_CREATED, place, construct, module=module, flow=flow, symbol=symbol,
        subject=made_in.snippet(made_at),
        detail={"transform": transform, "where": "loop" if local else "call"},
        confidence=Confidence.POSSIBLE if guess else Confidence.CERTAIN, guess=guess,
        entry=Entry(module.place(place), transform, function_name(function)),
    )  # fmt: skip


def freshness(function: Value, shared: list[int]) -> str:
    """What kind of new object a function is in every round of the loops `shared`; "" if it stays the same one."""
    if not isinstance(function, Made) or not any(loop in function.loops for loop in shared):
        return ""
    if isinstance(function, Function):
        return "lambda" if function.code.name == "<lambda>" else "local function"
    if isinstance(function, Partial):
        return "partial"
    if isinstance(function, BoundMethod):
        return "bound method"
    return function.transform.name if isinstance(function, Transformed) else ""


CALLERS[Transformed] = call_transformed
