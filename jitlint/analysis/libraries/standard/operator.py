"""The functions of `operator`: operators, items and attributes of the language, given as functions.

`operator.itemgetter(key)` is a function that is called later. It becomes a partial of a function with the made-up name
"operator.itemgetter()", which gets the keys in a tuple and then the object.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.language import operators
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.subscripts import get_item
from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call, get_attribute
from jitlint.analysis.values import BOOL, UNKNOWN, Const, External, Partial, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "concat": "+",
}

_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "is_": "is", "is_not": "is not"}
_UNARY = {"neg": "-", "pos": "+", "invert": "~", "inv": "~"}
_IN_PLACE = {f"i{name.rstrip('_')}": op for name, op in _BINARY.items() if hasattr(operator, f"i{name.rstrip('_')}")}


def _binary(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function of two operands: `operator.add(a, b)`, `operator.lt(a, b)`, `operator.contains(a, b)` …"""
    name = model.name.rpartition(".")[2]
    if len(args.positional) != 2:
        return UNKNOWN
    left, right = args.positional
    if name in _COMPARISONS:
        return operators.compare(interp, _COMPARISONS[name], left, right, span)
    if name == "contains":
        return operators.compare(interp, "in", right, left, span)
    return operators.binary(interp, _BINARY.get(name) or _IN_PLACE[name], left, right, span)


def _unary(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function of one operand: `operator.neg(a)` …"""
    name = model.name.rpartition(".")[2]
    return operators.unary(interp, _UNARY[name], args.positional[0], span) if args.positional else UNKNOWN


def _index(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`operator.index(x)`: a tracer is no index."""
    tracer = tracer_in(interp, args.positional)
    if tracer is not None:
        interp.emit(EventKind.INDEX, span, "operator.index", value=tracer)
    return args.positional[0] if args.positional and isinstance(args.positional[0], Const) else UNKNOWN


def _truth(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`operator.truth(x)` and `operator.not_(x)`."""
    negated = model.name.endswith("not_")
    known = decide(interp, args.positional[0] if args.positional else UNKNOWN, "not" if negated else "bool", span)
    return BOOL if known is None else Const(known is not negated)


def _getter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`itemgetter(*keys)`, `attrgetter(*names)`, `methodcaller(name, …)`: a function that is called later."""
    bound = (Tuple(tuple(args.positional)),)
    return Partial(External(f"{model.name}()"), bound, dict(args.keywords), interp.loops, interp.site(span))


def _items(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Calls what `itemgetter(*keys)` gave."""
    return _each(args, lambda value, key: item(interp, value, key, args, span))


def _attributes(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Calls what `attrgetter(*names)` gave."""

    def get(value: Value, key: Value) -> Value:
        if not isinstance(key, Const) or not isinstance(key.value, str):
            return UNKNOWN
        for name in key.value.split("."):
            value = get_attribute(interp, value, name, span)
        return value

    return _each(args, get)


def _each(args: Args, get: Callable[[Value, Value], Value]) -> Value:
    """One result for one key, a tuple of results for several."""
    if len(args.positional) != 2 or not isinstance(args.positional[0], Tuple):
        return UNKNOWN
    keys, value = args.positional[0].elements, args.positional[1]
    found = [get(value, key) for key in keys]
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _method(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Calls what `methodcaller("name", …)` gave."""
    if len(args.positional) != 2 or not isinstance(args.positional[0], Tuple):
        return UNKNOWN
    name, *bound = args.positional[0].elements or (UNKNOWN,)
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    function = get_attribute(interp, args.positional[1], name.value, span)
    return call(interp, function, Args(bound, args.keywords), span)


def item(interp: Interpreter, value: Value, key: Value, args: Args, span: Span) -> Value:
    """`value[key]`, though no subscript is written."""
    place = args.spans[-1] if args.spans else span
    return get_item(interp, value, key, ir.Subscript(span, ir.Const(span, None), ir.Const(place, None)))


def _get_item(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`operator.getitem(value, key)`."""
    return item(interp, args.positional[0], args.positional[1], args, span) if len(args.positional) == 2 else UNKNOWN


FUNCTIONS.update(
    {
        **{f"operator.{name}": _binary for name in (*_BINARY, *_COMPARISONS, *_IN_PLACE, "contains")},
        **{f"operator.{name}": _unary for name in _UNARY},
        "operator.abs": lambda interp, model, args, span: FUNCTIONS["builtins.abs"](interp, model, args, span),
        "operator.index": _index,
        "operator.truth": _truth,
        "operator.not_": _truth,
        "operator.getitem": _get_item,
        **{f"operator.{name}": _getter for name in ("itemgetter", "attrgetter", "methodcaller")},
        "operator.itemgetter()": _items,
        "operator.attrgetter()": _attributes,
        "operator.methodcaller()": _method,
    }
)
