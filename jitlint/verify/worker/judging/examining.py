"""Examines a case: explores it until it is decided, or says why it stays open."""

from __future__ import annotations

from collections.abc import Mapping

from ..inside_jax import failures, faults
from ..inside_jax.failures import Failure
from ..search.exploring import Exploration
from ..search.loading import Loaded
from ..watching import branches, cases, kinds, open_calls
from ..watching.cases import Case
from . import silent


def examine(exploration: Exploration, sources: Mapping[str, str], lines: set[tuple[str, int]]) -> None:
    """Runs what may show a case's event until it is decided or nothing is left to try.

    Args:
        exploration: runs the code.
        sources: the texts of the user's files.
        lines: the lines that were executed; it grows with each run.
    """
    case = exploration.case
    if kinds.is_silent(case.probe):
        _look_for_effect(exploration, sources[case.probe.site.file])
    elif not case.decided:
        _look_for_failure(exploration, sources, lines)


def withdraw_without_jit(case: Case) -> None:
    """Takes a confirmation of our own back if the user's programs execute the place with jit disabled only."""
    if case.outcome == "confirmed" and case.calls.without_jit and not case.calls.with_jit:
        case.reopen()
        case.unclear("jit-disabled")


def explain(exploration: Exploration, loaded: Loaded, lines: set[tuple[str, int]], sources: Mapping[str, str]) -> None:
    """Says why a case stays open, if it does.

    Args:
        exploration: the search that was made for it.
        loaded: what came of loading its module.
        lines: the lines that were executed.
        sources: the texts of the user's files.
    """
    case = exploration.case
    if case.decided:
        return
    if loaded.failed_drivers:
        case.evidence["drivers_failed"] = "; ".join(loaded.failed_drivers)
    if case.outcome:
        return
    if case.blocked is not None and not case.clean:
        case.unclear("other-failure", **cases.failure_evidence(case.blocked))
    elif exploration.budget.late() or (exploration.interrupted and not case.reached):
        case.unclear("search-time")
    elif case.reached and not case.staged:
        case.unclear("not-traced" if kinds.needs_trace(case.probe) else "not-shown")
    elif not case.targets:
        _explain_no_target(case, loaded)
    elif case.other is not None and (package := failures.missing_package(case.other)):
        case.unclear("missing-package", package=package)
    elif case.other is not None and (lost := loaded.lost.get(failures.undefined_name(case.other))) is not None:
        _explain_failed_import(case, lost)
    elif case.other is not None and (case.reached or not case.came_back):
        case.unclear("no-inputs", target=case.targets[0], **cases.failure_evidence(case.other))
    else:
        site = case.probe.site
        case.unclear("not-reached", branch=branches.missed(site, sources[site.file], lines))


def _look_for_failure(exploration: Exploration, sources: Mapping[str, str], lines: set[tuple[str, int]]) -> None:
    """Explores a case whose event raises. If nothing clear came, weaker evidence decides."""
    case = exploration.case
    for target, known in exploration.targets():
        case.targets.append(target.label)
        exploration.explore(target, known)
        if case.decided or case.settled or exploration.budget.late():
            break
    if case.decided:
        return
    if case.weak is not None:
        failure, inputs, label = case.weak
        case.confirm(inputs, **cases.failure_evidence(failure), where=label)
    elif case.clean:
        other = open_calls.of(cases.entry_name(case.probe), sources, lines)
        if other is not None:
            case.unclear("other-call", call=other.text, place=other.line)
        else:
            case.refute(case.clean[0], runs=len(case.clean))


def _look_for_effect(exploration: Exploration, source: str) -> None:
    """Explores a case whose event raises nothing: judges each run that executed its place."""
    case, first = exploration.case, exploration.case.witness
    if first is not None and first.is_short and not case.decided:
        silent.judge(case, exploration.watched, source)
    if case.decided:
        return
    for target, known in exploration.targets():
        case.targets.append(target.label)
        case.witness = None
        exploration.explore(target, known)
        if case.witness is not None and not case.decided:
            reason, case.outcome = (case.outcome, case.code, case.evidence), ""
            silent.judge(case, exploration.watched, source)
            if not case.decided and reason[0] and reason[1] != "not-traced":
                case.outcome, case.code, case.evidence = reason
        if case.decided or exploration.budget.late():
            break
    if first is not None and not (first.is_short or case.decided or exploration.budget.late()):
        case.witness, case.outcome = first, ""
        silent.judge(case, exploration.watched, source)


def _explain_no_target(case: Case, loaded: Loaded) -> None:
    failure = loaded.failure
    if failure is None:
        case.unclear("no-target")
    elif package := loaded.missing:
        case.unclear("missing-package", package=package)
    else:
        _explain_failed_import(case, failure)


def _explain_failed_import(case: Case, failure: Failure) -> None:
    if package := failures.missing_package(failure):
        case.unclear("missing-package", package=package)
    else:
        of_program = faults.is_of_program(failure)
        case.unclear("import-failed" if of_program else "environment", **cases.failure_evidence(failure))
