"""What functions of functools, itertools, operator, dataclasses and copy do to abstract values."""

from __future__ import annotations

from collections.abc import Callable

from jitlint.analysis import operators
from jitlint.analysis.context import Args
from jitlint.analysis.events import EventKind
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.iteration import elements_of, exact_elements
from jitlint.analysis.joins import join, join_all
from jitlint.analysis.libraries import FUNCTIONS, HANDLERS, host_call, tracer_in
from jitlint.analysis.reveal import REVEAL, reveal_stage
from jitlint.analysis.values import (
    UNKNOWN,
    Class,
    Const,
    External,
    ExternalInstance,
    Function,
    Instance,
    Iterator,
    List,
    Partial,
    Sequence,
    Traced,
    Tuple,
    Value,
)
from jitlint.models.library import FunctionModel
from jitlint.source.places import Span


def _partial(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if not args.positional:
        return UNKNOWN
    function = args.positional[0]
    if args.rest is not None or args.open_keywords:
        return UNKNOWN
    return Partial(function, tuple(args.positional[1:]), dict(args.keywords), interp.loops, interp.site(span))


def _reduce(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint.analysis.calls import call

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
    element = elements_of(interp, source, span, "reduce")
    total = element if start is None else start
    for _ in range(2):
        total = join(total, call(interp, function, Args([total, element]), span))
    return total


def _wraps(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return ExternalInstance("functools.wraps")


def _cache(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    function = args.positional[0] if args.positional else None
    if isinstance(function, Function):
        function.cached = True
        return function
    return ExternalInstance(model.name)


def _replace(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    if isinstance(value, Instance):
        copy = Instance(value.cls, interp.depth, interp.loops, value.site, value.guessed)
        copy.fields.update(value.fields)
        copy.fields.update(args.keywords)
        copy.traced = value.traced
        return copy
    return value if isinstance(value, Traced) else UNKNOWN


def _product(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    elements = [elements_of(interp, value, span, "itertools") for value in args.positional]
    kind = model.name.rpartition(".")[2]
    if kind == "chain":
        element = join_all(elements)
        return Iterator(kind, element, interp.depth, interp.loops, interp.site(span))
    if kind in ("product",) and "repeat" not in args.keywords:
        row: Value = Tuple(tuple(elements))
    elif kind == "pairwise" and elements:
        row = Tuple((elements[0], elements[0]))
    else:
        row = Sequence("tuple", join_all(elements))
    return Iterator(kind, row, interp.depth, interp.loops, interp.site(span))


def _counter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint.analysis.values import INT

    kind = model.name.rpartition(".")[2]
    element: Value = INT if kind == "count" else (args.positional[0] if args.positional else UNKNOWN)
    return Iterator(kind, element, interp.depth, interp.loops, interp.site(span))


def _copy(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _namespace(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return ExternalInstance(model.name, tuple(args.positional), interp.depth, interp.loops, interp.site(span))


_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
              "matmul": "@", "and_": "&", "or_": "|", "xor": "^"}  # fmt: skip
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "is_": "is", "is_not": "is not"}


def _operator(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    name = model.name.rpartition(".")[2]
    if len(args.positional) != 2:
        return UNKNOWN
    left, right = args.positional
    if name in _COMPARISONS:
        return operators.compare(interp, _COMPARISONS[name], left, right, span)
    return operators.binary(interp, _OPERATORS[name], left, right, span)


def _operator_index(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    tracer = tracer_in(interp, args.positional)
    if tracer is not None:
        interp.emit(EventKind.INDEX, span, "operator.index", value=tracer)
    return args.positional[0] if args.positional and isinstance(args.positional[0], Const) else UNKNOWN


def _getter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`operator.itemgetter(key)` as a partial of what it does to its argument."""
    keys = tuple(args.positional)
    return Partial(External(f"{model.name}()"), (Tuple(keys),), {}, interp.loops, interp.site(span))


def _got(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint import ir
    from jitlint.analysis.attributes import get_attribute
    from jitlint.analysis.subscripts import get_item

    if len(args.positional) != 2 or not isinstance(args.positional[0], Tuple):
        return UNKNOWN
    keys, value = args.positional[0].elements, args.positional[1]
    found: list[Value] = []
    for key in keys:
        if model.name.endswith("itemgetter()"):
            node = ir.Subscript(span, ir.Const(span, None), ir.Const(span, None))
            found.append(get_item(interp, value, key, node))
        elif isinstance(key, Const) and isinstance(key.value, str):
            part = value
            for name in key.value.split("."):
                part = get_attribute(interp, part, name, span)
            found.append(part)
        else:
            found.append(UNKNOWN)
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _named_tuple(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`collections.namedtuple("Pair", "left right")`: a class as `typing.NamedTuple` makes it."""
    from jitlint import ir

    names = _field_names(args.positional[1] if len(args.positional) > 1 else UNKNOWN)
    first = args.positional[0] if args.positional else UNKNOWN
    if names is None or not isinstance(first, Const):
        return UNKNOWN
    body = tuple(ir.AnnAssign(span, ir.Name(span, name), ir.Name(span, "object"), None) for name in names)
    code = ir.ClassDef(span, str(first.value), span, str(first.value), (), body, (), frozenset(names))
    return Class(code, interp.module, (External("typing.NamedTuple"),), interp.depth, interp.loops)


def _field_names(value: Value) -> list[str] | None:
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.replace(",", " ").split()
    content = value.content if isinstance(value, List) else value
    if isinstance(content, Tuple):
        names = [e.value for e in content.elements if isinstance(e, Const) and isinstance(e.value, str)]
        return names if len(names) == len(content.elements) else None
    return None


def _truth(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    from jitlint.analysis.decisions import decide
    from jitlint.analysis.values import BOOL

    known = decide(interp, args.positional[0] if args.positional else UNKNOWN, "bool", span)
    return BOOL if known is None else Const(known)


def _random_state(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    tracer = tracer_in(interp, args.all())
    if tracer is not None:
        interp.emit(EventKind.HOST, span, model.name, value=tracer)
    elif not args.all():
        interp.emit_effect(span, model.name, "random")
    return ExternalInstance(model.name, (), interp.depth, interp.loops, interp.site(span))


def _in_place(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A NumPy function that changes its first argument, given a JAX array."""
    from jitlint.analysis.values import NONE, JaxArray

    first = args.positional[0] if args.positional else UNKNOWN
    if model.name.startswith("jax.numpy.") and "inplace" in args.keywords:
        return first
    tracer = interp.traced(first)
    if tracer is not None or isinstance(first, JaxArray):
        interp.emit(EventKind.INPLACE, span, model.name, value=first, flow=tracer.flow if tracer else None)
    elif tracer_in(interp, args.positional) is not None and not model.name.startswith("jax."):
        host_call(interp, model.name, args, span)
    return NONE


HANDLERS.update({"random_state": _random_state, "in_place": _in_place})

Mechanism = Callable[[Interpreter, FunctionModel, Args, Span], Value]

_FUNCTIONS: dict[str, Mechanism] = {
    REVEAL: reveal_stage,
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": _wraps,
    "functools.lru_cache": _cache,
    "functools.cache": _cache,
    "dataclasses.replace": _replace,
    **{f"itertools.{n}": _product for n in ("product", "combinations", "permutations", "pairwise", "chain",
                                           "combinations_with_replacement", "starmap", "groupby", "accumulate")},
    **{f"itertools.{n}": _counter for n in ("count", "repeat")},
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    **{f"operator.{n}": _operator for n in (*_OPERATORS, *_COMPARISONS)},
    "operator.index": _operator_index,
    "operator.truth": _truth,
    **{f"operator.{n}": _getter for n in ("itemgetter", "attrgetter")},
    **{f"operator.{n}()": _got for n in ("itemgetter", "attrgetter")},
    "collections.namedtuple": _named_tuple,
    "types.SimpleNamespace": _namespace,
    "argparse.Namespace": _namespace,
    "ml_collections.ConfigDict": _namespace,
    "logging.getLogger": _namespace,
    "jax.ensure_compile_time_eval": _namespace,
    "pytest.raises": _namespace,
    "contextlib.suppress": _namespace,
    "typing.cast": lambda interp, model, args, span: args.positional[1] if len(args.positional) > 1 else UNKNOWN,
}  # fmt: skip
FUNCTIONS.update(_FUNCTIONS)
