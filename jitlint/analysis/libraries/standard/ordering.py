"""Functions of Python that compare or combine elements: any, all, min, max, sorted, sum, and those of bisect and heapq.

Comparing elements needs the truth of each comparison, which a tracer does not give.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.arrays.ragged import longest_of
from jitlint.analysis.arrays.rounds import bounded_counter
from jitlint.analysis.language import operators
from jitlint.analysis.language.decisions import decide, truth
from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    BOOL,
    INT,
    NEVER,
    UNKNOWN,
    Const,
    LoopCounter,
    Sequence,
    Static,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.folding import constant
from jitlint.analysis.values.joins import join, join_all, tuple_of, widen
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _any_all(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`any(elements)` and `all(elements)` need the truth of the elements."""
    name = model.name.rpartition(".")[2]
    value = args.first
    exact = exact_elements(interp, value, args.place(span), name)
    elements = exact if exact is not None else [joined_elements(interp, value, args.place(span), name)]
    for element in elements:
        if interp.traced(element) is not None:
            decide(interp, element, name, span, args.place(span))
            return BOOL
    outcomes = [truth(interp, element) for element in elements]
    if exact is not None and None not in outcomes:
        return Const(any(outcomes) if name == "any" else all(outcomes))
    return BOOL


def _min_max(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`min(elements)`, `max(a, b, key=f)`."""
    name = model.name.rpartition(".")[2]
    if len(args.positional) == 1:
        exact = exact_elements(interp, args.positional[0], args.place(span), name)
        single = joined_elements(interp, args.positional[0], args.place(span), name) if exact is None else NEVER
        elements = exact if exact is not None else [single, single]
    else:
        elements = list(args.positional)
    _compare_keys(interp, elements, args, name, span)
    constants = [e.value for e in elements if isinstance(e, Const) and isinstance(e.value, (int, float))]
    if len(constants) == len(elements) > 0 and "key" not in args.keywords:
        return constant(min(constants) if name == "min" else max(constants))
    if name == "max" and len(args.positional) == 1:
        longest = longest_of(interp, span)
        if longest is not None:
            return longest
    counter = bounded_counter(name, elements) if "key" not in args.keywords else None
    if counter is not None:
        return counter
    result = join_all(Static(each.kind) if isinstance(each, LoopCounter) else each for each in elements)
    return UNKNOWN if result is NEVER else result


def _compare_keys(interp: Interpreter, elements: list[Value], args: Args, name: str, span: Span) -> None:
    """Compares elements with each other, by the results of `key` if it is given."""
    if len(elements) < 2:
        return
    function = args.keywords.get("key")
    keys = elements
    if function is not None and not is_none(function):
        keys = [call(interp, function, Args([element]), span) for element in elements]
    for position, value in enumerate(keys):
        first = value.elements[0] if isinstance(value, Tuple) and value.elements else value
        for part in (value, first):
            tracer = interp.traced(part)
            if tracer is not None:
                several = len(args.positional) == len(elements)
                compared = tracer.replace(tree=False)  # who compares it has no dict in mind
                decide(interp, compared, name, span, args.place(span, position if several else 0))
                return


def order(interp: Interpreter, value: Value, args: Args, name: str, span: Span) -> Tuple | Sequence:
    """Sorts elements, which compares them: the content of the list that holds them then."""
    exact = exact_elements(interp, value, span, name)
    elements = exact if exact is not None else [joined_elements(interp, value, span, name)] * 2
    _compare_keys(interp, elements, args, name, span)
    texts = [each.value for each in exact or () if isinstance(each, Const) and isinstance(each.value, str)]
    if exact is None or args.keywords or len(texts) < len(exact):
        return Sequence("tuple", join_all(elements))
    return tuple_of([Const(text) for text in sorted(texts)])


def _sorted(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`sorted(elements, key=f)`."""
    tree = interp.traced(args.first)
    if tree is not None and tree.tree:
        return interp.new_list("list", Sequence("tuple", UNKNOWN), span)
    return interp.new_list("list", order(interp, args.first, args, "sorted", span), span)


def _sum(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`sum(elements, start)`: adds them one by one, so that their own `__add__` is followed."""
    value = args.first
    exact = exact_elements(interp, value, args.place(span), "sum")
    elements = exact if exact is not None else [joined_elements(interp, value, args.place(span), "sum")]
    total: Value = args.get(1, "start") or Const(0)
    if exact is None:
        summed = operators.binary(interp, "+", total, elements[0], span)
        return join(widened(total), summed)
    for element in elements:
        total = operators.binary(interp, "+", total, element, span)
    return total


def widened(value: Value) -> Value:
    """The start value of a sum over an unknown number of elements."""
    return NEVER if isinstance(value, Const) else widen(value)


def _in_order(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A function of `bisect` or `heapq`: compares the elements of a list with each other, and with another value."""
    last = model.name.rpartition(".")[2]
    order = (1, 0) if last in _COUNTED else (0, 1)  # where the list and the other value are
    given = [(args.positional[at], args.place(span, at)) for at in order if at < len(args.positional)]
    element = joined_elements(interp, *given[0], last) if given else NEVER
    inserted = [] if last in _COUNTED else given[1:2]
    if element is not NEVER or (inserted and not last.startswith("bisect")):  # what is inserted is there the next time
        other = (element, given[0][1])
        values, places = map(list, zip(*(inserted or [other]), other, strict=True))
        _compare_keys(interp, values, Args(values, spans=places, keywords=args.keywords), last, span)
    return INT if last.startswith("bisect") else UNKNOWN


_COUNTED: Final = frozenset({"nlargest", "nsmallest"})

_IN_ORDER: Final = (
    *(f"bisect.{name}" for name in ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")),
    *(f"heapq.{name}" for name in ("heapify", "heappush", "heappushpop", "heapreplace", "nlargest", "nsmallest")),
)


FUNCTIONS.update(
    {
        "builtins.any": _any_all,
        "builtins.all": _any_all,
        "builtins.min": _min_max,
        "builtins.max": _min_max,
        "builtins.sorted": _sorted,
        "builtins.sum": _sum,
        **dict.fromkeys(_IN_ORDER, _in_order),
    }
)
