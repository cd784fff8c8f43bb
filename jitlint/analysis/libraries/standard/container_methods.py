"""Methods of lists, dicts, tuples, sets and iterators.

Methods that change their receiver write through the store, so that branches can be undone and joined; and they tell
the checks of escaping tracers and of stale state (`machine.escapes`, `machine.accesses`) what has changed.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.language.attribute_writes import record_attributes_changed
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.iteration import joined_elements, next_element
from jitlint.analysis.language.mutations import (
    extend_list,
    forget_length,
    mark_stored,
    record_list_change,
    share_lifetime,
    with_unknown_content,
)
from jitlint.analysis.language.operators import compare
from jitlint.analysis.libraries.standard.ordering import order
from jitlint.analysis.libraries.tables import METHODS, receiver_text
from jitlint.analysis.machine.accesses import record_item_read, record_items_changed
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.held_buffers import note_added
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.options import note_way
from jitlint.analysis.values import (
    BOOL,
    INT,
    NEVER,
    NONE,
    PARSED,
    STR,
    UNKNOWN,
    Dict,
    DictView,
    GrowingSequence,
    Iterator,
    List,
    Method,
    Sequence,
    Tuple,
    Unknown,
    UnknownArgument,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join, join_all, offered
from jitlint.analysis.values.keys import constant_key, key_value
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def _list_method(interp: Interpreter, receiver: List, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a list, set or deque."""
    name = method.name
    content = receiver.content
    if name in _CHANGING:
        record_list_change(interp, receiver, span)
    if name in ("append", "appendleft", "add", "insert"):
        value = args.positional[-1] if args.positional else UNKNOWN
        if name == "add":
            _check_member(interp, value, span, args.spans[-1] if args.spans else span)
        text = receiver_text(interp, method)
        check_escape(interp, receiver, value, span, name, text, write=interp.staging and not _is_stack(interp, text))
        mark_stored(interp, receiver, value)
        if interp.world.donates and interp.trace is None:
            note_added(interp, receiver, value)
        _appended(interp, receiver, value, name)
        return NONE
    if name in ("extend", "update", "extendleft"):
        if args.positional:
            extend_list(interp, receiver, args.positional[0], span, receiver_text(interp, method))
        return NONE
    if name in ("pop", "popleft"):
        return _popped(interp, receiver, name, args)
    if name == "sort":
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
        return interp.new_list(receiver.kind, content, span)
    if name in ("index", "count"):
        _compared(interp, content, args, span)
        return INT
    if name in ("union", "intersection", "difference", "symmetric_difference"):
        return interp.new_list(receiver.kind, Sequence("tuple", UNKNOWN), span)
    return BOOL if name.startswith("is") else UNKNOWN


_CHANGING: Final = (
    *("append", "appendleft", "add", "insert", "extend", "extendleft", "update"),
    *("pop", "popleft", "remove", "discard", "clear", "sort", "reverse", "rotate"),
)
"""The methods that change a list, set or deque."""


def _compared(interp: Interpreter, content: Value, args: Args, span: Span) -> None:
    """`index`, `count` and `remove` compare each element with the argument, and need the truth of each comparison."""
    if args.positional:
        compare(interp, "in", args.positional[0], content, span)


def _is_stack(interp: Interpreter, text: str) -> bool:
    """Whether the module also pops what it appends to the list `text`: such a list is as before when the trace ends."""
    tree = interp.project.tree(interp.module)
    return tree is not None and text.rpartition(".")[2] in tree.popped


def _check_member(interp: Interpreter, value: Value, span: Span, place: Span) -> None:
    """A set hashes its members, which a tracer refuses."""
    if interp.traced(value) is not None:
        interp.emit(EventKind.HASH, span, "set", value=value, subject=interp.module.snippet(place))


def _summary(content: Value) -> Value:
    """The elements of a list whose order or number is not known any more."""
    return Sequence("tuple", join_all(content.elements)) if isinstance(content, Tuple) else content


def _appended(interp: Interpreter, receiver: List, value: Value, name: str) -> None:
    """Adds a value at the end or at the front; a long list becomes one of unknown length."""
    content = receiver.content
    if isinstance(content, Tuple) and len(content.elements) < 64:
        front = name in ("appendleft", "insert")
        elements = (value, *content.elements) if front else (*content.elements, value)
        interp.store.set(receiver, "content", Tuple(elements))
    else:
        old = join_all(content.elements) if isinstance(content, Tuple) else content.element  # type: ignore[attr-defined]
        element = join(old, value)
        grows = isinstance(content, GrowingSequence)
        grown = GrowingSequence(element, content.loop) if grows else Sequence("tuple", element)  # type: ignore[attr-defined]
        interp.store.set(receiver, "content", grown)


def _popped(interp: Interpreter, receiver: List, name: str, args: Args) -> Value:
    """Removes and returns the last element, or the first."""
    content = receiver.content
    if isinstance(content, Tuple) and content.elements and not args.positional:
        first = name == "popleft"
        rest = content.elements[1:] if first else content.elements[:-1]
        interp.store.set(receiver, "content", Tuple(rest))
        return content.elements[0] if first else content.elements[-1]
    forget_length(interp, receiver)
    result = joined_elements(interp, receiver.content, receiver.site[1] if receiver.site else Span(0, 0), "pop")
    return UNKNOWN if result is NEVER else result


_MOST_READ: Final = 100
"""A dict with more items is a table of constants, not state that code changes."""


def _dict_method(interp: Interpreter, receiver: Dict, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a dict."""
    entries: dict[object, Value] = receiver.entries
    rest: Value = receiver.rest
    exact = rest is NEVER
    if method.name in ("get", "pop", "setdefault"):
        return _looked_up(interp, receiver, method.name, args, span)
    if method.name in ("items", "keys", "values"):
        if method.name != "keys" and len(entries) <= _MOST_READ:
            for name in entries:
                record_item_read(interp, receiver, name, interp.module.snippet(span), span)
        return _view(receiver, method.name, exact)
    if method.name == "update":
        _update(interp, receiver, args, span)
        return NONE
    if method.name == "copy":
        copy = interp.new_dict(dict(entries), rest, span)
        copy.fields["keys"], copy.fields["unsure"] = receiver.unknown_keys, receiver.unsure
        return copy
    if method.name == "popitem":
        return Tuple((UNKNOWN, join_all([rest, *entries.values()])))
    if method.name == "clear":
        record_items_changed(interp, receiver, dict.fromkeys(entries), span)
        interp.store.set(receiver, "entries", {})
        interp.store.set(receiver, "rest", NEVER)
    return UNKNOWN if method.name not in ("move_to_end", "clear") else NONE


def _looked_up(interp: Interpreter, receiver: Dict, name: str, args: Args, span: Span) -> Value:
    """`d.get(key)`, `d.pop(key, default)` or `d.setdefault(key, default)`, with what that does to the dict."""
    entries: dict[object, Value] = receiver.entries
    rest: Value = receiver.rest
    key = constant_key(args.positional[0]) if args.positional else None
    tracer = interp.traced(args.positional[0]) if args.positional else None
    if tracer is not None:
        interp.emit(EventKind.HASH, args.spans[0] if args.spans else span, "dict", value=tracer)
    default = args.get(1, "default") or NONE
    if args.positional:
        known = None if key is None else True
        note_way(interp, args.positional[0], known, span, other=bool(entries), entries=entries)
    if name == "setdefault":
        check_escape(interp, receiver, default, span, name, interp.module.snippet(span))
        share_lifetime(receiver, default)
        if isinstance(default, (List, Dict)) and isinstance(rest, Unknown) and (key is None or key[0] not in entries):
            return with_unknown_content(default)
        if key is None:
            interp.store.set(receiver, "rest", join(rest, default))
        elif key[0] not in entries:
            interp.store.set(receiver, "entries", {**entries, key[0]: join(rest, default)})
    if name == "get" and key is not None:
        record_item_read(interp, receiver, key[0], interp.module.snippet(span), span)
    if name == "pop":
        record_items_changed(interp, receiver, dict.fromkeys(entries if key is None else (key[0],)), span)
    if key is not None and key[0] in entries:
        sure = key[0] not in receiver.unsure
        if name == "pop":
            left = {known: value for known, value in entries.items() if known != key[0]}
            interp.store.set(receiver, "entries", left)
        if sure or name == "setdefault":
            return entries[key[0]]
        rest = entries[key[0]]
    found = join_all([rest, *(entries.values() if key is None else ())])
    if not is_none(default) and interp.traced(default) is None and interp.traced(found) is not None:
        return UNKNOWN  # whether the dict has the key, the code knows
    return offered(join(default, found))


def _view(receiver: Dict, name: str, exact: bool) -> Value:
    """`d.items()`, `d.keys()` or `d.values()`; `exact` if all keys are known."""
    entries: dict[object, Value] = receiver.entries
    keys = [key_value(key) for key in entries]
    values = list(entries.values())
    if exact:
        if name == "items":
            return DictView(tuple(Tuple(pair) for pair in zip(keys, values, strict=True)))
        return DictView(tuple(keys if name == "keys" else values))
    key = join_all([receiver.unknown_keys, *(STR for _ in keys)])
    value = join_all([receiver.rest, *values])
    key = UNKNOWN if key is NEVER else key
    if name == "items":
        return Sequence("view", Tuple((key, value)))
    return Sequence("view", key if name == "keys" else value)


def _update(interp: Interpreter, receiver: Dict, args: Args, span: Span) -> None:
    """`d.update(other, **more)`."""
    entries = dict(receiver.entries)
    more: Value = NEVER
    for value in args.positional:
        if isinstance(value, Dict):
            entries.update(value.entries)
            more = _either(more, value.rest)
        else:
            more = _either(more, value if value is PARSED else UNKNOWN)
    entries.update(args.keywords)
    known = more is NEVER and not args.open_keywords
    before = receiver.entries
    changed = {key: value for key, value in entries.items() if not known or before.get(key) is not value}
    record_items_changed(interp, receiver, changed, span)
    record_attributes_changed(interp, receiver, changed, span)
    text = interp.module.snippet(span).partition(".update(")[0]
    for name, value in entries.items():
        if receiver.entries.get(name) is not value:
            check_escape(interp, receiver, value, span, "update", text, write=True)
    interp.store.set(receiver, "entries", entries)
    if more is not NEVER:
        interp.store.set(receiver, "rest", _either(receiver.rest, more))


def _either(one: Value, other: Value) -> Value:
    """What further items are that come from two dicts: where one was parsed, any of them may come from that text."""
    return PARSED if PARSED in (one, other) else join(one, other)


def _named_tuple_method(interp: Interpreter, receiver: Tuple, name: str, args: Args) -> Value:
    """Calls a method of a named tuple."""
    assert receiver.cls is not None
    names = [field.name for field in class_facts(interp, receiver.cls).fields]
    if name == "_replace":
        elements = [args.keywords.get(n, old) for n, old in zip(names, receiver.elements, strict=False)]
        return Tuple(tuple(elements), receiver.cls)
    if name == "_asdict":
        return Dict(dict(zip(names, receiver.elements, strict=False)), NEVER, interp.depth, interp.loops, None)
    return INT if name in ("index", "count") else UNKNOWN


def _iterator_method(interp: Interpreter, receiver: Iterator, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of an iterator or generator."""
    if method.name in ("__next__", "send"):
        found = next_element(interp, receiver, span, method.name)
        return UNKNOWN if found is NEVER else found
    return receiver if method.name == "__iter__" else UNKNOWN


def _tuple_method(interp: Interpreter, receiver: Tuple | Sequence, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a tuple, or of a sequence of unknown length."""
    if isinstance(receiver, Tuple) and receiver.cls is not None:
        return _named_tuple_method(interp, receiver, method.name, args)
    if method.name in ("index", "count"):
        _compared(interp, receiver, args, span)
        return INT
    return UNKNOWN


def _argument_method(interp: Interpreter, receiver: UnknownArgument, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of an argument of an unknown caller: `x.items()` has parts that are as unknown."""
    if args.all():
        return UNKNOWN
    element = Tuple((UNKNOWN, UnknownArgument())) if method.name == "items" else UnknownArgument()
    return Sequence("view", UNKNOWN if method.name == "keys" else element)


METHODS.update(
    {
        List: _list_method,
        Dict: _dict_method,
        Tuple: _tuple_method,
        Sequence: _tuple_method,
        Iterator: _iterator_method,
        UnknownArgument: _argument_method,
    }
)
