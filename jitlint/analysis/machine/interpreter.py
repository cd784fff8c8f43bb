"""The abstract interpreter: its state, its five doors (evaluate, run, call, read an attribute, assign), and `emit`.

What stands behind a door is registered in a table by the rooms above: `language` for Python itself, `tracing` for
transforms, `libraries` for other code. So this file knows none of them. README.md explains the whole room.
"""

from __future__ import annotations

import contextlib
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path as FilePath
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.machine import emission
from jitlint.analysis.machine.context import Loop, Trace
from jitlint.analysis.machine.limits import (
    LOOKS_PER_STATEMENT,
    TOO_LARGE,
    TOO_LONG,
    TOO_MUCH_MEMORY,
    TOO_NESTED,
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
    TooLargeError,
    Traced,
    Transformed,
    Tuple,
    Value,
    restart_looks,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.flow import Flow, source
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, Event, EventKind, Root, keep_better
from jitlint.models.function import FunctionModel
from jitlint.models.library import Models
from jitlint.models.tables import ClassModel
from jitlint.project.modules import Module, Project
from jitlint.source.places import Span
from jitlint.source.purpose import holds_tests
from jitlint.source.text import SourceFile

Evaluator = Callable[["Interpreter", Any], Value]
Executor = Callable[["Interpreter", Any], bool]
Caller = Callable[["Interpreter", Any, Args, Span], Value]
Getter = Callable[["Interpreter", Any, str, Span], Value]
Assigner = Callable[["Interpreter", Any, Value, bool], None]

EVALUATORS: Final[dict[type, Evaluator]] = {}
"""How an expression is evaluated, by its IR class."""

EXECUTORS: Final[dict[type, Executor]] = {}
"""How a statement is run, by its IR class. The function returns whether the next statement can be reached."""

CALLERS: Final[ByType[Caller]] = ByType()
"""How a value is called, by the value's class."""

GETTERS: Final[ByType[Getter]] = ByType()
"""How an attribute of a value is read, by the value's class."""

ASSIGNERS: Final[dict[type, Assigner]] = {}
"""How a value is assigned to a target, by its IR class. The last argument tells a comprehension's own targets."""

_NOWHERE: Final = Module(SourceFile(FilePath(), "", ""), "", FilePath(), given=False)
"""The module that is current before any code runs."""


def call(interp: Interpreter, callee: Value, args: Args, span: Span) -> Value:
    """The result of `callee(*args)`."""
    return CALLERS[type(callee)](interp, callee, args, span)


def get_attribute(interp: Interpreter, value: Value, name: str, span: Span) -> Value:
    """The value of `value.name`."""
    return GETTERS[type(value)](interp, value, name, span)


def assign(interp: Interpreter, target: ir.Expr, value: Value, *, local: bool = False) -> None:
    """Assigns a value to a target: a name, an attribute, an item, or several of them.

    `local`: the target belongs to a comprehension, so its names are not those of the function around it.
    """
    assigner = ASSIGNERS.get(type(target))
    if assigner is not None:  # text with errors may assign to anything
        assigner(interp, target, value, local)


class Libraries(ABC):
    """What the room `language` asks of the room `libraries`, which stands above it and which it may not import."""

    @abstractmethod
    def attribute(self, interp: Interpreter, value: Instance, model: ClassModel, name: str, span: Span) -> Value:
        """An attribute that an instance of a project class gets from a library's base class, by that class's model."""

    @abstractmethod
    def result(self, interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
        """The result that the model of a function says: for library source whose body is not enough to tell."""

    @abstractmethod
    def after_call(self, interp: Interpreter, callee: Value, node: ir.Call, args: Args) -> None:
        """Runs after a call has returned, if it was of a library's function or used up keys of random numbers.

        What an assertion checked holds from here on.
        """

    @abstractmethod
    def after_body(self, interp: Interpreter, frame: Frame) -> None:
        """Runs when the body of a project's function has run; its frame still is the current one."""

    @abstractmethod
    def after_statement(self, interp: Interpreter, callee: Value, node: ir.Call, args: Args) -> None:
        """Runs after a call that is a whole statement: nobody takes the result, which may be all that it does."""


class OutOfFuelError(Exception):
    """A root has used up what it may use; `reason` says of what, in the words of limits.py."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Interpreter:
    """Runs IR on abstract values. One instance serves one component: modules that import each other.

    Its state is divided by how long it lives (parts.py). What nearly every operation needs is an attribute of its own.
    """

    def __init__(self, project: Project, models: Models, libraries: Libraries, reveals: Reveals) -> None:
        self.project: Final = project
        """The files to interpret, and those that they import."""
        self.models: Final = models
        """The models: what libraries do to values."""
        self.libraries: Final = libraries
        """The operations of the room `libraries` that `language` needs."""
        self.world: Final = World(published(project, models))
        """The state that lives as long as the component."""
        self.unit = Unit(reveals, StateLog({}))
        """The state that lives as long as the unit that runs."""
        self.root_run = RootRun()
        """The state that lives as long as the root that runs."""
        self.path: Final = Path()
        """How the running code was reached."""
        self.store: Final = Store()
        """Writes the fields of objects, so that branches can be undone and joined."""
        self.frame = Frame(_NOWHERE, None, None, 0, ())
        """The variables of the code that runs."""
        self.trace: Trace | None = None
        """The innermost transformation around that code, linked to the outer ones; None if there is none."""
        self.loops: tuple[int, ...] = ()
        """The loops around it, in its own function and in those that call it, the outermost first, by identity."""

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def module(self) -> Module:
        """The module whose code runs."""
        return self.frame.module

    @property
    def depth(self) -> int:
        """How many transformations are around the running code."""
        return self.trace.depth if self.trace else 0

    @property
    def staging(self) -> bool:
        """Whether JAX operations are recorded here, as under `jit`, rather than computed."""
        return self.trace is not None and self.trace.staging

    def evaluate(self, node: ir.Expr) -> Value:
        """The value of an expression."""
        return EVALUATORS[type(node)](self, node)

    def run(self, body: tuple[ir.Stmt, ...]) -> bool:
        """Runs statements. Returns whether the end of the body can be reached (not after `return` or `raise`)."""
        if body and type(body[-1]) is ir.Raise:
            self.path.raising += 1
            try:
                return self._run(body)
            finally:
                self.path.raising -= 1
        return self._run(body)

    def _run(self, body: tuple[ir.Stmt, ...]) -> bool:
        mark = self.store.mark
        for statement in body:
            self.spend(1 + restart_looks() // LOOKS_PER_STATEMENT)
            if self.unit.reveals.watch is not None:
                self.unit.reveals.runs(self, statement)
            try:
                goes_on = EXECUTORS[type(statement)](self, statement)
            except (TooLargeError, RecursionError) as error:
                if isinstance(error, RecursionError) and self.path.frames:
                    raise  # here, too, little of the stack is left
                self.give_up(TOO_LARGE if isinstance(error, TooLargeError) else TOO_NESTED)
                self.store.commit_to(mark)
                continue  # the statement has no effect beyond what was seen of it
            if not goes_on or self.path.has_failed(self.frame):
                return False
        return True

    def record_call(self, called: Function | Transformed) -> None:
        """Records a call: functions without callers run by themselves, and `combine` drops that run of `called`."""
        identity = id(called.code) if isinstance(called, Function) else id(called)
        known = self.unit.called.get(identity)
        if known is None or self.root_run.rank < known[0]:
            self.unit.called[identity] = (self.root_run.rank, called)

    def spend(self, fuel: int) -> None:
        """Uses up fuel of the root: one for each statement.

        Raises:
            OutOfFuelError: no fuel is left, or no memory.
        """
        self.root_run.fuel -= fuel
        if self.root_run.fuel < 0:
            raise OutOfFuelError(TOO_LONG)
        if self.world.memory.spend(fuel):
            raise OutOfFuelError(TOO_MUCH_MEMORY)

    def give_up(self, reason: str) -> None:
        """Records that the running root is not followed to its end, and why. Users are told so."""
        if self.root_run.root is not None:
            self.unit.incomplete.setdefault(self.root_run.root, reason)

    def new_list(self, kind: str, content: Tuple | Sequence, span: Span) -> List:
        """A new list, set or deque, made here by the expression at `span`. `kind` is its type's name."""
        return List(kind, content, self.depth, self.loops, (self.frame.module, span))

    def new_dict(self, entries: dict[Any, Value], rest: Value, span: Span) -> Dict:
        """A new dict, made here by the expression at `span`. `rest` is the join of the values under unknown keys."""
        return Dict(entries, rest, self.depth, self.loops, (self.frame.module, span))

    def new_loop(self, span: Span) -> Loop:
        """A new loop with an identity of its own, written at `span`."""
        loop = Loop(next(self.world.loop_numbers))
        self.world.loop_sites[loop.identity] = self.site(span)
        return loop

    def site(self, span: Span) -> Site:
        """A place of the running module, as a site."""
        return (self.frame.module, span)

    def enter_module(self, frame: Frame) -> Position:
        """Enters the top level of a module, whose frame it gets. Returns where execution stood, for `return_to`."""
        path = self.path
        left = Position(
            self.frame, self.trace, self.loops, path.loops, self.root_run.root, path.handlers, path.decorating
        )
        self.frame, self.trace, self.loops, path.loops, path.handlers = frame, None, (), [], []
        self.root_run.root, path.decorating = Root(frame.module.source.display, frame.module.name, ""), None
        restart_looks()  # the looks of one module or root are no other's
        return left

    def return_to(self, left: Position) -> None:
        """Goes back to where execution stood when `enter_module` was called."""
        path = self.path
        self.frame, self.trace, self.loops, path.loops, self.root_run.root, path.handlers, path.decorating = left
        restart_looks()

    @contextlib.contextmanager
    def assuming(self, kind: AssumptionKind, text: str) -> Iterator[None]:
        """Events within rest on an assumption; `text` says it of the place."""
        self.path.assumptions.append(Assumption(kind, text))
        try:
            yield
        finally:
            self.path.assumptions.pop()

    @contextlib.contextmanager
    def silenced(self) -> Iterator[None]:
        """No event within is recorded."""
        self.path.silenced += 1
        try:
            yield
        finally:
            self.path.silenced -= 1

    def suspend_staging(self) -> None:
        """From here on JAX computes at once (`jax.ensure_compile_time_eval`), until the caller sets `trace` back."""
        if self.trace is not None:
            self.trace = dataclasses.replace(self.trace, staging=False)

    # --- values -------------------------------------------------------------------------------------------------------

    def traced(self, value: Value, *, concrete: bool = False) -> Traced | None:
        """The tracer without a concrete value that a value is or may be; None if there is none.

        Tracers of traces that have ended do not count. With `concrete`, tracers that have their value count, too, as
        under eager differentiation: Python can decide by them, but NumPy takes none.
        """
        for alternative in alternatives(value):
            if not isinstance(alternative, Traced) or alternative.depth > self.depth:
                continue
            if concrete or not alternative.concrete:
                return alternative
        return None

    def public_external(self, module: Module, name: str) -> External | None:
        """The public library function or class that a name of a project module is, if the models know it.

        This matters where the project is a library with a model: in JAX's own source, `jax._src.api.jit` is `jax.jit`.
        """
        world = self.world
        if not world.published:
            return None
        key = (module.name, name)
        if key not in world.public_names:
            known = world.published.get(module.name, {}).get(name)
            is_it = known is not None and self.models.overrides_source(known)
            world.public_names[key] = External(known) if known is not None and is_it else None
        return world.public_names[key]

    def public_model(self, function: Function) -> FunctionModel | None:
        """The model of a project function that is public in a library with models; None for other functions."""
        known = self.world.published.get(function.module.name, {}).get(function.code.qualname)
        return self.models.function(known) if known is not None else None

    def owner_text(self, span: Span, name: str) -> str:
        """The source text of `value` in `value.name`, which is written at `span`."""
        return self.frame.module.snippet(Span(span.start, max(span.start, span.end - len(name)))).rstrip(" .")

    def source(self, span: Span, note: str, origin: str) -> Flow:
        """A new flow that begins in the running module."""
        return source(self.frame.module, span, note, origin)

    def source_at(self, module: Module, span: Span, note: str) -> Flow:
        """A new flow that begins in another module."""
        return source(module, span, note, "")

    def function_frame(self) -> Frame | None:
        """The frame of the function that runs; None at the top level of a module."""
        frame: Frame | None = self.frame
        while frame is not None and frame.function is None:
            frame = frame.parent
        return frame

    def own_loops(self) -> tuple[int, ...]:
        """The loops around the running code within its own function: without those around the call of it."""
        frame = self.frame
        while frame.function is None and frame.parent is not None and not frame.in_class:
            frame = frame.parent
        return self.loops[len(frame.loops) :]

    def library_class(self, name: str) -> Class:
        """A project class that stands in for a library's, so that an argument can be an instance of it."""
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
        assuming: Assumption | None = None,
        detail: dict[str, str] | None = None,
        entry: Entry | None = None,
        module: Module | None = None,
        symbol: str | None = None,
        pending: list[Event] | None = None,
    ) -> None:
        """Predicts an event, unless nothing happens here or the place is in no file that is linted.

        Args:
            kind: what happens; `construct`: by which part of the code: "if", ".item", "for" …
            span: the place: the smallest expression that fails.
            value: the value to which it happens; its tracer gives the flow.
            flow: the steps that lead to the event, if not those of `value`; `subject`: its text, if not that of `span`.
            assuming: what the event rests on, beyond what was assumed of the value and the path.
            detail: further facts for the rule; `entry`: where the transform was applied, if not the running trace's.
            module: the module of `span`, if not the one that runs; `symbol`: the dotted name of the function there.
            pending: takes the event, if only what comes later shows whether it happens; `record` then adds it.
        """
        module = module or self.frame.module
        if not self._counts(kind, value, module):
            return
        subject = module.snippet(span) if subject is None else subject
        tracer = self.traced(value, concrete=kind in emission.CONCERNS_CONCRETE) if value is not None else None
        if tracer is not None:
            if tracer.container and kind not in emission.CONCERNS_CONTAINERS:
                return
            flow = flow or tracer.flow
        decided, given = value is tracer, emission.Suspicion(kind, () if assuming is None else (assuming,))
        suspicion = emission.weigh(given, subject, tracer, flow, decided=decided, assumed=self.assumed())
        suspicion = self._behind_handler(suspicion, construct, tracer, decided=decided)
        if suspicion.kind is EventKind.SWALLOWED:
            detail = {"kind": kind, "handler": self.path.handlers[-1].text}
        entry = entry or (self.trace.entry if self.trace else None)
        place, root = module.place(span), self.root_run.root
        suspicion = emission.at_its_place(suspicion, construct, self.trace, root, place)
        event = Event(
            kind=suspicion.kind,
            place=place,
            construct=construct,
            subject=subject,
            origin=flow.origin if flow else "",
            symbol=self.symbol() if symbol is None else symbol,
            entry=entry,
            root=root,
            run_by=frozenset() if self.path.undecided else emission.run_by_test(suspicion, root, place),
            flow=emission.steps(flow, entry, place, self.path.traced_calls()),
            assumptions=suspicion.assumptions,
            detail=emission.advice_for(kind, tracer, flow, self.unit.given_arrays) | (detail or {}),
        )
        (self.record if pending is None else pending.append)(event)

    def record(self, event: Event) -> None:
        """Adds an event of the running root to those of the unit, unless a better one is known of the place."""
        self.unit.met.note([event.key])
        self.unit.record(event, self.root_run.start)

    def meet_again(self, keys: tuple[Hashable, ...]) -> None:
        """Notes that a call that is remembered would meet some events once more: tests may run into them."""
        self.unit.met.note(keys)
        root = self.root_run.root
        if self.path.undecided or root is None or not holds_tests(root.path):
            return
        for event in map(self.unit.events.get, keys):
            if event is not None and root.path not in event.run_by:
                run_by = emission.run_by_test(emission.Suspicion(event.kind, event.assumptions), root, event.place)
                keep_better(self.unit.events, dataclasses.replace(event, run_by=run_by))

    def _counts(self, kind: EventKind, value: Value | None, module: Module) -> bool:
        """Whether an event happens here and in a file that is linted."""
        path = self.path
        silent = path.silenced or (path.untraced and self.trace is not None)
        if not module.given or silent or (path.is_after_failure() and kind in emission.NOT_AFTER_FAILURE):
            return False
        if path.failed and path.raising and kind in emission.RAISES_TRACER_ERROR:
            return False  # the error that a test leads to goes with the test, which has failed
        if self.root_run.open_options and kind in emission.DEPENDS_ON_VALUES:
            return False
        if path.moves_on and kind in (EventKind.EFFECT, EventKind.STATE_WRITE):
            return False
        # where a trace has ended, that its tracer leaked was reported already
        depths = [part.depth for part in alternatives(value) if isinstance(part, Traced)] if value is not None else []
        return not depths or min(depths) <= self.depth

    def _behind_handler(
        self, suspicion: emission.Suspicion, construct: str, tracer: Traced | None, *, decided: bool
    ) -> emission.Suspicion:
        """What a suspicion becomes where a handler catches its error; marks the handler as reached."""
        path = self.path
        if not path.handlers or suspicion.kind in emission.RAISES_NOTHING:
            return suspicion
        handler = path.handlers[-1]
        sure = decided and not path.assumptions
        if tracer is not None and sure and path.undecided == handler.undecided:
            handler.is_reached = True
        in_its_trace = self.staging and tracer is not None and tracer.depth <= handler.depth
        near = handler.frame is self.frame
        return emission.behind_handler(suspicion, construct, handler, in_its_trace=in_its_trace, in_its_function=near)

    def assumed(self) -> tuple[Assumption, ...]:
        """What the running code rests on: that it is traced at all, whose method was called, options."""
        run = self.root_run
        return emission.assumed(self.path, self.trace, run.open_at, run.given, run.typed)

    def symbol(self, frame: Frame | None = None) -> str:
        """The dotted name of the function that runs, or of a frame's, with its module; at top level the module's."""
        frame = frame or self.frame
        name = frame.module.name
        while frame is not None and frame.function is None and frame.parent is not None:
            frame = frame.parent
        if frame is not None and frame.function is not None:
            return f"{name}.{frame.function.qualname}"
        return name

    def with_calls(self, root: Root) -> Root:
        """A root with the argument lists with which its module's top level calls it."""
        return root._replace(calls=tuple(self.world.top_calls.get(f"{root.module}:{root.qualname}", ())))
