"""Looks behind failures that hide others: traces with every concretization point forced but the suspect's."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import jax

from ..inputs.frameworks import Stage
from ..inputs.known_inputs import Described, KnownInputs
from ..inputs.targets import Inputs, Target
from ..inside_jax import forcing_hooks
from ..inside_jax.forcing_hooks import Forcing
from ..search.input_search import Limits, search
from ..search.seen_inputs import SeenInputs
from ..search.starting import Hidden
from ..search.target_finder import Finder
from ..user_code.sites import Site
from ..watching import kinds
from ..watching.cases import Case
from ..watching.watch import Run, Runner

_WAYS = 32
"""How many ways through the forced conditions are tried with a target's best inputs."""

_PROGRAMS = 3
"""So many failed runs of programs are repeated."""

_SEEN = 12
"""How many inputs of programs are tried for a target."""

_FACTORIES = 2
"""How many calls deep functions that functions return are followed."""


def examine(
    case: Case,
    targets: Iterable[tuple[Target, KnownInputs]],
    hidden: Iterable[Hidden],
    seen: SeenInputs,
    finder: Finder,
    run: Runner,
    late: Callable[[], bool],
    user_files: Collection[str],
) -> None:
    """Confirms a case if its place raises once the failures before it are forced past; else leaves it open.

    Args:
        case: a case that another failure hides.
        targets: what to run, each with its known inputs.
        hidden: runs of programs that ended in a failure.
        seen: inputs that programs had.
        finder: finds the functions that a target returned.
        run: runs code under watch.
        late: whether its time is over.
        user_files: the files whose concretization points are forced.
    """
    if forcing_hooks.available() and kinds.needs_trace(case.probe):
        for one, default in itertools.product(itertools.islice(hidden, _PROGRAMS), (True, False)):
            if not case.decided and not late():
                _again(one, case, run, Forcing(case.probe.site, user_files, {}, default))
        waiting = deque(targets)
        while waiting and not case.decided and not late():
            target, known = waiting.popleft()
            exploration = _Exploration(target, case, run, late, user_files)
            made = exploration.explore(known, seen)
            if exploration.lacking is not None and target.stage is None:
                label = exploration.lacking.title.format(target.label)
                waiting.appendleft((replace(target, label=label, stage=exploration.lacking), known))
            if made is not None and not case.reached and target.label.count("(…)") < _FACTORIES:
                waiting.extendleft((each, known) for each in finder.returned(target.label, made, case.probe))
    if case.decided:
        case.evidence["others_forced"] = True
    else:
        case.unclear("other-failure")


def _again(hidden: Hidden, case: Case, run: Runner, forcing: Forcing) -> None:
    """Runs a program again, past its failures."""
    jax.clear_caches()
    with forcing_hooks.forced(forcing):
        done = run("running the program", hidden.thunk, stand_in=0)
    case.look(done, hidden.inputs, hidden.thunk, own=True, predicted=False, guessed=True)


class _Exploration:
    """The forced runs of one target; `lacking` is the stage that a library's code asked for."""

    def __init__(
        self, target: Target, case: Case, run: Runner, late: Callable[[], bool], user_files: Collection[str]
    ) -> None:
        self._target, self._case, self._run = target, case, run
        self._late, self._files = late, user_files
        self._value: Any = None
        self.lacking: Stage | None = None

    def explore(self, known: KnownInputs, seen: SeenInputs) -> Any:
        """Looks for inputs, then takes other ways with them. Returns what the last clean run returned, else None."""
        best = next((each.inputs for each in known.of(self._target) if each.whole), None)
        best = best or self._seen(seen) or search(self._target, self._first_way, self._reached, self._done, Limits())
        waiting = deque([(dict[Site, bool](), True), (dict[Site, bool](), False)])
        for _ in range(_WAYS):
            if best is None or not waiting or self._done():
                break
            taken, default = waiting.popleft()
            forcing = Forcing(self._case.probe.site, self._files, taken, default)
            self._traced(best, forcing)
            waiting.extend((way, default) for way in forcing.others())
        return self._value

    def _seen(self, seen: SeenInputs) -> Inputs | None:
        """Inputs that a program had, or such with another option, of the run that came nearest; None if it had none."""
        best, score = None, -1
        for each in itertools.islice(seen.of(self._target, self._case.probe), _SEEN):
            reached = self._reached(self._first_way(each.inputs)) if each.same else -1
            if reached > score:
                best, score = each.inputs, reached
            if self._done() or score > 1:
                break
        return best

    def _done(self) -> bool:
        return self._case.decided or self._late() or (self.lacking is not None and self._target.stage is None)

    def _reached(self, run: Run) -> int:
        hit = run.hit(self._case.probe)
        return int(bool(hit.count)) + int(bool(hit.staged))

    def _first_way(self, inputs: Inputs) -> Run:
        return self._traced(inputs, Forcing(self._case.probe.site, self._files, {}, True))

    def _traced(self, inputs: Inputs, forcing: Forcing) -> Run:
        described = Described(self._target.describe(inputs), "search")
        thunk = self._target.thunk(inputs, execute=False)
        jax.clear_caches()
        with forcing_hooks.forced(forcing):
            run = self._run(f"tracing {self._target.label}({', '.join(described)})", thunk, stand_in=0)
        self._case.look(run, described, thunk, own=True, predicted=False, guessed=True)
        self.lacking = self.lacking or run.stuck.stage
        if run.clean:
            self._value = run.value
        return run
