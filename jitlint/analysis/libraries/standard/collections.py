"""`collections`: Counter, ChainMap, namedtuple, and `fromkeys` of dicts."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.language.protocols import check_elements_hash
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    INT,
    NEVER,
    NONE,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join_all
from jitlint.analysis.values.keys import constant_key
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _counter(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`Counter(iterable)`: its keys are hashed, its values are integers."""
    keys = joined_elements(interp, args.positional[0], span, "Counter") if args.positional else NEVER
    check_elements_hash(interp, keys, args, span, "dict")
    result = interp.new_dict({}, INT, span)
    result.fields["keys"] = UNKNOWN if keys is NEVER else keys
    result.factory = External("builtins.int")
    return result


def _chain_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`ChainMap(first, second)`: the first that has a key answers."""
    if not all(isinstance(value, Dict) for value in args.positional):
        return UNKNOWN
    maps = [value for value in args.positional if isinstance(value, Dict)]
    entries = {name: entry for value in reversed(maps) for name, entry in value.entries.items()}
    rest = join_all(value.rest for value in maps)
    return interp.new_dict(entries, rest, span)


def _from_keys(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`dict.fromkeys(keys, value)`."""
    keys, value = args.get(0, "iterable") or UNKNOWN, args.get(1, "value") or NONE
    exact = exact_elements(interp, keys, span, "fromkeys")
    joined = join_all(exact) if exact is not None else joined_elements(interp, keys, span, "fromkeys")
    check_elements_hash(interp, joined, args, span, "dict")
    known = [constant_key(key) for key in exact] if exact is not None else [None]
    result = interp.new_dict({}, NEVER, span)
    if None in known:
        result.fields.update(rest=value, keys=joined)
    else:
        result.fields["entries"] = {key[0]: value for key in known if key is not None}
    return result


def _named_tuple(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`namedtuple("Pair", "left right")`: a class such as `class Pair(typing.NamedTuple)` would make."""
    names = _field_names(args.positional[1] if len(args.positional) > 1 else UNKNOWN)
    first = args.positional[0] if args.positional else UNKNOWN
    if names is None or not isinstance(first, Const):
        return UNKNOWN
    defaults = _written_defaults(args.keywords.get("defaults"), len(names), span)
    body = tuple(
        ir.AnnAssign(span, ir.Name(span, name), ir.Name(span, "object"), default)
        for name, default in zip(names, defaults, strict=True)
    )
    code = ir.ClassDef(span, str(first.value), span, str(first.value), (), body, (), frozenset(names))
    return Class(code, interp.module, (External("typing.NamedTuple"),), interp.depth, interp.loops)


def _written_defaults(given: Value | None, count: int, span: Span) -> list[ir.Expr | None]:
    """The defaults of a named tuple's fields, of the last ones if there are fewer, as if they were written in a class.

    Those that are no constants are written as a name that nothing defines, so that their value is Unknown.
    """
    if given is None or is_none(given):
        return [None] * count
    content = content_of(given)
    values = content.elements[:count] if isinstance(content, Tuple) else (UNKNOWN,) * count
    written: list[ir.Expr | None] = [
        ir.Const(span, value.value) if isinstance(value, Const) else ir.Name(span, "<default>") for value in values
    ]
    return [None] * (count - len(written)) + written


def _field_names(value: Value) -> list[str] | None:
    """The field names given to `namedtuple` or `NamedTuple`; None if they are not known.

    They are a text ("left right"), a list of names, or a list of pairs of name and type.
    """
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.replace(",", " ").split()
    content = content_of(value)
    if isinstance(content, Tuple):
        parts = [e.elements[0] if isinstance(e, Tuple) and e.elements else e for e in content.elements]
        names = [e.value for e in parts if isinstance(e, Const) and isinstance(e.value, str)]
        return names if len(names) == len(content.elements) else None
    return None


FUNCTIONS.update(
    {
        "collections.namedtuple": _named_tuple,
        "typing.NamedTuple": _named_tuple,
        "collections.ChainMap": _chain_map,
        "collections.Counter": _counter,
        "builtins.dict.fromkeys": _from_keys,
        "collections.OrderedDict.fromkeys": _from_keys,
    }
)
