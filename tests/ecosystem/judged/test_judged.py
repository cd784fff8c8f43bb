"""Judgements are held against what is reported now."""

from __future__ import annotations

from tests.ecosystem.judged.judgements import JUDGEMENTS, Count, Spot, judgements, repositories


def finding(path: str, line: int, code: str, confidence: str = "certain") -> dict[str, object]:
    return {"path": path, "line": line, "code": code, "confidence": confidence, "message": "m"}


def test_what_is_stored_can_be_read() -> None:
    assert all(len(commit) == 40 and name.count("/") == 1 for name, commit in repositories().items())
    found = judgements()
    assert {judgement for judged in found.values() for judgement in judged.values()} == {*JUDGEMENTS} - {"new"}
    assert found["google/fedjax"][Spot("fedjax/aggregators/walsh_hadamard.py", 43, "JIT101")] == "true"


def test_findings_count_by_code_and_confidence() -> None:
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
        finding("a.py", 2, "JIT101", "likely"),
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
        "all 1 1 1 1 0.33",
    ]
    assert [spot for _, spot, _ in count.unjudged] == [Spot("b.py", 1, "JIT303")]
    assert count.lost == [("someone/something", Spot("a.py", 4, "JIT202"))]
