"""Collects what values are at the places that a user asks about: `reveal_stage(x)`, or `jitlint stage FILE:LINE`.

`Reveals` gets told of calls, statements and bindings while the program runs; `finish` gives the answer. `watch`, at the
end of this file, finds the statement that a line belongs to.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from jitlint import ir
from jitlint.analysis.machine.context import Trace
from jitlint.analysis.values import NEVER, Class, External, Frame, Function, ModuleValue, Value
from jitlint.analysis.values.descriptions import Summary, describe, merge_summaries, stage, summarize
from jitlint.events.revealed import NoStatementError, Revealed
from jitlint.project.modules import Module
from jitlint.source.places import Place, Span

REVEAL = "jitlint.reveal_stage"
"""The function's qualified name; its bare name is known everywhere, as a type checker knows `reveal_type`."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A statement whose variables a user asks for."""

    module: Module
    """The module that it lies in."""
    statement: ir.Stmt
    """The statement."""
    header: Span
    """Its own lines, without its body: `for x in xs:` of a loop."""
    name: str = ""
    """The variable that is asked for; "" for all."""


class Here(Protocol):
    """What a Reveals needs to know of the running code. The interpreter is one."""

    frame: Frame
    trace: Trace | None

    @property
    def module(self) -> Module: ...

    def symbol(self) -> str: ...


class Reveals:
    """What is asked for, and what was seen of it."""

    def __init__(self, watch: Watch | None) -> None:
        self.watch = watch
        """The statement that is asked for; without one, calls of `reveal_stage` are collected."""
        self.is_undecorated = False
        """Whether the root runs a decorated function without its decorator, which no call does.

        What it sees counts only within a trace that a compile cache holds: functions that it calls may be jitted.
        """
        self._summaries: dict[Hashable, Summary] = {}
        """What an expression was, by its place and text, the running function, and the context."""
        self._facts: dict[Hashable, tuple[Place, str, str, str]] = {}
        """Place, text, running function and context in words of each entry of `_summaries`."""

    def expression(self, here: Here, value: Value, span: Span, place: Span) -> None:
        """Records the argument of a `reveal_stage`: its value, its `span`, and the `place` of the call."""
        if self.watch is None and here.module.given:
            self._note(here, here.module.place(place), here.module.snippet(span), value)

    def runs(self, here: Here, statement: ir.Stmt) -> None:
        """Records the variables, if the statement that begins is the watched one."""
        watch = self.watch
        if watch is None or statement.span != watch.statement.span or here.module is not watch.module:
            return
        if not watch.name and isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            return
        for name, value in _visible(here.frame, watch.name):
            self._variable(here, name, value)

    def binds(self, here: Here, name: str, value: Value, span: Span) -> None:
        """Records a variable that is bound on the watched lines: that is what it is there, not what it was before."""
        watch = self.watch
        if watch is None or here.module is not watch.module:
            return
        if not watch.header.start <= span.start < watch.header.end:
            return
        if watch.name in ("", name):
            self._variable(here, name, value, bound=True)

    def passes_over(self, here: Here) -> bool:
        """Whether what runs now does not count (see `is_undecorated`)."""
        return self.is_undecorated and (here.trace is None or not here.trace.cached)

    def fresh(self) -> Reveals:
        """A Reveals that asks for the same and has seen nothing."""
        return Reveals(self.watch)

    def silent(self) -> Reveals:
        """A Reveals of which nobody reads the answers."""
        return Reveals(None)

    def finish(self) -> tuple[Revealed, ...]:
        """All that was seen, in the order of places; the contexts of an expression in the order in which they ran."""
        bound = {key[:3] for key in self._summaries if isinstance(key, tuple) and key[-1]}
        answers = [
            Revealed(*self._facts[key], stage(summary), describe(summary))
            for key, summary in self._summaries.items()
            if isinstance(key, tuple) and (key[-1] or key[:3] not in bound)
        ]
        return tuple(sorted(answers, key=lambda each: (each.place.path, each.place.line, each.place.column)))

    def _variable(self, here: Here, name: str, value: Value, *, bound: bool = False) -> None:
        assert self.watch is not None
        self._note(here, self.watch.module.place(self.watch.header), name, value, bound=bound)

    def _note(self, here: Here, place: Place, expression: str, value: Value, *, bound: bool = False) -> None:
        if self.passes_over(here):
            return
        symbol, context = here.symbol(), context_words(here.trace)
        key = ((place, expression), symbol, context, bound)
        self._facts[key] = place, expression, symbol, context
        earlier = [self._summaries[key]] if key in self._summaries else []
        self._summaries[key] = merge_summaries([*earlier, summarize(value)])


def context_words(trace: Trace | None) -> str:
    """The transformations around the running code in words, the outermost first: "under jax.jit of `f` > jax.grad"."""
    if trace is None:
        return "not traced"
    names = [trace.transform]
    outermost = trace
    while outermost.parent is not None:
        outermost = outermost.parent
        if names[-1] != outermost.transform:
            names.append(outermost.transform)
    function = outermost.entry.function.rpartition(":")[2]
    of = f" of `{function}`" if function else ""
    words = f"under {names[-1]}{of}" + "".join(f" > {name}" for name in reversed(names[:-1]))
    computed = ", computing now" if trace.stage and not trace.staging else ""
    return words + computed + (f", assuming {trace.assumption.text}" if trace.assumption else "")


def _visible(frame: Frame, name: str) -> Iterator[tuple[str, Value]]:
    """The variables that are visible in a frame: all of the running function and of those around it, or the one `name`.

    Those of the module are left out in the first case, unless its top level is what runs.
    """
    shown: set[str] = set()
    current: Frame | None = frame
    while current is not None and (name or current is frame or current.parent is not None):
        if not current.in_class or current is frame:
            for key, value in list(current.fields.items()):
                wanted = key == name if name else not _is_imported(current, value) and key != "__name__"
                if wanted and key not in shown and isinstance(value, Value) and value is not NEVER:
                    shown.add(key)
                    yield key, value
        current = current.parent


def _is_imported(frame: Frame, value: Value) -> bool:
    """Whether a module's name stands for something imported or defined: the source shows what it is."""
    return frame.parent is None and isinstance(value, (ModuleValue, External, Class, Function))


# --- the place to watch -----------------------------------------------------------------------------------------------


def watch(module: Module, tree: ir.Module, line: int, name: str = "") -> Watch:
    """The statement to watch for the variables of a line: the innermost one that has it among its own lines.

    Raises:
        NoStatementError: there is no such statement; it names the nearest lines that have one.
    """
    found: Watch | None = None
    starts: set[int] = set()
    for statement in statements(tree.body):
        header = _header(module, statement)
        first, last = (module.lines.position(offset)[0] for offset in header)
        starts.add(first)
        if first <= line <= last:
            found = Watch(module, statement, header, name)
    if found is None:
        before = max((start for start in starts if start < line), default=None)
        after = min((start for start in starts if start > line), default=None)
        raise NoStatementError(tuple(near for near in (before, after) if near is not None))
    return found


def statements(body: tuple[Any, ...]) -> Iterator[ir.Stmt]:
    """All statements of a body, each before those in its own body."""
    for statement in body:
        if not isinstance(statement, (ir.Handler, ir.Case)):
            yield statement
        for inner in _bodies(statement):
            yield from statements(inner)


def _bodies(node: Any) -> Iterator[tuple[Any, ...]]:
    """The bodies that a statement, an `except` clause or a `case` has."""
    holder = node.function if isinstance(node, ir.FunctionDef) else node
    for part in ("body", "handlers", "cases", "orelse", "final"):
        yield getattr(holder, part, ())


def _header(module: Module, statement: ir.Stmt) -> Span:
    """The span of a statement with its decorators, up to the first statement of its body."""
    start = _start(statement)
    end = min((_start(part) for body in _bodies(statement) for part in body), default=statement.span.end)
    return Span(start, start + len(module.source.text[start:end].rstrip()))


def _start(node: Any) -> int:
    """Where a statement begins: at its first decorator, if it has any."""
    decorators: tuple[ir.Expr, ...] = getattr(node, "decorators", ())
    starts: list[int] = [node.span.start, *(decorator.span.start for decorator in decorators)]
    return min(starts)
