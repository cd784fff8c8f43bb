"""Loads a job's module: runs the needed part of its top level, then drivers and programs; all of it is evidence."""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from ..inputs.known_inputs import Described
from ..inside_jax import failures, jit_calls
from ..inside_jax.failures import Failure
from ..messages import DriverRequest, JobRequest, Line, ModuleRequest, Words
from ..process.budget import Clock
from ..user_code import drivers, programs, top_level
from ..user_code.top_level import TopLevel
from ..watching.evidence import Evidence
from ..watching.harvest import Harvest
from ..watching.program_calls import ProgramCalls
from ..watching.watch import Capture
from .other_options import OtherOptions
from .starting import Hidden, Starting
from .target_finder import Finder


@dataclass
class Loaded:
    """What came of loading a module.

    Attributes:
        failure: the first failure of its top level, None if there was none.
        lost: the names that failed statements would have bound, each with the failure.
        failed_drivers: the drivers that did not come to their end, and why.
        entered: the traced calls, meanwhile, of the functions that a survey asks for.
        harvest: what the functions were called with.
        options: what the files offer in place of a value.
        hidden: runs of programs that ended in a failure.
    """

    failure: Failure | None = None
    lost: dict[str, Failure] = field(default_factory=dict)
    failed_drivers: list[str] = field(default_factory=list)
    entered: list[Capture] = field(default_factory=list)
    harvest: Harvest = field(default_factory=lambda: Harvest(()))
    options: OtherOptions = field(default_factory=lambda: OtherOptions((), (), Harvest(())))
    hidden: list[Hidden] = field(default_factory=list)

    @property
    def missing(self) -> str:
        """The first package that could not be imported, "" if there is none."""
        return next(filter(None, map(failures.missing_package, self.lost.values())), "")


def load(job: JobRequest, evidence: Evidence, seconds: float) -> Loaded:
    """Loads a job's module and runs its drivers.

    Args:
        job: the job.
        evidence: runs code, and holds the job's cases.
        seconds: how long each statement and each driver may take.
    """
    loaded = Loaded()
    watcher = evidence.watcher
    watcher.harvest = loaded.harvest = Harvest(job.sources)
    watcher.program_calls = calls = ProgramCalls([case.probe for case in evidence.cases])
    for case in evidence.cases:
        case.calls = calls.places[case.probe.id]
    with jit_calls.noted(calls.note_call):
        _run_all(job, evidence, seconds, loaded)
    watcher.harvest = watcher.program_calls = None
    return loaded


def _run_all(job: JobRequest, evidence: Evidence, seconds: float, loaded: Loaded) -> None:
    for module in (ModuleRequest(job.module, job.file), *job.others):
        if (known := programs.loaded(module)) is not None:
            sys.modules.setdefault(module.module, known)
            continue
        top = _run_top(job, module, evidence, seconds, loaded, full=job.full_import)
        if top is not None and top.lacks and not loaded.missing:
            _run_top(job, module, evidence, seconds, loaded, full=True)
    for driver in job.drivers:
        _drive(driver, evidence, seconds, loaded)
    loaded.options = OtherOptions(_trees(job), modules(job).values(), loaded.harvest)
    if job.programs and job.sandbox and not job.definitions_only:  # outside of a sandbox, only what leads to a place
        starting = Starting(job, evidence, loaded.options, seconds)
        for program in job.programs:
            starting.start(program)
        loaded.hidden = starting.hidden


def finder(job: JobRequest, clock: Clock) -> Finder:
    """A finder for the job's files, as far as they are loaded."""
    return Finder(modules(job), job.sources, job.calls, clock)


def modules(job: JobRequest) -> dict[str, types.ModuleType]:
    """The job's files, as far as they are loaded, by the names of their modules."""
    return {n: m for n, m in list(sys.modules.items()) if getattr(m, "__file__", None) in job.sources}


def _trees(job: JobRequest) -> Iterator[ast.Module]:
    for text in job.sources.values():
        with contextlib.suppress(SyntaxError, ValueError):
            yield ast.parse(text)


def _run_top(
    job: JobRequest, module: ModuleRequest, evidence: Evidence, limit: float, loaded: Loaded, *, full: bool
) -> TopLevel | None:
    """Runs the needed part of a module's top level, or all of it; None if it cannot be parsed or prepared."""
    name, file, text = module.module, module.file, job.sources[module.file]
    prepared = evidence.watcher.run("import", lambda: top_level.prepare(name, file, text), limit)
    loaded.failure = loaded.failure or prepared.failure
    if prepared.failure is not None:
        return None

    def parse() -> tuple[TopLevel, list[top_level.Statement]]:
        top = TopLevel(prepared.value, text, full=full)
        probes = [case.probe for case in evidence.cases if not job.others or case.probe.root_module == name]
        starts = any(program.file == file for program in job.programs)
        also = programs.names_needed(text) if starts else frozenset[str]()
        surveyed = job.survey is not None
        return top, top.statements(probes, also=also, evidence=surveyed, definitions_only=job.definitions_only)

    parsed = evidence.watcher.run("parse", parse, limit)
    loaded.failure = loaded.failure or parsed.failure
    if parsed.value is None:
        return None
    top: TopLevel
    top, statements = parsed.value
    for statement in statements:
        thunk, seconds = statement.run, limit
        if statement.acts and not top.is_full:
            thunk, seconds = evidence.watcher.bounded(thunk), limit / 2
            if not statement.binds:
                thunk = evidence.watcher.until_nothing_is_new(thunk)
        label, nothing = Words(("the module's ", Line(file, statement.line))), Described([], "call site", first=True)
        done = evidence.run(label, thunk, seconds, nothing, stand_in=None)
        loaded.entered += done.entered
        if done.failure is not None:
            loaded.failure = loaded.failure or done.failure
            loaded.lost.update(dict.fromkeys(statement.binds, done.failure))
    return top


def _drive(driver: DriverRequest, evidence: Evidence, seconds: float, loaded: Loaded) -> None:
    """Runs a driver: evidence for every case, like the module's own calls."""
    name = driver.name
    inputs = Described([f"driver {name}"], "driver")
    done = evidence.run(f"running driver {name}", partial(drivers.run, driver), seconds, inputs, stand_in=None)
    loaded.entered += done.entered
    if done.failure is not None:
        loaded.failed_drivers.append(f"{name} ({done.failure.type}: {done.failure.first_line})")
    elif done.interrupted:
        loaded.failed_drivers.append(f"{name} (stopped after {seconds:.0f} s)")
