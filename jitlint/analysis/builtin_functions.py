"""What Python's built-in functions do to abstract values."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis import operators
from jitlint.analysis.attributes import attributes_of, get_attribute, set_attribute, set_plainly
from jitlint.analysis.calls import call
from jitlint.analysis.context import Args
from jitlint.analysis.decisions import decide, truth
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.iteration import elements_of, exact_elements, next_element
from jitlint.analysis.joins import alternatives, join, join_all
from jitlint.analysis.tables import FUNCTIONS
from jitlint.analysis.operators import array_result
from jitlint.analysis.protocols import special, string_of, text_of
from jitlint.analysis.requirements import emit_for_argument, tracer_in
from jitlint.analysis.type_tests import has_attribute, instance_of, type_of
from jitlint.analysis.values import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    NONE,
    OBJECT,
    STR,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Descriptor,
    Dict,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    Iterator,
    JaxArray,
    List,
    Partial,
    Sequence,
    Slice,
    Static,
    Traced,
    Transformed,
    Tuple,
    Value,
)
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

MAX_RANGE = 64


# --- conversions ------------------------------------------------------------------------------------------------------


def _number(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = model.name.rpartition(".")[2]
    value = args.first
    for position, given in enumerate(args.positional):
        for part in alternatives(given):
            if isinstance(part, Traced) and (not part.concrete or name in ("float", "complex")):
                text = interp.module.snippet(args.place(span, position))
                interp.emit(EventKind.CONVERT, span, name, value=given, flow=part.flow, subject=text)
    if isinstance(value, Const) and not args.keywords and len(args.positional) == 1:
        try:
            return Const({"int": int, "float": float, "complex": complex}[name](value.value))
        except (TypeError, ValueError, OverflowError):
            return Static(name)
    return Static(name)


def _bool(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if not args.positional:
        return Const(False)
    known = decide(interp, args.positional[0], "bool", span, args.place(span))
    return BOOL if known is None else Const(known)


def _str(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    if isinstance(value, Const) and len(args.positional) == 1:
        return Const(str(value.value))
    string_of(interp, value, span)
    return STR


def _format(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    spec = args.get(1, "format_spec")
    known = "" if spec is None else spec.value if isinstance(spec, Const) and isinstance(spec.value, str) else None
    text_of(interp, args.first, known, span)
    return STR


def _repr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    for part in alternatives(args.first):
        special(interp, part, "__repr__", (), span)
    return STR


def _hash(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if interp.traced(args.first) is not None:
        interp.emit(EventKind.HASH, span, "hash", value=args.first)
    return INT


def _round(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    if isinstance(value, Array):
        return value if isinstance(value, HostArray) else array_result(interp, [value], span, value.dtype, value.rank)
    return INT if len(args.positional) == 1 else FLOAT


def _same(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    if isinstance(value, Const) and isinstance(value.value, (int, float, complex)):
        return Const(abs(value.value))
    if isinstance(value, Array) and not isinstance(value, HostArray):
        return array_result(interp, [value], span, value.dtype, value.rank)
    return value if isinstance(value, (HostArray, Static)) else UNKNOWN


# --- sequences --------------------------------------------------------------------------------------------------------


def _len(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    content = value.content if isinstance(value, List) else value
    own = special(interp, content, "__len__", (), span)
    if own is not None:
        return own
    if isinstance(content, Tuple):
        return Const(len(content.elements))
    if isinstance(content, Const) and isinstance(content.value, str):
        return Const(len(content.value))
    if isinstance(content, Dict) and content.fields["rest"] is NEVER:
        return Const(len(content.fields["entries"]))
    return INT


def _range(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    for i, value in enumerate(args.positional):
        if interp.traced(value) is not None:
            interp.emit(EventKind.INDEX, args.place(span, i), "range", value=value)
            return Sequence("tuple", INT)  # whatever goes over it, goes over numbers
    numbers = [value.value for value in args.positional if isinstance(value, Const) and isinstance(value.value, int)]
    if len(numbers) == len(args.positional) and numbers and args.rest is None:
        try:
            known = range(*numbers)
        except (TypeError, ValueError):
            return Sequence("range", INT)
        if not known[MAX_RANGE:]:  # len() of a very long one overflows
            return Const(known)
    return Sequence("range", INT)


def _collection(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    kind = model.name.rpartition(".")[2]
    content: Tuple | Sequence = Tuple(())
    if args.positional:
        exact = exact_elements(interp, args.positional[0], args.place(span), kind)
        if exact is not None:
            content = Tuple(tuple(exact))
        else:
            content = Sequence("tuple", elements_of(interp, args.positional[0], args.place(span), kind))
    if kind == "tuple":
        return content
    if kind == "set":
        hashed(interp, join_all(content.elements) if isinstance(content, Tuple) else content.element, args, span, "set")
    return List(kind, content, interp.depth, interp.loops, interp.site(span))


def hashed(interp: Interpreter, element: Value, args: Args, span: Span, construct: str) -> None:
    """The elements of the first argument become members or keys; those of what may be a dict are its keys."""
    tracer = interp.traced(element)
    if tracer is not None and not tracer.tree:
        interp.emit(EventKind.HASH, args.place(span), construct, value=tracer)


def _dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint.analysis.expressions import constant_key

    default = model.name.endswith("defaultdict")
    result = Dict({}, UNKNOWN if args.open_keywords else NEVER, interp.depth, interp.loops, interp.site(span))
    fields = result.fields
    values = args.positional[1:] if default else args.positional
    if default and args.positional and args.positional[0] is not NONE:
        result.factory = args.positional[0]
    for value in values:
        if isinstance(value, Dict):
            fields["entries"] = dict(value.fields["entries"])
            fields["rest"] = join(fields["rest"], value.fields["rest"])
            continue
        if isinstance(value, Traced) and value.tree:
            fields["rest"] = join(fields["rest"], value.part())
            fields["keys"] = STR
            continue
        exact = exact_elements(interp, value, args.place(span), "dict")
        for pair in exact if exact is not None else [elements_of(interp, value, args.place(span), "dict")]:
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
    """A new iterator over `items`, or over an unknown number of such as `element`."""
    if element is NEVER:
        element = UNKNOWN
    known = tuple(items) if items is not None else None
    return Iterator(kind, element, interp.depth, interp.loops, interp.site(span), known)


def _iterator(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    kind = model.name.rpartition(".")[2]
    source = args.first
    if kind == "iter" and isinstance(source, Iterator):
        return source
    exact = exact_elements(interp, source, args.place(span), kind)
    element = join_all(exact) if exact is not None else elements_of(interp, source, args.place(span), kind)
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
    kind = "zip"
    columns = [exact_elements(interp, value, args.place(span, i), kind) for i, value in enumerate(args.positional)]
    elements = []
    for i, (value, column) in enumerate(zip(args.positional, columns, strict=True)):
        element = join_all(column) if column is not None else elements_of(interp, value, args.place(span, i), kind)
        elements.append(UNKNOWN if element is NEVER else element)
    items: list[Value] | None = None
    if args.rest is not None:
        return made_iterator(interp, kind, Sequence("tuple", UNKNOWN), span)
    if columns and all(column is not None for column in columns) and not model.name.endswith("zip_longest"):
        items = [Tuple(row) for row in zip(*(column for column in columns if column is not None), strict=False)]
    if model.name.endswith("zip_longest"):
        elements = [join(element, NONE) for element in elements]
    return made_iterator(interp, kind, Tuple(tuple(elements)), span, items)


def _map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    function = args.first
    columns = [
        exact_elements(interp, value, args.place(span, i + 1), "map") for i, value in enumerate(args.positional[1:])
    ]
    if columns and all(column is not None and len(column) <= 8 for column in columns):
        rows = zip(*(column for column in columns if column is not None), strict=False)
        items = [call(interp, function, Args(list(row)), span) for row in rows]
        return made_iterator(interp, "map", join_all(items), span, items)
    elements = [elements_of(interp, value, span, "map") for value in args.positional[1:]]
    return made_iterator(interp, "map", call(interp, function, Args(elements), span), span)


def _filter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    source = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    element = elements_of(interp, source, span, "filter")
    function = args.first
    result = (
        element if function is NONE or isinstance(function, Const) else call(interp, function, Args([element]), span)
    )
    decide(interp, result, "filter", span)
    return made_iterator(interp, "filter", element, span)


def _next(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    found: Value = NEVER
    for part in alternatives(value):
        if isinstance(part, Iterator):
            found = join(found, next_element(interp, part, span, "next", interp.module.snippet(args.place(span))))
        elif isinstance(part, Instance):
            own = special(interp, part, "__next__", (), span)
            found = UNKNOWN if own is None else join(found, own)
        else:
            found = UNKNOWN
    default = args.get(1, "default")
    if default is not None:
        return join(found, default)
    return UNKNOWN if found is NEVER else found


# --- decisions --------------------------------------------------------------------------------------------------------


def _any_all(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = model.name.rpartition(".")[2]
    value = args.first
    exact = exact_elements(interp, value, args.place(span), name)
    elements = exact if exact is not None else [elements_of(interp, value, args.place(span), name)]
    for element in elements:
        if interp.traced(element) is not None:
            decide(interp, element, name, span, args.place(span))
            return BOOL
    outcomes = [truth(interp, element) for element in elements]
    if exact is not None and None not in outcomes:
        return Const(any(outcomes) if name == "any" else all(outcomes))
    return BOOL


def _min_max(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = model.name.rpartition(".")[2]
    if len(args.positional) == 1:
        exact = exact_elements(interp, args.positional[0], args.place(span), name)
        single = elements_of(interp, args.positional[0], args.place(span), name) if exact is None else NEVER
        elements = exact if exact is not None else [single, single]
    else:
        elements = list(args.positional)
    _compare_keys(interp, elements, args, name, span)
    constants = [e.value for e in elements if isinstance(e, Const) and isinstance(e.value, (int, float))]
    if len(constants) == len(elements) > 0 and "key" not in args.keywords:
        return Const(min(constants) if name == "min" else max(constants))
    result = join_all(elements)
    return UNKNOWN if result is NEVER else result


def _compare_keys(interp: Interpreter, elements: list[Value], args: Args, name: str, span: Span) -> None:
    """Elements are compared with each other, by their keys."""
    if len(elements) < 2:
        return
    function = args.keywords.get("key")
    keys = elements
    if function is not None and function is not NONE:
        keys = [call(interp, function, Args([element]), span) for element in elements]
    for position, value in enumerate(keys):
        first = value.elements[0] if isinstance(value, Tuple) and value.elements else value
        for part in (value, first):
            if interp.traced(part) is not None:
                several = len(args.positional) == len(elements)
                decide(interp, part, name, span, args.place(span, position if several else 0))
                return


def order(interp: Interpreter, value: Value, args: Args, name: str, span: Span) -> list[Value]:
    """Sorts elements: they are compared. Gives them in no particular order."""
    exact = exact_elements(interp, value, span, name)
    elements = exact if exact is not None else [elements_of(interp, value, span, name)] * 2
    _compare_keys(interp, elements, args, name, span)
    return elements


def _sorted(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    tree = interp.traced(args.first)
    if tree is not None and tree.tree:
        return List("list", Sequence("tuple", UNKNOWN), interp.depth, interp.loops, interp.site(span))
    elements = order(interp, args.first, args, "sorted", span)
    content = Sequence("tuple", join_all(elements))
    return List("list", content, interp.depth, interp.loops, interp.site(span))


def _sum(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    exact = exact_elements(interp, value, args.place(span), "sum")
    elements = exact if exact is not None else [elements_of(interp, value, args.place(span), "sum")]
    total: Value = args.get(1, "start") or Const(0)
    if exact is None:
        summed = operators.binary(interp, "+", total, elements[0], span)
        return join(widened(total), summed)
    for element in elements:
        total = operators.binary(interp, "+", total, element, span)
    return total


def widened(value: Value) -> Value:
    """A start value of a sum of unknown length."""
    from jitlint.analysis.joins import widen

    return NEVER if isinstance(value, Const) else widen(value)


# --- reflection -------------------------------------------------------------------------------------------------------


def _isinstance(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if len(args.positional) < 2:
        return BOOL
    value, types = args.positional[:2]
    outcomes = {instance_of(interp, part, types) for part in alternatives(value)}
    return Const(outcomes.pop()) if len(outcomes) == 1 and None not in outcomes else BOOL


def _getattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    if len(args.positional) > 2 and name.value in interp.models.array["host"]["missing"]:
        if _is_missing(interp, args.first, name.value):
            return args.positional[2]
        if any(isinstance(part, Traced) for part in alternatives(args.first)):
            return UNKNOWN
    found = get_attribute(interp, args.first, name.value, span)
    return join(found, args.positional[2]) if len(args.positional) > 2 else found


def _hasattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return BOOL
    outcomes = {has_attribute(interp, part, name.value) for part in alternatives(args.first)}
    return Const(outcomes.pop()) if len(outcomes) == 1 and None not in outcomes else BOOL


def _is_missing(interp: Interpreter, value: Value, name: object) -> bool:
    """Whether it is an attribute of arrays for which a tracer raises AttributeError."""
    names = interp.models.array["host"]["missing"]
    return name in names and all(isinstance(part, Traced) and not part.tree for part in alternatives(value))


def _vars(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return attributes_of(args.first) if args.positional else UNKNOWN


def _setattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint.analysis.names import check_escape

    if len(args.positional) == 3:
        target, name, value = args.positional
        if isinstance(name, Const) and isinstance(name.value, str):
            node = ir.Attribute(span, ir.Const(span, None), name.value, span)
            set_attribute(interp, target, name.value, value, node)
        else:
            for part in alternatives(target):
                check_escape(interp, part, value, span, "attribute", interp.module.snippet(args.place(span)))
    return NONE


def _object_setattr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if len(args.positional) == 3:
        target, name, value = args.positional
        for part in alternatives(target):
            if isinstance(part, Instance) and isinstance(name, Const) and isinstance(name.value, str):
                set_plainly(interp, part, name.value, value, ir.Attribute(span, ir.Const(span, None), name.value, span))
    return NONE


def _type(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return join_all(map(type_of, alternatives(args.first)))


def _callable(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.first
    if isinstance(value, (Function, Partial, BoundMethod, Transformed, Class)):
        return Const(True)
    if isinstance(value, (Const, Static, JaxArray, HostArray)) or (isinstance(value, Traced) and not value.tree):
        return Const(False)
    return BOOL


def _open(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return ExternalInstance("builtins.open", (), interp.depth, interp.loops, interp.site(span))


def _slice(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    bounds = list(args.positional)
    padded = [NONE, *bounds, NONE] if len(bounds) == 1 else [*bounds, NONE][:3]
    return Slice(tuple(padded))


def _descriptor(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return Descriptor(model.name.rpartition(".")[2], args.first)


def _pow(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if len(args.positional) == 2:
        return operators.binary(interp, "**", args.positional[0], args.positional[1], span)
    tracer = tracer_in(interp, args.positional)
    if tracer is not None and len(args.positional) == 3:
        emit_for_argument(interp, EventKind.CONVERT, args, span, "pow")
    return UNKNOWN


def _divmod(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if len(args.positional) != 2:
        return UNKNOWN
    a, b = args.positional
    return Tuple((operators.binary(interp, "//", a, b, span), operators.binary(interp, "%", a, b, span)))


def _bool_result(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return BOOL


FUNCTIONS.update(
    {
        **{f"builtins.{name}": _number for name in ("int", "float", "complex")},
        "builtins.bool": _bool,
        "builtins.str": _str,
        "builtins.repr": _repr,
        "builtins.format": _format,
        "builtins.hash": _hash,
        "builtins.round": _round,
        "builtins.abs": _same,
        "builtins.pow": _pow,
        "builtins.divmod": _divmod,
    }
)
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
FUNCTIONS.update(
    {
        "builtins.any": _any_all,
        "builtins.all": _any_all,
        "builtins.min": _min_max,
        "builtins.max": _min_max,
        "builtins.sorted": _sorted,
        "builtins.sum": _sum,
    }
)
FUNCTIONS.update(
    {
        "builtins.isinstance": _isinstance,
        "builtins.issubclass": _bool_result,
        "builtins.hasattr": _hasattr,
        "builtins.getattr": _getattr,
        "builtins.setattr": _setattr,
        "builtins.object.__setattr__": _object_setattr,
        "builtins.vars": _vars,
        "builtins.type": _type,
        "builtins.callable": _callable,
        "builtins.open": _open,
        "builtins.print": lambda *_: NONE,
        "builtins.slice": _slice,
        **{f"builtins.{name}": _descriptor for name in ("property", "staticmethod", "classmethod")},
        "builtins.id": lambda *_: INT,
        "builtins.ord": lambda *_: INT,
        "builtins.chr": lambda *_: STR,
        "builtins.object": lambda *_: OBJECT,
    }
)
