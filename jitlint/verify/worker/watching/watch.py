"""Watches user code run: which places it executes, under which trace, and what it compiles."""

from __future__ import annotations

import contextlib
import gc
import sys
import types
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import jax

from ..effort import Effort
from ..inputs import stuck_calls
from ..inputs.stuck_calls import Stuck
from ..inside_jax import cache_misses, failures, placement, stand_ins, tracers
from ..inside_jax.failures import Failure
from ..inside_jax.stand_ins import StandIns
from ..messages import Words
from ..process import child_process
from ..process.budget import Clock, Interrupted
from ..user_code.probes import Probe
from ..user_code.sites import Site, site_of
from . import instructions, kept, kinds
from .harvest import Harvest
from .kept import KeptCall
from .scopes import Scope

_TRACED = 20
"""How many calls of a traced function are noted; more are a loop."""

_NOTED = 1000
"""So often is a place noted in one run."""

_COMPILED = "/jax/core/compile/backend_compile_duration"


_ROUNDS, _SECONDS = 100, 1.0
"""After so many rounds and seconds, a loop at a module's top level is stopped: it has shown what it can."""

_QUIET = 2.0
"""A program that has run no new line for so many seconds is stopped."""


@dataclass
class Capture:
    """A call that JAX made to trace a user function.

    Attributes:
        function: the function.
        arguments: its arguments by name, with shapes in place of tracers.
        caught: whether the run around it came to its end, so that a failure inside was expected.
    """

    function: types.FunctionType
    arguments: dict[str, Any]
    caught: bool = False


@dataclass
class Hit:
    """What one run saw at one probe's place.

    Attributes:
        count: how often the place was executed.
        staged: how often it was executed under a trace.
        compiled: how many compilations began there.
        captures: the traced calls around it, the first ones.
        scopes: the names in view, the first times.
        failed: the names in view when it raised under a trace.
        kept: the calls of the function around it, if it keeps something for further calls, the first ones.
    """

    count: int = 0
    staged: int = 0
    compiled: int = 0
    captures: list[Capture] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    failed: Scope | None = None
    kept: list[KeptCall] = field(default_factory=list)


@dataclass
class Run:
    """One run of user code: how it ended and what was seen.

    Attributes:
        label: what it did, for people.
        failure: the exception that ended it.
        interrupted: whether it took too long.
        seconds: how long it took.
        value: what it returned.
        hits: what was seen at each probe's place, by the probe's id.
        lines: how often each of the user's lines ran.
        raised_staged: the lines that an exception passed under a trace, with the names of its type's bases.
        compiled: the names of the functions that were compiled.
        blame: the line at which each user function was when the run failed.
        entered: the traced calls of the functions that the watcher was asked for.
        stuck: what a library needed when the run failed.
        traced: the arguments of each user function that ran under a trace.
        misses: JAX's explanations of its cache misses.
        stand_ins: what was stood in for.
    """

    label: str | Words
    failure: Failure | None = None
    interrupted: bool = False
    seconds: float = 0.0
    value: Any = None
    hits: dict[int, Hit] = field(default_factory=dict)
    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    raised_staged: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    compiled: list[str] = field(default_factory=list)
    blame: dict[str, int] = field(default_factory=dict)
    entered: list[Capture] = field(default_factory=list)
    stuck: Stuck = field(default_factory=Stuck)
    traced: dict[types.CodeType, list[dict[str, Any]]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)
    stand_ins: StandIns = field(default_factory=StandIns)

    @property
    def clean(self) -> bool:
        return self.failure is None and not self.interrupted

    def hit(self, probe: Probe) -> Hit:
        return self.hits.get(probe.id, Hit())


class Runner(Protocol):
    """Runs user code under watch (see `Watcher.run`)."""

    def __call__(
        self, label: str, thunk: Callable[[], Any], *, keep: bool = True, stand_in: int | None = None
    ) -> Run: ...


class PlaceTaker(Protocol):
    """Takes note of places that are executed."""

    def begin(self) -> None: ...

    def note_place(self, probe: int, scope: Scope, frame: types.FrameType) -> None: ...


class Watcher:
    """Runs user code with a trace function that looks at the user's files only.

    Args:
        probes: the places to look at.
        sources: the user's files.
        functions: the qualified names of functions whose arguments are noted when JAX traces them.
        clock: stops code that takes too long.

    Attributes:
        clock: the same.
        harvest: takes what the user's functions are called with; None if nobody wants it.
        program_calls: takes what is executed as the user's programs execute it; None while jitlint runs code its way.
    """

    def __init__(
        self, probes: Collection[Probe], sources: Mapping[str, str], functions: Collection[str], clock: Clock
    ) -> None:
        self.clock = clock
        self.harvest: Harvest | None = None
        self.program_calls: PlaceTaker | None = None
        self._files = frozenset(sources)
        self._wanted = frozenset(functions)
        self._wanted_names = frozenset(name.rpartition(".")[2] for name in functions)
        self._sources = sources
        self._probes = list(probes)
        self._homes = instructions.homes(probes, sources)
        self._offsets: dict[types.CodeType, Mapping[int, tuple[int, ...]]] = {}
        self._keeping: dict[types.CodeType, list[Probe]] = {}
        self._snapshots: dict[types.FrameType, dict[str, Any]] = {}
        self._functions: dict[types.CodeType, types.FunctionType] = {}
        self._run = Run("")
        self._keep = True
        self._explains = any(probe.kind in kinds.CACHED for probe in self._probes)
        self._loops: Effort | None = None
        self._news: Effort | None = None
        jax.monitoring.register_event_duration_secs_listener(self._on_event)

    def run(
        self,
        label: str | Words,
        thunk: Callable[[], Any],
        seconds: float,
        *,
        keep: bool = True,
        stand_in: int | None = None,
    ) -> Run:
        """Calls `thunk` and returns what was seen, the exception that it raised included.

        Args:
            label: what the run does, for people.
            thunk: does it.
            seconds: how long it may take.
            keep: whether to note what refers to values; if not, leaks that JAX finds are the user's.
            stand_in: a number that stands in for all results of compiled programs, so that nothing is compiled.
        """
        run = self._run = Run(label)
        self._keep = keep
        self._counts: dict[tuple[int, int], int] = {}
        before, effort = sys.gettrace(), Effort()
        sys.settrace(self._on_call)
        try:
            with (
                self.clock.limit(seconds),
                cache_misses.explained(run.misses) if self._explains else contextlib.nullcontext(),
                stand_ins.standing_in(stand_in, run.stand_ins, self._files)
                if stand_in is not None
                else contextlib.nullcontext(),
            ):
                run.value = placement.in_mesh(thunk)
        except Interrupted:
            run.interrupted = True
        except BaseException as error:  # noqa: BLE001  user code may raise anything, SystemExit included
            sys.settrace(before)
            if not _is_good_end(error):
                run.failure = failures.read(error, self._files)
                run.blame = _lines_by_function(error, self._files)
                run.stuck = stuck_calls.read(error, self._sources)
        finally:
            child_process.end_copy()
            sys.settrace(before)
            self._snapshots.clear()
            self._run = Run("")
            run.seconds = effort.spent()
        for capture in run.entered:
            capture.caught = run.clean
        return run

    def bounded(self, thunk: Callable[[], Any]) -> Callable[[], Any]:
        """A statement of a module's top level whose loops are stopped after a while."""

        def run() -> Any:
            self._loops = Effort()
            try:
                return thunk()
            finally:
                self._loops = None

        return run

    def until_nothing_is_new(self, thunk: Callable[[], Any]) -> Callable[[], Any]:
        """A program that is stopped when it has run the same lines for a while: a loop has shown what it can."""

        def run() -> Any:
            self._news = Effort()
            try:
                return thunk()
            finally:
                self._news = None

        return run

    def _on_call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if frame.f_globals.get("__file__") not in self._files:  # before `f_code`, which takes an audit event
            return None
        code = frame.f_code
        if code.co_filename not in self._files:
            return None
        if code not in self._offsets:
            self._offsets[code] = instructions.offsets(code, self._probes, self._homes)
            held = {probe for probes in self._offsets[code].values() for probe in probes}
            self._keeping[code] = [probe for probe in self._probes if probe.id in held and kept.is_of_kept(probe)]
        if self._offsets[code]:
            frame.f_trace_opcodes = True
        if self.harvest is not None:
            self.harvest.enter(frame)
        if self._keep and code.co_name != "<module>" and tracers.staging():
            self._snapshots[frame] = tracers.arguments(frame)
            if code.co_name in self._wanted_names:
                self._enter(frame)
            traced = self._run.traced.setdefault(code, [])
            if len(traced) < _TRACED:
                traced.append(self._snapshots[frame])
        return self._on_step

    def _enter(self, frame: types.FrameType) -> None:
        """Notes the first traced call of a function that the watcher was asked for."""
        function = function_of(frame)
        if function is None or function.__qualname__ not in self._wanted:
            return
        if not any(known.function.__code__ is function.__code__ for known in self._run.entered):
            self._run.entered.append(Capture(function, self._snapshots[frame]))

    def _on_step(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            line = frame.f_code.co_filename, frame.f_lineno
            self._run.lines[line] += 1
            if self._news is not None:
                rounds = self._run.lines[line]
                if rounds == 1:
                    self._news = Effort()
                elif self._news.spent() > _QUIET:
                    if rounds > _TRACED or not tracers.staging():
                        raise Interrupted
                    self._news = Effort()  # JAX itself was busy, with a long trace
            if self._loops is not None and self._goes_on(frame) and self._loops.spent() > _SECONDS:
                raise Interrupted
        elif event == "return":
            self._snapshots.pop(frame, None)  # frames keep alive what is below them: JAX forgets traces with functions
            if self.harvest is not None:
                self.harvest.leave(frame)
            for keeping in self._keeping.get(frame.f_code, ()):
                self._on_kept(keeping, frame)
        elif event == "exception" and tracers.staging():
            bases = frozenset(base.__name__ for base in argument[0].__mro__)
            self._run.raised_staged[frame.f_code.co_filename, frame.f_lineno] = bases
            for probe in {probe for probes in self._offsets[frame.f_code].values() for probe in probes}:
                if self._keep:
                    self._run.hits.setdefault(probe, Hit()).failed = _scope(frame)
        elif event == "opcode":
            for probe in self._offsets[frame.f_code].get(frame.f_lasti, ()):
                self._on_place(probe, frame)
        return self._on_step

    def _goes_on(self, frame: types.FrameType) -> bool:
        rounds = self._run.lines[frame.f_code.co_filename, frame.f_lineno]
        return frame.f_code.co_name == "<module>" and rounds > _ROUNDS

    def _on_place(self, probe: int, frame: types.FrameType) -> None:
        hit = self._run.hits.setdefault(probe, Hit())
        key = (probe, frame.f_lasti)
        self._counts[key] = self._counts.get(key, 0) + 1
        if self._counts[key] > hit.count:
            hit.count = self._counts[key]
            if tracers.staging():
                hit.staged += 1
                if self._keep and len(hit.captures) < 3:
                    self._capture(hit, frame)
        if self._keep and len(hit.scopes) < 3:
            hit.scopes.append(_scope(frame))
        if self.program_calls is not None and hit.count <= _NOTED:
            self.program_calls.note_place(probe, _scope(frame), frame)

    def _on_kept(self, probe: Probe, frame: types.FrameType) -> None:
        """Notes what is kept for a call that ends: it concerns the probe, though the place runs for the first only."""
        hit = self._run.hits.setdefault(probe.id, Hit())
        if self._keep and len(hit.kept) < _TRACED and not tracers.staging():
            hit.kept.append(kept.call_of(probe, _scope(frame)))
            hit.count = max(hit.count, len(hit.kept))

    def _capture(self, hit: Hit, frame: types.FrameType | None) -> None:
        outermost = None
        while frame is not None:
            if frame in self._snapshots:
                outermost = frame
            elif outermost is not None and frame.f_code.co_filename in self._files:
                break
            frame = frame.f_back
        if outermost is None:
            return
        code = outermost.f_code
        function = self._functions.get(code) or function_of(outermost)
        if function is not None:
            if not code.co_freevars:  # a code object with no closure has one function
                self._functions[code] = function
            hit.captures.append(Capture(function, self._snapshots[outermost]))

    def _on_event(self, name: str, seconds: float, **details: Any) -> None:
        if name != _COMPILED or not self._run.label:
            return
        self._run.compiled.append(str(details.get("fun_name", "")))
        sites = list(self._user_sites(sys._getframe()))
        for probe in self._probes:
            if any(probe.site.overlaps(site) for site in sites):
                self._run.hits.setdefault(probe.id, Hit()).compiled += 1

    def _user_sites(self, frame: types.FrameType | None) -> Iterator[Site]:
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                yield site_of(frame.f_code, frame.f_lasti)
            frame = frame.f_back


_FUNCTIONS: dict[types.CodeType, list[weakref.ref[types.FunctionType]]] = {}
"""The functions of each code object that were found: to look for them takes long."""

_CLOSURES = 8
"""So many functions of one code object are remembered."""


def function_of(frame: types.FrameType) -> types.FunctionType | None:
    """The function object that a frame runs; among several of one code object, the one with the frame's closure."""
    code = frame.f_code
    known = _FUNCTIONS.setdefault(code, [])
    for function in filter(None, (each() for each in known)):
        if function.__code__ is code and _is_closed_over(function, frame):
            return function
    found = [f for f in gc.get_referrers(code) if isinstance(f, types.FunctionType) and f.__code__ is code]
    for function in found:
        if _is_closed_over(function, frame):
            known[:] = [*known[-_CLOSURES:], weakref.ref(function)]
            return function
    return found[0] if len(found) == 1 else None


def _is_closed_over(function: types.FunctionType, frame: types.FrameType) -> bool:
    """Whether a function of a frame's code has the values that the frame sees."""
    cells, names = function.__closure__ or (), frame.f_locals
    return all(_same(cell, names, name) for name, cell in zip(frame.f_code.co_freevars, cells, strict=True))


def _same(cell: types.CellType, names: Mapping[str, Any], name: str) -> bool:
    try:
        return name in names and cell.cell_contents is names[name]
    except ValueError:
        return name not in names


def _scope(frame: types.FrameType) -> Scope:
    function = function_of(frame) if frame.f_code.co_freevars else None
    cells = dict(zip(frame.f_code.co_freevars, function.__closure__ or (), strict=True)) if function else {}
    return Scope(frame.f_globals, tracers.Names(frame.f_locals), cells)


def _is_good_end(error: BaseException) -> bool:
    """Whether an exception is the end of a program that says that all went well: `sys.exit(main())`."""
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _lines_by_function(error: BaseException, files: Collection[str]) -> dict[str, int]:
    """The line at which each user function was when an exception passed it."""
    entry = error.__traceback__
    found: dict[str, int] = {}
    while entry is not None:
        if entry.tb_frame.f_code.co_filename in files:
            found.setdefault(entry.tb_frame.f_code.co_name, entry.tb_lineno)
        entry = entry.tb_next
    return found
