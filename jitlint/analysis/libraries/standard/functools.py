"""What functions of functools, collections, dataclasses, contextlib and copy do to abstract values."""

from __future__ import annotations

from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.language.classes import facts
from jitlint.analysis.language.hashing import hashed
from jitlint.analysis.language.iteration import elements_of, exact_elements
from jitlint.analysis.libraries.calls import host_call
from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import FUNCTIONS, HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    INT,
    NAMESPACES,
    NEVER,
    NONE,
    UNKNOWN,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Function,
    Instance,
    JaxArray,
    List,
    Partial,
    Traced,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join, join_all
from jitlint.analysis.values.keys import constant_key
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _partial(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    if not args.positional:
        return UNKNOWN
    function = args.positional[0]
    if args.rest is not None or args.open_keywords:
        return UNKNOWN
    return Partial(function, tuple(args.positional[1:]), dict(args.keywords), interp.loops, interp.site(span))


def _reduce(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
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
    return ExternalInstance("functools.wraps", tuple(args.positional[:1]))


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


def _copy(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _object(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    return ExternalInstance(model.name, tuple(args.positional), interp.depth, interp.loops, interp.site(span))


def _namespace(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    given = args.positional[0] if args.positional else None
    entries = {**(given.fields["entries"] if isinstance(given, Dict) else {}), **args.keywords}
    attributes = Dict(entries, UNKNOWN, interp.depth, interp.loops, interp.site(span))
    return ExternalInstance(model.name, (attributes,), interp.depth, interp.loops, interp.site(span))


def _as_dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """dataclasses.asdict and astuple: of the object itself, the values in it as they are."""
    value = args.positional[0] if args.positional else UNKNOWN
    if not isinstance(value, Instance) or value.guessed or value.traced is not None:
        return UNKNOWN
    names = [field.name for field in facts(interp, value.cls).fields]
    entries = {name: value.fields.get(name, UNKNOWN) for name in names}
    if model.name.endswith("astuple"):
        return Tuple(tuple(entries.values()))
    return Dict(entries, NEVER, interp.depth, interp.loops, interp.site(span))


def _counter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    keys = elements_of(interp, args.positional[0], span, "Counter") if args.positional else NEVER
    hashed(interp, keys, args, span, "dict")
    result = Dict({}, INT, interp.depth, interp.loops, interp.site(span))
    result.fields["keys"] = UNKNOWN if keys is NEVER else keys
    return result


def _chain_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`ChainMap(first, second)`: the first that has a key answers."""
    if not all(isinstance(value, Dict) for value in args.positional):
        return UNKNOWN
    maps = [value for value in args.positional if isinstance(value, Dict)]
    entries = {name: entry for value in reversed(maps) for name, entry in value.fields["entries"].items()}
    rest = join_all(value.fields["rest"] for value in maps)
    return Dict(entries, rest, interp.depth, interp.loops, interp.site(span))


def _partial_method(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    made = _partial(interp, model, args, span)
    return Descriptor("partialmethod", made) if isinstance(made, Partial) else UNKNOWN


def _from_keys(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dict.fromkeys(keys, value)`."""
    keys, value = args.get(0, "iterable") or UNKNOWN, args.get(1, "value") or NONE
    exact = exact_elements(interp, keys, span, "fromkeys")
    joined = join_all(exact) if exact is not None else elements_of(interp, keys, span, "fromkeys")
    hashed(interp, joined, args, span, "dict")
    known = [constant_key(key) for key in exact] if exact is not None else [None]
    result = Dict({}, NEVER, interp.depth, interp.loops, interp.site(span))
    if None in known:
        result.fields.update(rest=value, keys=joined)
    else:
        result.fields["entries"] = {key[0]: value for key in known if key is not None}
    return result


def _named_tuple(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`collections.namedtuple("Pair", "left right")`: a class as `typing.NamedTuple` makes it."""
    names = _field_names(args.positional[1] if len(args.positional) > 1 else UNKNOWN)
    first = args.positional[0] if args.positional else UNKNOWN
    if names is None or not isinstance(first, Const):
        return UNKNOWN
    body = tuple(ir.AnnAssign(span, ir.Name(span, name), ir.Name(span, "object"), None) for name in names)
    code = ir.ClassDef(span, str(first.value), span, str(first.value), (), body, (), frozenset(names))
    return Class(code, interp.module, (External("typing.NamedTuple"),), interp.depth, interp.loops)


def _field_names(value: Value) -> list[str] | None:
    """The names that `namedtuple` or `NamedTuple` is given: a text, a list of names, or one of names and types."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.replace(",", " ").split()
    content = value.content if isinstance(value, List) else value
    if isinstance(content, Tuple):
        parts = [e.elements[0] if isinstance(e, Tuple) and e.elements else e for e in content.elements]
        names = [e.value for e in parts if isinstance(e, Const) and isinstance(e.value, str)]
        return names if len(names) == len(content.elements) else None
    return None


def _random_state(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    tracer = tracer_in(interp, args.all())
    if tracer is not None:
        interp.emit(EventKind.HOST, span, model.name, value=tracer)
    elif not args.all():
        interp.emit_effect(span, model.name, "random")
    return ExternalInstance(model.name, (), interp.depth, interp.loops, interp.site(span))


def _in_place(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """A NumPy function that changes its first argument, given a JAX array."""
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
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": _wraps,
    "functools.lru_cache": _cache,
    "functools.cache": _cache,
    "dataclasses.replace": _replace,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "collections.namedtuple": _named_tuple,
    "typing.NamedTuple": _named_tuple,
    "collections.ChainMap": _chain_map,
    "functools.partialmethod": _partial_method,
    **dict.fromkeys(NAMESPACES, _namespace),
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_dict,
    "collections.Counter": _counter,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict.fromkeys": _from_keys,
    "logging.getLogger": _object,
    "jax.ensure_compile_time_eval": _object,
    "pytest.raises": _object,
    "contextlib.suppress": _object,
    "contextlib.nullcontext": _object,
    "contextlib.ExitStack": _object,
    "typing.cast": lambda interp, model, args, span: args.positional[1] if len(args.positional) > 1 else UNKNOWN,
}  # fmt: skip


FUNCTIONS.update(_FUNCTIONS)
