"""functools: partials, reductions, wrappers and caches."""

from __future__ import annotations

from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    UNKNOWN,
    Descriptor,
    ExternalInstance,
    Function,
    Partial,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _partial(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`partial(function, *arguments, **keywords)`; Unknown if a star brings some of the arguments."""
    if not args.positional:
        return UNKNOWN
    function = args.positional[0]
    if args.rest is not None or args.open_keywords:
        return UNKNOWN
    return Partial(function, tuple(args.positional[1:]), dict(args.keywords), interp.loops, interp.site(span))


def _reduce(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`reduce(function, iterable, initial)`: step by step over a few known elements, else two steps joined."""
    if len(args.positional) < 2:
        return UNKNOWN
    function, source = args.positional[:2]
    exact = exact_elements(interp, source, span, "reduce")
    start = args.positional[2] if len(args.positional) > 2 else None
    if exact is not None and len(exact) <= 8:
        values = ([start] if start is not None else []) + exact
        total = values[0] if values else UNKNOWN
        for value in values[1:]:
            total = call(interp, function, Args([total, value]), span)
        return total
    element = joined_elements(interp, source, span, "reduce")
    total = element if start is None else start
    for _ in range(2):
        total = join(total, call(interp, function, Args([total, element]), span))
    return total


def _wraps(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`wraps(wrapped)`: a decorator, which `objects.py` applies."""
    return ExternalInstance("functools.wraps", tuple(args.positional[:1]))


def _cache(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`@cache` and `@lru_cache`, with options or without."""
    function = args.positional[0] if args.positional else None
    if isinstance(function, Function):
        function.cached = True
        return function
    return ExternalInstance(model.name)


def _partial_method(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`partialmethod(function, …)` in a class body."""
    bound = _partial(interp, model, args, span)
    return Descriptor("partialmethod", bound) if isinstance(bound, Partial) else UNKNOWN


FUNCTIONS.update(
    {
        "functools.partial": _partial,
        "functools.partialmethod": _partial_method,
        "functools.reduce": _reduce,
        "functools.wraps": _wraps,
        "functools.lru_cache": _cache,
        "functools.cache": _cache,
    }
)
