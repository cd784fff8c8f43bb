"""Judgements are held against what is reported now."""

from __future__ import annotations

from collections import Counter

import pytest

from jitlint.events.assumption import LEVELS, Confidence
from tests.ecosystem.judged.judgements import (
    CONFIRMED,
    JUDGEMENTS,
    Bug,
    Count,
    Spot,
    bugs,
    judgements,
    repositories,
)
from tests.ecosystem.judged.levels import confidence, decisive, learned, read, text


def finding(path: str, line: int, code: str, confidence: str = "certain", assumed: str = "") -> dict[str, object]:
    assumptions = {"assumptions": [{"name": assumed, "text": "it is so"}]} if assumed else {}
    return {"path": path, "line": line, "code": code, "confidence": confidence, "message": "m", **assumptions}


def test_what_is_stored_can_be_read() -> None:
    assert all(len(commit) == 40 and name.count("/") == 1 for name, commit in repositories().items())
    found = judgements()
    assert {judgement for judged in found.values() for judgement in judged.values()} == {*JUDGEMENTS} - {"new"}
    assert found["google/fedjax"][Spot("fedjax/aggregators/walsh_hadamard.py", 43, "JIT101")] == "true"


@pytest.mark.parametrize("bug", bugs(), ids=lambda bug: f"{bug.repository}:{bug.spot.path}:{bug.spot.line}")
def test_a_bug_is_judged_true_or_says_why_it_is_not(bug: Bug) -> None:
    assert bug.commit == repositories()[bug.repository]
    assert (judgements()[bug.repository].get(bug.spot) == "true") == (not bug.unjudged)
    assert bug.confirmed in CONFIRMED and bug.what
    assert bool(bug.how) == (bug.confirmed != "reading")


def test_bugs_are_listed_once_and_in_order() -> None:
    places = [(bug.repository.lower(), bug.spot) for bug in bugs()]
    assert places == sorted(set(places))
    assert len(places) >= 15


def test_findings_count_by_code_confidence_and_assumption() -> None:
    judged = {
        Spot("a.py", 1, "JIT101"): "true",
        Spot("a.py", 2, "JIT101"): "false",
        Spot("a.py", 3, "JIT202"): "harmless",
        Spot("a.py", 4, "JIT202"): "true",
        Spot("a.py", 5, "JIT202"): "false",
    }
    findings = [
        finding("a.py", 1, "JIT101"),
        finding("a.py", 1, "JIT101"),
        finding("a.py", 2, "JIT101", "likely", "is-array"),
        finding("a.py", 3, "JIT202"),
        finding("b.py", 1, "JIT303"),
    ]
    count = Count()
    count.add("someone/something", findings, judged)
    assert [" ".join(line.split()) for line in count.table()] == [
        "true harmless false new precision",
        "JIT101 1 0 1 0 0.50",
        "JIT202 0 1 0 0 0.00",
        "JIT303 0 0 0 1 -",
        "certain 1 1 0 1 0.50",
        "likely 0 0 1 0 0.00",
        "nothing 1 1 0 1 0.50",
        "is-array 0 0 1 0 0.00",
        "all 1 1 1 1 0.33",
    ]
    assert [spot for _, spot, _ in count.unjudged] == [Spot("b.py", 1, "JIT303")]
    assert count.lost == [("someone/something", Spot("a.py", 4, "JIT202"))]


def test_a_level_is_learned_from_what_is_only_possible_too() -> None:
    findings = [
        finding("a.py", 1, "JIT101", "likely", "is-array"),
        finding("a.py", 2, "JIT101", "possible", "no-chexify"),
    ]
    count = Count()
    count.add(
        "someone/something",
        findings,
        dict.fromkeys((Spot("a.py", 1, "JIT101"), Spot("a.py", 2, "JIT101")), "false"),
    )
    assert count.all == Counter(false=1)
    assert count.lessons == {"is-array": Counter(false=1), "no-chexify": Counter(false=1)}


def test_what_a_repository_repeats_is_one_lesson() -> None:
    findings = [finding("a.py", line, "JIT101", "likely", "is-array") for line in (1, 2, 3)]
    findings.append(finding("a.py", 4, "JIT303", "likely", "is-array"))
    judged = {Spot(each["path"], each["line"], each["code"]): "false" for each in findings[1:]}
    judged[Spot("a.py", 1, "JIT101")] = "true"
    count = Count()
    count.add("someone/something", findings, judged)
    count.add("someone/another", findings[1:2], judged)
    assert count.lessons == {"is-array": Counter(true=1, false=3)}


@pytest.mark.parametrize(
    ("expected", "true", "judged", "level"),
    [
        (0.85, 0, 0, Confidence.LIKELY),
        (0.85, 0, 1, Confidence.LIKELY),
        (0.85, 0, 2, Confidence.POSSIBLE),
        (0.85, 99, 100, Confidence.CERTAIN),
        (0.4, 0, 0, Confidence.POSSIBLE),
        (0.4, 40, 40, Confidence.LIKELY),
    ],
)
def test_a_level_is_expected_until_it_is_measured(expected: float, true: int, judged: int, level: Confidence) -> None:
    assert confidence(expected, true, judged) is level


def test_what_is_harmless_says_nothing_of_a_level() -> None:
    found = learned(read(), {"is-array": Counter(true=1, false=4, harmless=9, new=9), "nothing": Counter(false=9)})
    assert (found["is-array"]["true"], found["is-array"]["judged"]) == (1, 5)
    assert found["is-array"]["confidence"] is Confidence.POSSIBLE
    assert found["class-guessed"]["judged"] == 0


def test_a_judgement_counts_for_the_weakest_assumptions() -> None:
    assert decisive([]) == ["nothing"]
    assert decisive(["is-array", "class-guessed"]) == ["class-guessed", "is-array"]
    assert decisive(["is-array", "only-in-tests"]) == ["only-in-tests"]
    assert decisive(["is-array", "class-guessed", "many-rounds"]) == []


def test_stored_levels_are_those_of_their_judgements() -> None:
    stored = read()
    assert all(one["confidence"] == confidence(one["expected"], one["true"], one["judged"]) for one in stored.values())
    assert LEVELS.read_text("utf-8") == text(stored)
