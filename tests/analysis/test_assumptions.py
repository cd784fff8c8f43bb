"""What a prediction rests on decides how sure it is: as sure as its weakest assumption leaves it."""

from __future__ import annotations

from jitlint.events.assumption import Assumption, AssumptionKind, Confidence, confidence_of, merged, weakest

AN_ARRAY = Assumption(AssumptionKind.IS_ARRAY, "`x` is an array")
ANOTHER_ARRAY = AN_ARRAY._replace(text="`y` is an array")
A_CLASS = Assumption(AssumptionKind.CLASS_GUESSED, "`x` is a `State`")
UNKNOWN = Assumption(AssumptionKind.UNKNOWN_IS_TRACED, "`load(x)` is traced")


def test_nothing_assumed_is_certain() -> None:
    assert confidence_of(()) is Confidence.CERTAIN
    assert weakest(()) is None


def test_the_weakest_assumption_decides() -> None:
    assert confidence_of((AN_ARRAY, A_CLASS)) is Confidence.LIKELY
    assert weakest((AN_ARRAY, A_CLASS)) is AN_ARRAY
    assert confidence_of((AN_ARRAY, UNKNOWN, A_CLASS)) is Confidence.POSSIBLE
    assert weakest((AN_ARRAY, UNKNOWN, A_CLASS)) is UNKNOWN


def test_three_likely_assumptions_are_not_likely_together() -> None:
    another = Assumption(AssumptionKind.MANY_ROUNDS, "the loop has many rounds")
    assert confidence_of((AN_ARRAY, A_CLASS, another)) is Confidence.POSSIBLE


def test_an_option_and_what_the_code_offers_for_it_are_one_assumption() -> None:
    option = Assumption(AssumptionKind.OTHER_OPTION, "`activation` is not left at its default")
    function = Assumption(AssumptionKind.OFFERED_FUNCTION, "`activation(x)` calls `hard`")
    assert confidence_of((AN_ARRAY, option, function)) is Confidence.LIKELY
    assert confidence_of((AN_ARRAY, A_CLASS, function)) is Confidence.POSSIBLE


def test_the_first_of_each_kind_stands_for_all() -> None:
    assert merged([AN_ARRAY], (ANOTHER_ARRAY, A_CLASS), ()) == (AN_ARRAY, A_CLASS)
