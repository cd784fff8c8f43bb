"""What a predicted event is worth, decided without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.analysis.machine.context import Handler
from jitlint.analysis.machine.emission import (
    Suspicion,
    behind_handler,
    steps,
    weigh,
    where_tests_run,
    where_tracing_is_assumed,
)
from jitlint.analysis.values import Traced
from jitlint.analysis.values.flow import source
from jitlint.events.event import Confidence, Entry, EventKind, Root
from jitlint.project.modules import Module
from jitlint.source.places import Place, Span
from jitlint.source.text import SourceFile

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE
MODULE = Module(SourceFile(Path("step.py"), "step.py", "x\n"), "step", Path(), given=True)
PLACE = Place("step.py", 1, 1, 1, 2)
SURE = Suspicion(EventKind.BOOL, CERTAIN, "")


def tracer(*, tree: bool = False) -> Traced:
    return Traced(source(MODULE, Span(0, 1), "argument", "argument `x`"), 1, tree=tree)


def handler(*, broad: bool = True, deliberate: bool = False) -> Handler:
    return Handler("except Exception", broad, 1, deliberate, 0)


def test_an_array_that_every_path_brings_is_certain() -> None:
    value = tracer()
    assert weigh(SURE, "x", value, value.flow, decided=True, assumed="") == SURE


def test_what_is_about_no_tracer_stays_as_it_is() -> None:
    assert weigh(SURE, "x", None, None, decided=False, assumed="") == SURE


def test_a_path_that_brings_something_else_makes_it_likely() -> None:
    value = tracer()
    found = weigh(SURE, "x", value, value.flow, decided=False, assumed="")
    assert found == (EventKind.BOOL, LIKELY, "a path on which `x` is traced")


def test_a_pytree_may_be_no_array() -> None:
    value = tracer(tree=True)
    assert weigh(SURE, "x", value, value.flow, decided=True, assumed="").guess == "`x` is an array"
    index = Suspicion(EventKind.INDEX, CERTAIN, "")
    assert weigh(index, "x", value, value.flow, decided=True, assumed="") == index  # no pytree of tracers is an index


def test_a_flow_that_rests_on_a_guess_decides() -> None:
    value = tracer()
    guessed = value.flow.assuming("`x` is a `State`")
    assert weigh(SURE, "x", value, guessed, decided=True, assumed="") == (EventKind.BOOL, LIKELY, "`x` is a `State`")
    guessed.guess = "`x` is traced"
    assert weigh(SURE, "x", value, guessed, decided=True, assumed="") == (EventKind.BOOL, POSSIBLE, "`x` is traced")


def test_an_assumption_about_the_code_makes_certain_things_likely_only() -> None:
    assert weigh(SURE, "x", None, None, decided=True, assumed="`f` runs under jit").confidence is LIKELY
    possible = Suspicion(EventKind.BOOL, POSSIBLE, "why")
    assert weigh(possible, "x", None, None, decided=True, assumed="`f` runs under jit") == possible


@pytest.mark.parametrize(
    ("catching", "construct", "expected"),
    [
        (handler(), "if", (EventKind.SWALLOWED, CERTAIN, "")),
        (handler(), "bool", (EventKind.SWALLOWED, LIKELY, "the fallback is not meant for tracers")),
        (handler(broad=False), "bool", (EventKind.SWALLOWED, POSSIBLE, "the fallback is not meant for tracers")),
        (handler(deliberate=True), "if", (EventKind.BOOL, POSSIBLE, "the error is not meant to be caught")),
    ],
    ids=["branch", "probe", "probe of one error", "meant for tracers"],
)
def test_a_handler_swallows_what_it_is_not_meant_for(
    catching: Handler, construct: str, expected: tuple[EventKind, Confidence, str]
) -> None:
    assert behind_handler(SURE, construct, catching, in_its_trace=True) == expected


def test_a_handler_outside_of_the_trace_may_be_meant_for_the_error() -> None:
    found = behind_handler(SURE, "if", handler(), in_its_trace=False)
    assert found == (EventKind.BOOL, POSSIBLE, "the error is not meant to be caught")


def test_other_errors_are_not_swallowed() -> None:
    leak = Suspicion(EventKind.HASH, CERTAIN, "")
    assert behind_handler(leak, "dict", handler(), in_its_trace=True).kind is EventKind.HASH


@pytest.mark.parametrize(
    ("root", "traced", "place", "confidence"),
    [
        ("tests/test_step.py", "tests/test_step.py", "step.py", POSSIBLE),
        ("step.py", "step.py", "tests/test_step.py", POSSIBLE),
        ("step_test.py", None, "step_test.py", POSSIBLE),
        ("step_test.py", None, "step.py", POSSIBLE),
        ("step_test.py", "step.py", "step.py", CERTAIN),
        ("step.py", None, "step.py", CERTAIN),
        ("step.py", "train.py", "step.py", CERTAIN),
        ("benchmarks/run.py", "benchmarks/run.py", "step.py", CERTAIN),
    ],
)
def test_what_tests_run_would_fail_in_them(root: str, traced: str | None, place: str, confidence: Confidence) -> None:
    entry = Entry(PLACE._replace(path=traced), "jax.jit") if traced else None
    found = where_tests_run(SURE, entry, Root(root, "step", ""), PLACE._replace(path=place))
    assert found.confidence is confidence


def test_what_runs_and_is_silently_wrong_is_no_clearer_in_tests() -> None:
    stale = Suspicion(EventKind.STATE_READ, CERTAIN, "")
    assert where_tests_run(stale, None, None, PLACE._replace(path="tests/test_step.py")) == stale


def test_who_asks_for_a_value_where_nobody_traces_runs_the_code_untraced() -> None:
    asked = Suspicion(EventKind.CONVERT, LIKELY, "")
    guess = "`Tower.__call__` runs under jit"
    assert where_tracing_is_assumed(asked, guess) == (EventKind.CONVERT, POSSIBLE, guess)
    assert where_tracing_is_assumed(asked, "") == asked
    assert where_tracing_is_assumed(SURE, guess) == SURE  # `if` asks for the value without a word


def test_without_a_flow_the_transform_is_shown_unless_it_stands_there() -> None:
    entry = Entry(Place("step.py", 9, 1, 9, 2), "jax.jit", "step:update")
    assert [step.note for step in steps(None, entry, PLACE)] == ["`jax.jit` is applied to `update`"]
    assert steps(None, entry._replace(place=PLACE), PLACE) == ()
    assert steps(None, None, PLACE) == ()
    assert [step.note for step in steps(tracer().flow, entry, PLACE)] == ["argument"]
