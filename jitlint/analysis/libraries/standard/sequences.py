"""Built-in functions that make or consume sequences: len, range, list, dict, zip, map, next …

Short sequences keep each element; of long ones and of those of unknown length, one value stands for all elements.
"""

from __future__ import annotations

from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.iteration import (
    exact_elements,
    joined_elements,
    next_element,
    next_of_object,
    use_argument,
)
from jitlint.analysis.language.protocols import call_special_method, check_elements_hash
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    INT,
    NEVER,
    NONE,
    PARSED,
    STR,
    UNKNOWN,
    Array,
    Const,
    Dict,
    Instance,
    Iterator,
    OneOfArguments,
    Sequence,
    Traced,
    Tuple,
    UnknownArgument,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, join, join_all, tuple_of
from jitlint.analysis.values.keys import constant_key
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

MAX_RANGE = 64
"""A longer range is a range of unknown numbers."""


def _len(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`len(x)`: always static, known if the container is."""
    value = args.first
    content = content_of(value)
    own = call_special_method(interp, content, "__len__", (), span)
    if own is not None:
        return own
    if isinstance(content, Tuple):
        return Const(len(content.elements))
    if isinstance(content, Const) and isinstance(content.value, str):
        return Const(len(content.value))
    if isinstance(content, Dict) and content.rest is NEVER and not content.unsure:
        return Const(len(content.entries))
    return INT


def _range(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`range(…)`: a tracer is no bound."""
    for i, value in enumerate(args.positional):
        if interp.traced(value) is not None:
            interp.emit(EventKind.INDEX, args.place(span, i), "range", value=value)
            return Sequence("tuple", INT)  # the loop over it still runs on numbers
    numbers = [value.value for value in args.positional if isinstance(value, Const) and isinstance(value.value, int)]
    if len(numbers) == len(args.positional) and numbers and args.rest is None:
        try:
            known = range(*numbers)
        except (TypeError, ValueError):
            return Sequence("range", INT)
        if not known[MAX_RANGE:]:  # a slice, since len() of a very long range overflows
            return Const(known)
    return Sequence("range", INT)


def _collection(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`list(x)`, `tuple(x)`, `set(x)`, `frozenset(x)`, `deque(x)`."""
    kind = model.name.rpartition(".")[2]
    content: Tuple | Sequence = Tuple(())
    if args.positional:
        exact = exact_elements(interp, args.positional[0], args.place(span), kind)
        if exact is not None:
            content = tuple_of(exact)
        else:
            content = Sequence("tuple", joined_elements(interp, args.positional[0], args.place(span), kind))
    if kind == "tuple":
        return content
    if kind == "set":
        check_elements_hash(
            interp, join_all(content.elements) if isinstance(content, Tuple) else content.element, args, span, "set"
        )
    return interp.new_list(kind, content, span)


def _dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dict(…)`, `OrderedDict(…)`, `defaultdict(factory, …)`."""
    default = model.name.endswith("defaultdict")
    result = interp.new_dict({}, NEVER if args.more is None else args.more, span)
    fields = result.fields
    values = args.positional[1:] if default else args.positional
    if default and args.positional and not is_none(args.positional[0]):
        result.factory = args.positional[0]
    for value in values:
        if isinstance(value, Dict):
            fields["entries"] = dict(value.entries)
            fields["rest"] = join(fields["rest"], value.rest)
            fields["unsure"] = value.unsure
            continue
        if isinstance(value, Traced) and value.tree:
            fields["rest"] = join(fields["rest"], value.element_tracer())
            fields["keys"] = STR
            continue
        if value is PARSED:
            fields["rest"], fields["keys"] = join(fields["rest"], PARSED), STR
            continue
        exact = exact_elements(interp, value, args.place(span), "dict")
        for pair in exact if exact is not None else [joined_elements(interp, value, args.place(span), "dict")]:
            key = constant_key(pair.elements[0]) if isinstance(pair, Tuple) and len(pair.elements) == 2 else None
            item = pair.elements[1] if isinstance(pair, Tuple) and len(pair.elements) == 2 else UNKNOWN
            if key is not None and exact is not None:
                fields["entries"][key[0]] = item
            else:
                fields["rest"] = join(fields["rest"], item)
                fields["keys"] = UNKNOWN
    fields["entries"].update(args.keywords)
    return result


def made_iterator(
    interp: Interpreter, kind: str, element: Value, span: Span, items: list[Value] | None = None
) -> Iterator:
    """A new iterator.

    Args:
        kind: the function that makes it ("zip"), for messages.
        element: the value that stands for each element.
        span: where it is made.
        items: the elements, if they are known.
    """
    if element is NEVER:
        element = UNKNOWN
    known = tuple(items) if items is not None else None
    return Iterator(kind, element, interp.depth, interp.loops, interp.site(span), known)


def _iterator(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`iter(x)`, `enumerate(x)`, `reversed(x)`, `islice(x, …)` …"""
    kind = model.name.rpartition(".")[2]
    source = args.first
    if kind == "iter" and isinstance(source, Iterator):
        return source
    exact = exact_elements(interp, source, args.place(span), kind)
    element = join_all(exact) if exact is not None else joined_elements(interp, source, args.place(span), kind)
    if kind == "enumerate":
        items: list[Value] | None = None
        if exact is not None:
            shifted = len(args.positional) > 1 or bool(args.keywords)
            items = [Tuple((INT if shifted else Const(i), e)) for i, e in enumerate(exact)]
        return made_iterator(interp, kind, Tuple((INT, element if element is not NEVER else UNKNOWN)), span, items)
    if kind == "reversed" and exact is not None:
        exact = exact[::-1]
    return made_iterator(interp, kind, element, span, exact)


def _zip(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`zip(…)` and `zip_longest(…)`."""
    kind, longest = "zip", model.name.endswith("zip_longest")
    width = len(args.positional)
    if width > 1 and isinstance(args.first, Iterator) and all(value is args.first for value in args.positional):
        return _groups(interp, args.first, width, longest, span)
    columns = [exact_elements(interp, value, args.place(span, i), kind) for i, value in enumerate(args.positional)]
    elements = []
    for i, (value, column) in enumerate(zip(args.positional, columns, strict=True)):
        element = join_all(column) if column is not None else joined_elements(interp, value, args.place(span, i), kind)
        elements.append(UNKNOWN if element is NEVER else element)
    items: list[Value] | None = None
    if args.rest is not None:
        mixed = longest or bool(elements)
        element, items = (UNKNOWN, None) if mixed else _columns(interp, args.rest, span)
        return made_iterator(interp, kind, Sequence("tuple", element), span, items)
    if not longest and (rows := _rows(args.positional, columns, elements)) is not None:
        items = [Tuple(row) for row in rows]
    if longest:
        elements = [join(element, NONE) for element in elements]
    return made_iterator(interp, kind, Tuple(tuple(elements)), span, items)


def _rows(
    values: list[Value], columns: list[list[Value] | None], elements: list[Value]
) -> list[tuple[Value, ...]] | None:
    """What `zip` gives one by one; None if that is not known. An array beside a list is taken to be as long."""
    lengths = [len(column) for column in columns if column is not None]
    known = (column is not None or isinstance(value, Array) for value, column in zip(values, columns, strict=True))
    if not lengths or not all(known):
        return None
    filled = (
        column if column is not None else [_another(element) for _ in range(min(lengths))]
        for column, element in zip(columns, elements, strict=True)
    )
    return list(zip(*filled, strict=False))


def _another(element: Value) -> Value:
    """Another element like one of an array."""
    return element.with_new_identity() if isinstance(element, Array) else element


def _groups(interp: Interpreter, iterator: Iterator, width: int, longest: bool, span: Span) -> Value:
    """`zip(*[iter(x)] * width)`: one iterator gives each row `width` of its elements in turn."""
    exact = exact_elements(interp, iterator, span, "zip")
    element = joined_elements(interp, iterator, span, "zip") if exact is None else join_all(exact)
    element = UNKNOWN if element is NEVER else element
    items: list[Value] | None = None
    if exact is not None and not longest:
        items = [Tuple(tuple(exact[at : at + width])) for at in range(0, len(exact) - width + 1, width)]
    row = Tuple((join(element, NONE) if longest else element,) * width)
    return made_iterator(interp, "zip", row, span, items)


def _columns(interp: Interpreter, row: Value, span: Span) -> tuple[Value, list[Value] | None]:
    """What `zip(*rows)` gives for a list of any length: a value in a column, and the columns if rows have so many."""
    exact = None if isinstance(row, Iterator) else exact_elements(interp, row, span, "zip")
    if exact is None:
        return joined_elements(interp, row, span, "zip"), None
    return join_all(exact), [Sequence("tuple", value) for value in exact]


def _map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`map(function, …)`: calls the function for each of a few known elements, else once."""
    function = args.first
    columns = [
        exact_elements(interp, value, args.place(span, i + 1), "map") for i, value in enumerate(args.positional[1:])
    ]
    if columns and all(column is not None and len(column) <= 8 for column in columns):
        rows = zip(*(column for column in columns if column is not None), strict=False)
        items = [call(interp, function, Args(list(row)), span) for row in rows]
        return made_iterator(interp, "map", join_all(items), span, items)
    elements = [joined_elements(interp, value, span, "map") for value in args.positional[1:]]
    return made_iterator(interp, "map", call(interp, function, Args(elements), span), span)


def _filter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`filter(function, x)` needs the truth of each result."""
    source = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    element = joined_elements(interp, source, span, "filter")
    function = args.first
    result = element if isinstance(function, Const) else call(interp, function, Args([element]), span)
    decide(interp, result, "filter", span)
    return made_iterator(interp, "filter", element, span)


def _next(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`next(iterator, default)`."""
    value = args.first
    found: Value = NEVER
    for part in alternatives(value):
        if isinstance(part, Iterator):
            found = join(found, next_element(interp, part, span, "next", interp.module.snippet(args.place(span))))
        elif isinstance(part, Instance):
            own = next_of_object(interp, part, span, "next", interp.module.snippet(args.place(span)))
            found = UNKNOWN if own is None else join(found, own)
        else:
            if isinstance(part, (UnknownArgument, OneOfArguments)):
                use_argument(interp, span, interp.module.snippet(args.place(span)))
            found = UNKNOWN
    default = args.get(1, "default")
    if default is not None:
        return join(found, default)
    return UNKNOWN if found is NEVER else found


FUNCTIONS.update(
    {
        "builtins.len": _len,
        "builtins.range": _range,
        **{f"builtins.{name}": _collection for name in ("list", "tuple", "set", "frozenset")},
        "collections.deque": _collection,
        **dict.fromkeys(
            ("builtins.dict", "collections.OrderedDict", "collections.defaultdict", "collections.UserDict"), _dict
        ),
        **{f"builtins.{name}": _iterator for name in ("iter", "enumerate", "reversed")},
        **{f"itertools.{name}": _iterator for name in ("cycle", "islice", "takewhile", "dropwhile")},
        "builtins.zip": _zip,
        "itertools.zip_longest": _zip,
        "builtins.map": _map,
        "builtins.filter": _filter,
        "builtins.next": _next,
    }
)
