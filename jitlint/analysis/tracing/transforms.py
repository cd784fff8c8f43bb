"""Transforms: applying jit, vmap, grad … to a function, and calling the result."""

from __future__ import annotations

from jitlint.analysis.language.classes import class_attribute
from jitlint.analysis.language.signatures import signature_of, static_parameters
from jitlint.analysis.machine.buffers import check_passed
from jitlint.analysis.machine.interpreter import CALLERS, Interpreter, call
from jitlint.analysis.machine.limits import MAX_CALL_DEPTH, TOO_DEEP
from jitlint.analysis.tracing.arguments import traced_arguments
from jitlint.analysis.tracing.borders import map_structure, outer_array, stacked, untrace
from jitlint.analysis.tracing.cache_keys import check_shapes, check_static
from jitlint.analysis.tracing.derivatives import run_rules
from jitlint.analysis.tracing.donation import donate
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.freshness import check_fresh
from jitlint.analysis.tracing.traced_call import check_result, enter
from jitlint.analysis.values import (
    OBJECT,
    UNKNOWN,
    Array,
    Class,
    Const,
    DecoratorOf,
    Descriptor,
    JaxArray,
    Static,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, with_new_identity
from jitlint.analysis.values.flow import Flow
from jitlint.events.event import EventKind
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
    for name, value in zip(transform.options, args.positional[1:], strict=False):
        options.setdefault(name, value)
    if isinstance(function, Descriptor):
        function = function.function
    if isinstance(function, Unknown):
        return UNKNOWN
    result = Transformed(transform, function, options, interp.depth, interp.loops, interp.site(span))
    result.is_decorator = interp.path.decorating is not None
    result.root = interp.root_run.root
    result.symbol = interp.symbol()
    result.frame = interp.function_frame()
    result.guarded = interp.path.guards > 0
    if isinstance(function, Class):
        return _lifted(interp, result, function)
    if _check_target(interp, result, span):
        return UNKNOWN
    interp.world.transformed.append(result)
    return result


def _lifted(interp: Interpreter, made: Transformed, cls: Class) -> Value:
    """A class of modules whose `__call__` is transformed: a subclass."""
    found = class_attribute(interp, cls, "__call__")
    lifted = Class(cls.code, cls.module, (cls,), interp.depth, interp.loops)
    if found is not None:
        made.function = found[0]
        lifted.fields["__call__"] = made
    return lifted


def _check_target(interp: Interpreter, made: Transformed, span: Span) -> bool:
    """Whether applying a transform fails: to a generator, or because static options name nothing."""
    target = signature_of(interp, made.function)
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


def call_transformed(interp: Interpreter, made: Transformed, args: Args, span: Span) -> Value:
    """Calls a transformed function: its body runs under the transform's trace."""
    if interp.path.call_depth >= MAX_CALL_DEPTH:
        interp.give_up(TOO_DEEP)
        return UNKNOWN
    made.called = True
    interp.record_call(made)
    transform = made.transform
    check_fresh(interp, made, span)
    check_passed(interp, args, span)
    if transform.traces == "none" and not transform.staging:
        result = call(interp, made.function, args, span)
        run_rules(interp, made, args, result, span)
        return result
    target = signature_of(interp, made.function)
    static, _ = static_parameters(interp, made, target)
    check_static(interp, made, target, static, args, span)
    check_shapes(interp, made, target, static, args, span)
    fresh = made.frame is not None and made.frame in interp.path.frames
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
    return with_new_identity(given) if interp.trace is None else given


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
    content = content_of(numbers)
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


CALLERS[Transformed] = call_transformed
