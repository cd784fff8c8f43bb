"""Iterating: for loops' and comprehensions' elements, unpacking, and iterators that are used up."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.protocols import special
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter, assign
from jitlint.analysis.values import (
    INT,
    NEVER,
    STR,
    UNKNOWN,
    Array,
    Const,
    Dict,
    Instance,
    Iterator,
    List,
    ProjectCallable,
    Sequence,
    Traced,
    Tuple,
    UnknownArgument,
    Value,
)
from jitlint.analysis.values.joins import alternatives, join_all, widen
from jitlint.analysis.values.keys import key_value
from jitlint.events.event import EventKind
from jitlint.source.places import Span

MAX_KNOWN = 64
"""Known elements are kept apart up to this many."""


def exact_elements(interp: Interpreter, value: Value, span: Span, how: str) -> list[Value] | None:
    """The elements one by one where their number is known; None if it is not."""
    own = special(interp, value, "__iter__", (), span)
    if own is not None:
        return None if isinstance(own, Instance) else exact_elements(interp, own, span, how)
    if isinstance(value, Tuple):
        return list(value.elements)
    if isinstance(value, List):
        return exact_elements(interp, value.content, span, how)
    if isinstance(value, Dict):
        known = isinstance(value.rest, type(NEVER))
        return [key_value(key) for key in value.entries] if known else None
    if isinstance(value, Const):
        if isinstance(value.value, (str, bytes)) and len(value.value) <= MAX_KNOWN:
            return [Const(part) for part in value.value]
        if isinstance(value.value, range) and len(value.value) <= MAX_KNOWN:
            return [Const(part) for part in value.value]
        return None
    if isinstance(value, Iterator):
        use_iterator(interp, value, span, how)
        return _take(interp, value, None)
    return None


def _take(interp: Interpreter, iterator: Iterator, count: int | None) -> list[Value] | None:
    """The next elements (None: all that are left), taken from the iterator; None if they are not known."""
    taken = iterator.fields["taken"]
    if iterator.items is None or not isinstance(taken, Const):
        return None
    end = len(iterator.items) if count is None else taken.value + count
    interp.store.set(iterator, "taken", Const(end))
    return list(iterator.items[taken.value : end])


def next_element(interp: Interpreter, iterator: Iterator, span: Span, how: str, text: str = "") -> Value:
    """What `next` takes from an iterator; Never if it is known to have nothing left."""
    use_iterator(interp, iterator, span, how, text)
    known = _take(interp, iterator, 1)
    if known is None:
        return iterator.element
    return known[0] if known else NEVER


def elements_of(interp: Interpreter, value: Value, span: Span, how: str) -> Value:
    """The join of the elements."""
    return join_all(_element(interp, part, span, how) for part in alternatives(value))


def _element(interp: Interpreter, value: Value, span: Span, how: str) -> Value:
    if isinstance(value, Sequence):
        return value.element
    if isinstance(value, Tuple) and value.cls is not None:
        own = special(interp, value, "__iter__", (), span)
        if own is not None:
            return elements_of(interp, own, span, how)
    if isinstance(value, Traced):
        if value.container:
            return UNKNOWN  # a dict's keys, for one
        rank = value.rank - 1 if value.rank else None
        return value.replace(rank=rank, param="", lead=None)
    if isinstance(value, Array):
        return type(value)(value.dtype, value.rank - 1 if value.rank else None)
    if isinstance(value, Iterator):
        use_iterator(interp, value, span, how)
        return value.element
    if isinstance(value, List):
        return _element(interp, value.content, span, how)
    if isinstance(value, Dict):
        keys = [key_value(key) for key in value.entries]
        return join_all([*map(widen, keys), value.unknown_keys])
    if isinstance(value, Tuple):
        return join_all(value.elements)
    if isinstance(value, Const):
        return STR if isinstance(value.value, str) else INT
    if isinstance(value, Instance):
        return _own_element(interp, value, span, how)
    return UnknownArgument() if isinstance(value, UnknownArgument) else UNKNOWN


def _own_element(interp: Interpreter, value: Instance, span: Span, how: str) -> Value:
    """What iterating over an object of the project's own class gives."""
    made = special(interp, value, "__iter__", (), span)
    if made is None:
        element = special(interp, value, "__getitem__", (INT,), span)
    elif isinstance(made, Instance):
        element = special(interp, made, "__next__", (), span)
    else:
        return elements_of(interp, made, span, how)
    return UNKNOWN if element is None else element


def use_iterator(interp: Interpreter, iterator: Iterator, span: Span, how: str, text: str = "") -> None:
    """Something takes elements from an iterator: an event if a staged body does, and the iterator was made outside.

    `text` is how the iterator is written, if not as all of `span`.
    """
    trace = interp.trace
    if trace is not None and iterator.depth < trace.stage and iterator.kind != "range":
        subject = text or interp.module.snippet(span)
        interp.emit(EventKind.ITERATOR_NEXT, span, how, subject=subject, detail={"iterator": iterator.kind})
    interp.store.set(iterator, "used", True)


def unpack(interp: Interpreter, value: Value, count: int, starred: int | None, span: Span) -> list[Value]:
    """The values that `count` targets get, one of which (`starred`) may take a list."""
    exact = exact_elements(interp, value, span, "unpacking")
    if exact is not None and (len(exact) == count or (starred is not None and len(exact) >= count - 1)):
        if starred is None:
            return exact
        tail = count - starred - 1
        middle = exact[starred : len(exact) - tail]
        site = interp.site(span)
        gathered = List("list", Tuple(tuple(middle)), interp.depth, interp.loops, site)
        return [*exact[:starred], gathered, *exact[len(exact) - tail :]]
    element = join_all(exact) if exact is not None else elements_of(interp, value, span, "unpacking")
    if element is NEVER:
        element = UNKNOWN
    parts: list[Value] = [element] * count
    if starred is not None:
        content = Sequence("tuple", element)
        parts[starred] = interp.new_list("list", content, span)
    return parts


def has_callables(elements: list[Value]) -> bool:
    """Whether a loop goes over functions: its rounds then run different code, not the same again."""
    for element in elements:
        parts = element.elements if isinstance(element, Tuple) else (element,)
        if any(isinstance(part, ProjectCallable) for part in parts):
            return True
    return False


def _unpack_into(interp: Interpreter, target: ir.Display, value: Value, local: bool) -> None:
    """`a, *b = value`."""
    starred = next((i for i, e in enumerate(target.elements) if isinstance(e, ir.Starred)), None)
    parts = unpack(interp, value, len(target.elements), starred, target.span)
    for element, part in zip(target.elements, parts, strict=True):
        assign(interp, element.value if isinstance(element, ir.Starred) else element, part, local=local)


ASSIGNERS[ir.Display] = _unpack_into
