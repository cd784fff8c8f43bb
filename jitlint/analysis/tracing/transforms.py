"""Transforms: what `jax.jit(f)` makes, and what calling it does.

`apply_transform` makes a `Transformed` value; `call_transformed` opens its trace, turns the arguments into tracers,
runs the function and turns the result into what the caller sees. What a transform does to its arguments and result, the
models' `[transforms]` tables say (`models/tables.py`).
"""

from __future__ import annotations

from jitlint.analysis.arrays.results import array_result, deepest
from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.language.overrides import is_left_to_subclasses
from jitlint.analysis.language.signatures import Signature, signature_of, static_and_donated, static_parameters
from jitlint.analysis.machine.accesses import record_compiled_calls
from jitlint.analysis.machine.buffers import another, check_passed
from jitlint.analysis.machine.call_order import Compiled
from jitlint.analysis.machine.escapes import running
from jitlint.analysis.machine.interpreter import CALLERS, Interpreter, call
from jitlint.analysis.machine.limits import MAX_CALL_DEPTH, TOO_DEEP
from jitlint.analysis.machine.met import NO_CALL
from jitlint.analysis.tracing.argument_writes import check_argument_writes, check_object_changes
from jitlint.analysis.tracing.arguments import traced_arguments
from jitlint.analysis.tracing.axis_names import bound_axes
from jitlint.analysis.tracing.backwards import check_backwards
from jitlint.analysis.tracing.borders import map_structure, outer_array, stacked, unknown_tree, untrace
from jitlint.analysis.tracing.cache.fresh_fields import check_fresh_fields
from jitlint.analysis.tracing.cache.freshness import check_fresh, note_own_programs
from jitlint.analysis.tracing.cache.static_arguments import check_function_hash, check_static_arguments
from jitlint.analysis.tracing.cache.static_fields import check_static_fields
from jitlint.analysis.tracing.cache.varying_shapes import check_varying_shapes
from jitlint.analysis.tracing.choices import is_choice, with_each_choice
from jitlint.analysis.tracing.derivative_rules import check_backward_rules
from jitlint.analysis.tracing.derivatives import call_primal, run_rules
from jitlint.analysis.tracing.donation import DONATING, donate
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.gradients import check_gradient, check_pair
from jitlint.analysis.tracing.mapped_axes import check_mapped
from jitlint.analysis.tracing.rebuilding import rebuild
from jitlint.analysis.tracing.returned import check_result
from jitlint.analysis.tracing.traced_call import open_trace
from jitlint.analysis.values import (
    NONE,
    OBJECT,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DecoratorOf,
    Descriptor,
    Dict,
    Function,
    Instance,
    JaxArray,
    List,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.callables import function_name
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import offered_like
from jitlint.events.event import Entry, EventKind
from jitlint.models.tables import Transform
from jitlint.source.places import Span

_OPTIONS = ("in_axes", "out_axes", "in_specs", "out_shape", "argnums", "has_aux", "axis_name", *DONATING)
"""Options of transforms whose absence says something."""


def apply_transform(interp: Interpreter, transform: Transform, args: Args, span: Span) -> Value:
    """Applies a transform to a function: `jax.jit(f, static_argnums=0)`. Without a function, returns a decorator."""
    function = args.get(0, transform.function)
    options = dict(args.keywords)
    options.pop(transform.function, None)
    if args.open_keywords:  # `jax.jit(f, **options)` may give any of them
        may_be = (*_OPTIONS, transform.static_nums, transform.static_names)
        options = {name: UNKNOWN for name in may_be if name} | options
    if function is None:
        return DecoratorOf(transform.name, options)
    choices = _choices(function)
    if choices is not None:
        each = [Args([part, *args.positional[1:]], options, spans=args.spans) for part in choices.alternatives]
        return offered_like(choices, [apply_transform(interp, transform, one, span) for one in each])
    if isinstance(function, Class) and transform.traces != "scan":
        return function
    if transform.options is not None:
        first_refused = 1 + len(transform.options)
        if len(args.positional) > first_refused:
            entry = Entry(interp.module.place(span), transform.name, function_name(function))
            place = args.span(first_refused, "", span)
            interp.emit(EventKind.STATIC_NAME, place, "positional", detail={"by_position": "yes"}, entry=entry)
            return UNKNOWN
        options = dict(zip(transform.options, args.positional[1:], strict=False)) | options
    if isinstance(function, Descriptor):
        function = function.function
    if isinstance(function, Unknown) or (transform.traces == "scan" and not _is_class_or_function(function)):
        return UNKNOWN
    result = Transformed(transform, function, options, interp.depth, interp.loops, interp.site(span))
    result.is_decorator = interp.path.decorating is not None
    result.root = interp.root_run.root
    result.symbol = interp.symbol()
    result.frame = interp.function_frame()
    result.guarded = interp.path.guards > 0
    if isinstance(function, Class):
        return _transformed_class(interp, result, function)
    if _check_target(interp, result, span):
        return UNKNOWN
    interp.world.transformed.append(result)
    interp.world.donates |= not options.keys().isdisjoint(DONATING)
    note_own_programs(interp, result, span)
    return result


def _choices(function: Value) -> Union | None:
    """The functions or classes that code chooses one of, each with the arguments that a partial binds; else None."""
    if isinstance(function, Partial) and isinstance(function.function, Union) and is_choice(function.function):
        bound = (function.positional, function.keywords, function.loops, function.site)
        return Union(tuple([Partial(part, *bound) for part in function.function.alternatives]), True)
    if not isinstance(function, Union):
        return None
    some_class = any(isinstance(part, Class) for part in function.alternatives)
    return function if some_class or is_choice(function) else None


def _is_class_or_function(value: Value) -> bool:
    """Whether a value is a class of the project or a function of it, and not something else that makes modules."""
    while isinstance(value, Partial):
        value = value.function
    return isinstance(value, (Class, Function, BoundMethod, Transformed))


def _transformed_class(interp: Interpreter, transformed: Transformed, cls: Class) -> Value:
    """A class of modules under a transform (`nn.scan(Cell)`): a subclass whose `__call__` is transformed."""
    found = class_attribute(interp, cls, "__call__")
    lifted = Class(cls.code, cls.module, (cls,), interp.depth, interp.loops)
    if found is not None:
        transformed.function = found[0]
        lifted.fields["__call__"] = transformed
    return lifted


def _check_target(interp: Interpreter, transformed: Transformed, span: Span) -> bool:
    """Whether applying a transform fails because static options name nothing, which is an event.

    A generator function under a staging transform is an event, too.
    """
    target = signature_of(interp, transformed.function)
    if target is None or (isinstance(transformed.function, BoundMethod) and is_left_to_subclasses(interp, target.code)):
        return False
    if target.code.is_generator and transformed.transform.staging:
        entry = entry_of(interp, transformed)
        interp.emit(EventKind.ITERATOR_RESULT, span, "generator", subject=target.code.name, entry=entry)
    static, problems = static_parameters(interp, transformed, target)
    both = [] if problems else static_and_donated(transformed, target, static)
    for option, entry_text in (*problems, *both):
        detail = {"option": option, "entry": entry_text, "static": "yes" if both else ""}
        interp.emit(EventKind.STATIC_NAME, span, option, detail=detail, entry=entry_of(interp, transformed))
    return bool(problems or both)


def call_transformed(
    interp: Interpreter, transformed: Transformed, args: Args, span: Span, *, runs: bool = True
) -> Value:
    """Calls a transformed function: its body runs under the transform's trace.

    Args:
        interp: where it is called.
        transformed: the function.
        args: its arguments.
        span: where the call is written.
        runs: whether the compiled program runs, too, and not the tracing alone (`f.lower(x)`).
    """
    if interp.path.call_depth >= MAX_CALL_DEPTH:
        interp.give_up(TOO_DEEP)
        return UNKNOWN
    each = with_each_choice(
        interp, transformed, args, lambda chosen: call_transformed(interp, transformed, chosen, span, runs=runs)
    )
    if each is not None:
        return each
    transformed.called = True
    interp.record_call(transformed)
    transform = transformed.transform
    _check_key(interp, transformed, args, span)
    check_passed(interp, args, span)
    if transform.traces == "none" and not transform.staging:
        return _call_untraced(interp, transformed, args, span)
    target = signature_of(interp, transformed.function)
    if target is not None and target.refuses(len(args.positional), args.keywords):
        return UNKNOWN
    static, _ = static_parameters(interp, transformed, target)
    check_static_arguments(interp, transformed, target, static, args, span)
    check_varying_shapes(interp, transformed, target, static, args, span)
    fresh = transformed.frame is not None and transformed.frame in interp.path.frames
    entry = entry_of(interp, transformed)
    compiled = _note_compiled_call(interp, transformed, target, args, fresh=fresh)
    trace = open_trace(interp, transform, entry, fresh, compiled, bound_axes(interp, transformed))
    inner = args
    if transform.traces != "none":
        if not check_mapped(interp, transformed, args, span):
            return UNKNOWN
        inner = traced_arguments(interp, transformed, target, static, args, trace, span)
        check_argument_writes(interp, transformed, target, args, inner)
    outer = len(interp.path.frames)
    with running(interp, trace, span):
        if transform.leaves == "all":
            rebuild(interp, inner.all(), span)
        own = call(interp, transformed.function, inner, span)
        result = check_result(interp, transformed, own, span)
    check_object_changes(interp, transformed, args, inner, own, outer, span)
    check_backwards(interp, transformed, trace, span)
    check_backward_rules(interp, trace, span)
    if runs:
        donate(interp, transformed, target, args, result, entry, span)
    returned = _result(interp, transformed, result, args, trace.depth, span)
    return another(interp, returned) if interp.trace is None else returned


def _call_untraced(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> Value:
    """Calls a function as it is, and the rules for derivatives that it may have of its own."""
    transform = transformed.transform
    interp.path.own_rules += transform.has_rules
    try:
        result = call_primal(interp, transformed, args, span)
        run_rules(interp, transformed, args, result, span)
    finally:
        interp.path.own_rules -= transform.has_rules
    if transform.result == "first":
        return result.elements[0] if isinstance(result, Tuple) and result.elements else UNKNOWN
    return result


def _check_key(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> None:
    """Emits events for what makes a call compile anew, or fail, when JAX looks it up in the compile cache."""
    check_fresh(interp, transformed, span)
    check_function_hash(interp, transformed, span)
    check_static_fields(interp, transformed, args, span)
    check_fresh_fields(interp, transformed, args, span)


def _note_compiled_call(
    interp: Interpreter, transformed: Transformed, target: Signature | None, args: Args, *, fresh: bool
) -> Compiled | None:
    """Notes that a function with a compile cache is called; None if it has none, or a trace around it has one.

    The cache tells arguments that are pytrees apart by what they are made of, not as objects.
    """
    outer = interp.trace
    if not transformed.transform.cached or (outer is not None and outer.cached):
        return None
    function = transformed.function
    objects = [value for value in args.positional if isinstance(value, Instance)]
    receivers = [value.serial for value in objects if not class_facts(interp, value.cls).pytree]
    if isinstance(function, BoundMethod) and isinstance(function.receiver, Instance):
        receivers.append(function.receiver.serial)
    compiled = Compiled(
        function=id(function) if isinstance(function, Function) else id(transformed),
        receivers=tuple(receivers),
        body=id(target.code if target is not None else function),
        lasting=not fresh and transformed.root != interp.root_run.root,
    )
    frames = interp.path.frames
    made_in = frames.index(transformed.frame) if fresh and transformed.frame in frames else NO_CALL
    record_compiled_calls(interp, {compiled: made_in}, tuple([interp.unit.keys.of(value) for value in args.all()]))
    return compiled


def _result(interp: Interpreter, transformed: Transformed, result: Value, args: Args, depth: int, span: Span) -> Value:
    """What a call of a transformed function returns, given what the function returned under the trace.

    Args:
        depth: the depth of that trace.
    """
    kind = transformed.transform.result
    if kind == "out_shape":
        shape = transformed.options.get("out_shape", UNKNOWN)
        listed = content_of(shape) if isinstance(shape, List) else None
        shape = listed if isinstance(listed, Tuple) else shape  # Pallas returns a tuple for a list
        return _arrays_of_shape(interp, shape, args, span, transformed.transform.name)
    flow = interp.source(
        span, f"result of `{interp.module.snippet(span)}`", f"result of `{interp.module.snippet(span)}`"
    )
    if isinstance(result, Traced):
        flow = result.flow
    if kind == "object":
        return OBJECT
    arrays_only = transformed.transform.leaves == "arrays"
    if transformed.transform.traces == "in_axes" and kind == "same":
        return _mapped_result(interp, transformed, transformed.options.get("out_axes"), result, depth, flow)
    if kind in ("same", "checked"):
        value = untrace(interp, result, depth, flow, arrays_only)
        if kind == "checked":
            return Tuple((OBJECT, value))
        if transformed.transform.traces == "scan" and isinstance(value, Tuple) and len(value.elements) == 2:
            return Tuple((value.elements[0], stacked(interp, value.elements[1])))
        return value
    has_aux = transformed.options.get("has_aux")
    aux: Value | None = None
    if isinstance(has_aux, Const) and has_aux.value is True:
        check_pair(interp, transformed, result, span)
        pair = result.elements if isinstance(result, Tuple) and len(result.elements) == 2 else (UNKNOWN, UNKNOWN)
        result, aux = pair
        aux = untrace(interp, aux, depth, flow, arrays_only)
    value = untrace(interp, result, depth, flow)
    check_gradient(interp, transformed, args, value, span)
    gradient = _gradient(interp, transformed, args, value, flow)
    if kind == "jacobian":
        gradient = _jacobian(interp, value, gradient, flow)
    if kind == "value_and_grad":
        return Tuple((Tuple((value, aux)) if aux is not None else value, gradient))
    return Tuple((gradient, aux)) if aux is not None else gradient


def _arrays_of_shape(interp: Interpreter, shape: Value, args: Args, span: Span, by: str) -> Value:
    """Arrays in the structure of what describes them, as an operation called `by` computes them of its arguments."""
    if isinstance(shape, Unknown):
        return unknown_tree(interp, args.all(), span, by)
    if isinstance(shape, (Tuple, Sequence, List, Dict)):
        return map_structure(interp, shape, lambda part: _arrays_of_shape(interp, part, args, span, by))
    return NONE if is_none(shape) else array_result(interp, args.all(), span, None, by=by)


def _mapped_result(
    interp: Interpreter, transformed: Transformed, out_axes: Value | None, result: Value, depth: int, flow: Flow
) -> Value:
    """What `vmap` makes of a result, or of a part of it, as `out_axes` says: None leaves it as it is.

    Args:
        out_axes: a prefix of the result's structure; None if it is not given.
        depth: the depth of the trace.
        flow: where a result begins.
    """
    prefix, whole = content_of(out_axes) if out_axes is not None else Const(0), content_of(result)
    if isinstance(prefix, Tuple) and isinstance(whole, Tuple) and len(prefix.elements) == len(whole.elements):
        pairs = zip(prefix.elements, whole.elements, strict=True)
        return Tuple(tuple([_mapped_result(interp, transformed, axis, p, depth, flow) for axis, p in pairs]), whole.cls)
    kept = is_none(prefix) and not transformed.transform.staging
    if kept and isinstance(result, (Const, Static)):
        return result
    value = untrace(interp, result, depth, flow, transformed.transform.leaves == "arrays")
    entries = prefix.elements if isinstance(prefix, Tuple) else (prefix,)
    mapped = all(isinstance(entry, Const) and not is_none(entry) for entry in entries)
    return stacked(interp, value) if mapped else _without_axes(interp, value)


def _without_axes(interp: Interpreter, value: Value) -> Value:
    """A value whose arrays have an unknown number of axes."""
    if isinstance(value, Traced):
        return value.replace(rank=None, lead=None, axes=0)
    if isinstance(value, JaxArray):
        return JaxArray(value.dtype, exact=value.exact)
    return map_structure(interp, value, lambda leaf: _without_axes(interp, leaf))


def _gradient(interp: Interpreter, transformed: Transformed, args: Args, value: Value, flow: Flow) -> Value:
    """The gradient: the structure of the differentiated arguments, with arrays for leaves.

    Args:
        value: the result of the function as the caller sees it; the gradient is traced where it is.
    """
    numbers = transformed.options.get("argnums", Const(0))
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


def _jacobian(interp: Interpreter, value: Value, gradient: Value, flow: Flow) -> Value:
    """A Jacobian or Hessian: for one array of one array an array, whose axes are those of both; else a pytree."""
    plain = gradient if isinstance(gradient, Array) else JaxArray()
    facts = plain.replace(rank=None, lead=None) if isinstance(plain, Traced) else JaxArray(plain.dtype)
    return outer_array(interp, flow, facts, tree=not (isinstance(value, Array) and isinstance(gradient, Array)))


def _like(interp: Interpreter, argument: Value | None, plain: Array, flow: Flow) -> Value:
    """The gradient for one argument: an array for each of its leaves, of the leaf's dtype and rank where known."""
    if argument is None or isinstance(argument, Unknown):
        return outer_array(interp, flow, _with_facts(plain, JaxArray()), tree=True)
    if isinstance(argument, Array):
        tree = isinstance(argument, Traced) and argument.tree
        return outer_array(interp, flow, _with_facts(plain, argument), tree=tree)
    if isinstance(argument, (Const, Static)):
        return outer_array(interp, flow, _with_facts(plain, JaxArray("float", 0)))
    return map_structure(interp, argument, lambda leaf: _like(interp, leaf, plain, flow))


def _with_facts(plain: Array, like: Array) -> Array:
    """An array with the stage of `plain`, and the dtype and rank of `like`; it depends on both."""
    if not isinstance(plain, Traced):
        return like
    if not isinstance(like, Traced):
        return plain.replace(dtype=like.dtype, rank=like.rank, weak=like.weak, lead=like.lead, tree=False)
    both = deepest([like, plain])
    return like if both is None or both is like else like.replace(depth=both.depth, outer=both.outer)


CALLERS[Transformed] = call_transformed
