"""Methods of built-in containers, strings, arrays and library objects."""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from jitlint.analysis.array_rules import result_by_rules
from jitlint.analysis.tables import METHODS, receiver_text
from jitlint.analysis.context import Args
from jitlint.analysis.derivatives import define
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.items import item_read, items_changed
from jitlint.analysis.iteration import elements_of, exact_elements, key_value, next_element
from jitlint.analysis.joins import join, join_all
from jitlint.analysis.names import check_escape
from jitlint.analysis.operators import array_result, compare
from jitlint.analysis.protocols import text_of
from jitlint.analysis.requirements import check_arguments
from jitlint.analysis.subscripts import adopt, filled, keep, mutated
from jitlint.analysis.values import (
    BOOL,
    INT,
    NEVER,
    NONE,
    STR,
    UNKNOWN,
    Array,
    AtIndexer,
    Class,
    Const,
    Dict,
    ExternalInstance,
    HostArray,
    Instance,
    Iterator,
    JaxArray,
    List,
    Method,
    Outside,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
    View,
)
from jitlint.events.event import EventKind
from jitlint.source.places import Span


# --- arrays -----------------------------------------------------------------------------------------------------------


def _array_method(interp: Interpreter, receiver: Array, method: Method, args: Args, span: Span) -> Value:
    model = interp.models.array
    name = method.name
    if isinstance(receiver, Traced) and receiver.tree and is_tree_method(interp, name):
        return _tree_method(interp, receiver, name, args)
    if isinstance(receiver, Traced) and not receiver.concrete:
        if name in model["convert"]["methods"]:
            interp.emit(EventKind.CONVERT, span, f".{name}", value=receiver, subject=receiver_text(interp, method))
            return Static("number") if name == "item" else UNKNOWN
        if name in model["host"]["methods"]:
            interp.emit(EventKind.HOST_METHOD, span, f".{name}", value=receiver, subject=receiver_text(interp, method))
            return receiver if name == "block_until_ready" else UNKNOWN
    if isinstance(receiver, HostArray):
        return _host_method(receiver, name)
    if name in model["in_place"]["methods"] and isinstance(receiver, (Traced, JaxArray)):
        return array_result(interp, [receiver, *args.all()], span, receiver.dtype, receiver.rank, by=f".{name}")
    asked = interp.models.function(f"jax.Array.{name}")
    if asked is None or not asked.structure.base:
        return array_result(interp, [receiver], span, receiver.dtype, by=f".{name}") if name == "to_device" else UNKNOWN
    whole = Args([receiver, *args.positional], args.keywords, args.rest, args.open_keywords)
    whole.spans, whole.keyword_spans = [_receiver_span(method), *args.spans], args.keyword_spans
    called = asked._replace(name=f".{name}")
    check_arguments(interp, called, whole, span)
    return result_by_rules(interp, called, whole, span)


def _receiver_span(method: Method) -> Span:
    return Span(method.span.start, max(method.span.start, method.span.end - len(method.name) - 1))


_SAME_SHAPE = frozenset({"astype", "clip", "copy", "round", "conj"})
_TREE_METHODS = frozenset(
    {"items", "values", "keys", "get", "pop", "setdefault", "_replace", "append", "update", "_asdict"}
)


def is_tree_method(interp: Interpreter, name: str) -> bool:
    """Whether an argument of unknown structure with a method of that name is a container or a pytree of a library."""
    return name in _TREE_METHODS or name in interp.models.self_methods


def _tree_method(interp: Interpreter, receiver: Traced, name: str, args: Args) -> Value:
    part = receiver.part()
    if name == "items":
        return Sequence("view", Tuple((STR, part)))
    if name == "keys":
        return Sequence("view", STR)
    if name == "values":
        return Sequence("view", part)
    if name in ("get", "pop", "setdefault"):
        default = args.get(1, "default") or NONE
        return join(part, default)
    return part if name == "_replace" or name in interp.models.self_methods else UNKNOWN


def _host_method(receiver: HostArray, name: str) -> Value:
    if name in ("item",):
        return Static("number")
    if name == "tolist":
        return Sequence("tuple", Static("number"))
    if name in ("all", "any"):
        return HostArray("bool", None)
    least = receiver.least if name in _SAME_SHAPE or name == "reshape" else 0
    return HostArray("int" if name.startswith("arg") else receiver.dtype, None, least=least)


def _at_method(interp: Interpreter, receiver: AtIndexer, method: Method, args: Args, span: Span) -> Value:
    array = receiver.array
    dtype = array.dtype if isinstance(array, Array) else None
    rank = array.rank if isinstance(array, Array) and method.name != "get" else None
    lead = array.lead if isinstance(array, Array) and method.name != "get" else None
    return array_result(interp, [array, *args.all()], span, dtype, rank, by=f".at[].{method.name}", lead=lead)


# --- lists, dicts, tuples ---------------------------------------------------------------------------------------------


def forget_length(interp: Interpreter, target: List) -> None:
    """The list's length is no longer known."""
    content = target.content
    if isinstance(content, Tuple):
        interp.store.set(target, "content", Sequence("tuple", join_all(content.elements)))


def extend(interp: Interpreter, target: List, value: Value, span: Span, text: str) -> None:
    """`target += value`; `text` is how the target is written."""
    exact = exact_elements(interp, value, span, "extend")
    content = target.content
    check_escape(interp, target, value, span, "extend", text)
    if exact is not None and isinstance(content, Tuple):
        interp.store.set(target, "content", Tuple((*content.elements, *exact)))
        return
    element = join_all(exact) if exact is not None else elements_of(interp, value, span, "extend")
    old = join_all(content.elements) if isinstance(content, Tuple) else content.element  # type: ignore[attr-defined]
    interp.store.set(target, "content", Sequence("tuple", join(old, element)))


def _list_method(interp: Interpreter, receiver: List, method: Method, args: Args, span: Span) -> Value:
    name = method.name
    content = receiver.content
    if name in ("append", "appendleft", "add", "insert"):
        value = args.positional[-1] if args.positional else UNKNOWN
        if name == "add":
            _check_member(interp, value, span, args.spans[-1] if args.spans else span)
        text = receiver_text(interp, method)
        check_escape(interp, receiver, value, span, name, text, write=interp.staging and not _is_stack(interp, text))
        mutated(interp, receiver, span)
        keep(interp, receiver, value)
        _appended(interp, receiver, value, name)
        return NONE
    if name in ("extend", "update", "extendleft"):
        if args.positional:
            extend(interp, receiver, args.positional[0], span, receiver_text(interp, method))
        return NONE
    if name in ("pop", "popleft"):
        return _popped(interp, receiver, name, args)
    if name == "sort":
        from jitlint.analysis.builtin_functions import order

        order(interp, receiver, args, "sort", span)
        forget_length(interp, receiver)
        return NONE
    if name == "remove" and receiver.kind != "set":
        _compared(interp, content, args, span)
    if name == "reverse" and isinstance(content, Tuple):
        interp.store.set(receiver, "content", Tuple(content.elements[::-1]))
        return NONE
    if name in ("clear", "remove", "discard", "reverse", "rotate"):
        interp.store.set(receiver, "content", Tuple(()) if name == "clear" else _summary(content))
        return NONE
    if name == "copy":
        assert isinstance(content, (Tuple, Sequence))
        return List(receiver.kind, content, interp.depth, interp.loops, interp.site(span))
    if name in ("index", "count"):
        _compared(interp, content, args, span)
        return INT
    if name in ("union", "intersection", "difference", "symmetric_difference"):
        return List(receiver.kind, Sequence("tuple", UNKNOWN), interp.depth, interp.loops, interp.site(span))
    return BOOL if name.startswith("is") else UNKNOWN


def _compared(interp: Interpreter, content: Value, args: Args, span: Span) -> None:
    """`index`, `count` and `remove` compare each element with the argument and ask for the truth of it."""
    if args.positional:
        compare(interp, "in", args.positional[0], content, span)


def _is_stack(interp: Interpreter, text: str) -> bool:
    """Whether what is appended is also taken off again: a stack is as before when the trace ends."""
    return f"{text.rpartition('.')[2]}.pop(" in interp.module.source.text


def _check_member(interp: Interpreter, value: Value, span: Span, place: Span) -> None:
    if interp.traced(value) is not None:
        interp.emit(EventKind.HASH, span, "set", value=value, subject=interp.module.snippet(place))


def _summary(content: Value) -> Value:
    return Sequence("tuple", join_all(content.elements)) if isinstance(content, Tuple) else content


def _appended(interp: Interpreter, receiver: List, value: Value, name: str) -> None:
    content = receiver.content
    if isinstance(content, Tuple) and len(content.elements) < 64:
        front = name in ("appendleft", "insert")
        elements = (value, *content.elements) if front else (*content.elements, value)
        interp.store.set(receiver, "content", Tuple(elements))
    else:
        old = join_all(content.elements) if isinstance(content, Tuple) else content.element  # type: ignore[attr-defined]
        interp.store.set(receiver, "content", Sequence("tuple", join(old, value)))


def _popped(interp: Interpreter, receiver: List, name: str, args: Args) -> Value:
    content = receiver.content
    if isinstance(content, Tuple) and content.elements and not args.positional:
        first = name == "popleft"
        rest = content.elements[1:] if first else content.elements[:-1]
        interp.store.set(receiver, "content", Tuple(rest))
        return content.elements[0] if first else content.elements[-1]
    forget_length(interp, receiver)
    result = elements_of(interp, receiver.content, receiver.site[1] if receiver.site else Span(0, 0), "pop")
    return UNKNOWN if result is NEVER else result


def _dict_method(interp: Interpreter, receiver: Dict, method: Method, args: Args, span: Span) -> Value:
    from jitlint.analysis.expressions import constant_key

    entries: dict[object, Value] = receiver.fields["entries"]
    rest: Value = receiver.fields["rest"]
    exact = rest is NEVER
    if method.name in ("get", "pop", "setdefault"):
        key = constant_key(args.positional[0]) if args.positional else None
        tracer = interp.traced(args.positional[0]) if args.positional else None
        if tracer is not None:
            interp.emit(EventKind.HASH, args.spans[0] if args.spans else span, "dict", value=tracer)
        default = args.get(1, "default") or NONE
        if method.name == "setdefault":
            check_escape(interp, receiver, default, span, method.name, interp.module.snippet(span))
            adopt(receiver, default)
            if (
                isinstance(default, (List, Dict))
                and isinstance(rest, Unknown)
                and (key is None or key[0] not in entries)
            ):
                return filled(default)
            if key is None:
                interp.store.set(receiver, "rest", join(rest, default))
            elif key[0] not in entries:
                interp.store.set(receiver, "entries", {**entries, key[0]: join(rest, default)})
        if method.name == "get" and key is not None:
            item_read(interp, receiver, key[0], interp.module.snippet(span), span)
        if method.name == "pop":
            items_changed(interp, receiver, entries if key is None else (key[0],), span)
        if key is not None and key[0] in entries:
            if method.name == "pop":
                left = {known: value for known, value in entries.items() if known != key[0]}
                interp.store.set(receiver, "entries", left)
            return entries[key[0]]
        return join_all([default, rest, *(entries.values() if key is None else ())])
    if method.name in ("items", "keys", "values"):
        return _view(receiver, method.name, exact)
    if method.name == "update":
        _update(interp, receiver, args, span)
        return NONE
    if method.name == "copy":
        copy = Dict(dict(entries), rest, interp.depth, interp.loops, interp.site(span))
        copy.fields["keys"] = receiver.fields["keys"]
        return copy
    if method.name == "popitem":
        return Tuple((UNKNOWN, join_all([rest, *entries.values()])))
    if method.name == "clear":
        items_changed(interp, receiver, entries, span)
        interp.store.set(receiver, "entries", {})
        interp.store.set(receiver, "rest", NEVER)
    return UNKNOWN if method.name not in ("move_to_end", "clear") else NONE


def _view(receiver: Dict, name: str, exact: bool) -> Value:
    entries: dict[object, Value] = receiver.fields["entries"]
    keys = [key_value(key) for key in entries]
    values = list(entries.values())
    if exact:
        if name == "items":
            return View(tuple(Tuple(pair) for pair in zip(keys, values, strict=True)))
        return View(tuple(keys if name == "keys" else values))
    key = join_all([receiver.fields["keys"], *(STR for _ in keys)])
    value = join_all([receiver.fields["rest"], *values])
    key = UNKNOWN if key is NEVER else key
    if name == "items":
        return Sequence("view", Tuple((key, value)))
    return Sequence("view", key if name == "keys" else value)


def _update(interp: Interpreter, receiver: Dict, args: Args, span: Span) -> None:
    entries = dict(receiver.fields["entries"])
    rest = receiver.fields["rest"]
    for value in args.positional:
        if isinstance(value, Dict):
            entries.update(value.fields["entries"])
            rest = join(rest, value.fields["rest"])
        else:
            rest = UNKNOWN
    entries.update(args.keywords)
    known = rest is receiver.fields["rest"] and not args.open_keywords
    before = receiver.fields["entries"]
    items_changed(interp, receiver, [k for k in entries if not known or before.get(k) is not entries[k]], span)
    text = interp.module.snippet(span).partition(".update(")[0]
    for name, value in entries.items():
        if receiver.fields["entries"].get(name) is not value:
            check_escape(interp, receiver, value, span, "update", text)
    interp.store.set(receiver, "entries", entries)
    interp.store.set(receiver, "rest", rest)


def _named_tuple_method(interp: Interpreter, receiver: Tuple, name: str, args: Args) -> Value:
    from jitlint.analysis.classes import facts

    assert receiver.cls is not None
    names = [field.name for field in facts(interp, receiver.cls).fields]
    if name == "_replace":
        elements = [args.keywords.get(n, old) for n, old in zip(names, receiver.elements, strict=False)]
        return Tuple(tuple(elements), receiver.cls)
    if name == "_asdict":
        return Dict(dict(zip(names, receiver.elements, strict=False)), NEVER, interp.depth, interp.loops, None)
    return INT if name in ("index", "count") else UNKNOWN


# --- strings and iterators --------------------------------------------------------------------------------------------


def _text_method(interp: Interpreter, receiver: Const | Static, method: Method, args: Args, span: Span) -> Value:
    name = method.name
    if isinstance(receiver, Const) and all(isinstance(a, Const) for a in args.all()) and not args.keywords:
        folded = _fold_text(receiver.value, name, [a.value for a in args.positional if isinstance(a, Const)])
        if folded is not None:
            return folded
    if name == "format":
        for value in args.all():
            text_of(interp, value, "", span)
    if name == "format" and isinstance(receiver, Const):
        for value in _with_specification(str(receiver.value), args):
            if interp.traced(value) is not None:
                interp.emit(EventKind.FORMAT, span, "format", value=value)
    if name in ("split", "rsplit", "splitlines"):
        return List("list", Sequence("tuple", STR), interp.depth, interp.loops, interp.site(span))
    if name.startswith("is") or name in ("startswith", "endswith"):
        return BOOL
    return INT if name in ("find", "index", "count", "rfind", "bit_length") else STR


def _with_specification(text: str, args: Args) -> list[Value]:
    """The arguments of `text.format(…)` that a format specification applies to."""
    found = []
    position = 0
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return []
    for _, field, specification, conversion in fields:
        if field is None:
            continue
        name = re.split(r"[.\[]", field)[0]
        index = int(name) if name.isdigit() else position
        position += not name
        value = args.keywords.get(name) if name and not name.isdigit() else args.get(index, "")
        if specification and not conversion and value is not None:
            found.append(value)
    return found


_FOLDED: dict[str, Callable[..., object]] = {
    name: getattr(str, name) for name in ("lower", "upper", "strip", "startswith", "endswith", "replace", "title")
}


def _fold_text(text: object, name: str, values: list[object]) -> Value | None:
    if not isinstance(text, str) or name not in _FOLDED:
        return None
    try:
        return Const(_FOLDED[name](text, *values))
    except (TypeError, ValueError):
        return None


def _iterator_method(interp: Interpreter, receiver: Iterator, method: Method, args: Args, span: Span) -> Value:
    if method.name in ("__next__", "send"):
        found = next_element(interp, receiver, span, method.name)
        return UNKNOWN if found is NEVER else found
    return receiver if method.name == "__iter__" else UNKNOWN


# --- transformed functions --------------------------------------------------------------------------------------------


def _transformed_method(interp: Interpreter, receiver: Transformed, method: Method, args: Args, span: Span) -> Value:
    from jitlint.analysis.transforms import call_transformed

    if method.name in ("lower", "trace", "eval_shape"):
        call_transformed(interp, receiver, args, span)
        return ExternalInstance("jax.stages.Lowered", (receiver,))
    if method.name in ("defvjp", "defjvp"):
        return define(receiver, method.name, args)
    if method.name in ("__call__", "call"):
        return call_transformed(interp, receiver, args, span)
    return UNKNOWN


def _tuple_method(
    interp: Interpreter, receiver: Tuple | Sequence, method: Method, args: Args, span: Span
) -> Value:
    if isinstance(receiver, Tuple) and receiver.cls is not None:
        return _named_tuple_method(interp, receiver, method.name, args)
    if method.name in ("index", "count"):
        _compared(interp, receiver, args, span)
        return INT
    return UNKNOWN


def _outside_method(interp: Interpreter, receiver: Outside, method: Method, args: Args, span: Span) -> Value:
    if args.all():
        return UNKNOWN
    element = Tuple((UNKNOWN, Outside())) if method.name == "items" else Outside()
    return Sequence("view", UNKNOWN if method.name == "keys" else element)


METHODS.update(
    {
        Array: _array_method,
        AtIndexer: _at_method,
        Transformed: _transformed_method,
    }
)
METHODS.update(
    {
        List: _list_method,
        Dict: _dict_method,
        Tuple: _tuple_method,
        Sequence: _tuple_method,
        Iterator: _iterator_method,
        Outside: _outside_method,
    }
)
METHODS.update({Const: _text_method, Static: _text_method})
