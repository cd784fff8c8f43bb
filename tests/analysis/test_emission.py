"""What a predicted event is worth, decided without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.analysis.machine.context import Handler, Trace
from jitlint.analysis.machine.emission import (
    Suspicion,
    behind_handler,
    run_by_test,
    steps,
    weigh,
    where_tests_run,
    where_tracing_is_assumed,
)
from jitlint.analysis.values import Frame, Traced
from jitlint.analysis.values.flow import source
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, EventKind, Root
from jitlint.project.modules import Module
from jitlint.source.places import Place, Span
from jitlint.source.text import SourceFile

MODULE = Module(SourceFile(Path("step.py"), "step.py", "x\n"), "step", Path(), given=True)
PLACE = Place("step.py", 1, 1, 1, 2)
SURE = Suspicion(EventKind.BOOL, ())
A_STATE = Assumption(AssumptionKind.CLASS_GUESSED, "`x` is a `State`")
JITTED = Assumption(AssumptionKind.RUNS_UNDER_JIT, "`f` runs under jit")
AN_ARRAY = Assumption(AssumptionKind.IS_ARRAY, "`x` is an array")
SOME_PATH = Assumption(AssumptionKind.UNDECIDED_JOIN, "a path on which `x` is traced")


def tracer(*, tree: bool = False) -> Traced:
    return Traced(source(MODULE, Span(0, 1), "argument", "argument `x`"), 1, tree=tree)


def handler(*, broad: bool = True, deliberate: bool = False, answers: bool = False) -> Handler:
    return Handler("except Exception", broad, 1, deliberate, 0, Frame(MODULE, None, None, 0, ()), answers)


def test_an_array_that_every_path_brings_is_certain() -> None:
    value = tracer()
    assert weigh(SURE, "x", value, value.flow, decided=True, assumed=()) == SURE


def test_what_is_about_no_tracer_stays_as_it_is() -> None:
    assert weigh(SURE, "x", None, None, decided=False, assumed=()) == SURE


def test_a_path_that_brings_something_else_makes_it_likely() -> None:
    value = tracer()
    assert weigh(SURE, "x", value, value.flow, decided=False, assumed=()) == (EventKind.BOOL, (SOME_PATH,))


def test_a_pytree_may_be_no_array() -> None:
    value = tracer(tree=True)
    assert weigh(SURE, "x", value, value.flow, decided=True, assumed=()).assumptions == (AN_ARRAY,)
    index = Suspicion(EventKind.INDEX, ())
    assert weigh(index, "x", value, value.flow, decided=True, assumed=()) == index  # no pytree of tracers is an index


def test_all_that_is_assumed_counts_and_each_kind_once() -> None:
    value = tracer()
    flow = value.flow.assuming(A_STATE).assuming(A_STATE._replace(text="`y` is another `State`"))
    found = weigh(SURE, "x", value, flow, decided=False, assumed=(JITTED, A_STATE))
    assert found == (EventKind.BOOL, (A_STATE, SOME_PATH, JITTED))


def test_what_is_assumed_of_the_code_counts_without_a_tracer() -> None:
    assert weigh(SURE, "x", None, None, decided=True, assumed=(JITTED,)).assumptions == (JITTED,)


@pytest.mark.parametrize(
    ("catching", "construct", "expected"),
    [
        (handler(), "if", (EventKind.SWALLOWED, None)),
        (handler(), "bool", (EventKind.SWALLOWED, AssumptionKind.UNINTENDED_FALLBACK)),
        (handler(broad=False), "bool", (EventKind.SWALLOWED, AssumptionKind.UNINTENDED_HANDLER)),
        (handler(answers=True), "bool", (EventKind.SWALLOWED, AssumptionKind.UNINTENDED_HANDLER)),
        (handler(deliberate=True), "if", (EventKind.BOOL, AssumptionKind.NOT_CAUGHT)),
    ],
    ids=["branch", "probe", "probe of one error", "question", "meant for tracers"],
)
def test_a_handler_swallows_what_it_is_not_meant_for(
    catching: Handler, construct: str, expected: tuple[EventKind, AssumptionKind | None]
) -> None:
    found = behind_handler(SURE, construct, catching, in_its_trace=True, in_its_function=True)
    assert (found.kind, next((each.kind for each in found.assumptions), None)) == expected


def test_a_handler_in_a_caller_may_be_meant_for_other_errors() -> None:
    found = behind_handler(SURE, "if", handler(), in_its_trace=True, in_its_function=False)
    assert (found.kind, found.assumptions[0].kind) == (EventKind.SWALLOWED, AssumptionKind.UNINTENDED_HANDLER)


def test_a_handler_outside_of_the_trace_may_be_meant_for_the_error() -> None:
    found = behind_handler(SURE, "if", handler(), in_its_trace=False, in_its_function=True)
    assert (found.kind, found.assumptions[0].kind) == (EventKind.BOOL, AssumptionKind.NOT_CAUGHT)


def test_other_errors_are_not_swallowed() -> None:
    leak = Suspicion(EventKind.HASH, ())
    assert behind_handler(leak, "dict", handler(), in_its_trace=True, in_its_function=True).kind is EventKind.HASH


@pytest.mark.parametrize(
    ("root", "traced", "place", "in_tests"),
    [
        ("tests/test_step.py", "tests/test_step.py", "step.py", True),
        ("step.py", "step.py", "tests/test_step.py", True),
        ("step_test.py", None, "step_test.py", True),
        ("step_test.py", None, "step.py", True),
        ("step_test.py", "step.py", "step.py", False),
        ("step.py", None, "step.py", False),
        ("step.py", "train.py", "step.py", False),
        ("benchmarks/run.py", "benchmarks/run.py", "step.py", False),
    ],
)
def test_what_tests_run_would_fail_in_them(root: str, traced: str | None, place: str, in_tests: bool) -> None:
    entry = Entry(PLACE._replace(path=traced), "jax.jit") if traced else None
    found = where_tests_run(SURE, entry, Root(root, "step", ""), PLACE._replace(path=place))
    assert [each.kind for each in found.assumptions] == [AssumptionKind.ONLY_IN_TESTS] * in_tests


def test_what_a_test_calls_by_a_guess_would_fail_in_it() -> None:
    guess = Assumption(AssumptionKind.CLASS_GUESSED, "`model.fit(x)` calls `Model.fit`")
    guessed, entry = Suspicion(EventKind.BOOL, (guess,)), Entry(PLACE._replace(path="step.py"), "jax.jit")
    by_test = where_tests_run(guessed, entry, Root("step_test.py", "step", ""), PLACE._replace(path="step.py"))
    assert {each.kind for each in by_test.assumptions} == {guess.kind, AssumptionKind.ONLY_IN_TESTS}
    assert where_tests_run(guessed, entry, Root("run.py", "step", ""), PLACE._replace(path="step.py")) == guessed


@pytest.mark.parametrize(
    ("suspicion", "root", "place", "run_by"),
    [
        (SURE, "tests/test_step.py", "step.py", {"tests/test_step.py"}),
        (SURE, "tests/test_step.py", "tests/test_step.py", set()),
        (SURE, "train.py", "step.py", set()),
        (Suspicion(EventKind.BOOL, (JITTED,)), "tests/test_step.py", "step.py", set()),
        (Suspicion(EventKind.STATE_READ, ()), "tests/test_step.py", "step.py", set()),
    ],
)
def test_a_test_runs_into_what_surely_fails(suspicion: Suspicion, root: str, place: str, run_by: set[str]) -> None:
    assert run_by_test(suspicion, Root(root, "step", ""), PLACE._replace(path=place)) == run_by


def test_what_runs_and_is_silently_wrong_is_no_clearer_in_tests() -> None:
    stale = Suspicion(EventKind.STATE_READ, ())
    assert where_tests_run(stale, None, None, PLACE._replace(path="tests/test_step.py")) == stale


def test_who_asks_for_a_value_where_nobody_traces_runs_the_code_untraced() -> None:
    asked = Suspicion(EventKind.CONVERT, (JITTED,))
    entry = Entry(PLACE, "jax.jit")
    trace = Trace(None, "jax.jit", 1, True, False, 1, 1, True, False, entry, JITTED)
    found = where_tracing_is_assumed(asked, "int", trace)
    assert [each.kind for each in found.assumptions] == [JITTED.kind, AssumptionKind.TRACED_EXPRESSLY]
    assert where_tracing_is_assumed(asked, "int", None) == asked
    assert where_tracing_is_assumed(SURE, "if", trace) == SURE  # `if` asks for the value without a word


def test_without_a_flow_the_transform_is_shown_unless_it_stands_there() -> None:
    entry = Entry(Place("step.py", 9, 1, 9, 2), "jax.jit", "step:update")
    assert [step.note for step in steps(None, entry, PLACE, [])] == ["`jax.jit` is applied to `update`"]
    assert steps(None, entry._replace(place=PLACE), PLACE, []) == ()
    assert steps(None, None, PLACE, []) == ()
    assert [step.note for step in steps(tracer().flow, entry, PLACE, [])] == ["argument"]
