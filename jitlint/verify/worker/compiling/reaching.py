"""Reaches an entry point: searches for inputs with which it traces cleanly."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterator
from typing import Any

from ..inputs.frameworks import Stage
from ..inputs.known_inputs import KnownInputs
from ..inputs.targets import Inputs, Target
from ..inside_jax import failures, faults
from ..inside_jax.failures import Failure
from ..inside_jax.jitted import is_jitted
from ..process.budget import Budget
from ..search.guidance import has_placeholder
from ..search.input_search import Limits, search
from ..search.target_finder import Finder
from ..user_code.probes import Probe
from ..user_code.repeatable_calls import RepeatableCalls
from ..user_code.texts import unwrapped
from ..watching.watch import Capture, Run, Watcher
from . import programs
from .programs import CALL_SITE, SEARCH, Jitted, Program

_TARGETS = 6
_CALLS = 4
_SHARD_MAP = "jax.shard_map"
"""A transform that traces nothing by itself, so that its function is put under a jit of ours."""
_RETURNED, _DEPTH = 4, 2


class Survey:
    """The search for one entry point's program, and what became of it.

    Args:
        entry: what to reach; its detail `name` is the function's qualified name.
        assumed: whether only we apply a transform to it, and not the project.
        finder: finds what to run.
        watcher: runs it.
        known: recorded and declared inputs.
        source: the text of the job's module.
        seconds: how long to search.
    """

    def __init__(
        self,
        entry: Probe,
        finder: Finder,
        watcher: Watcher,
        known: KnownInputs,
        source: str,
        seconds: float,
        *,
        assumed: bool,
    ) -> None:
        self._entry, self._name, self._assumed = entry, entry.detail["name"], assumed
        self._finder, self._watcher, self._known = finder, watcher, known
        self._module = RepeatableCalls(source)
        self._budget = Budget(seconds)
        self._tried = ""
        self._failure: tuple[Failure, list[str], str] | None = None
        self._sure: tuple[Failure, Program] | None = None
        self._furthest = (False, -1)
        self._late = self._settled = False
        self._results: list[Any] = []
        self._without_arrays = ""
        self._under_jit = lambda function: Jitted(function, self._results)

    def find(self, seen: Collection[Capture]) -> Program | None:
        """A program of the entry that traces cleanly, None if none was found.

        Args:
            seen: the traced calls while the module's top level ran.
        """
        return next(self._programs(seen), None)

    @property
    def sure(self) -> tuple[Failure, Program] | None:
        """A failure to trace that is not caused by made-up inputs, with its program; None if there was none."""
        return self._sure

    def why(self) -> tuple[str, dict[str, Any]]:
        """Why no program was found: the reason's code and its evidence."""
        if self._late:
            return "search-time", {}
        if self._failure is not None:
            failure, inputs, target = self._failure
            site = failure.site
            place = site.first_line if site else ""
            evidence = {"exception": failure.type, "message": failure.first_line, "place": place, "tried": inputs[:12]}
            if not self._furthest[0] and failures.is_concretization(failure):
                return "other-failure", evidence
            if not faults.is_of_program(failure):
                return "refused" if failure.refused else "environment", evidence
            return "no-inputs", {"target": target, **evidence}
        if self._without_arrays:
            return "no-program", {"target": self._without_arrays}
        if self._tried:
            return "not-reached", {"branch": f"`{self._tried}` leads to no trace"}
        return "no-target", {}

    # --- programs, most telling first ---------------------------------------------------------------------------------

    def _programs(self, seen: Collection[Capture]) -> Iterator[Program]:
        targets = list(self._targets())
        for target, known in targets:
            for each in known.of(target):
                if each.whole:
                    yield from self._attempted(target, each.inputs, each.origin)
            if target.traced and self._is_entry(target):
                for call in itertools.islice(self._finder.calls(target), _CALLS):
                    known_here = call in target.calls and self._module.can_be_repeated(call.text)
                    yield from self._checked(programs.of_call(target, call, known=known_here))
        yield from self._captured(seen, CALL_SITE)
        for target, known in targets:
            if self._settled or self._is_late():
                return
            self._tried = self._tried or target.label
            for each in known.of(target):
                target = target.beginning_with(each.inputs)
            yield from self._of_target(target)

    def _targets(self) -> Iterator[tuple[Target, KnownInputs]]:
        for maker, function, known in self._known.functions(self._entry):
            for target in self._finder.returned(maker, function, self._entry):
                yield target, known
        for at, target in enumerate(self._finder.targets(self._entry)):
            if at >= _TARGETS:
                return
            if not target.traced and (self._assumed or self._entry.entry_transform == _SHARD_MAP):
                if _name_of(target.function) == self._name:
                    target = self._jitted(target)
                elif self._assumed:
                    continue
            yield target, self._known

    def _jitted(self, target: Target) -> Target:
        """A target under a jit of ours, or of its library's stage."""
        return dataclasses.replace(target, wrap=None if target.stage is not None else self._under_jit, traced=True)

    def _is_entry(self, target: Target) -> bool:
        if target.wrap is self._under_jit:
            return True
        transformed = target.wrap is not None or is_jitted(target.function) or self._assumed
        return transformed and _name_of(target.function) == self._name

    def _captured(self, seen: Collection[Capture], source: str) -> Iterator[Program]:
        for capture in seen:
            if capture.function.__qualname__ == self._name:
                try:
                    program = programs.of_capture(self._name, capture, source)
                except Exception:  # noqa: BLE001  the user's pytree classes may raise anything
                    continue
                yield from self._checked(program, caught=capture.caught)

    def _of_target(self, target: Target, depth: int = 0) -> Iterator[Program]:
        found: list[Program] = []
        spare: list[Program] = []
        last: list[tuple[Inputs, Any]] = []
        lacking: list[Stage] = []

        def attempt(inputs: Inputs) -> Run:
            run = self._run(target.label, target.thunk(inputs, execute=not target.traced))
            if has_placeholder(inputs):
                return run
            if run.stuck.stage is not None and target.stage is None:
                lacking[:] = [run.stuck.stage]
            for program in self._of_run(run, target, inputs, SEARCH):
                (found if program.arrays else spare).append(program)
            if run.clean:
                last[:] = [(inputs, self._results[0] if target.wrap is self._under_jit else run.value)]
            return run

        def done() -> bool:
            return bool(found or lacking) or bool(last and self._finder.has_functions(last[0][1])) or self._is_late()

        limits = Limits() if target.traced else Limits(60, 40)
        search(target, attempt, lambda run: int(bool(run.entered)), done, limits)
        if lacking and not found:
            label = lacking[0].title.format(target.label)
            yield from self._of_target(dataclasses.replace(target.within(lacking[0]), label=label, wrap=None), depth)
            return
        if not found and self._sure is None:
            found = spare
        yield from found[:1]
        if not found and last and depth < _DEPTH:
            for made in self._made(target, *last[0]):
                yield from self._of_target(made, depth + 1)

    def _made(self, target: Target, inputs: Inputs, value: Any) -> Iterator[Target]:
        """Targets for the functions that a target returned; under a jit of ours it runs once more without."""
        if target.wrap is not self._under_jit:
            yield from itertools.islice(self._finder.returned(target.label, value, self._entry), _RETURNED)
        elif self._finder.has_functions(value):
            plain = dataclasses.replace(target, wrap=None, traced=False)
            value = self._run(target.label, plain.thunk(inputs, execute=True)).value
            functions = list(itertools.islice(self._finder.returned(target.label, value, self._entry), _RETURNED))
            yield from map(
                self._jitted, reversed(functions)
            )  # the function made last does most: an update after its init

    def _attempted(self, target: Target, inputs: Inputs, origin: str) -> Iterator[Program]:
        """The programs that one run with known inputs finds."""
        run = self._run(target.label, target.thunk(inputs, execute=not target.traced))
        yield from self._of_run(run, target, inputs, origin)

    def _of_run(self, run: Run, target: Target, inputs: Inputs, origin: str) -> Iterator[Program]:
        """The entry's programs in a run of a target: the target itself, or functions that it called."""
        if not (target.traced and self._is_entry(target)):
            if run.failure is not None:
                self._remember(run, run.failure, target.describe(inputs), target.label)
            yield from self._captured(run.entered, origin)
        elif run.clean and target.wrap is self._under_jit and not programs.arrays_of(self._results[0]):
            self._without_arrays = target.label
        elif run.clean:
            yield programs.of_inputs(target, inputs, origin)
        elif run.failure is not None:
            self._note(run, run.failure, programs.of_inputs(target, inputs, origin))

    def _checked(self, program: Program, *, caught: bool = False) -> Iterator[Program]:
        """Yields the program if it traces cleanly. `caught` says that the user's code expects a failure there."""
        run = self._run(program.label, program.trace)
        if run.clean:
            yield program
        elif run.failure is not None:
            self._note(run, run.failure, dataclasses.replace(program, known=program.known and not caught))

    def _run(self, label: str, thunk: Callable[[], Any]) -> Run:
        return self._watcher.run(f"tracing {label}", thunk, self._budget.for_try())

    def _note(self, run: Run, failure: Failure, program: Program) -> None:
        """Notes that a program of the entry does not trace."""
        own = program.known and any(known.function.__qualname__ == self._name for known in run.entered)
        certain = faults.is_of_program(failure) and (own or (program.plain and _is_of_tracer(failure)))
        placed = failure.site is not None or _is_of_result(failure)
        if certain and placed and self._sure is None and not self._assumed:
            self._sure = failure, program
            self._settled = own
        self._remember(run, failure, program.inputs, program.label, own=True)

    def _remember(self, run: Run, failure: Failure, inputs: list[str], label: str, *, own: bool = False) -> None:
        """Remembers the failure that says most: the entry's own before those on the way there."""
        if (own, len(run.lines)) > self._furthest:
            self._failure, self._furthest = (failure, inputs, label), (own, len(run.lines))

    def _is_late(self) -> bool:
        self._late = self._late or self._budget.late()
        return self._late


def _name_of(function: Any) -> str:
    """The qualified name of the function at the bottom of wrappers."""
    return str(getattr(unwrapped(function), "__qualname__", ""))


def _is_of_tracer(failure: Failure) -> bool:
    """Whether no inputs of another shape would mend a failure."""
    if failures.is_concretization(failure) or "UnexpectedTracerError" in failure.bases:
        return True
    return _is_of_result(failure)


def _is_of_result(failure: Failure) -> bool:
    """Whether JAX refused the function's result, so that the function came to its end."""
    return "TypeError" in failure.bases and "returned a value of type" in failure.message
