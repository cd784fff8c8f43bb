"""Calls: evaluating the arguments, and what calling each kind of value does.

`call_expression` is the evaluator of `f(a, *b, c=d)`. What happens then depends on the callee: CALLERS has one caller
per value class. The end of this file registers those of Python (functions, methods, partials, classes, instances). The
rooms above register the others: tracing/transforms.py for what `jax.jit` returns, libraries/calls.py, tables.py and
objects.py for functions, methods and objects of libraries.
"""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import bind_self, class_attribute, class_facts
from jitlint.analysis.language.functions import call_function
from jitlint.analysis.language.guessed_classes import as_read, callable_objects
from jitlint.analysis.language.instances import instantiate
from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.language.overrides import call_overridden, overriding_methods
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.accesses import record_arrays_read
from jitlint.analysis.machine.call_order import GLOBALS
from jitlint.analysis.machine.context import Chosen
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.handed_on import view_of_donated
from jitlint.analysis.machine.interpreter import CALLERS, Interpreter, call
from jitlint.analysis.machine.options import other_values
from jitlint.analysis.machine.parts import TopChoice
from jitlint.analysis.values import (
    MAX_SIZE,
    NEVER,
    PARSED,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Frame,
    Function,
    Instance,
    Method,
    OneOfArguments,
    Partial,
    Super,
    Transformed,
    Tuple,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    as_one_object,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join, join_all, offered_like
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

MAX_TOP_CALLS: Final = 4
"""How many argument lists are recorded for one function."""


def call_expression(interp: Interpreter, node: ir.Call) -> Value:
    """Evaluates a call: the callee, then the arguments, then what calling it does."""
    if isinstance(node.function, ir.Name) and node.function.name == "super":
        special = _bare_super(interp, node)
        if special is not None:
            return special
    is_statement = interp.path.statement is node
    callee = interp.evaluate(node.function)
    args = evaluate_arguments(interp, node)
    if interp.frame.parent is None:
        _record_top_level_call(interp, callee, node)
    interp.unit.used_keys.latest = frozenset()
    if interp.frame.parent is None and interp.frame.function is None and not interp.path.frames:
        result = _call_from_top(interp, callee, args, node.span)
    else:
        others = overriding_methods(interp, callee, node)
        _call_objects(interp, callee, args, node)
        if others:
            result = call_overridden(interp, callee, others, args, node.span)
        else:
            result = call(interp, callee, args, node.span)
    if isinstance(callee, Method):
        result = as_read(interp, result)  # `config.get("name")`
    if isinstance(callee, (External, Method, Union)) or interp.unit.used_keys.latest:
        interp.libraries.after_call(interp, callee, node, args)
    if interp.world.buffers.fields and isinstance(node.function, ir.Attribute) and isinstance(callee, Unknown):
        result = view_of_donated(interp, callee, node.function.name) or result
    if is_statement:
        interp.libraries.after_statement(interp, callee, node, args)
    return as_one_object(result) if interp.trace is None else result


def _call_from_top(interp: Interpreter, callee: Value, args: Args, span: Span) -> Value:
    """A call by a module's top level, which runs once: where options decide in it, it is noted, to be made again."""
    run = interp.root_run
    before, run.other_ways, run.command_lines = run.other_ways, {}, 0
    try:
        return call(interp, callee, args, span)
    finally:
        if run.other_ways or run.command_lines:
            made, asked = (interp.module, callee, args, span), dict(interp.unit.decisions.asked_texts)
            interp.world.top_choices.append(
                TopChoice(*made, run.other_ways, run.command_lines, other_values(interp), asked)
            )
        run.other_ways = before


def evaluate_arguments(interp: Interpreter, node: ir.Call) -> Args:
    """Evaluates the arguments of a call."""
    keyword_spans: dict[str, Span] = {}
    args = Args([], keyword_spans=keyword_spans)
    for _, star, keyword, expression in node.arguments:
        value = interp.evaluate(expression)
        span = expression.span
        if star == "*":
            _unpack_positional(interp, args, value, span)
        elif star == "**":
            _add_further_keywords(args, value)
            for name, entry in value.entries.items() if isinstance(value, Dict) else ():
                if isinstance(name, str):
                    args.keywords[name] = entry
                    keyword_spans[name] = span
        elif keyword is not None:
            args.keywords[keyword] = value
            keyword_spans[keyword] = span
        elif args.rest is None:
            args.positional.append(value)
            args.spans.append(span)
        else:
            args.rest = join(args.rest, value)
    return args


def _unpack_positional(interp: Interpreter, args: Args, value: Value, span: Span) -> None:
    """Adds the elements of `*value` to the arguments: one by one, or joined where their number is not known."""
    exact = exact_elements(interp, value, span, "star")
    if exact is not None and args.rest is None and len(args.positional) + len(exact) < MAX_SIZE:
        args.positional.extend(exact)
        args.spans.extend([span] * len(exact))
        return
    element = join_all(exact) if exact is not None else joined_elements(interp, value, span, "star")
    args.rest = element if args.rest is None else join(args.rest, element)
    args.rest_span = span


def _add_further_keywords(args: Args, value: Value) -> None:
    """Adds what `**value` may pass for keywords beyond those that it certainly passes."""
    more = value.rest if isinstance(value, Dict) else PARSED if value is PARSED else UNKNOWN
    if more is NEVER:
        return
    by_name = value.maybe if isinstance(value, Dict) else None
    args.maybe = by_name if args.more is None else None
    args.more = more if args.more is None else join(args.more, more)


def _record_top_level_call(interp: Interpreter, callee: Value, node: ir.Call) -> None:
    """Records the text of the arguments with which a module's top level calls something of the project.

    The verifier can call it like that: `train(params, 10)` in a script is a better input than an invented one.
    """
    if not isinstance(node.function, (ir.Name, ir.Attribute)) or isinstance(callee, (External, Class)):
        return
    span = Span(node.function.span.end, node.span.end)
    text = interp.module.snippet(span, 300)
    name = interp.module.snippet(node.function.span, 200)
    calls = interp.world.top_calls.setdefault(f"{interp.module.name}:{name}", [])
    if text.startswith("(") and len(calls) < MAX_TOP_CALLS and text not in calls:
        calls.append(text)


def _bare_super(interp: Interpreter, node: ir.Call) -> Value | None:
    """The value of `super()` without arguments in a method; None anywhere else."""
    frame: Frame | None = interp.frame
    while frame is not None and frame.function is None:
        frame = frame.parent
    if frame is None or frame.function is None or node.arguments:
        return None
    cls = interp.world.method_classes.get(id(frame.function))
    if cls is None or not frame.function.parameters:
        return None
    receiver = frame.fields.get(frame.function.parameters[0].name, UNKNOWN)
    return Super(cls, receiver)


def _call_unknown(interp: Interpreter, callee: Value, args: Args, span: Span) -> Value:
    """Calls a value of which nothing is known: Unknown."""
    if isinstance(callee, UnknownArgument):
        _note_guessed_call(interp, callee, span)
    return PARSED if callee is PARSED else UNKNOWN


def _call_objects(interp: Interpreter, callee: Value, args: Args, node: ir.Call) -> None:
    """Runs what a variable from callers out of view may be that a trace calls: an object of a class with `__call__`."""
    if not isinstance(node.function, ir.Name) or not isinstance(callee, (UnknownArgument, OneOfArguments)):
        return
    if interp.trace is None or args.rest is not None or args.keywords or args.open_keywords:
        return
    objects = callable_objects(interp, len(args.positional))
    runs = [
        partial(_call_into, [], interp, each, args, node.span, AssumptionKind.CLASS_GUESSED, False) for each in objects
    ]
    interp.store.branch((*runs, lambda: True))


def _note_guessed_call(interp: Interpreter, callee: Value, span: Span) -> None:
    """Notes that what a caller out of view has passed is called: it may be a compiled function."""
    if interp.trace is None:
        text = f"`{interp.module.snippet(span)}` calls a compiled function"
        compiled = Assumption(AssumptionKind.CALLS_COMPILED, text)
        interp.unit.state.order.may_be_called(id(callee), GLOBALS, compiled, tuple(interp.store.branches))


def _call_function(interp: Interpreter, callee: Function, args: Args, span: Span) -> Value:
    """Calls a function of the project.

    In a project that is a library itself, the model of its public function gives the result where the body's is
    Unknown.
    """
    if callee.cached:
        return _call_memoized(interp, callee, args, span)
    result = call_function(interp, callee, args, span)
    if interp.world.published and isinstance(result, Unknown):
        model = interp.public_model(callee)
        return result if model is None else interp.libraries.result(interp, model, args, span)
    return result


def _call_partial(interp: Interpreter, callee: Partial, args: Args, span: Span) -> Value:
    """Calls a `functools.partial`."""
    return call(interp, callee.function, _with_partial_arguments(callee, args, span), span)


def _call_descriptor(interp: Interpreter, callee: Descriptor, args: Args, span: Span) -> Value:
    """Calls what a property, staticmethod or classmethod wraps, reached without an instance."""
    return call(interp, callee.function, args, span)


def _call_one_of(interp: Interpreter, callee: Union, args: Args, span: Span) -> Value:
    """Calls each of the values that it may be and joins the results. What happens in one of them is not certain.

    Code that has chosen between a function of NumPy and the same one of JAX has chosen by what it computes with: which
    of the two the result is, it knows, and the analysis does not.
    """
    callees = [part for part in callee.alternatives if not isinstance(part, Const)]
    if callee.offered:  # what takes another number of arguments goes with other code
        callees = [part for part in callees if _maps_so_many(part, args)] or callees
    if len(callees) == 1:
        return call(interp, callees[0], args, span)
    results: list[Value] = []
    kind = AssumptionKind.ONE_OF_FUNCTIONS
    if callee.offered:
        kind = AssumptionKind.OFFERED_FUNCTION
    elif all(isinstance(part, BoundMethod) and part.guessed for part in callees):
        kind = AssumptionKind.CLASS_GUESSED
    names = {part.name for part in callees if isinstance(part, External)}
    on_the_host = {name for name in names if f"jax.{name}" in names}
    interp.store.branch(
        partial(
            _call_into, results, interp, part, args, span, kind, isinstance(part, External) and part.name in on_the_host
        )
        for part in callees
    )
    joined = UNKNOWN if on_the_host else offered_like(callee, results)
    names_of_own = [name_in_project(part) for part in callees]
    if interp.trace is not None and all(names_of_own) and len(results) == len(callees):
        called = tuple(f"`{interp.module.snippet(span)}` calls {name}" for name in names_of_own)
        interp.trace.chosen.append(Chosen(kind, tuple(results), joined, called))
    return joined


def _maps_so_many(callee: Value, args: Args) -> bool:
    """Whether a mapped function has an axis for each argument that a call gives by position."""
    axes = callee.options.get("in_axes") if isinstance(callee, Transformed) else None
    return not isinstance(axes, Tuple) or args.rest is not None or len(axes.elements) == len(args.positional)


def _call_into(
    results: list[Value],
    interp: Interpreter,
    callee: Value,
    args: Args,
    span: Span,
    kind: AssumptionKind,
    silenced: bool,
) -> bool:
    """Calls what may be called here, and adds its result to `results`; True, since the code after it can be reached."""
    with interp.silenced() if silenced else contextlib.nullcontext():
        results.append(_call_with_doubt(interp, callee, callee, args, span, kind))
    return True


def _call_with_doubt(
    interp: Interpreter, named: Value, callee: Value, args: Args, span: Span, kind: AssumptionKind
) -> Value:
    """Calls what may be called here: events in it are likely at most, and say what they assume.

    In a branch that one setting chose, it is not likely what another setting offers.

    Args:
        named: the callee by whose name findings call the assumption.
        callee: what is called.
        kind: what is assumed if the callee is the project's.
    """
    name = name_in_project(named)
    chosen = _by_another_setting(interp, span)
    called = name or "one of several objects"
    kind = kind if name and not chosen else AssumptionKind.ONE_OF_CALLABLES
    with interp.assuming(kind, f"`{interp.module.snippet(span)}` calls {called}"):
        return call(interp, callee, args, span)


def _by_another_setting(interp: Interpreter, span: Span) -> bool:
    """Whether a branch runs that a setting chose which the callee at `span` does not depend on: `TABLE[args.study]`."""
    choices = interp.frame.home.choices
    named = set(_DOTTED_NAME.findall(interp.module.snippet(span).partition("(")[0])) if choices else set()
    return any(named.isdisjoint(_DOTTED_NAME.findall(test)) for test in choices)


_DOTTED_NAME: Final = re.compile(r"[\w.]+")


def name_in_project(callee: Value) -> str:
    """What findings call the project's code that a callable runs: "`scale`"; "" if it is none that the project writes.

    To make an object of a class runs little: what is wrong in it is so for all who make one.
    """
    if isinstance(callee, Method):
        callee = callee.receiver
    while isinstance(callee, (BoundMethod, Partial, Transformed)):
        callee = callee.function
    if isinstance(callee, Instance) and not callee.guessed:
        return f"a `{callee.cls.code.name}`"
    if not isinstance(callee, Function):
        return ""
    name = callee.code.qualname.replace("<locals>.", "")
    return f"`{name}`" if "<" not in name else "a lambda"


def _call_memoized(interp: Interpreter, callee: Function, args: Args, span: Span) -> Value:
    """Calls a function under `functools.lru_cache`: its arguments are hashed, and its result outlives the trace.

    A method that is a cached property stores its result in the instance, which attributes.py judges.
    """
    _check_arguments_hash(interp, callee, args, span)
    result = call_function(interp, callee, args, span)
    own = callee.cls.fields.get(callee.code.name) if callee.cls is not None else None
    stored_in_instance = isinstance(own, Descriptor)
    if not stored_in_instance and all(interp.traced(value) is None for value in args.all()):
        check_escape(interp, callee, result, span, "lru_cache", callee.code.name)
    return result


def _check_arguments_hash(interp: Interpreter, callee: Function, args: Args, span: Span) -> None:
    """Reports tracers among the arguments of a memoized function, which have no hash."""
    for value, place in zip(args.positional, [*args.spans, *[span] * len(args.positional)], strict=False):
        if interp.traced(value) is not None:
            interp.emit(EventKind.HASH, place, "lru_cache", value=value)
    for name, value in args.keywords.items():
        if interp.traced(value) is not None:
            interp.emit(EventKind.HASH, args.keyword_spans.get(name, span), "lru_cache", value=value)


def with_receiver(receiver: Value, args: Args, span: Span) -> Args:
    """The arguments of a method call with the receiver first, as the function takes them."""
    return Args(
        [receiver, *args.positional],
        args.keywords,
        args.rest,
        args.more,
        [span, *args.spans],
        args.keyword_spans,
        args.maybe,
    )


def _call_bound_method(interp: Interpreter, callee: BoundMethod, args: Args, span: Span) -> Value:
    """Calls a method."""
    function = callee.function
    if callee.guessed:
        return _call_guessed_method(interp, callee, args, span)
    if isinstance(function, Descriptor):
        if function.kind == "staticmethod":
            return call(interp, function.function, args, span)
        function = function.function
    if isinstance(callee.receiver, Instance) and interp.trace is not None:
        method = function.code.name if isinstance(function, Function) else ""
        _note_arrays_read(interp, callee.receiver, method, span)
    return call(interp, function, with_receiver(callee.receiver, args, span), span)


def _note_arrays_read(interp: Interpreter, receiver: Instance, method: str, span: Span) -> None:
    """Notes that a method of an object runs whose arrays change in place, as those of NNX's modules do."""
    code = interp.frame.function
    is_method = code is not None and bool(code.parameters) and id(code) in interp.world.method_classes
    own = interp.frame.fields.get(code.parameters[0].name) if code is not None and is_method else None
    if own is not receiver and not receiver.guessed and class_facts(interp, receiver.cls).static_numbers:
        called = interp.module.snippet(span).partition("(")[0]
        record_arrays_read(interp, receiver, called.removesuffix(f".{method}"), span)


def _call_guessed_method(interp: Interpreter, callee: BoundMethod, args: Args, span: Span) -> Value:
    """Calls a method that is guessed to be the receiver's, if it takes these arguments."""
    target = signature_of(interp, callee)
    if target is None or (args.rest is None and not target.takes(len(args.positional), args.keywords)):
        return UNKNOWN
    given = with_receiver(callee.receiver, args, span)
    return _call_with_doubt(interp, callee, callee.function, given, span, AssumptionKind.CLASS_GUESSED)


def _with_partial_arguments(callee: Partial, args: Args, span: Span) -> Args:
    """The arguments of a call of a partial, its own first."""
    return Args(
        [*callee.positional, *args.positional],
        {**callee.keywords, **args.keywords},
        args.rest,
        args.more,
        [*[span] * len(callee.positional), *args.spans],
        args.keyword_spans,
    )


def _call_instance(interp: Interpreter, callee: Instance, args: Args, span: Span) -> Value:
    """Calls an instance: its class's `__call__`."""
    if callee.guessed:
        _note_guessed_call(interp, callee, span)
    found = class_attribute(interp, callee.cls, "__call__")
    if found is None:
        return UNKNOWN
    return call(interp, bind_self(interp, found[0], callee, span), args, span)


CALLERS.update(
    {
        Value: _call_unknown,
        Function: _call_function,
        BoundMethod: _call_bound_method,
        Partial: _call_partial,
        Class: instantiate,
        Instance: _call_instance,
        Union: _call_one_of,
        Descriptor: _call_descriptor,
    }
)
