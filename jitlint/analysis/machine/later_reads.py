"""Whether anybody reads a list or dict of a function after a traced call has left tracers in it.

`cells[i] = x` in a traced function stores a tracer in a list of the function around it. That does harm only if the list
is read before the item is overwritten: by the function around after the call, or by the traced function when it is
traced again. Both can be told from the text, as long as local variables alone hold the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from jitlint import ir
from jitlint.analysis.values import Frame, HeapObject, Instance, Value
from jitlint.analysis.values.containers import parts_of
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span

_MOST_VALUES: Final = 2000
"""So many values are searched for what holds a container; if there are more, anything may hold it."""

_CHOICES: Final = (ir.If, ir.For, ir.While, ir.Try)
"""Statements whose parts may not run."""


class Stored(NamedTuple):
    """A tracer that was stored in a list or dict from outside of its trace."""

    container: HeapObject
    text: str
    """What it was assigned to, as it is written: `cells[i]`; "" if it was added in another way."""
    frames: tuple[Frame, ...]
    """The frames that ran when it was stored."""
    depth: int
    """The depth of its trace."""


class _Mention(NamedTuple):
    """A place that names the variable that holds the container."""

    start: int
    text: str
    """The item that it overwrites in any case; "" if it overwrites none; the variable's name if it rebinds that."""
    reads: bool
    loops: tuple[int, ...]


def may_be_read(
    stored: Stored, running: tuple[Frame, ...], call: Span, body_of: Callable[[ir.Function], tuple[ir.Stmt, ...]]
) -> bool:
    """Whether somebody may read what was stored, once the trace has ended.

    Args:
        stored: what was stored.
        running: the frames that run when the trace has ended, the innermost last.
        call: where the innermost of them calls the traced function.
        body_of: gives the body of a function.
    """
    outer = {id(f): f for frame in (*running, *stored.frames) for f in _enclosing(frame) if f.depth < stored.depth}
    local = False
    for frame in outer.values():
        values = {name: value for name, value in frame.fields.items() if isinstance(value, Value)}
        names = [name for name, value in values.items() if _holds(value, stored, instances=False)]
        if any(_holds(value, stored, instances=True) for name, value in values.items() if name not in names):
            return True
        if names and (frame.function is None or _reads(frame, names, stored, running, call, body_of(frame.function))):
            return True
        local = local or bool(names)
    site = stored.container.site
    made_for_call = (
        site is not None and site[0] is running[-1].module and call.start <= site[1].start and site[1].end <= call.end
    )
    return not (local or made_for_call)


def _reads(
    frame: Frame,
    names: Iterable[str],
    stored: Stored,
    running: tuple[Frame, ...],
    call: Span,
    body: tuple[ir.Stmt, ...],
) -> bool:
    """Whether a function, or one defined in it, may read one of its variables after the call."""
    position: Span | None = None
    if frame is running[-1].home:
        position = call
    elif any(frame is each.home for each in running):
        position = _only_call(frame, running, body)
        if position is None:
            return True
    for name in names:
        text = _Text(frame.module.snippet, name)
        if position is not None and _read_after(text, body, position, stored.text):
            return True
        if position is None and _leaves(text, body):
            return True
        if any(_reads_again(text, inner, body, position, stored.text) for inner in _inner(body)):
            return True
    return False


def _only_call(frame: Frame, running: tuple[Frame, ...], body: tuple[ir.Stmt, ...]) -> Span | None:
    """Where a function that runs calls the function in it that runs, too; None if that is not known."""
    for each in running:
        code = each.home.function
        if code is not None and each.home.parent is not None and each.home.parent.home is frame:
            calls = list(_Text(frame.module.snippet, code.name).mentions(body, nested=True))
            return Span(calls[0].start, calls[0].start + len(code.name)) if len(calls) == 1 else None
    return None


def _enclosing(frame: Frame) -> Iterator[Frame]:
    """The frames of the function that a frame belongs to, and of those around it."""
    current: Frame | None = frame.home
    while current is not None:
        yield current
        current = current.parent.home if current.parent is not None else None


def _holds(value: Value, stored: Stored, *, instances: bool) -> bool:
    """Whether a container is a value or lies in it; `instances` says whether it may lie in attributes, too."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value is stored.container or len(seen) > _MOST_VALUES:
            return True
        if id(value) not in seen:
            seen.add(id(value))
            waiting += _parts(value, instances=instances)
    return False


def _parts(value: Value, *, instances: bool) -> Iterable[Value]:
    """What a value holds directly; what lies in attributes only if `instances` says so."""
    if isinstance(value, Instance):
        return [part for part in value.fields.values() if isinstance(part, Value)] if instances else ()
    return parts_of(value)


class _Text:
    """Finds where code mentions a variable."""

    def __init__(self, snippet: Callable[[Span], str], name: str) -> None:
        self.snippet = snippet
        self.name = name

    def mentions(
        self, node: Any, *, always: bool = True, loops: tuple[int, ...] = (), nested: bool = False
    ) -> Iterator[_Mention]:
        """The places in the order in which they run.

        Args:
            node: a body, statement or expression.
            always: whether it runs in any case.
            loops: the loops around it.
            nested: whether the functions in it count, too.
        """
        if isinstance(node, ir.Name):
            if node.name == self.name:
                yield _Mention(node.span.start, "", True, loops)
        elif isinstance(node, ir.Assign):
            yield from self.mentions(node.value, always=always, loops=loops, nested=nested)
            for target in node.targets:
                yield from self._target(target, always, loops)
        elif isinstance(node, (ir.FunctionDef, ir.Lambda, ir.ClassDef)):
            if nested:
                yield from self.mentions(tuple(node), always=False, loops=loops, nested=True)
        elif isinstance(node, tuple) and not isinstance(node, (Span, ir.Const)):
            if isinstance(node, (ir.For, ir.While)):
                loops = (*loops, node.span.start)
            always = always and not isinstance(node, _CHOICES)
            for part in node:
                yield from self.mentions(part, always=always, loops=loops, nested=nested)

    def _target(self, target: ir.Expr, always: bool, loops: tuple[int, ...]) -> Iterator[_Mention]:
        inner = target
        while isinstance(inner, ir.Subscript):
            yield from self.mentions(inner.item, loops=loops)
            inner = inner.value
        if isinstance(inner, ir.Name) and inner.name == self.name:
            written = self.snippet(target.span) if always else ""
            yield _Mention(target.span.start, written, False, loops)
        elif inner is target:
            yield from self.mentions(target, loops=loops)
        else:
            yield from self.mentions(inner, loops=loops)

    def reads_first(self, mentions: Iterable[_Mention], item: str) -> bool:
        """Whether something reads the variable before it or the item gets another value."""
        for mention in mentions:
            if mention.text and mention.text in (item, self.name):
                return False
            if mention.reads:
                return True
        return False


def _leaves(text: _Text, body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a function that has returned read a variable after it had defined functions that see it: it may have
    returned what it holds."""
    begins = [inner.span.start for inner in _inner(body) if any(text.mentions(tuple(inner), nested=True))]
    return any(mention.reads and mention.start > min(begins, default=0) for mention in text.mentions(body))


def _read_after(text: _Text, body: tuple[ir.Stmt, ...], call: Span, item: str) -> bool:
    """Whether the function around a call reads a variable after it."""
    loops = _loops_around(body, call)
    mentions = list(text.mentions(body))
    after = [m for m in mentions if m.start >= call.end]
    again = [m for m in mentions if m.start < call.start and loops.intersection(m.loops)]
    return text.reads_first([*after, *again], item)


def _inner(node: Any) -> Iterator[ir.FunctionDef | ir.Lambda]:
    """The functions that a body defines, and those in them."""
    for each in own_nodes(node):
        if isinstance(each, (ir.FunctionDef, ir.Lambda)):
            yield each
            yield from _inner(tuple(each))


def _reads_again(
    text: _Text, inner: ir.FunctionDef | ir.Lambda, body: tuple[ir.Stmt, ...], call: Span | None, item: str
) -> bool:
    """Whether an inner function reads a variable when it runs again after a call, or runs at all.

    Args:
        text: finds the variable.
        inner: the function.
        body: the body around it.
        call: the call; None if it stands elsewhere, and may come again.
        item: what the call overwrites.
    """
    code = inner.function
    body_of_inner: Any = code.body
    if text.name in code.locals or not text.reads_first(text.mentions(body_of_inner), item):
        return False
    if call is None or _loops_around(body, call):
        return True
    if isinstance(inner, ir.Lambda):
        return not call.start <= inner.span.start < call.end
    mentions = _Text(text.snippet, code.name).mentions(body, nested=True)
    return any(not call.start <= mention.start < call.end for mention in mentions)


def _loops_around(body: tuple[ir.Stmt, ...], call: Span) -> set[int]:
    """The loops of a function in which a call stands, by where they begin."""
    loops = [node.span for node in own_nodes(body) if isinstance(node, (ir.For, ir.While))]
    return {span.start for span in loops if span.start <= call.start < span.end}
