"""What was seen becomes a verdict and a line for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.findings.placed import ProgramLines
from jitlint.source import document
from jitlint.source.document import Cell, Document
from jitlint.source.text import SourceFile
from jitlint.verify import verdicts
from jitlint.verify.protocol import Observation
from jitlint.verify.verdicts import Reason
from jitlint.verify.worker.inside_jax.failures import Failure, bears_out
from jitlint.verify.worker.messages import Line, Words
from jitlint.verify.worker.user_code.sites import Site


@pytest.mark.parametrize(
    ("outcome", "evidence", "status", "words"),
    [
        (
            "confirmed",
            {"exception": "TypeError", "where": "tracing f(x=f32[4])"},
            "confirmed",
            "TypeError here while tracing f(x=f32[4])",
        ),
        (
            "confirmed",
            {"exception": "TypeError", "where": Words(("the module's ", Line("a.py", 3)))},
            "confirmed",
            "TypeError here when running the module's line 3",
        ),
        ("confirmed", {"exception": "TypeError", "others_forced": True}, "confirmed", "forced past"),
        ("confirmed", {"executions": 3, "compilations": 3}, "confirmed", "compiled 3 times"),
        (
            "confirmed",
            {"program_changes": True, "state": "n", "value": "1", "changed_to": "2"},
            "confirmed",
            "`n` changed from 1 to 2",
        ),
        ("confirmed", {"first_call": 1, "second_call": 0}, "confirmed", "only while tracing"),
        ("confirmed", {"left_in": "log"}, "confirmed", "a tracer is left in `log`"),
        ("refuted", {"runs": 1}, "refuted", "traced through this line with x=f32[4]"),
        ("refuted", {"executions": 3, "compilations": 0}, "refuted", "compiled nothing new"),
        ("refuted", {"program_changes": False, "state": "n", "changed_to": "2"}, "refuted", "same program"),
        ("refuted", {"first_call": 1, "second_call": 1}, "refuted", "at each call"),
        ("refuted", {"held_after_tracing": False}, "refuted", "no tracer is left"),
    ],
)
def test_verdicts_read_well(outcome: str, evidence: dict[str, object], status: str, words: str) -> None:
    verdict = verdicts.judge(Observation(0, outcome, "", ("x=f32[4]",), evidence), "0.10.2")
    assert verdict.status == status
    assert words in verdict.reason
    assert "\n" not in verdict.reason
    assert (verdict.device, verdict.jax, verdict.inputs) == ("cpu", "0.10.2", ("x=f32[4]",))


NOTEBOOK = SourceFile(
    Path("/p/book.ipynb"),
    "book.ipynb",
    "import jax\nx = 1\nif x:\n",
    Document(
        (Cell(1, (document.Line("import jax", 1),)), Cell(4, (document.Line("x = 1", 1), document.Line("if x:", 2)))),
        {},
    ),
)


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [
        ({"place": Line("book.ipynb", 3)}, "book.ipynb:cell 4:2"),
        ({"place": Line("model.py", 3)}, "model.py:3"),
        ({"place": Line(str(Path.cwd() / "model.py"), 3)}, "model.py:3"),
        (
            {"branch": Words(("branch on `{'a': x}` in ", Line("book.ipynb", 3), "!"))},
            "branch on `{'a': x}` in cell 4, line 2!",
        ),
        ({"branch": Words(("the code stops in ", Line("model.py", 3)))}, "the code stops in line 3"),
        ({"message": "stopped in line 3 of book.ipynb:3"}, "stopped in line 3 of book.ipynb:cell 4:2"),
    ],
)
def test_lines_are_written_as_they_stand_in_the_users_documents(evidence: dict[str, object], shown: str) -> None:
    lines = ProgramLines.of([NOTEBOOK])
    verdict = verdicts.judge(Observation(0, "unclear", "not-reached", (), evidence), "", lines)
    assert list(verdict.evidence.values()) == ["not-reached", shown]
    if "branch" in evidence:
        assert verdict.reason.startswith(f"line not reached: {shown};")


def test_every_reason_has_a_sentence_that_can_be_filled() -> None:
    for reason in Reason:
        verdict = verdicts.judge(Observation(0, "unclear", str(reason), (), {}), "")
        assert verdict.status == "inconclusive"
        assert verdict.evidence["reason"] == reason
        assert "{" not in verdict.reason and len(verdict.reason) > 20


def test_a_reason_outside_the_list_is_the_workers_fault() -> None:
    verdict = verdicts.judge(Observation(0, "unclear", "bad luck", (), {}), "")
    assert verdict.evidence["reason"] == Reason.BROKEN


@pytest.mark.parametrize(
    ("kind", "type_name", "message", "expected"),
    [
        ("bool", "TracerBoolConversionError", "Attempted boolean conversion", True),
        ("bool", "ValueError", "anything", False),
        ("index", "TracerIntegerConversionError", "", True),
        ("shape", "TypeError", "Shapes must be 1D sequences of concrete values of integer type", True),
        ("shape", "TypeError", "add got incompatible shapes for broadcasting", False),
        ("mask-index", "NonConcreteBooleanIndexError", "", True),
        ("in-place", "TypeError", "JAX arrays are immutable", True),
        ("hash", "TypeError", "unhashable type: 'DynamicJaxprTracer'", True),
        ("hash", "TypeError", "unsupported operand", False),
        ("static-value", "ValueError", "Non-hashable static arguments are not supported", True),
        ("iterator-argument", "TypeError", "Error interpreting argument to f as an abstract array", True),
        ("operand-dtypes", "TypeError", "add requires arguments to have same dtypes, got int32, float32", True),
        ("jit-created", "TypeError", "", False),
    ],
)
def test_failures_are_told_by_type_and_message(kind: str, type_name: str, message: str, expected: bool) -> None:
    assert bears_out(kind, Failure(type_name, (type_name, "Exception"), message, ())) is expected


def test_places_overlap_when_they_share_text() -> None:
    outer = Site("a.py", 3, 4, 5, 10, "f")
    assert outer.overlaps(Site("a.py", 4, 0, 4, 2, "f"))
    assert Site("a.py", 4, 0, 4, 2, "f").overlaps(outer)
    assert not outer.overlaps(Site("a.py", 5, 10, 5, 12, "f"))
    assert not outer.overlaps(Site("b.py", 4, 0, 4, 2, "f"))
