"""What the analyzer thinks of values at places that someone asks about: `reveal_stage(x)`, or a watched line."""

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
    """A statement of a module whose variables are asked for: all, or the one called `name`.

    `header` are the statement's own lines, without the body that it may have.
    """

    module: Module
    statement: ir.Stmt
    header: Span
    name: str = ""


class Here(Protocol):
    """The running code, as far as what is revealed tells of it. The interpreter is one."""

    frame: Frame
    trace: Trace | None

    @property
    def module(self) -> Module: ...

    def symbol(self) -> str: ...


class Reveals:
    """What was asked and seen in one run of the analyzer; with a `watch`, its variables only.

    While `is_imaginary`, a function that can only be called through a transform runs as if it had none: only what other
    functions do under a `jit` of their own happens like that.
    """

    def __init__(self, watch: Watch | None) -> None:
        self.watch = watch
        self.is_imaginary = False
        self._seen: dict[Hashable, Summary] = {}
        self._facts: dict[Hashable, tuple[Place, str, str, str]] = {}

    def expression(self, here: Here, value: Value, span: Span, place: Span) -> None:
        """`reveal_stage` was called, at `place`, with the expression at `span`."""
        if self.watch is None and here.module.given:
            self._note(here, here.module.place(place), here.module.snippet(span), value)

    def runs(self, here: Here, statement: ir.Stmt) -> None:
        """A statement begins: what its names stand for, if it is the watched one."""
        watch = self.watch
        if watch is None or statement.span != watch.statement.span or here.module is not watch.module:
            return
        if not watch.name and isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            return
        for name, value in _visible(here.frame, watch.name):
            self._variable(here, name, value)

    def binds(self, here: Here, name: str, value: Value, span: Span) -> None:
        """A name is bound at a place: on the watched lines, that is what it is there."""
        watch = self.watch
        if watch is None or here.module is not watch.module:
            return
        if not watch.header.start <= span.start < watch.header.end:
            return
        if watch.name in ("", name):
            self._variable(here, name, value, bound=True)

    def passes_over(self, here: Here) -> bool:
        """Whether what runs now does not count."""
        return self.is_imaginary and (here.trace is None or not here.trace.cached)

    def fresh(self) -> Reveals:
        """One that looks for the same, and has seen nothing."""
        return Reveals(self.watch)

    def finish(self) -> tuple[Revealed, ...]:
        """All that was seen, in the order of places, each expression's contexts as they came."""
        bound = {key[:3] for key in self._seen if isinstance(key, tuple) and key[-1]}
        found = [
            Revealed(*self._facts[key], stage(seen), describe(seen))
            for key, seen in self._seen.items()
            if isinstance(key, tuple) and (key[-1] or key[:3] not in bound)
        ]
        return tuple(sorted(found, key=lambda seen: (seen.place.path, seen.place.line, seen.place.column)))

    def _variable(self, here: Here, name: str, value: Value, *, bound: bool = False) -> None:
        assert self.watch is not None
        self._note(here, self.watch.module.place(self.watch.header), name, value, bound=bound)

    def _note(self, here: Here, place: Place, expression: str, value: Value, *, bound: bool = False) -> None:
        if self.passes_over(here):
            return
        symbol, context = here.symbol(), context_words(here.trace)
        key = ((place, expression), symbol, context, bound)
        self._facts[key] = place, expression, symbol, context
        self._seen[key] = merge_summaries([*([self._seen[key]] if key in self._seen else []), summarize(value)])


def context_words(trace: Trace | None) -> str:
    """The transformations around the running code, in words, outermost first."""
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
    return words + computed + (f", assuming {trace.guess}" if trace.guess else "")


def _visible(frame: Frame, name: str) -> Iterator[tuple[str, Value]]:
    """The variables of the running function and of those around it; of a module or outside of it when asked by name."""
    found: set[str] = set()
    current: Frame | None = frame
    while current is not None and (name or current is frame or current.parent is not None):
        if not current.in_class or current is frame:
            for key, value in list(current.fields.items()):
                wanted = key == name if name else not _is_imported(current, value) and key != "__name__"
                if wanted and key not in found and isinstance(value, Value) and value is not NEVER:
                    found.add(key)
                    yield key, value
        current = current.parent


def _is_imported(frame: Frame, value: Value) -> bool:
    """Whether a module's name stands for what was imported or defined: the source says it well enough."""
    return frame.parent is None and isinstance(value, (ModuleValue, External, Class, Function))


# --- the place to watch -----------------------------------------------------------------------------------------------


def watch(module: Module, tree: ir.Module, line: int, name: str = "") -> Watch:
    """What to watch to know the variables of a line: the innermost statement that has it among its own lines.

    Raises:
        NoStatementError: there is none.
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
    """All statements, outer ones before those in them."""
    for statement in body:
        if not isinstance(statement, (ir.Handler, ir.Case)):
            yield statement
        for inner in _bodies(statement):
            yield from statements(inner)


def _bodies(node: Any) -> Iterator[tuple[Any, ...]]:
    holder = node.function if isinstance(node, ir.FunctionDef) else node
    for part in ("body", "handlers", "cases", "orelse", "final"):
        yield getattr(holder, part, ())


def _header(module: Module, statement: ir.Stmt) -> Span:
    """A statement's span, with its decorators, up to its first inner statement."""
    start = _start(statement)
    end = min((_start(part) for body in _bodies(statement) for part in body), default=statement.span.end)
    return Span(start, start + len(module.source.text[start:end].rstrip()))


def _start(node: Any) -> int:
    decorators: tuple[ir.Expr, ...] = getattr(node, "decorators", ())
    starts: list[int] = [node.span.start, *(decorator.span.start for decorator in decorators)]
    return min(starts)
