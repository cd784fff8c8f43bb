"""Arguments of transformed functions: which become tracers, and which are static.

`traced_arguments` is the way of each call; `refusals.py` predicts the error for what is no valid argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jitlint import ir
from jitlint.analysis.language.annotations import DICTS, SEQUENCES, evaluate_annotation, unless_none
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.instances import traced_instance
from jitlint.analysis.language.signatures import Signature, StaticArguments
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import to_traced, tracer_by_annotation
from jitlint.analysis.tracing.cache.static_arguments import hash_problem
from jitlint.analysis.tracing.passages import pass_in, passage_of, passage_of_rest
from jitlint.analysis.tracing.refusals import check_argument
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    Sequence,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    UnknownArgument,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.flow import Flow, source
from jitlint.analysis.values.joins import join
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.source.places import Span


def _defaults_alone(
    transformed: Transformed, target: Signature | None, static: StaticArguments, args: Args
) -> dict[str, Value]:
    """The defaults of parameters that the call leaves, where any other value would be traced: these are no options."""
    if target is None or transformed.transform.traces not in ("all", "in_axes") or args.rest is not None or args.more:
        return {}
    if not isinstance(transformed.function, (Function, BoundMethod)):
        return {}  # a partial may give others
    taken = {parameter.name for i in range(len(args.positional)) if (parameter := target.positional(i)) is not None}
    left = {
        parameter.name: target.function.defaults.get(parameter.name)
        for parameter in target.code.parameters
        if parameter.kind in ("positional", "keyword-only") and parameter.name not in taken | args.keywords.keys()
    }
    return {
        name: Const(default.value)
        for name, default in left.items()
        if isinstance(default, Const) and default.option is not None and static.called(name) is False
    }


def traced_arguments(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    static: StaticArguments,
    args: Args,
    trace: Trace,
    span: Span,
) -> Args:
    """The arguments of a call as the body of the transformed function sees them.

    Args:
        transformed: the transformed function.
        target: its signature; None if that is not known.
        static: the arguments that the user made static.
        args: the arguments as the caller gives them.
        trace: the trace that the body runs under.
        span: where the call is written.
    """

    def tracer_of(parameter: ir.Parameter | None, place: Span, label: str) -> Callable[[Value, bool], Value]:
        return lambda value, mapped: _argument(
            interp, transformed, target, parameter, value, trace, place, label, mapped
        )

    inner = Args([], {}, args.rest, args.more, args.spans, args.keyword_spans)
    for i, value in enumerate(args.positional):
        parameter = target.positional(i) if target else None
        place = args.spans[i] if i < len(args.spans) else span
        is_static = static.at(i)
        if is_static is not False:
            refused = is_static is None or _is_refused(interp, transformed, value)
            inner.positional.append(UNKNOWN if refused else value)
            continue
        passage = passage_of(interp, transformed, i, value)
        made = tracer_of(parameter, place, str(i))
        inner.positional.append(pass_in(interp, transformed, passage, value, made))
    for name, value in args.keywords.items():
        parameter = target.named(name) if target else None
        place = args.keyword_spans.get(name, span)
        is_static = static.called(name)
        if is_static is not False or (transformed.transform.traces == "argnums"):
            refused = is_static is None or (is_static and _is_refused(interp, transformed, value))
            inner.keywords[name] = UNKNOWN if refused else value
            continue
        inner.keywords[name] = tracer_of(parameter, place, name)(value, transformed.transform.traces == "in_axes")
    for each in _left_to_keywords(transformed, target, static, args):
        inner.keywords[each.name] = tracer_of(each, each.span, each.name)(UnknownArgument(), False)
    inner.keywords.update(_defaults_alone(transformed, target, static, args))
    if args.rest is not None and _static_in_rest(static, target, len(args.positional)):
        inner.rest = UNKNOWN
    elif args.rest is not None:
        passage = passage_of_rest(interp, transformed, len(args.positional))
        rest = pass_in(interp, transformed, passage, args.rest, tracer_of(None, span, "*"))
        # Without a name this does not count as a whole parameter, whose truth `decide` takes for an array's.
        inner.rest = rest.replace(param="") if isinstance(rest, Traced) else rest
        _leave_static_open(inner, target, static)
    return inner


def _leave_static_open(inner: Args, target: Signature | None, static: StaticArguments) -> None:
    """Lets static parameters be anything that a star may give: what it gives for others is traced."""
    for i in static.numbers:
        parameter = target.positional(i) if target else None
        if i >= len(inner.positional) and parameter is not None and parameter.kind == "positional":
            inner.keywords.setdefault(parameter.name, UNKNOWN)


def _is_refused(interp: Interpreter, transformed: Transformed, value: Value) -> bool:
    """Whether JAX refuses a static argument, so that the body never gets it."""
    return interp.traced(value) is not None or (transformed.transform.cached and hash_problem(interp, value) != "")


def _left_to_keywords(
    transformed: Transformed, target: Signature | None, static: StaticArguments, args: Args
) -> list[ir.Parameter]:
    """The parameters without a default that `**options` of unknown names must give, and that are not static."""
    if not args.open_keywords or args.rest is not None or target is None or transformed.transform.traces != "all":
        return []
    plain = [p for p in target.parameters if p.kind in ("positional-only", "positional")]
    open_ones = plain[len(args.positional) :] + [p for p in target.parameters if p.kind == "keyword-only"]
    return [
        p
        for p in open_ones
        if p.default is None
        and p.name not in args.keywords
        and p.kind != "positional-only"
        and static.called(p.name) is False
    ]


def _static_in_rest(static: StaticArguments, target: Signature | None, given: int) -> bool:
    """Whether some of an unknown number of further arguments may be static, though no parameter tells which."""
    if not static.numbers_known:
        return True
    beyond = [target.positional(i) if target else None for i in static.numbers if i >= given]
    return any(parameter is None or parameter.kind == "*" for parameter in beyond)


def _argument(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    parameter: ir.Parameter | None,
    value: Value,
    trace: Trace,
    span: Span,
    label: str,
    mapped: bool,
) -> Value:
    """One argument that becomes a tracer, as the body sees it.

    Args:
        parameter: the parameter that takes it; None if that is not known.
        span: where the argument is written.
        label: its position or keyword, where no parameter gives it a name.
        mapped: whether it loses its leading axis.
    """
    transform = transformed.transform
    if transform.traces == "refs":
        return ExternalInstance("jax.Ref", (), trace.depth, interp.loops, interp.site(span))
    name = parameter.name if parameter is not None else label
    arrays_only = transform.leaves == "arrays"
    if not arrays_only and not check_argument(interp, transformed, target, value, name, span):
        return UNKNOWN
    flow = argument_flow(interp, transformed, target, parameter, name, span)
    if isinstance(value, (JaxArray, HostArray, List, Dict)):
        interp.unit.given_arrays.add((flow.start.module.name, flow.start.span))
    if isinstance(value, Traced):
        flow = value.flow.then(flow.module, flow.span, flow.note)
    result = to_traced(
        interp, value, flow, trace.depth, concrete=trace.concrete, arrays_only=arrays_only, param=name, axis=mapped
    )
    if transform.traces == "excluded" and isinstance(result, Traced):
        result = result.replace(rank=None, lead=None, axes=0)  # `jnp.vectorize` maps over all axes but a few
    if parameter is not None and target is not None and isinstance(result, Traced) and result.tree:
        interp.unit.tree_parameters[target.function.module.name, parameter.span] = target.function, parameter
        return refined_by_annotation(interp, target.function, parameter, result, arrays_only)
    if arrays_only and isinstance(value, Unknown) and parameter is not None and target is not None:
        tracer = Traced(flow, trace.depth, tree=True, param=name)
        return refined_by_annotation(interp, target.function, parameter, tracer, arrays_only)
    return result


def argument_flow(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    parameter: ir.Parameter | None,
    name: str,
    span: Span,
) -> Flow:
    """The flow of a traced argument begins at its parameter, or at the argument if no parameter is known."""
    transform = transformed.transform.name
    if target is None or parameter is None:
        text = interp.module.snippet(span)
        return interp.source(span, f"argument of `{transform}`", f"argument `{text}`")
    function = "lambda" if target.code.name == "<lambda>" else target.code.name
    origin = f"argument `{name}` of `{function}`" if function != "lambda" else f"argument `{name}` of a lambda"
    return source(target.function.module, parameter.span, f"{origin}, traced by {transform}", origin)


def _may_be_python_number(annotation: External, declared: Traced) -> bool:
    """Whether callers give a Python number for a parameter: `int`, or jaxtyping's `Int[Scalar, ""]` and `Int`.

    A size that is declared so is an `int` in most programs: it takes a type checker to refuse that.
    """
    of_jaxtyping = annotation.name.startswith("jaxtyping.") and declared.dtype == "int"
    bare = not annotation.name.endswith("[]")
    return annotation.name.startswith("builtins.") or (of_jaxtyping and (bare or declared.rank == 0))


def refined_by_annotation(
    interp: Interpreter, function: Function, parameter: ir.Parameter, tracer: Traced, arrays_only: bool = False
) -> Value:
    """A tracer of unknown structure, made more precise by its parameter's annotation.

    Args:
        parameter: the parameter; `tracer` is its value so far.
        arrays_only: whether the transform leaves everything but arrays static, so that no annotation means Unknown.
    """
    if parameter.kind == "*":
        return tracer
    if parameter.annotation is None:
        return _array_by_use(interp, function, parameter, tracer) if arrays_only else tracer
    annotation = evaluate_annotation(interp, function, parameter.annotation)
    found = tracer_by_annotation(interp, annotation, tracer.flow, tracer.depth, tracer.param)
    if isinstance(found, Traced):
        if arrays_only and isinstance(annotation, External) and _may_be_python_number(annotation, found):
            return UNKNOWN
        return found.replace(concrete=tracer.concrete)
    if isinstance(annotation, Class):
        return _of_class(interp, annotation, tracer)
    if isinstance(annotation, External):
        return _library_annotation(interp, annotation.name, tracer, arrays_only)
    named = unless_none(parameter.annotation)
    cls = evaluate_annotation(interp, function, named) if named is not None else UNKNOWN
    if isinstance(cls, Class):
        return join(NONE, _of_class(interp, cls, tracer))
    return UNKNOWN if arrays_only else tracer


def _of_class(interp: Interpreter, cls: Class, tracer: Traced) -> Value:
    """A tracer of unknown structure under the annotation of a class: JAX takes pytrees only."""
    facts = class_facts(interp, cls)
    if facts.typed_dict:
        return Dict({}, tracer.element_tracer(), tracer.depth, (), None)
    return traced_instance(interp, cls, tracer) if facts.pytree else UNKNOWN


def _array_by_use(interp: Interpreter, function: Function, parameter: ir.Parameter, tracer: Traced) -> Value:
    """A tracer if the body asks of the parameter what arrays have, and no class in view has; else nothing is known."""
    asked = parameter.attributes
    if not asked or not asked <= _OF_ARRAYS or interp.world.guesses.all_that_define(asked, function.module):
        return UNKNOWN
    is_array = Assumption(AssumptionKind.IS_ARRAY, f"`{parameter.name}` is an array")
    return tracer.replace(tree=False, flow=tracer.flow.assuming(is_array))


_OF_ARRAYS: Final = frozenset(
    {
        *("shape", "ndim", "dtype", "size", "at", "T", "mT", "astype", "reshape", "ravel", "flatten", "squeeze"),
        *("transpose", "swapaxes", "sum", "mean", "std", "var", "min", "max", "argmin", "argmax", "cumsum", "prod"),
        "dot",
    }
)
"""Attributes and methods of arrays that other objects seldom have."""


def _library_annotation(interp: Interpreter, name: str, tracer: Traced, arrays_only: bool) -> Value:
    """A tracer under a library's annotation: a class, a container ("typing.List[]"), or a word of `[annotations]`."""
    last = name.removesuffix("[]").rpartition(".")[2]
    part = tracer.element_tracer()
    if name in interp.models.classes:
        return _library_instance(interp, name, tracer)
    known = interp.models.function(name)
    if known is not None and known.result == "static-object":
        return ExternalInstance(name, (), tracer.depth)
    word = interp.models.annotations.get(name, "")
    if "." in word:
        return ExternalInstance(word, (), tracer.depth)
    if word in ("array", "tree"):
        return part.replace(tree=word == "tree", param=tracer.param)
    if word == "dict" or (last in DICTS and not arrays_only):
        return Dict({}, part, tracer.depth, (), None)
    if arrays_only:
        return UNKNOWN
    if last in SEQUENCES:
        return Sequence("tuple", part)
    return UNKNOWN if last in ("str", "Callable", "Type", "type", "Literal") else tracer


def _library_instance(interp: Interpreter, name: str, tracer: Traced) -> Value:
    """An instance of a library's pytree class: it has the fields that the model names, as tracers."""
    model = interp.models.classes[name]
    if not model.pytree:
        return UNKNOWN
    cls = interp.library_class(name)
    instance = Instance(cls, tracer.depth, (), None, guessed=True)
    for field in model.array_fields:
        instance.fields[field] = tracer.element_tracer(tree=field != "step")
    instance.traced = tracer
    return instance


def required_arguments(target: Signature, receiver: Value | None, span: Span, axes: Value | None = None) -> Args:
    """Unknown arguments for a transformed function that nothing in view calls: for each parameter without a default.

    Nothing is guessed of them, as `language.instances.guessed_arguments` does for functions that run as plain Python.

    Args:
        target: the function's signature.
        receiver: the object that a method is bound to; None for a function.
        span: where the function is transformed.
        axes: the `in_axes` that it is mapped with, one for each argument, so that some with defaults are given, too.
    """
    mapped = content_of(axes) if axes is not None else None
    count = len(mapped.elements) if isinstance(mapped, Tuple) else 0
    args = Args([]) if receiver is None else Args([receiver], spans=[span])
    keywords: dict[str, Span] = {}
    args.keyword_spans = keywords
    for i, parameter in enumerate(target.parameters):
        if parameter.kind in ("positional-only", "positional"):
            if (parameter.default is None or len(args.positional) < count) and not (receiver is not None and i == 0):
                args.positional.append(UNKNOWN)
                args.spans.append(parameter.span)
        elif parameter.kind == "*":
            args.rest = UNKNOWN
        elif parameter.kind == "keyword-only" and parameter.default is None:
            args.keywords[parameter.name] = UNKNOWN
            keywords[parameter.name] = parameter.span
        elif parameter.kind == "**":
            args.more = UNKNOWN
    return args
