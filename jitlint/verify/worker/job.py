"""One job: load a module, run what its probes need, and say of each probe what was seen."""

from __future__ import annotations

import dataclasses
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from . import (
    apart,
    branches,
    cases,
    drivers,
    failures,
    forcing,
    guard,
    importing,
    module,
    placement,
    silent,
    stages,
    survey,
    watch,
)
from .cases import Case
from .finder import Finder
from .frameworks import Stage
from .guidance import has_placeholder
from .known import GUESSED, Described, KnownInputs
from .module import TopLevel
from .probes import Probe, from_wire
from .search import Limits, leading, search, variants, with_numbers
from .targets import Inputs, Target
from .watch import Capture, Run, Watcher

Send = Callable[[dict[str, Any]], None]
_LEADING = 6
"""With how many other inputs a function is called for what it gives back, if the first lead nowhere."""

_FACTORIES = 3
"""How many calls deep functions made by functions are followed."""

_LASTING = (None, "", "not-staged", "only-lowered", "needs-device")
"""Why a function was not compiled for a device, where that does not depend on the machine."""
_TRY_SHARE = 0.4
"""How much of a probe's time one try may take."""


def run(job: dict[str, Any], send: Send) -> None:
    """Does a job and sends one `observation` for each of its probes.

    Args:
        job: as the linter's plan writes it.
        send: takes the messages.
    """
    watch.patience = job["patience"]
    for limit in ("probe_seconds", "compile_seconds"):
        job[limit] *= watch.patience
    seen = _settle(job)
    probes = [from_wire(item, job["sources"]) for item in job["probes"]]
    worker = _Job(job, probes)
    worker.load()
    told: set[str] = set()

    def tell(message: dict[str, Any]) -> None:
        """Sends a message, and before it what was read for it."""
        paths = sorted(seen.paths - told)
        told.update(paths)
        if paths:
            send({"type": "read", "paths": paths})
        if seen.beyond:
            message["lasting"] = False
        send(message)

    def examine(case: Case) -> None:
        if job["survey"] is not None:
            worker.survey(case.probe, job["survey"], tell)
            return
        if job["forced"]:
            worker.examine_forced(case)
        else:
            worker.examine(case)
        compiles = worker.can_compile(case)
        tell({**_observation(case), "lasting": worker.lasting(case) and not compiles})
        if compiles:
            send({"type": "compiling", "probe": case.probe.id})
            for name, built in worker.compile(case):
                for text in built.text_messages(f"{job['module']}.{name}"):
                    send(text)
                tell(_observation(case))  # each device's word is kept if the next one's compiler ends the process
            tell({**_observation(case), "lasting": worker.lasting(case)})

    tell({"type": "loaded"})
    for case in worker.cases:
        send({"type": "probing", "probe": case.probe.id})
        if job["forced"] and apart.possible():
            apart.run(partial(examine, case))
        else:
            examine(case)
            if job["forced"]:  # what was forced stays in the caches: the others need a process without it
                break


def _settle(job: dict[str, Any]) -> guard.Footprint:
    """Makes this process a place for user code: scratch directory, no input, the project on the path.

    Returns:
        What the user's code will have looked at.
    """
    os.chdir(job["scratch"])
    sys.path[:0] = job["paths"]
    sys.argv = [job["file"]]
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(3000)
    random.seed(0)
    placement.start(job["devices"][0]["mesh"])
    footprint = guard.install(job["scratch"])
    if not job["full_import"]:
        importing.install(job["paths"])
    return footprint


def _reached(case: Case, run: Run) -> int:
    """How near a run came to what is wanted: the place executed, and executed under tracing."""
    hit = run.hit(case.probe)
    if not cases.needs_trace(case.probe):
        return 2 * int(bool(hit.count))
    return int(bool(hit.count)) + int(bool(hit.staged))


def _observation(case: Case) -> dict[str, Any]:
    return {
        "type": "observation",
        "probe": case.probe.id,
        "outcome": case.outcome or "unclear",
        "code": case.code or "not-reached",
        "inputs": case.inputs[:12],
        "evidence": {**case.evidence, **({"inputs_from": case.origin} if case.decided else {})},
    }


@dataclass(frozen=True)
class _Program:
    """A clean trace of a function that reaches a case's place, and a call of it, each with what they are given."""

    label: str
    inputs: tuple[str, ...]
    trace: Callable[[], Any]
    execute: Callable[[], Any]
    guessed: bool = False


def _program(target: Target, inputs: Inputs, *, guessed: bool) -> _Program:
    trace, execute = (target.thunk(inputs, execute=way) for way in (False, True))
    return _Program(target.label, tuple(target.describe(inputs)), trace, execute, guessed)


class _Job:
    """The state of one job: the loaded module, the watcher, and a case per probe."""

    def __init__(self, job: dict[str, Any], probes: list[Probe]) -> None:
        self.cases = [Case(probe) for probe in probes]
        self._job = job
        self._sources: dict[str, str] = job["sources"]
        functions = [probe.detail["name"] for probe in probes] if job["survey"] else []
        self._watcher = Watcher(probes, self._sources, functions)
        self._entered: list[Capture] = []
        self._finder = Finder({}, self._sources)
        self._known = KnownInputs(job["inputs"])
        self._top_failure: failures.Failure | None = None
        self._driver_failures: list[str] = []
        self._lines: set[tuple[str, int]] = set()
        self._missing: dict[str, str] = {}
        self._deadline = 0.0
        self._try_seconds = _TRY_SHARE * job["probe_seconds"]
        self._programs: dict[int, _Program] = {}
        self._built: dict[tuple[str, ...], dict[str, Any]] = {}

    def lasting(self, case: Case) -> bool:
        """Whether another run would see the same: nothing was cut short, no compiler wanted what may be here then."""
        built = case.evidence.get("devices")
        wanting = built is not None and len(built) < len(self._job["devices"])
        if wanting or any(told.get("reason") not in _LASTING for told in (built or {}).values()):
            return False
        return case.decided or not (
            watch.interrupted or self._late() or case.code in ("import-failed", "missing-package")
        )

    def load(self) -> None:
        """Runs the module's top level; every run is evidence for every case."""
        limit = self._job["probe_seconds"] * 0.8
        top = self._run_top(limit, full=self._job["full_import"])
        if top is not None and top.lacks and not self._missing:
            self._run_top(limit, full=True)
        for driver in self._job["drivers"]:
            self._drive(driver, limit)
        loaded = {n: m for n, m in list(sys.modules.items()) if getattr(m, "__file__", None) in self._sources}
        self._finder = Finder(loaded, self._sources, self._job["calls"])

    def _drive(self, driver: dict[str, str], seconds: float) -> None:
        """Runs what the user named: evidence for every case, as the module's own calls are."""
        name = driver["name"]
        thunk = partial(drivers.run, driver)
        done = self._watcher.run(f"running driver {name}", thunk, seconds)
        self._take(done, Described([f"driver {name}"], "driver"), thunk, predicted=True)
        self._entered += done.entered
        if done.failure is not None:
            self._driver_failures.append(f"{name} ({done.failure.type}: {done.failure.first_line})")
        elif done.interrupted:
            self._driver_failures.append(f"{name} (stopped after {seconds:.0f} s)")

    def _run_top(self, limit: float, *, full: bool) -> TopLevel | None:
        """Runs what is needed of the module's top level, or all of it; None if there is nothing to run."""
        name, file = self._job["module"], self._job["file"]
        prepared = self._watcher.run("import", lambda: module.prepare(name, file, self._sources[file]), limit)
        self._top_failure = prepared.failure
        if prepared.failure is not None:
            return None
        probes = [case.probe for case in self.cases]

        def parse() -> tuple[TopLevel, list[module.Statement]]:
            top = TopLevel(prepared.value, self._sources[file], full=full)
            evidence = self._job["survey"] is not None
            return top, top.statements(probes, evidence=evidence, definitions_only=self._job["definitions_only"])

        parsed = self._watcher.run("parse", parse, limit)
        self._top_failure = parsed.failure
        if parsed.value is None:
            return None
        top: TopLevel
        top, statements = parsed.value
        for statement in statements:
            thunk, seconds = statement.run, limit
            if statement.acts and not top.is_full:
                thunk, seconds = self._watcher.bounded(thunk), min(limit, self._try_seconds)
            done = self._watcher.run(f"the module's line {statement.line}", thunk, seconds)
            self._take(done, Described([], "call site"), thunk, predicted=True)
            self._entered += done.entered
            if done.failure is not None:
                self._top_failure = self._top_failure or done.failure
                if package := failures.missing_package(done.failure):
                    self._missing.update(dict.fromkeys(statement.imports, package))
        return top

    def examine(self, case: Case) -> None:
        """Runs what may show a case's event until it is decided or nothing is left to try."""
        self._deadline = time.monotonic() + self._job["probe_seconds"] * 0.8
        if cases.is_silent(case.probe):
            self._examine_silent(case)
        elif not case.decided:
            for target, known in self._targets(case):
                case.targets.append(target.label)
                self._explore(target, case, known, execute=False)
                if case.decided or case.settled or self._late():
                    break
            self._close(case)
        if not case.decided:
            self._explain(case)

    def examine_forced(self, case: Case) -> None:
        """Runs a case's targets with every other concretization point forced to a value."""
        self._deadline = time.monotonic() + self._job["probe_seconds"] * 0.8
        forcing.examine(case, self._targets(case), self._finder, self._watched, self._late, self._sources)

    def survey(self, entry: Probe, wanted: dict[str, Any], send: Send) -> None:
        """Surveys an entry point; an exception of ours costs only this one."""
        try:
            self._survey(entry, wanted, send)
        except Exception as error:  # noqa: BLE001  it is told
            at = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{type(error).__name__}: {error}"[:400] + f" ({Path(at.filename).name}:{at.lineno})"
            send(survey.observation(entry, "unclear", "broken", None, message=message))

    def _survey(self, entry: Probe, wanted: dict[str, Any], send: Send) -> None:
        """Reaches an entry point, takes it through every device's stages, and tells what is known after each."""
        files, seconds = frozenset(wanted["files"]), self._job["probe_seconds"] * 0.8
        assumed = entry.detail["origin"] != "transform"
        source = self._sources[self._job["file"]]
        search = survey.Survey(entry, self._finder, self._watcher, self._known, source, seconds, assumed=assumed)
        program = search.find(self._entered)
        if program is None and search.sure is not None:
            failure, failed = search.sure
            told = survey.failure_message(failure)
            send({**survey.observation(entry, "failed", "traced", failed, failure=told), "lasting": True})
        elif program is None:
            code, why = search.why()
            if self._top_failure is not None and code == "no-target":
                code, why = "import-failed", cases.told(self._top_failure)
            lasting = not (search.late or watch.interrupted or code == "import-failed")
            send({**survey.observation(entry, "unclear", code, None, **why), "lasting": lasting})
        else:
            told = {}

            def tell(evidence: dict[str, Any], done: stages.Stages | None) -> None:
                told.update(evidence)
                for text in done.text_messages(f"{self._job['module']}.{program.label}") if done is not None else ():
                    send(text)
                send(survey.observation(entry, "surveyed", "traced", program, **evidence))

            send({"type": "compiling", "probe": entry.id})
            survey.take_through(program, self._job["devices"], files, wanted["large"], tell, seconds / 2)
            lasting = told["compared"] != "time" and all(built.get("reason") in _LASTING for built in told["builds"])
            send({**survey.observation(entry, "surveyed", "traced", program, **told), "lasting": lasting})

    def _examine_silent(self, case: Case) -> None:
        if case.witness is not None and not case.decided:
            silent.judge(case, self._watched, self._sources[case.probe.site.file])
        if case.decided:
            return
        for target, known in self._targets(case):
            case.targets.append(target.label)
            case.witness = None
            self._explore(target, case, known, execute=True)
            if case.witness is not None and not case.decided:
                reason, case.outcome = (case.outcome, case.code, case.evidence), ""
                silent.judge(case, self._watched, self._sources[case.probe.site.file])
                if not case.decided and reason[0] and reason[1] != "not-traced":
                    case.outcome, case.code, case.evidence = reason
            if case.decided or self._late():
                break

    def _watched(self, label: str, thunk: Callable[[], Any], *, keep: bool = True) -> Run:
        return self._watcher.run(label, thunk, 2 * self._try_seconds, keep=keep)

    def _take(
        self, run: Run, inputs: Described, thunk: Callable[[], Any], own: Case | None = None, *, predicted: bool
    ) -> None:  # fmt: skip
        self._lines |= run.lines.keys()
        for case in self.cases:
            case.look(run, inputs, thunk, own=case is own, predicted=predicted, guessed=inputs.origin in GUESSED)

    def _targets(self, case: Case) -> Iterator[tuple[Target, KnownInputs]]:
        """What to run for a case, and where to look for inputs of it: what a recording holds whole comes first."""
        for maker, function, known in self._known.functions(case.probe):
            for target in self._finder.returned(maker, function, case.probe):
                yield dataclasses.replace(target, predicted=True), known
        for target in self._finder.targets(case.probe):
            yield target, self._known

    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    def _explore(self, target: Target, case: Case, known: KnownInputs, *, execute: bool) -> None:
        clean: list[Any] = []
        lacking: list[Stage] = []
        slow: list[Run] = []

        def attempt_thunk(inputs: Described, thunk: Callable[[], Any], *, typical: bool = True) -> Run:
            seconds = min(self._try_seconds, max(self._deadline - time.monotonic(), 0.1))
            label = f"{'calling' if execute or not target.traced else 'tracing'} {target.label}{inputs.arguments}"
            run = self._watcher.run(label, thunk, seconds)
            self._take(run, inputs, thunk, case if typical else None, predicted=target.predicted)
            if run.clean:
                clean[:] = [run.value]
            slow.extend([run] if run.interrupted else [])
            if run.stuck.stage is not None and target.stage is None:
                lacking[:] = [run.stuck.stage]
            return run

        def attempt(inputs: Inputs, origin: str = "") -> Run:
            if has_placeholder(inputs):  # it only asks: what else such a run shows is of no program
                return self._watcher.run("ask", target.thunk(inputs, execute=execute), self._try_seconds)
            described = Described(target.describe(inputs), origin or target.origin_of(inputs))
            open_before = [case for case in self.cases if not case.decided]
            numbers = with_numbers(target, inputs) if described.origin in GUESSED else inputs
            run = attempt_thunk(described, target.thunk(inputs, execute=execute), typical=numbers == inputs)
            doubtful = [case for case in open_before if case.outcome == "confirmed" and cases.is_of_tracers(case.probe)]
            if doubtful and numbers != inputs:
                for each in doubtful:
                    each.reopen()
                attempt_thunk(
                    Described(target.describe(numbers), described.origin), target.thunk(numbers, execute=execute)
                )
            return run

        def done() -> bool:
            if lacking or slow or (clean and not case.reached and self._finder.has_functions(clean[0])):
                return True
            return case.decided or self._late() or (execute and case.witness is not None and case.witness.run.clean)

        refuting = len(case.clean)
        for each in known.of(target):
            if not each.whole:
                case.evidence[f"not_{each.origin}"] = list(each.missing)
                target = target.beginning_with(each.inputs)
                continue
            attempt(each.inputs, each.origin)
            if len(case.clean) > refuting and target.traced:
                self._programs.setdefault(case.probe.id, _program(target, each.inputs, guessed=False))
            if done():
                return
        if len(case.clean) > refuting and not execute:
            case.settled = True
            return
        for call in self._finder.calls(target):
            thunk = target.given_thunk(call, execute=execute)
            run = attempt_thunk(Described([call.text], "call site"), thunk)
            if target.traced and run.clean and run.hit(case.probe).staged and not execute:
                program = _Program(target.label, (call.text,), thunk, target.given_thunk(call, execute=True))
                self._programs.setdefault(case.probe.id, program)
            if done():
                return
        limits = Limits() if target.traced else Limits(80, 40)
        best = search(target, attempt, lambda run: _reached(case, run), done, limits)
        if lacking and not case.decided:
            label = lacking[0].title.format(target.label)
            self._explore(replace(target.within(lacking[0]), label=label), case, known, execute=execute)
        if clean and not case.reached and not case.decided:
            self._explore_returned(target, clean[0], case, execute=execute)
            for inputs in leading(target)[:_LEADING]:
                if not (case.decided or case.reached or self._late()) and (run := attempt(inputs)).clean:
                    self._explore_returned(target, run.value, case, execute=execute)
        reached = case.staged if cases.needs_trace(case.probe) else case.reached
        if best is not None and clean and reached and not case.decided and not execute:
            for inputs in list(variants(target, best))[:8]:
                if not self._late():
                    attempt(inputs)
            if target.traced:
                self._programs.setdefault(case.probe.id, _program(target, best, guessed=True))

    def _explore_returned(self, target: Target, value: Any, case: Case, *, execute: bool) -> None:
        """Goes on with the functions that a factory made."""
        if target.label.count("(…)") >= _FACTORIES:
            return
        for made in self._finder.returned(target.label, value, case.probe):
            self._explore(made, case, self._known, execute=execute)
            if case.decided or case.reached or self._late():
                return

    def can_compile(self, case: Case) -> bool:
        """Whether a clean trace of a function that reaches the case's place was found."""
        return case.outcome == "refuted" and case.probe.id in self._programs

    def compile(self, case: Case) -> Iterator[tuple[str, stages.Stages]]:
        """Takes that trace on to the compiler of one device after the other, and notes what they said."""
        program = self._programs[case.probe.id]
        told = case.evidence["devices"] = self._built.setdefault((program.label, *program.inputs), {})
        if told:
            return
        steps = stages.build(
            program.trace, self._job["devices"], self._sources, program.execute, guessed=program.guessed
        )
        while (run := self._watcher.run("compile", lambda: next(steps, None), self._job["compile_seconds"])).value:
            told[run.value.device] = run.value.told()
            yield program.label, run.value

    def _close(self, case: Case) -> None:
        """Decides a crash case in which nothing clear came."""
        if case.decided:
            return
        if case.weak is not None:
            failure, inputs, label = case.weak
            case.confirm(inputs, **cases.told(failure), where=label)
        elif case.clean:
            case.refute(case.clean[0], runs=len(case.clean))

    def _explain(self, case: Case) -> None:
        """Says why a case stays open."""
        if self._driver_failures:
            case.evidence["drivers_failed"] = "; ".join(self._driver_failures)
        if case.outcome:
            return
        if self._late():
            case.unclear("search-time")
        elif case.blocked is not None and not case.clean:
            case.unclear("other-failure", **cases.told(case.blocked))
        elif case.reached and not case.staged:
            case.unclear("not-traced" if cases.needs_trace(case.probe) else "not-shown")
        elif not case.targets:
            self._explain_no_target(case)
        elif case.other is not None and (package := self._missing.get(failures.undefined_name(case.other), "")):
            case.unclear("missing-package", package=package)
        elif case.other is not None and (case.reached or not case.came_back):
            case.unclear("no-inputs", target=case.targets[0], **cases.told(case.other))
        else:
            site = case.probe.site
            case.unclear("not-reached", branch=branches.missed(site, self._sources[site.file], self._lines))

    def _explain_no_target(self, case: Case) -> None:
        failure = self._top_failure
        if failure is None:
            case.unclear("no-target")
        elif package := next(iter(self._missing.values()), failures.missing_package(failure)):
            case.unclear("missing-package", package=package)
        else:
            case.unclear("import-failed", **cases.told(failure))
