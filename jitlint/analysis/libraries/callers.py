"""Library functions that call the functions they are given, as the models' `[calls]` tables say.

Example: the model says of `tidal.Simulator.run` that it calls what the simulator holds, with a float and the argument
`state`, under a trace. So `simulator.run(state, 100)` interprets the project's function with these arguments traced,
and its events are found with the arguments of the real call. The words of these tables are in `models/calls.py`.
"""

from __future__ import annotations

from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.language.instances import guessed_arguments
from jitlint.analysis.language.signatures import StaticArguments, signature_of
from jitlint.analysis.libraries.result_words import (
    LibraryCall,
    argument_named,
    constructor_arguments,
    functions_held_by,
    functions_in,
    value_of_phrase,
)
from jitlint.analysis.machine.escapes import running
from jitlint.analysis.machine.interpreter import Interpreter, call, get_attribute
from jitlint.analysis.tracing.arguments import traced_arguments
from jitlint.analysis.tracing.borders import to_traced, untrace
from jitlint.analysis.tracing.returned import check_result
from jitlint.analysis.tracing.traced_call import open_trace
from jitlint.analysis.values import UNKNOWN, ExternalInstance, Instance, JaxArray, Traced, Transformed, Unknown, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.callables import function_name
from jitlint.analysis.values.joins import join_all
from jitlint.events.event import Entry
from jitlint.models.calls import Call
from jitlint.models.tables import Transform
from jitlint.source.places import Span


def call_with_functions(
    interp: Interpreter, name: str, calls: tuple[Call, ...], args: Args, span: Span, receiver: Value = UNKNOWN
) -> Value:
    """Calls a library function that calls functions in turn, and returns what its model says.

    Args:
        name: the library function, or the method ("package.Class.method").
        calls: its `[calls]` tables.
        args: the arguments of the call.
        span: where the call is written.
        receiver: the library object whose method it is.
    """
    results = []
    for spec in calls:
        for source in spec.of:
            for function in _functions(interp, source, spec, args, receiver):
                results.append(_call_one(interp, name, spec, function, args, span))
    inner = join_all(results) if results else UNKNOWN
    return value_of_phrase(interp, calls[0].result, LibraryCall(name, args, span, receiver, inner))


def _functions(interp: Interpreter, source: str, spec: Call, args: Args, receiver: Value) -> list[Value]:
    """The functions that one `[calls]` table says are called.

    Args:
        source: an entry of the table's `of`: a parameter ("fun@0"), "self" for all functions that the object holds,
            "self.fun@0" for one argument of the call that made the object, or for methods that classes of the project
            inherit "self.fun@" for an attribute.
    """
    if not source.startswith("self"):
        return functions_in(interp, argument_named(args, source), spec.method)
    if isinstance(receiver, Instance):
        field = receiver.fields.get(source.removeprefix("self.").partition("@")[0])
        return functions_in(interp, field, spec.method) if isinstance(field, Value) else []
    if not isinstance(receiver, ExternalInstance):
        return []
    if source == "self":
        return functions_held_by(interp, receiver, spec.method)
    return functions_in(
        interp, argument_named(constructor_arguments(receiver), source.removeprefix("self.")), spec.method
    )


def _call_one(interp: Interpreter, name: str, spec: Call, function: Value, args: Args, span: Span) -> Value:
    """Calls one of the functions: it is no root any more, and runs under the trace that the table names."""
    target = signature_of(interp, function)
    if target is not None:
        interp.unit.held_functions.pop(id(target.code), None)
    if spec.method:
        function = get_attribute(interp, function, spec.method, span)
    return call_traced_by_library(
        interp, name, spec, function, arguments_passed_on(interp, name, spec, args, span), span
    )


def arguments_passed_on(interp: Interpreter, name: str, spec: Call, args: Args, span: Span) -> Args:
    """The arguments with which a library function calls a function, as the words of `arguments` in its table say.

    "*1" passes the positional arguments from 1 on, "**" the keywords without the library's own, "state@0" that one
    argument, and "float" a new value.
    """
    given = Args([])
    keyword_spans: dict[str, Span] = {}
    given.keyword_spans = keyword_spans
    for word in spec.arguments:
        if word == "**":
            given.keywords.update({k: v for k, v in args.keywords.items() if k not in spec.own})
            keyword_spans.update({k: s for k, s in args.keyword_spans.items() if k not in spec.own})
            given.more = args.more
        elif word.startswith("*"):
            start = int(word[1:])
            given.positional += args.positional[start:]
            given.spans += args.spans[start:]
            given.rest = args.rest
        else:
            new = _new_argument(interp, name, spec, word, span)
            value = new if new is not None else argument_named(args, word) or UNKNOWN
            if word in spec.cast:
                flow = interp.source(span, f"an argument that `{name}` passes", f"an argument that `{name}` passes")
                value = to_traced(interp, value, flow, interp.depth + 1)
            given.positional.append(value)
            given.spans.append(span)
    return given


def _new_argument(interp: Interpreter, name: str, spec: Call, word: str, span: Span) -> Value | None:
    """A new argument that the library makes itself ("float", "key", "tree" …); None if `word` names a parameter."""
    if word in ("float", "int", "bool", "key", "array"):
        dtype, rank = (None, None) if word == "array" else (word, 0)
        return JaxArray(dtype, rank) if spec.tracing != "none" else array_result(interp, [], span, dtype, rank, by=name)
    if word == "unknown" or (word == "tree" and spec.tracing == "none"):
        return UNKNOWN
    if word == "tree":
        flow = interp.source(span, f"an argument that `{name}` passes", f"an argument that `{name}` passes")
        return Traced(flow, interp.depth + 1, tree=True, concrete=spec.tracing == "eager")
    return None


def call_traced_by_library(
    interp: Interpreter, name: str, spec: Call, function: Value, args: Args, span: Span
) -> Value:
    """Calls a function under the trace that a `[calls]` table names, and returns the result as the library sees it."""
    if spec.tracing == "none":
        return call(interp, function, args, span)
    eager = spec.tracing == "eager"
    transform = Transform(name, staging=not eager, concrete=eager, leaves=spec.leaves)
    transformed = Transformed(transform, function, {}, interp.depth, interp.loops, interp.site(span))
    transformed.called = True
    entry = Entry(interp.module.place(span), name, function_name(function))
    trace = open_trace(interp, transform, entry, axis_names=None)  # a library may map it
    if spec.leaves != "none":
        args = traced_arguments(
            interp,
            transformed,
            signature_of(interp, function),
            StaticArguments(frozenset(), frozenset()),
            args,
            trace,
            span,
        )
    with running(interp, trace, span):
        result = call(interp, function, args, span)
        check_result(interp, transformed, result, span)
    where = f"result of `{name}`"
    return untrace(interp, result, trace.depth, interp.source(span, where, where), spec.leaves != "all")


def call_held_function(interp: Interpreter, function: Value, holder: ExternalInstance) -> None:
    """Calls a function that a library object holds though no call in view makes the object do so, as the library would.

    The key `runs_with` of the class's model says with what: [] stands for the parameters that the function has.
    """
    target = signature_of(interp, function)
    model = interp.models.classes[holder.of]
    if target is None or holder.site is None or model.runs_with is None:
        return
    span = holder.site[1]
    spec = Call((), model.runs_with, leaves="arrays" if model.runs_with else "none")
    args = (
        arguments_passed_on(interp, holder.of, spec, Args([]), span)
        if model.runs_with
        else guessed_arguments(interp, target)
    )
    missing = guessed_arguments(interp, target)
    known = len(args.positional)
    args.positional += [Unknown() for _ in missing.positional[known:]]
    args.spans += missing.spans[known:]
    call_traced_by_library(interp, holder.of, spec, function, args, span)
