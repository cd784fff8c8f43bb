"""The abstract interpreter's state and its five doors: evaluate, run, call, read an attribute, assign."""

from __future__ import annotations

import contextlib
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path as FilePath
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.machine.context import Loop, Trace
from jitlint.analysis.machine.emission import (
    CONCERNS_CONCRETE,
    CONCERNS_CONTAINERS,
    NOT_AFTER_FAILURE,
    RAISES_NOTHING,
    Suspicion,
    behind_handler,
    steps,
    weigh,
)
from jitlint.analysis.machine.parts import Path, Position, RootRun, Unit, World
from jitlint.analysis.machine.published import published
from jitlint.analysis.machine.reveal import Reveals
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.machine.store import Store
from jitlint.analysis.values import (
    ByType,
    Class,
    Dict,
    External,
    Frame,
    Function,
    Instance,
    List,
    Sequence,
    Site,
    Traced,
    Transformed,
    Tuple,
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
from jitlint.source.places import Span
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

_NOWHERE: Final = Module(SourceFile(FilePath(), "", ""), "", FilePath(), given=False)
"""The module that is current before any code runs."""


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
    """Runs IR on abstract values. One instance serves a component: modules that import each other.

    Its state is divided by how long it lives (parts.py); what every operation needs stands here by itself.
    """

    def __init__(self, project: Project, models: Models, libraries: Libraries, reveals: Reveals) -> None:
        self.project: Final = project
        """The files that are interpreted, and those that they import."""
        self.models: Final = models
        """What is known of libraries."""
        self.libraries: Final = libraries
        """What they do, for the operations of the language."""
        self.world: Final = World(published(project, models))
        """What lives as long as the component."""
        self.unit = Unit(reveals, StateLog({}))
        """What lives as long as the unit that runs."""
        self.root_run = RootRun()
        """What lives as long as the root that runs."""
        self.path: Final = Path()
        """How the running code was reached."""
        self.store: Final = Store()
        """The changes of objects, so that branches can be undone and joined."""
        self.frame = Frame(_NOWHERE, None, None, 0, ())
        """The variables of the code that runs."""
        self.trace: Trace | None = None
        """The transformations around it."""
        self.loops: tuple[int, ...] = ()
        """The loops around it, in its own function and in those that call it, by identity."""

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
            self.path.raising += 1
            try:
                return self._run(body)
            finally:
                self.path.raising -= 1
        return self._run(body)

    def _run(self, body: tuple[ir.Stmt, ...]) -> bool:
        for statement in body:
            self.spend(1)
            if self.unit.reveals.watch is not None:
                self.unit.reveals.runs(self, statement)
            if not EXECUTORS[type(statement)](self, statement):
                return False
        return True

    def calls(self, called: Function | Transformed) -> None:
        """Records a call: functions without callers run by themselves, and `combine` drops that run of `called`."""
        identity = id(called.code) if isinstance(called, Function) else id(called)
        known = self.unit.called.get(identity)
        if known is None or self.root_run.rank < known[0]:
            self.unit.called[identity] = (self.root_run.rank, called)

    def spend(self, fuel: int) -> None:
        """Uses fuel. Raises OutOfFuelError when the root has none left."""
        self.root_run.fuel -= fuel
        if self.root_run.fuel < 0:
            raise OutOfFuelError

    def give_up(self, reason: str) -> None:
        """Notes why the root that runs is not followed to its end."""
        if self.root_run.root is not None:
            self.unit.incomplete.setdefault(self.root_run.root, reason)

    def new_list(self, kind: str, content: Tuple | Sequence, span: Span) -> List:
        """A list, set or deque that is made at `span`."""
        return List(kind, content, self.depth, self.loops, (self.frame.module, span))

    def new_dict(self, entries: dict[Any, Value], rest: Value, span: Span) -> Dict:
        """A dict that is made at `span`."""
        return Dict(entries, rest, self.depth, self.loops, (self.frame.module, span))

    def new_loop(self, span: Span) -> Loop:
        """A loop that is written at `span`."""
        loop = Loop(next(self.world.loop_numbers))
        self.world.loop_sites[loop.identity] = self.site(span)
        return loop

    def site(self, span: Span) -> Site:
        return (self.frame.module, span)

    def enter_module(self, frame: Frame) -> Position:
        """Goes to the top level of the module that `frame` belongs to; returns where execution stood."""
        path = self.path
        left = Position(
            self.frame, self.trace, self.loops, path.loops, self.root_run.root, path.handlers, path.decorating
        )
        self.frame, self.trace, self.loops, path.loops, path.handlers = frame, None, (), [], []
        self.root_run.root, path.decorating = Root(frame.module.source.display, frame.module.name, ""), None
        return left

    def return_to(self, left: Position) -> None:
        """Goes back to where execution stood."""
        path = self.path
        self.frame, self.trace, self.loops, path.loops, self.root_run.root, path.handlers, path.decorating = left

    @contextlib.contextmanager
    def doubting(self, guess: str) -> Iterator[None]:
        """What happens within is likely only, and rests on `guess` (nothing, if that is empty)."""
        self.path.doubts += [guess] if guess else []
        try:
            yield
        finally:
            del self.path.doubts[len(self.path.doubts) - bool(guess) :]

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
        world = self.world
        if not world.published:
            return None
        key = (module.name, name)
        if key not in world.public_names:
            known = world.published.get(module.name, {}).get(name)
            is_it = known is not None and self.models.overrides_source(known)
            world.public_names[key] = External(known) if known is not None and is_it else None
        return world.public_names[key]

    def documented(self, function: Function) -> FunctionModel | None:
        """What the models know of a function of the project that is a library's."""
        known = self.world.published.get(function.module.name, {}).get(function.code.qualname)
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
        found = self.world.library_classes.get(name)
        if found is None:
            span = Span(0, 0)
            code = ir.ClassDef(span, name.rpartition(".")[2], span, name, (), (), (), frozenset())
            found = self.world.library_classes[name] = Class(code, self.frame.module, (External(name),), 0, ())
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
        symbol: str | None = None,
    ) -> None:
        """Predicts an event at a place of the module that runs. `value` is the value that matters: its flow is told."""
        module = module or self.frame.module
        path = self.path
        if not module.given or path.silenced or (path.failed and kind in NOT_AFTER_FAILURE):
            return
        if isinstance(value, Traced) and value.depth > self.depth:
            return  # its trace has ended: that it leaked is reported where it did
        subject = module.snippet(span) if subject is None else subject
        tracer = self.traced(value, concrete=kind in CONCERNS_CONCRETE) if value is not None else None
        if tracer is not None:
            if tracer.container and kind not in CONCERNS_CONTAINERS:
                return
            flow = flow or tracer.flow
        decided = value is tracer
        suspicion = Suspicion(kind, confidence, guess)
        suspicion = weigh(suspicion, subject, tracer, flow, decided=decided, assumed=self._assumed())
        if path.handlers and kind not in RAISES_NOTHING:
            handler = path.handlers[-1]
            if tracer is not None and decided and not path.doubts and path.undecided == handler.undecided:
                handler.is_reached = True
            in_its_trace = self.staging and tracer is not None and tracer.depth <= handler.depth
            suspicion = behind_handler(suspicion, construct, handler, in_its_trace=in_its_trace)
            if suspicion.kind is EventKind.SWALLOWED:
                detail = {"kind": kind, "handler": handler.text}
        place = module.place(span)
        entry = entry or (self.trace.entry if self.trace else None)
        event = Event(
            kind=suspicion.kind,
            place=place,
            construct=construct,
            subject=subject,
            origin=flow.origin if flow else "",
            symbol=self.symbol() if symbol is None else symbol,
            entry=entry,
            root=self.root_run.root,
            flow=steps(flow, entry, place),
            confidence=suspicion.confidence,
            guess=suspicion.guess,
            detail=detail or {},
        )
        if keep_better(self.unit.events, event):
            self.unit.starts[event.kind, place, construct] = self.root_run.start

    def _assumed(self) -> str:
        """What the running code rests on: a trace that is not in view, or a callee that may be another."""
        if self.trace is not None and self.trace.guess:
            return self.trace.guess
        return self.path.doubts[-1] if self.path.doubts else ""

    def emit_effect(self, span: Span, construct: str, category: str, flow: Flow | None = None) -> None:
        """A host effect: an event where a trace would have it once only (not before an error: that is not cached).

        A warning that depends on what is known while tracing is about that, and Python shows it once by itself.
        """
        trace = self.trace
        if trace is None or self.path.raising or trace.guess:
            return
        if trace.staging or (category == "random" and not trace.concrete):
            frame = self.function_frame()
            conditional = self.path.undecided > 0 or (frame is not None and bool(frame.exits))
            about_trace = category == "warning" and conditional
            self.emit(
                EventKind.EFFECT,
                span,
                construct,
                flow=flow,
                detail={"category": category},
                confidence=Confidence.POSSIBLE if about_trace else Confidence.CERTAIN,
                guess="each call is to give the warning" if about_trace else "",
            )

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
        return root._replace(calls=tuple(self.world.top_calls.get(f"{root.module}:{root.qualname}", ())))
