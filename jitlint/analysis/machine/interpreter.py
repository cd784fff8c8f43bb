"""The abstract interpreter's state and its five doors: evaluate, run, call, read an attribute, assign."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.machine.context import Handler, Loop, Rank, Start, Trace
from jitlint.analysis.machine.guesses import Guesses
from jitlint.analysis.machine.limits import ROOT_FUEL
from jitlint.analysis.machine.published import published
from jitlint.analysis.machine.reveal import Reveals, Watch
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.machine.store import Store
from jitlint.analysis.values import (
    ByType,
    Class,
    External,
    ExternalInstance,
    Frame,
    Function,
    HeapObject,
    Instance,
    Member,
    Site,
    Traced,
    Transformed,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.flow import Flow, source
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import Confidence, Entry, Event, EventKind, Root, keep_better
from jitlint.models.function import FunctionModel
from jitlint.models.library import Models
from jitlint.models.tables import ClassModel
from jitlint.project.modules import Module, Project
from jitlint.source.places import Place, Span, Step
from jitlint.source.text import SourceFile

Evaluator = Callable[["Interpreter", Any], Value]


Executor = Callable[["Interpreter", Any], bool]


Caller = Callable[["Interpreter", Any, Args, Span], Value]


Getter = Callable[["Interpreter", Any, str, Span], Value]


Assigner = Callable[["Interpreter", Any, Value, bool], None]


EVALUATORS: Final[dict[type, Evaluator]] = {}
"""What an expression's value is, by its IR class."""


EXECUTORS: Final[dict[type, Executor]] = {}
"""What a statement does, by its IR class; whether the next statement can be reached."""


CALLERS: Final[ByType[Caller]] = ByType()
"""What calling a value does, by the value's class."""


GETTERS: Final[ByType[Getter]] = ByType()
"""What reading an attribute of a value gives, by the value's class."""


ASSIGNERS: Final[dict[type, Assigner]] = {}
"""What assigning to a target does, by its IR class. The last argument: whether it is a comprehension's own target."""


def call(interp: Interpreter, callee: Value, args: Args, span: Span) -> Value:
    """Calls a value."""
    return CALLERS[type(callee)](interp, callee, args, span)


def get_attribute(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """`value.name`."""
    return GETTERS[type(value)](interp, value, name, span)


def assign(interp: Interpreter, target: ir.Expr, value: Value, *, local: bool = False) -> None:
    """Assigns a value to a target: a name, an attribute, an item, or several of them."""
    assigner = ASSIGNERS.get(type(target))
    if assigner is not None:  # text with errors may assign to anything
        assigner(interp, target, value, local)


class Libraries(ABC):
    """What Python's own operations must ask of the room `libraries`, which stands above the language."""

    @abstractmethod
    def attribute(self, interp: Interpreter, value: Instance, model: ClassModel, name: str, span: Span) -> Value:
        """An attribute that a library base class gives to instances of a project class, as its model says."""

    @abstractmethod
    def result(self, interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
        """What a function gives whose model is known, though its body tells nothing."""

    @abstractmethod
    def after_call(self, interp: Interpreter, callee: External, node: ir.Call, args: Args) -> None:
        """A library function has returned: what a passed assertion says of its arguments holds from here on."""


class OutOfFuelError(Exception):
    """One root ran more statements than it may."""


class Interpreter:
    """Runs IR on abstract values. One instance serves a whole project."""

    def __init__(self, project: Project, models: Models, libraries: Libraries, watch: Watch | None = None) -> None:
        self.project = project
        self.models = models
        self.libraries = libraries
        self.published = published(project, models)
        self.store = Store()
        self.state = StateLog({})
        self.reveals = Reveals(watch)
        self.frames: dict[Module, Frame] = {}
        nowhere = Module(SourceFile(Path(), "", ""), "", Path(), given=False)
        self.frame = Frame(nowhere, None, None, 0, ())
        self.trace: Trace | None = None
        self.loops: tuple[int, ...] = ()
        self.running_loops: list[Loop] = []
        self.root: Root | None = None
        self.handlers: list[Handler] = []
        self.guards = 0
        self.raising = 0
        self.failed = 0
        self.staged_only = False
        self.doubts: list[str] = []
        self.loop_sites: dict[int, Site] = {}
        self.undecided = 0
        self.silenced = 0
        self.caught = 0
        self.active_frames: list[Frame] = []
        self.recorded = 0
        self.missed: dict[tuple[object, ...], tuple[Module, Span]] = {}
        self.captured: dict[int, tuple[Value, Module, Span]] = {}
        self.checkified: set[int] = set()
        self.buffers = HeapObject({}, 0, (), None)
        self.call_depth = 0
        self.fuel = ROOT_FUEL
        self.call_numbers: dict[Hashable, int] = {}
        self.memo: dict[tuple[int, int], Value] = {}
        self.active: dict[int, Value] = {}
        self.recursed: set[int] = set()
        self.call_counts: dict[Hashable, int] = {}
        self.root_calls: dict[Hashable, int] = {}
        self.visited: set[int] = set()
        self.start: Start | None = None
        self.called: dict[int, tuple[Rank, Function | Transformed]] = {}
        self.rank: Rank = (0, 0)
        self.looked_at: dict[int, Function] = {}
        self.children: dict[int, frozenset[str]] = {}
        self.transformed: list[Transformed] = []
        self.lent: dict[int, tuple[Value, ExternalInstance]] = {}
        self.functions: list[Any] = []
        self.classes: list[Any] = []
        self.guesses = Guesses(self.classes, self.frames)
        self.instances: dict[int, Any] = {}
        self.asked_about: dict[int, tuple[ir.Name | ir.Attribute, ...]] = {}
        self.top_calls: dict[str, list[str]] = {}
        self.events: dict[Hashable, Event] = {}
        self.starts: dict[Hashable, Start | None] = {}
        self.incomplete: dict[Root, str] = {}
        self.method_owner: dict[int, Any] = {}
        self.decorating: Span | None = None
        self._loop_ids = itertools.count(1)
        self._library_classes: dict[str, Class] = {}
        self.members: dict[tuple[int, str], Member] = {}
        self.class_facts: dict[Class, Any] = {}
        self.attribute_keys: dict[tuple[Class, str], tuple[str, ...]] = {}
        self._public: dict[tuple[str, str], External | None] = {}

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def module(self) -> Module:
        return self.frame.module

    @property
    def depth(self) -> int:
        return self.trace.depth if self.trace else 0

    @property
    def staging(self) -> bool:
        return self.trace is not None and self.trace.staging

    def evaluate(self, node: ir.Expr) -> Value:
        return EVALUATORS[type(node)](self, node)

    def run(self, body: tuple[ir.Stmt, ...]) -> bool:
        """Runs statements; whether the end can be reached."""
        if body and type(body[-1]) is ir.Raise:
            self.raising += 1
            try:
                return self._run(body)
            finally:
                self.raising -= 1
        return self._run(body)

    def _run(self, body: tuple[ir.Stmt, ...]) -> bool:
        for statement in body:
            self.spend(1)
            if self.reveals.watch is not None:
                self.reveals.runs(self, statement)
            if not EXECUTORS[type(statement)](self, statement):
                return False
        return True

    def calls(self, called: Function | Transformed) -> None:
        """Notes that the running root calls something that would be run by itself if nothing did."""
        identity = id(called.code) if isinstance(called, Function) else id(called)
        known = self.called.get(identity)
        if known is None or self.rank < known[0]:
            self.called[identity] = (self.rank, called)

    def spend(self, fuel: int) -> None:
        """Uses fuel. Raises OutOfFuelError when the root has none left."""
        self.fuel -= fuel
        if self.fuel < 0:
            raise OutOfFuelError

    def give_up(self, reason: str) -> None:
        """Notes why the root that runs is not followed to its end."""
        if self.root is not None:
            self.incomplete.setdefault(self.root, reason)

    def new_loop(self, span: Span) -> Loop:
        """A loop that is written at `span`."""
        loop = Loop(next(self._loop_ids))
        self.loop_sites[loop.identity] = self.site(span)
        return loop

    def site(self, span: Span) -> Site:
        return (self.frame.module, span)

    def save_context(self, frame: Frame) -> tuple[Any, ...]:
        """Turns to the top level of another module; gives what `restore_context` needs."""
        saved = (self.frame, self.trace, self.loops, self.running_loops, self.root, self.handlers, self.decorating)
        self.frame, self.trace, self.loops, self.running_loops, self.handlers = frame, None, (), [], []
        self.root, self.decorating = Root(frame.module.source.display, frame.module.name, ""), None
        return saved

    def restore_context(self, saved: tuple[Any, ...]) -> None:
        """Turns back."""
        self.frame, self.trace, self.loops, self.running_loops, self.root, self.handlers, self.decorating = saved

    @contextlib.contextmanager
    def doubting(self, guess: str) -> Iterator[None]:
        """What happens within is likely only, and rests on `guess` (nothing, if that is empty)."""
        self.doubts += [guess] if guess else []
        try:
            yield
        finally:
            del self.doubts[len(self.doubts) - bool(guess) :]

    def suspend_staging(self) -> None:
        """What follows computes now (`jax.ensure_compile_time_eval`), until the trace is set back."""
        if self.trace is not None:
            self.trace = dataclasses.replace(self.trace, staging=False)

    # --- values -------------------------------------------------------------------------------------------------------

    def traced(self, value: Value, *, concrete: bool = False) -> Traced | None:
        """The tracer of a running trace among what a value may be that has no value to give, if there is one.

        With `concrete`, those of eager differentiation too: Python can decide by them, but NumPy takes none.
        """
        for alternative in alternatives(value):
            if not isinstance(alternative, Traced) or alternative.depth > self.depth:
                continue
            if concrete or not alternative.concrete:
                return alternative
        return None

    def public(self, module: Module, name: str) -> External | None:
        """The library function or class, known to the models, that a name of a module stands for."""
        if not self.published:
            return None
        key = (module.name, name)
        if key not in self._public:
            known = self.published.get(module.name, {}).get(name)
            self._public[key] = External(known) if known is not None and self.models.stands_for(known) else None
        return self._public[key]

    def documented(self, function: Function) -> FunctionModel | None:
        """What the models know of a function of the project that is a library's."""
        known = self.published.get(function.module.name, {}).get(function.code.qualname)
        return self.models.function(known) if known is not None else None

    def owner(self, span: Span, name: str) -> str:
        """The text of what `span` takes the attribute `name` of."""
        return self.frame.module.snippet(Span(span.start, max(span.start, span.end - len(name)))).rstrip(" .")

    def source(self, span: Span, note: str, origin: str) -> Flow:
        return source(self.frame.module, span, note, origin)

    def source_at(self, module: Module, span: Span, note: str) -> Flow:
        """A flow that begins at another place than the running code."""
        return source(module, span, note, "")

    def function_frame(self) -> Frame | None:
        """The frame of the function that runs; None at a module's top."""
        frame: Frame | None = self.frame
        while frame is not None and frame.function is None:
            frame = frame.parent
        return frame

    def own_loops(self) -> tuple[int, ...]:
        """The loops around the running code within its own function."""
        frame = self.frame
        while frame.function is None and frame.parent is not None and not frame.in_class:
            frame = frame.parent
        return self.loops[len(frame.loops) :]

    def library_class(self, name: str) -> Class:
        """A stand-in for a library's class, so that instances of it can be arguments."""
        found = self._library_classes.get(name)
        if found is None:
            span = Span(0, 0)
            code = ir.ClassDef(span, name.rpartition(".")[2], span, name, (), (), (), frozenset())
            found = self._library_classes[name] = Class(code, self.frame.module, (External(name),), 0, ())
        return found

    # --- events -------------------------------------------------------------------------------------------------------

    def emit(
        self,
        kind: EventKind,
        span: Span,
        construct: str,
        *,
        value: Value | None = None,
        flow: Flow | None = None,
        subject: str | None = None,
        confidence: Confidence = Confidence.CERTAIN,
        guess: str = "",
        detail: dict[str, str] | None = None,
        entry: Entry | None = None,
        module: Module | None = None,
        root: Root | None = None,
        symbol: str | None = None,
    ) -> None:
        """Predicts an event at a place of the module that runs. `value` is the value that matters: its flow is told."""
        module = module or self.frame.module
        if not module.given or self.silenced or (self.failed and kind in _AFTERWARDS):
            return
        if isinstance(value, Traced) and value.depth > self.depth:
            return  # its trace has ended: that it leaked is reported where it did
        subject = module.snippet(span) if subject is None else subject
        tracer = self.traced(value, concrete=kind in _OF_ANY_TRACER) if value is not None else None
        if tracer is not None:
            if tracer.container and kind not in _OF_CONTAINERS:
                return
            flow = flow or tracer.flow
            if flow.guess:
                confidence, guess = Confidence.POSSIBLE, flow.guess
            if confidence is Confidence.CERTAIN and flow.assumed:
                confidence, guess = Confidence.LIKELY, flow.assumed
            if confidence is Confidence.CERTAIN and value is not tracer:
                confidence, guess = Confidence.LIKELY, guess or f"a path on which `{subject}` is traced"
            if confidence is Confidence.CERTAIN and tracer.tree and kind not in _SURE:
                confidence, guess = Confidence.LIKELY, f"`{subject}` is an array"
        if self.trace is not None and self.trace.guess and confidence is Confidence.CERTAIN:
            confidence, guess = Confidence.LIKELY, self.trace.guess
        if self.doubts and confidence is Confidence.CERTAIN:
            confidence, guess = Confidence.LIKELY, self.doubts[-1]
        if self.handlers and kind not in _SILENT:
            if tracer is not None and value is tracer and not self.doubts:
                self.caught += self.undecided == self.handlers[-1].undecided
            if self._is_swallowed(kind, tracer):
                detail = {"kind": kind, "handler": self.handlers[-1].text}
                probing = kind is not EventKind.BOOL or construct == "bool"
                kind = EventKind.SWALLOWED
                if probing:
                    sure = confidence is not Confidence.POSSIBLE and self.handlers[-1].broad
                    confidence = Confidence.LIKELY if sure else Confidence.POSSIBLE
                    guess = "the fallback is not meant for tracers"
            else:
                confidence, guess = Confidence.POSSIBLE, "the error is not meant to be caught"
        place = module.place(span)
        entry = entry or (self.trace.entry if self.trace else None)
        steps = flow.steps() if flow else _applied(entry, place)
        event = Event(
            kind=kind,
            place=place,
            construct=construct,
            subject=subject,
            origin=flow.origin if flow else "",
            symbol=self.symbol() if symbol is None else symbol,
            entry=entry,
            root=root or self.root,
            flow=steps,
            confidence=confidence,
            guess=guess,
            detail=detail or {},
        )
        if keep_better(self.events, event):
            self.starts[kind, place, construct] = self.start

    def _is_swallowed(self, kind: EventKind, tracer: Traced | None) -> bool:
        """Whether the handler stands in the trace whose error it catches, and takes it for another one."""
        handler = self.handlers[-1]
        within = self.staging and tracer is not None and tracer.depth <= handler.depth
        return within and kind in _TRACER_ERRORS and not handler.deliberate

    def emit_effect(self, span: Span, construct: str, category: str, flow: Flow | None = None) -> None:
        """A host effect: an event where a trace would have it once only (not before an error: that is not cached).

        A warning that depends on what is known while tracing is about that, and Python shows it once by itself.
        """
        trace = self.trace
        if trace is None or self.raising or trace.guess:
            return
        if trace.staging or (category == "random" and not trace.concrete):
            frame = self.function_frame()
            conditional = self.undecided > 0 or (frame is not None and bool(frame.exits))
            about_trace = category == "warning" and conditional
            self.emit(
                EventKind.EFFECT, span, construct, flow=flow, detail={"category": category},
                confidence=Confidence.POSSIBLE if about_trace else Confidence.CERTAIN,
                guess="each call is to give the warning" if about_trace else "",
            )  # fmt: skip

    def symbol(self) -> str:
        """The dotted name of the function that runs."""
        frame: Frame | None = self.frame
        while frame is not None and frame.function is None and frame.parent is not None:
            frame = frame.parent
        name = self.frame.module.name
        if frame is not None and frame.function is not None:
            return f"{name}.{frame.function.qualname}"
        return name

    def with_calls(self, root: Root) -> Root:
        """A root with the argument lists that its module's top level calls it with."""
        return root._replace(calls=tuple(self.top_calls.get(f"{root.module}:{root.qualname}", ())))


_SURE: Final = frozenset(
    {EventKind.INDEX, EventKind.SHAPE, EventKind.SLICE, EventKind.CONVERT, EventKind.STATIC_VALUE, EventKind.EFFECT}
)
"""What fails for any pytree of tracers, not only for arrays."""


_OF_CONTAINERS: Final = frozenset({EventKind.SHAPE, EventKind.STATIC_VALUE, EventKind.EFFECT, EventKind.LEAK})
"""What concerns a container of tracers; the rest is for arrays."""


_SILENT: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE, EventKind.JIT_CREATED})
"""What raises nothing that a handler could catch."""


_OF_ANY_TRACER: Final = frozenset({EventKind.HOST, EventKind.FORMAT})
"""What fails for tracers that have their value too."""


_AFTERWARDS: Final = frozenset({EventKind.EFFECT, EventKind.LEAK, EventKind.STATE_WRITE})
"""What does not come to pass where tracing has failed already: in a branch that a tracer was to decide."""


_TRACER_ERRORS: Final = frozenset(
    {EventKind.BOOL, EventKind.INDEX, EventKind.CONVERT, EventKind.HOST, EventKind.SHAPE, EventKind.DATA_SHAPE,
     EventKind.FORMAT}
)  # fmt: skip
"""What raises a TypeError of JAX that says which tracer was meant to have a value."""


def _applied(entry: Entry | None, place: Place) -> tuple[Step, ...]:
    """The flow of what has none of its own: where the transform was applied, if that is elsewhere."""
    if entry is None or entry.place == place:
        return ()
    name = entry.function.rpartition(".")[2].rpartition(":")[2]
    return (
        Step(entry.place, f"`{entry.transform}` is applied to `{name}`" if name else f"`{entry.transform}` is applied"),
    )
