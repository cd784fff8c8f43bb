"""Methods of arrays (`x.sum()`, `x.item()`, `x.at[i].set(v)`) and of transformed functions (`f.lower(x)`)."""

from __future__ import annotations

from jitlint.analysis.arrays.dtypes import least_rank, with_exact_dtype, with_least_rank
from jitlint.analysis.arrays.results import array_result, deepest, tracer_in
from jitlint.analysis.arrays.rounds import number_read
from jitlint.analysis.arrays.rules import kind_of, result_by_rules
from jitlint.analysis.language.attributes import is_tree_method
from jitlint.analysis.libraries.requirements import check_arguments
from jitlint.analysis.libraries.tables import METHODS, receiver_text
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.derivatives import define_rule
from jitlint.analysis.tracing.transforms import call_transformed
from jitlint.analysis.values import (
    NONE,
    STR,
    UNKNOWN,
    Array,
    AtIndexer,
    ExternalInstance,
    HostArray,
    JaxArray,
    LoopCounter,
    Method,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join
from jitlint.analysis.values.keys import may_be_text
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def _array_method(interp: Interpreter, receiver: Array, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of an array or of a tracer.

    A tracer's `item`, `tolist` and their like need its value: events. What others give, JAX was asked.
    """
    model = interp.models.array
    name = method.name
    if isinstance(receiver, Traced) and receiver.tree and (name == "copy" or is_tree_method(interp, name)):
        return _tree_method(interp, receiver, name, args)
    if isinstance(receiver, Traced) and receiver.tree and _is_given_text(interp, name, args):
        return UNKNOWN
    if isinstance(receiver, Traced) and not receiver.concrete:
        if name in model["convert"]["methods"]:
            interp.emit(EventKind.CONVERT, span, f".{name}", value=receiver, subject=receiver_text(interp, method))
            return _number_in(receiver) if name == "item" else UNKNOWN
        if name in model["host"]["methods"]:
            interp.emit(EventKind.HOST_METHOD, span, f".{name}", value=receiver, subject=receiver_text(interp, method))
            return receiver if name == "block_until_ready" else UNKNOWN
    if isinstance(receiver, HostArray) or (isinstance(receiver, JaxArray) and name in model["convert"]["methods"]):
        if name == "tolist" and receiver.rank != 0:
            element = _number_in(receiver) if receiver.rank == 1 else UNKNOWN
            if isinstance(receiver, HostArray) and receiver.series:
                element = LoopCounter.of_series(receiver.dtype or "number")
            return interp.new_list("list", Sequence("tuple", element), span)
        read = number_read(interp, receiver, span) if name == "item" and receiver.dtype == "int" else None
        return read or _host_method(receiver, name, args)
    if name in model["in_place"]["methods"] and isinstance(receiver, (Traced, JaxArray)):
        return array_result(interp, [receiver, *args.all()], span, receiver.dtype, receiver.rank, by=f".{name}")
    asked = interp.models.function(f"jax.Array.{name}")
    if asked is None or not asked.structure.base:
        return array_result(interp, [receiver], span, receiver.dtype, by=f".{name}") if name == "to_device" else UNKNOWN
    whole = Args([receiver, *args.positional], args.keywords, args.rest, args.more)
    whole.spans, whole.keyword_spans = [_receiver_span(method), *args.spans], args.keyword_spans
    called = asked._replace(name=f".{name}")
    check_arguments(interp, called, whole, span)
    return result_by_rules(interp, called, whole, span)


_TAKE_TEXT = frozenset({"dtype", "order", "device", "format_spec"})
"""Parameters that come first in a method of arrays and take text."""


def _is_given_text(interp: Interpreter, name: str, args: Args) -> bool:
    """Whether a method is called with a text that the method of arrays would refuse: `state.take("step")`."""
    if not args.positional or not may_be_text(args.positional[0]):
        return False
    asked = interp.models.function(f"jax.Array.{name}")
    parameters = [] if asked is None else [parameter.name for parameter in asked.parameters if parameter.position == 1]
    return not _TAKE_TEXT.intersection(parameters)


def _receiver_span(method: Method) -> Span:
    """Where the receiver of a method call is written: the text before the dot."""
    return Span(method.span.start, max(method.span.start, method.span.end - len(method.name) - 1))


_CONVERSIONS = frozenset({"__bool__", "__int__", "__float__", "__complex__"})

_SAME_SHAPE = frozenset({"astype", "clip", "copy", "round", "conj"})
"""Methods of NumPy arrays whose result has the shape of the array."""


def _tree_method(interp: Interpreter, receiver: Traced, name: str, args: Args) -> Value:
    """Calls a method of a traced argument of unknown structure: the name says which container it must be."""
    part = receiver.element_tracer()
    if name == "copy":
        return receiver.replace(param="")  # arrays have the method, too
    if name == "items":
        return Sequence("view", Tuple((STR, part)))
    if name == "keys":
        return Sequence("view", STR)
    if name == "values":
        return Sequence("view", part)
    if name in ("get", "pop", "setdefault"):
        default = args.get(1, "default") or NONE
        return join(part, default)
    if name != "_replace" and name not in interp.models.self_methods:
        return UNKNOWN
    both = deepest([part, *map(tracer_in, args.all())])  # what it holds now depends on what it gets
    return part if both is None or both is part else part.replace(depth=both.depth, outer=both.outer)


def _number_in(array: Array) -> Value:
    """A Python number that is an element of an array."""
    return Static(array.dtype if array.dtype in ("bool", "int", "float") else "number")


def _host_method(receiver: Array, name: str, args: Args) -> Value:
    """Calls a method that gives a value of the host now: any of a NumPy array, `item` and its like of one of JAX."""
    if name in ("item", "tolist"):  # the list of an array without axes is its number
        return _number_in(receiver)
    if name in _CONVERSIONS:
        return Static(name.strip("_"))
    if name in ("all", "any"):
        return HostArray("bool", None)
    least = receiver.least if name in _SAME_SHAPE or name == "reshape" else 0
    return HostArray(_host_dtype(receiver, name, args), None, least=least)


def _host_dtype(receiver: Array, name: str, args: Args) -> str | None:
    """The kind of dtype of what a method of a NumPy array gives; None if not known."""
    given = args.get(0, "dtype") if name in ("astype", "view") else args.keywords.get("dtype")
    if given is not None:
        return kind_of(given)
    if name in ("sum", "prod", "cumsum", "cumprod", "mean", "std", "var"):
        by_division = name in ("mean", "std", "var") and receiver.dtype in ("bool", "int")
        return "float" if by_division else "int" if receiver.dtype == "bool" else receiver.dtype
    return "int" if name.startswith("arg") else receiver.dtype


def _at_method(interp: Interpreter, receiver: AtIndexer, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of `x.at[i]`: `set`, `add`, `get` …; of others (`bitcast`), only a reference has them."""
    asked = interp.models.function(f"jax.Array.at.{method.name}")
    if asked is None or not asked.structure.base:
        return UNKNOWN
    array = receiver.array
    dtype = array.dtype if isinstance(array, Array) else None
    rank = array.rank if isinstance(array, Array) and method.name != "get" else None
    lead = array.lead if isinstance(array, Array) and method.name != "get" else None
    result = array_result(interp, [array, *args.all()], span, dtype, rank, by=f".at[].{method.name}", lead=lead)
    if not isinstance(array, Array):
        return result
    if isinstance(result, Array) and method.name != "get":
        result.whole = array.whole  # an update keeps the shape
    return with_least_rank(with_exact_dtype(result, array.exact), least_rank(array) if method.name != "get" else 0)


def _transformed_method(interp: Interpreter, receiver: Transformed, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a transformed function: `f.lower(x)` traces it."""
    if method.name in ("lower", "trace", "eval_shape"):
        call_transformed(interp, receiver, args, span, runs=False)
        return ExternalInstance("jax.stages.Lowered", (receiver,))
    if method.name in ("defvjp", "defjvp"):
        return define_rule(receiver, method.name, args)
    if method.name in ("__call__", "call"):
        return call_transformed(interp, receiver, args, span)
    return UNKNOWN


METHODS.update(
    {
        Array: _array_method,
        AtIndexer: _at_method,
        Transformed: _transformed_method,
    }
)
