"""The functions of `itertools`: known elements stay apart; of unknown ones, one value stands for all."""

from __future__ import annotations

import itertools

from jitlint.analysis.language import operators
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.iteration import MAX_KNOWN_ELEMENTS, exact_elements, joined_elements
from jitlint.analysis.libraries.standard.sequences import made_iterator
from jitlint.analysis.libraries.tables import FUNCTIONS, Handler
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import INT, UNKNOWN, Const, Sequence, Tuple, Value, is_none
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join, join_all, widen
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _columns(interp: Interpreter, args: Args, span: Span, how: str) -> tuple[list[list[Value]] | None, list[Value]]:
    """The elements of each argument: one by one (None if one has an unknown number), and joined to one value each.

    Args:
        how: the function's name, for the events of iterating.
    """
    exact, joined = [], []
    for value in args.positional:
        known = exact_elements(interp, value, span, how)
        exact.append(known)
        joined.append(join_all(known) if known is not None else joined_elements(interp, value, span, how))
    return (None if None in exact else [column for column in exact if column is not None]), joined


def _rows(interp: Interpreter, kind: str, rows: list[tuple[Value, ...]], span: Span) -> Value:
    """An iterator over known tuples."""
    tuples: list[Value] = [Tuple(row) for row in rows]
    return made_iterator(interp, kind, join_all(tuples), span, tuples)


def _product(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`product(*iterables, repeat=1)`."""
    columns, joined = _columns(interp, args, span, "product")
    repeat = args.keywords.get("repeat", Const(1))
    times = repeat.value if isinstance(repeat, Const) and isinstance(repeat.value, int) else None
    if times is None or args.rest is not None:
        return made_iterator(interp, "product", Sequence("tuple", join_all(joined)), span)
    if columns is not None and columns and 0 < times <= 4:
        rows = list(itertools.islice(itertools.product(*columns, repeat=times), MAX_KNOWN_ELEMENTS + 1))
        if len(rows) <= MAX_KNOWN_ELEMENTS:
            return _rows(interp, "product", rows, span)
    return made_iterator(interp, "product", Tuple(tuple(joined) * min(times, MAX_KNOWN_ELEMENTS)), span)


def _selections(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`combinations(iterable, r)`, `permutations(iterable, r)` …"""
    kind = model.name.rpartition(".")[2]
    columns, joined = _columns(interp, Args([args.get(0, "iterable") or UNKNOWN]), span, kind)
    length = args.get(1, "r")
    size = length.value if isinstance(length, Const) and isinstance(length.value, int) else None
    if columns is not None and size is not None and 0 <= size <= 4:
        rows = list(itertools.islice(getattr(itertools, kind)(columns[0], size), MAX_KNOWN_ELEMENTS + 1))
        if len(rows) <= MAX_KNOWN_ELEMENTS:
            return _rows(interp, kind, rows, span)
    element = join_all(joined)
    row: Value = Tuple((element,) * size) if size is not None and size <= 8 else Sequence("tuple", element)
    return made_iterator(interp, kind, row, span)


def _pairwise(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`pairwise(iterable)`."""
    columns, joined = _columns(interp, args, span, "pairwise")
    if columns:
        return _rows(interp, "pairwise", list(itertools.pairwise(columns[0])), span)
    return made_iterator(interp, "pairwise", Tuple((joined[0], joined[0])) if joined else UNKNOWN, span)


def _chain(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`chain(*iterables)` and `chain.from_iterable(iterables)`."""
    if model.name.endswith("from_iterable"):
        parts = exact_elements(interp, args.positional[0], span, "chain") if args.positional else None
        if parts is None:
            source = joined_elements(interp, args.positional[0], span, "chain") if args.positional else UNKNOWN
            return made_iterator(interp, "chain", joined_elements(interp, source, span, "chain"), span)
        args = Args(parts)
    columns, joined = _columns(interp, args, span, "chain")
    known = [element for column in columns for element in column] if columns is not None else None
    element = join_all([*joined, args.rest] if args.rest is not None else joined)
    return made_iterator(interp, "chain", element, span, known if args.rest is None else None)


def _group_by(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`groupby(iterable, key)`: compares neighbouring keys, and needs the truth of that."""
    _, joined = _columns(interp, Args(args.positional[:1]), span, "groupby")
    element = join_all(joined)
    function = args.get(1, "key")
    key = element if function is None or is_none(function) else call(interp, function, Args([element]), span)
    decide(interp, operators.compare(interp, "==", key, key, span), "groupby", span)
    group = made_iterator(interp, "group", element, span)
    return made_iterator(interp, "groupby", Tuple((widen(key), group)), span)


def _accumulate(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`accumulate(iterable, func, initial=…)`: calls `func`, or adds."""
    columns, joined = _columns(interp, Args([args.get(0, "iterable") or UNKNOWN]), span, "accumulate")
    function, start = args.get(1, "func"), args.keywords.get("initial")

    def combined(total: Value, element: Value) -> Value:
        if function is None or is_none(function):
            return operators.binary(interp, "+", total, element, span)
        return call(interp, function, Args([total, element]), span)

    if columns is not None and len(columns[0]) <= 8:
        elements = [*([start] if start is not None else []), *columns[0]]
        totals = list(itertools.accumulate(elements, combined))
        return made_iterator(interp, "accumulate", join_all(totals), span, totals)
    element = join_all(joined)
    total = join(element if start is None else start, element)
    return made_iterator(interp, "accumulate", join(widen(total), combined(widen(total), element)), span)


def _star_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`starmap(function, iterable)`: calls the function with the parts of each element."""
    if len(args.positional) != 2:
        return UNKNOWN
    function, source = args.positional
    columns, joined = _columns(interp, Args([source]), span, "starmap")
    rows = columns[0] if columns is not None and len(columns[0]) <= 8 else None
    results = []
    for row in rows if rows is not None else joined:
        values = exact_elements(interp, row, span, "starmap")
        given = Args(values) if values is not None else Args([], rest=joined_elements(interp, row, span, "starmap"))
        results.append(call(interp, function, given, span))
    return made_iterator(interp, "starmap", join_all(results), span, results if rows is not None else None)


def _endless(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`count()` and `repeat(x)`."""
    kind = model.name.rpartition(".")[2]
    element: Value = INT if kind == "count" else (args.positional[0] if args.positional else UNKNOWN)
    return made_iterator(interp, kind, element, span)


def _compress(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`compress(data, selectors)`: needs the truth of the selectors."""
    _, joined = _columns(interp, args, span, "compress")
    if len(joined) == 2:
        decide(interp, joined[1], "filter", span)
    return made_iterator(interp, "compress", joined[0] if joined else UNKNOWN, span)


def _tee(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`tee(iterable, n)`: a tuple of iterators."""
    columns, joined = _columns(interp, Args(args.positional[:1]), span, "tee")
    times = args.get(1, "n") or Const(2)
    count = times.value if isinstance(times, Const) and isinstance(times.value, int) else 0
    known = columns[0] if columns else None
    element = join_all(joined)
    return Tuple(tuple(made_iterator(interp, "tee", element, span, known) for _ in range(min(count, 8))))


_FUNCTIONS: dict[str, Handler] = {
    "product": _product,
    **dict.fromkeys(("combinations", "combinations_with_replacement", "permutations"), _selections),
    "pairwise": _pairwise,
    "chain": _chain,
    "chain.from_iterable": _chain,
    "groupby": _group_by,
    "accumulate": _accumulate,
    "starmap": _star_map,
    **dict.fromkeys(("count", "repeat"), _endless),
    "compress": _compress,
    "tee": _tee,
}

FUNCTIONS.update({f"itertools.{name}": function for name, function in _FUNCTIONS.items()})
