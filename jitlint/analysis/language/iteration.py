"""Iterating: the elements of a value, one by one or joined, unpacking, and iterators that are used up.

Whoever iterates first asks for `exact_elements`, and where their number is not known for `joined_elements`. Both report
an iterator from outside that a trace takes from: it gives its elements once, while tracing. `how` is what iterates, as
rules know it: "for", "star", "unpacking" …
"""

from __future__ import annotations

from collections.abc import Iterable

from jitlint import ir
from jitlint.analysis.language.protocols import call_special_method
from jitlint.analysis.machine.buffers import another
from jitlint.analysis.machine.handed_on import element_held
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter, assign
from jitlint.analysis.machine.options import note_rounds
from jitlint.analysis.machine.scalars import note_scalar_use
from jitlint.analysis.values import (
    INT,
    NEVER,
    STR,
    UNKNOWN,
    Array,
    Const,
    Dict,
    ExternalInstance,
    HostArray,
    Instance,
    Iterator,
    List,
    LoopCounter,
    ProjectCallable,
    Sequence,
    Traced,
    Tuple,
    Value,
    part_of_unknown,
)
from jitlint.analysis.values.joins import alternatives, join_all, offered, tuple_of, widen
from jitlint.analysis.values.keys import key_value
from jitlint.analysis.values.outside import DATACLASS_FIELD
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

MAX_KNOWN_ELEMENTS = 64
"""Strings and ranges up to this length give their elements one by one."""


def exact_elements(interp: Interpreter, value: Value, span: Span, how: str) -> list[Value] | None:
    """The elements one by one; None if their number is not known."""
    if interp.world.settings.empty:
        note_rounds(interp, value, span)
    own = call_special_method(interp, value, "__iter__", (), span)
    if own is not None:
        return None if isinstance(own, Instance) else exact_elements(interp, own, span, how)
    if isinstance(value, Tuple):
        return list(value.elements)
    if isinstance(value, List):
        return exact_elements(interp, value.content, span, how)
    if isinstance(value, Dict):
        return [key_value(key) for key in value.entries] if value.rest is NEVER else None
    if isinstance(value, Const):
        if isinstance(value.value, (str, bytes)) and len(value.value) <= MAX_KNOWN_ELEMENTS:
            return [Const(part) for part in value.value]
        if isinstance(value.value, range) and len(value.value) <= MAX_KNOWN_ELEMENTS:
            return [Const(part) for part in value.value]
        return None
    if isinstance(value, Iterator):
        use_iterator(interp, value, span, how)
        return _take_items(interp, value, None)
    return None


def _take_items(interp: Interpreter, iterator: Iterator, count: int | None) -> list[Value] | None:
    """Takes the next `count` elements (None: all that are left) from an iterator; None if they are not known.

    The store notes how many are gone, so that the next call goes on from there.
    """
    taken = iterator.fields["taken"]
    if iterator.items is None or not isinstance(taken, Const):
        return None
    end = len(iterator.items) if count is None else taken.value + count
    interp.store.set(iterator, "taken", Const(end))
    return list(iterator.items[taken.value : end])


def next_element(interp: Interpreter, iterator: Iterator, span: Span, how: str, text: str = "") -> Value:
    """The element that `next(iterator)` takes, another one each time; Never if it is known to have nothing left."""
    use_iterator(interp, iterator, span, how, text)
    known = _take_items(interp, iterator, 1)
    if known is None:
        return another(interp, iterator.element)
    return known[0] if known else NEVER


def joined_elements(interp: Interpreter, value: Value, span: Span, how: str) -> Value:
    """One value that stands for any element: their join. What a loop goes over is called in its turn, each of it."""
    return offered(join_all(_element_of(interp, part, span, how) for part in alternatives(value)))


def _element_of(interp: Interpreter, value: Value, span: Span, how: str) -> Value:
    """One value that stands for any element of a value that is no Union. Iterating takes an array's first axis."""
    if isinstance(value, Sequence):
        return another(interp, value.element)
    if isinstance(value, Tuple) and value.cls is not None:
        own = call_special_method(interp, value, "__iter__", (), span)
        if own is not None:
            return joined_elements(interp, own, span, how)
    if isinstance(value, Traced):
        if value.container:
            return UNKNOWN  # it may be a dict, whose elements are its keys
        note_scalar_use(interp, value, span)
        rank = value.rank - 1 if value.rank else None
        return value.replace(rank=rank, param="", lead=None)
    if isinstance(value, HostArray) and value.series:
        return LoopCounter.of_series(value.dtype or "number")
    if isinstance(value, Array):
        return type(value)(value.dtype, value.rank - 1 if value.rank else None)
    if isinstance(value, Iterator):
        use_iterator(interp, value, span, how)
        return another(interp, value.element)
    if isinstance(value, List):
        return element_held(interp, value, _element_of(interp, value.content, span, how))
    if isinstance(value, Dict):
        keys = [key_value(key) for key in value.entries]
        return join_all([*map(widen, keys), value.unknown_keys])
    if isinstance(value, Tuple):
        return join_all(value.elements)
    if isinstance(value, Const):
        return STR if isinstance(value.value, str) else INT
    if isinstance(value, Instance):
        return _element_of_instance(interp, value, span, how)
    return part_of_unknown(value)


def _element_of_instance(interp: Interpreter, value: Instance, span: Span, how: str) -> Value:
    """One value that stands for any element of an object of a project class.

    As in Python, its `__iter__` gives them, or `__getitem__` called with integers.
    """
    made = call_special_method(interp, value, "__iter__", (), span)
    if made is None:
        element = call_special_method(interp, value, "__getitem__", (INT,), span)
    elif isinstance(made, Instance):
        element = next_of_object(interp, made, span, how)
    else:
        return joined_elements(interp, made, span, how)
    return UNKNOWN if element is None else element


def next_of_object(interp: Interpreter, value: Instance, span: Span, how: str, text: str = "") -> Value | None:
    """What `next` gives of an object of a project class; None if the class has no `__next__`.

    A trace that takes from an object made outside of it moves it on once. What `__next__` does for that (it counts, it
    draws numbers) is no further fault, but a tracer that it keeps is one of its own.
    """
    trace = interp.trace
    if trace is None or not _outlives_body(interp, value.depth):
        return call_special_method(interp, value, "__next__", (), span)
    leaks = len(trace.leaks)
    interp.path.moves_on += 1
    try:
        element = call_special_method(interp, value, "__next__", (), span)
    finally:
        interp.path.moves_on -= 1
    if element is not None and len(trace.leaks) == leaks:
        _report_taken(interp, value, value.cls.code.name, span, how, text)
    return element


def _outlives_body(interp: Interpreter, depth: int) -> bool:
    """Whether what was made at a depth is from outside of all traces, or of a body that JAX repeats or maps."""
    trace = interp.trace
    return trace is not None and (depth < trace.stage or any(_bodies_around(interp, depth)))


def _bodies_around(interp: Interpreter, depth: int) -> Iterable[str]:
    """The transforms that repeat or map the running code, and began after what was made at a depth."""
    trace = interp.trace
    while trace is not None and depth < trace.depth:
        if trace.transform.endswith("vmap") or interp.models.has_role(trace.transform, "repeats"):
            yield trace.transform
        trace = trace.parent


def _report_taken(interp: Interpreter, value: Instance | Iterator, kind: str, span: Span, how: str, text: str) -> None:
    """Reports that a trace takes an element from an iterator from outside."""
    trace = interp.trace
    assert trace is not None
    bodies = list(_bodies_around(interp, value.depth))
    mapped = value.depth >= trace.stage and all(transform.endswith("vmap") for transform in bodies)
    each = Assumption(AssumptionKind.COUNTS_EXAMPLES, "each example is to take an element of its own")
    interp.emit(
        EventKind.ITERATOR_NEXT,
        span,
        how,
        subject=text or interp.module.snippet(span),
        detail={"iterator": kind},
        assuming=each if mapped else None,
    )


def use_iterator(interp: Interpreter, iterator: Iterator, span: Span, how: str, text: str = "") -> None:
    """Something takes elements from an iterator: an event if a trace does, and the iterator was made outside of it.

    What an object's own `__next__` takes from others is no further fault (`next_of_object`).

    Args:
        text: how the iterator is written, if `span` is more than that.
    """
    if iterator.kind != "range" and not interp.path.moves_on and _outlives_body(interp, iterator.depth):
        _report_taken(interp, iterator, iterator.kind, span, how, text)
    interp.store.set(iterator, "used", True)


def use_argument(interp: Interpreter, span: Span, text: str) -> None:
    """A trace asks what came from callers out of view for its next element: only an iterator made outside has one."""
    trace = interp.trace
    if trace is not None and trace.stage > 0:
        interp.emit(EventKind.ITERATOR_NEXT, span, "next", subject=text, detail={"iterator": "iterator"})


def unpack(interp: Interpreter, value: Value, count: int, starred: int | None, span: Span) -> list[Value]:
    """The values that the targets in `a, b, *c = value` get.

    What has another number of elements does not come here: Python refuses to unpack it.

    Args:
        count: how many targets there are.
        starred: the position of the one with a star, which gets a list; None if there is none.
    """
    unpacked = (_unpack_one(interp, part, count, starred, span) for part in alternatives(value))
    fitting = [parts for parts in unpacked if parts is not None]
    if not fitting:
        return [UNKNOWN] * count
    return fitting[0] if len(fitting) == 1 else [offered(join_all(column)) for column in zip(*fitting, strict=True)]


def _unpack_one(interp: Interpreter, value: Value, count: int, starred: int | None, span: Span) -> list[Value] | None:
    """What `unpack` gives for a value that is no Union; None if it has another number of elements."""
    exact = exact_elements(interp, value, span, "unpacking")
    if exact is None:
        element = _element_of(interp, value, span, "unpacking")
        parts = [UNKNOWN if element is NEVER else another(interp, element) for _ in range(count)]
        if starred is not None:
            parts[starred] = interp.new_list("list", Sequence("tuple", parts[starred]), span)
        return parts
    if len(exact) != count if starred is None else len(exact) < count - 1:
        return None
    if starred is None:
        return exact
    tail = count - starred - 1
    middle = exact[starred : len(exact) - tail]
    gathered = List("list", tuple_of(list(middle)), interp.depth, interp.loops, interp.site(span))
    return [*exact[:starred], gathered, *exact[len(exact) - tail :]]


def run_other_code(elements: list[Value]) -> bool:
    """Whether the rounds of a loop run different code, not the same again: it goes over functions, or over objects of
    different classes, as callbacks are.
    """
    classes = {element.cls for element in elements if isinstance(element, Instance)}
    if len(elements) > 1 and len(classes) == len(elements):
        return True
    for element in elements:
        parts = element.elements if isinstance(element, Tuple) else (element,)
        if any(isinstance(part, ProjectCallable) for part in parts):
            return True
    return False


def _unpack_into(interp: Interpreter, target: ir.Display, value: Value, local: bool) -> None:
    """Assigns to several targets: `a, *b = value`."""
    starred = next((i for i, e in enumerate(target.elements) if isinstance(e, ir.Starred)), None)
    parts = unpack(interp, value, len(target.elements), starred, target.span)
    for element, part in zip(target.elements, parts, strict=True):
        assign(interp, element.value if isinstance(element, ir.Starred) else element, part, local=local)


ASSIGNERS[ir.Display] = _unpack_into


def is_name(value: Value) -> bool:
    """Whether a value is a name, an item of a dict with a name for its key, or a field of a dataclass."""
    if isinstance(value, Tuple) and len(value.elements) == 2:
        value = value.elements[0]
    return is_field(value) or (isinstance(value, Const) and isinstance(value.value, str))


def is_field(value: Value) -> bool:
    """Whether a value is a field of a dataclass, as `dataclasses.fields(x)` gives them."""
    return isinstance(value, ExternalInstance) and value.of == DATACLASS_FIELD
