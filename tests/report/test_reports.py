"""Reports are functions of a result."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import click
import jsonschema
import pytest

from jitlint.events.assumption import Confidence
from jitlint.events.event import Entry, Event, EventKind
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Result, Verdict
from jitlint.fixes.edit import Edit, Fix
from jitlint.report import github, gitlab, junit, markdown, sarif, text
from jitlint.report import json as as_json
from jitlint.rules.rule import Severity
from jitlint.source.places import Place, Step
from jitlint.source.text import SourceFile
from tests.assumed import resting

SOURCE = SourceFile(
    Path("a.py"), "a.py", "import jax\n@jax.jit\ndef f(x):\n\tif x > 0:  # ä\n\t\treturn (x\n\t\t+ 1)\n"
)
CONFIRMED = Verdict(
    "confirmed", "TracerBoolConversionError at a.py:4:5", "cpu", ("x: f32[]",), {"exception": "T"}, "0.10.2"
)
REFUTED = Verdict("refuted", "ran to the end", "cpu", ("x: f32[3]",), {}, "0.10.2")


def place(line: int, column: int, end_line: int, end_column: int) -> Place:
    return Place("a.py", line, column, end_line, end_column)


def finding(steps: int = 2, verdict: Verdict | None = None, at: Place | None = None) -> Finding:
    flow = tuple(Step(place(number + 1, 1, number + 1, 2), f"step {number}") for number in range(steps))
    event = Event(
        EventKind.BOOL,
        at or place(4, 5, 4, 10),
        "if",
        symbol="a.f",
        entry=Entry(place(2, 2, 2, 9), "jax.jit", "a:f"),
        flow=flow,
        assumptions=resting(Confidence.LIKELY),
    )
    return Finding(
        "JIT101",
        "traced-branch",
        Severity.ERROR,
        "`if` on a tracer, 100%",
        event,
        "0123",
        (verdict,) if verdict else (),
    )


def result(*findings: Finding) -> Result:
    return Result(findings, (FileError("b.py", "no Python", "JIT001"),), 2)


def plain(shown: Result) -> list[str]:
    return click.unstyle(text.render(shown, [SOURCE])).split("\n")


def test_text_shows_place_line_flow_and_verdict() -> None:
    assert plain(result(finding(verdict=CONFIRMED), finding(verdict=REFUTED)))[:7] == [
        "a.py:4:5 JIT101 `if` on a tracer, 100% [likely]",
        "     4 | \tif x > 0:  # ä",
        "       | \t   ^^^^^",
        "   from a.py:1:1  step 0",
        "        a.py:2:1  step 1",
        "   confirmed: TracerBoolConversionError at a.py:4:5, with x: f32[] (cpu, jax 0.10.2)",
        "",
    ]


def test_inputs_that_the_reason_names_are_not_said_twice() -> None:
    verdict = Verdict("confirmed", "fails while tracing f(x=f32[])", "cpu", ("x=f32[]", "n=3"), {}, "0.10.2")
    assert plain(result(finding(verdict=verdict)))[5] == (
        "   confirmed: fails while tracing f(x=f32[]), with n=3 (cpu, jax 0.10.2)"
    )


def test_text_ends_in_a_summary() -> None:
    assert plain(result())[0] == "No findings in 2 files."
    assert plain(result(finding()))[-2] == "1 finding in 2 files."
    verified = result(finding(verdict=REFUTED), finding(verdict=CONFIRMED), finding(verdict=CONFIRMED))
    assert plain(verified)[-2] == "3 findings in 2 files: 2 confirmed, 1 refuted."


def test_long_flows_keep_the_source_and_what_is_nearest_the_sink() -> None:
    lines = plain(result(finding(steps=9)))[3:9]
    assert [line.split()[-1] for line in lines] == ["0", "more", "5", "6", "7", "8"]
    assert lines[1].strip() == "… 4 more"


def test_carets_end_with_the_line_and_count_columns_of_the_terminal() -> None:
    assert plain(result(finding(at=place(5, 10, 6, 6))))[2] == "       | \t\t       ^^"
    wide = SourceFile(Path("a.py"), "a.py", "x = '日本' if t else 'é'\n")
    lines = click.unstyle(text.render(result(finding(at=place(1, 13, 1, 14))), [wide])).split("\n")
    assert lines[2].index("^") == lines[1].index("t else") + 2


def test_long_lines_are_cut_around_the_place() -> None:
    long = SourceFile(Path("a.py"), "a.py", "x = " + "a + " * 200 + "tracer" + " + b" * 200 + "\n")
    shown = finding(at=place(1, 805, 1, 811))
    lines = click.unstyle(text.render(result(shown), [long])).split("\n")
    assert len(lines[1]) < 140
    assert lines[1][lines[2].index("^") : lines[2].rindex("^") + 1] == "tracer"


def test_a_place_in_a_file_that_is_gone_is_still_shown() -> None:
    assert click.unstyle(text.render(result(finding()), [])).startswith("a.py:4:5 JIT101")


def test_statistics_count_codes() -> None:
    assert text.statistics(result(finding(), finding())) == "     2  JIT101  traced-branch\n"


PLACED = {"path": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}}


def strict(properties: dict[str, object], optional: dict[str, object] | None = None) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


STRING, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
COUNTS = {"type": "object", "additionalProperties": COUNT}
EDIT = strict({**PLACED, "end_line": COUNT, "end_column": COUNT, "cell": {"type": ["integer", "null"]}, "text": STRING})
CONTRACT = strict(
    {
        "version": {"const": 1},
        "tool": strict({"name": {"const": "jitlint"}, "version": STRING}),
        "findings": {
            "type": "array",
            "items": strict(
                {
                    "code": {"pattern": "^JIT[0-9]{3}$"},
                    "name": STRING,
                    "severity": {"enum": ["error", "wrong", "slow", "hint"]},
                    "confidence": {"enum": ["certain", "likely", "possible"]},
                    "message": STRING,
                    **PLACED,
                    "end_line": COUNT,
                    "end_column": COUNT,
                    "cell": {"type": ["integer", "null"]},
                    "symbol": STRING,
                    "entry": {"anyOf": [{"type": "null"}, strict({**PLACED, "transform": STRING})]},
                    "flow": {"type": "array", "items": strict({**PLACED, "note": STRING})},
                    "fix": {
                        "anyOf": [
                            {"type": "null"},
                            strict({"message": STRING, "grade": STRING, "edits": {"items": EDIT}}),
                        ]
                    },
                    "fingerprint": STRING,
                    "verdict": {
                        "anyOf": [
                            {"type": "null"},
                            strict(
                                {
                                    "status": {"enum": ["confirmed", "refuted", "inconclusive", "not-run"]},
                                    "reason": STRING,
                                    "device": STRING,
                                    "inputs": {"type": "array"},
                                    "evidence": {"type": "object"},
                                    "jax": STRING,
                                }
                            ),
                        ]
                    },
                },
                optional={"assumptions": {"minItems": 1, "items": strict({"name": STRING, "text": STRING})}},
            ),
        },
        "errors": {"type": "array", "items": strict({"path": STRING, "message": STRING})},
        "summary": strict(
            {
                "files": COUNT,
                "findings": COUNT,
                "errors": COUNT,
                "by_code": COUNTS,
                "by_severity": COUNTS,
                "by_verdict": COUNTS,
            }
        ),
    },
    optional={
        "revealed": {
            "type": "array",
            "minItems": 1,
            "items": strict(
                {
                    **PLACED,
                    "end_line": COUNT,
                    "end_column": COUNT,
                    "cell": {"type": ["integer", "null"]},
                    "expression": STRING,
                    "symbol": STRING,
                    "context": STRING,
                    "stage": {"enum": ["traced", "static", "unknown", "mixed"]},
                    "text": STRING,
                }
            ),
        }
    },
)


@pytest.mark.parametrize("findings", [(), (finding(),), (finding(verdict=CONFIRMED), finding(verdict=REFUTED))])
def test_json_keeps_the_contract(findings: tuple[Finding, ...]) -> None:
    document = json.loads(as_json.render(result(*findings)))
    jsonschema.validate(document, CONTRACT)
    assert document["errors"] == [{"path": "b.py", "message": "JIT001 no Python"}]
    assert len(document["findings"]) == len(findings)


def revealed() -> Result:
    """A run that found nothing and revealed one expression in two contexts, and another in one."""
    seen = [
        Revealed(place(5, 3, 5, 11), "x", "a.f", "under jax.jit of `f`", "traced", "Traced float[]"),
        Revealed(place(5, 3, 5, 11), "x", "a.f", "not traced", "static", "Static int 3"),
        Revealed(place(6, 3, 6, 11), "y", "a.f", "not traced", "unknown", "Unknown"),
    ]
    return Result((), (), 1, tuple(seen))


def test_what_is_revealed_is_no_finding() -> None:
    assert plain(revealed())[:5] == [
        "a.py:5:3: revealed: Traced float[] (under jax.jit of `f`)",
        "a.py:5:3: revealed: Static int 3 (not traced)",
        "a.py:6:3: revealed: Unknown",
        "",
        "No findings in 1 file.",
    ]
    document = json.loads(as_json.render(revealed()))
    jsonschema.validate(document, CONTRACT)
    assert document["findings"] == []
    assert [(each["line"], each["stage"]) for each in document["revealed"]] == [
        (5, "traced"),
        (5, "static"),
        (6, "unknown"),
    ]
    assert github.render(revealed()).splitlines()[1] == (
        "::notice file=a.py,line=5,title=revealed::Static int 3 (not traced)"
    )
    shown = sarif.document(revealed())["runs"][0]["results"][0]
    assert (shown["kind"], shown["level"]) == ("informational", "none")
    assert shown["message"]["text"] == "revealed: Traced float[] (under jax.jit of `f`)"


def test_json_says_all_there_is() -> None:
    document = as_json.document(result(finding(verdict=CONFIRMED)))
    shown = document["findings"][0]
    assert (shown["path"], shown["line"], shown["column"]) == ("a.py", 4, 5)
    assert (shown["end_line"], shown["end_column"]) == (4, 10)
    assert shown["entry"] == {"path": "a.py", "line": 2, "column": 2, "transform": "jax.jit"}
    assert shown["flow"][1] == {"path": "a.py", "line": 2, "column": 1, "note": "step 1"}
    assert shown["verdict"]["evidence"] == {"exception": "T"}
    assert document["summary"]["by_verdict"] == {"confirmed": 1}
    assert document["summary"]["by_code"] == {"JIT101": 1}


def test_github_annotates_and_escapes() -> None:
    lines = github.render(result(finding(), finding(verdict=REFUTED))).splitlines()
    assert lines == [
        "::error file=a.py,line=4,endLine=4,col=5,endColumn=9,title=JIT101 traced-branch::`if` on a tracer, 100%25",
        "::notice file=a.py,line=4,endLine=4,col=5,endColumn=9,title=JIT101 traced-branch::"
        "`if` on a tracer, 100%25 (refuted: ran to the end)",
        "::error file=b.py::JIT001 no Python",
    ]


def test_sarif_has_rules_results_flows_and_errors() -> None:
    run = sarif.document(result(finding(verdict=CONFIRMED), finding(verdict=REFUTED)))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    confirmed, refuted = run["results"]
    assert rules[confirmed["ruleIndex"]]["id"] == "JIT101"
    region = confirmed["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 4, "startColumn": 5, "endLine": 4, "endColumn": 10}
    steps = confirmed["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["step 0", "step 1"]
    assert "suppressions" not in confirmed
    assert refuted["suppressions"][0]["justification"] == "ran to the end"
    assert not run["invocations"][0]["executionSuccessful"]
    assert json.loads(sarif.render(result(finding())))["version"] == "2.1.0"


SARIF_SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text("utf-8"))


def test_sarif_is_valid_and_within_the_limits_of_code_scanning() -> None:
    validator = jsonschema.Draft7Validator(SARIF_SCHEMA)
    full = dataclasses.replace(result(finding(verdict=CONFIRMED), finding(verdict=REFUTED)), notes=("odd",))
    validator.validate(sarif.document(full))
    validator.validate(sarif.document(Result(())))
    many = sarif.document(result(finding(steps=1200), *[finding(steps=0)] * 25_000))["runs"][0]
    assert len(many["results"]) == 25_000
    said = [each["message"]["text"] for each in many["invocations"][0]["toolExecutionNotifications"]]
    assert "1 more results are left out, as code scanning takes no more" in said
    steps = many["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [steps[at]["location"]["message"]["text"] for at in (0, 1, -1)] == ["step 0", "step 201", "step 1199"]
    assert len(steps) == 1000


def test_sarif_keeps_identities_and_verdicts() -> None:
    found = sarif.document(result(finding(verdict=CONFIRMED)))["runs"][0]["results"][0]
    assert found["partialFingerprints"] == {"primaryLocationLineHash": "0123:1", "jitlint/v1": "0123"}
    verdict = {"status": "confirmed", "reason": CONFIRMED.reason, "device": "cpu", "inputs": ["x: f32[]"]}
    assert found["properties"] == {"confidence": "likely", "verdict": "confirmed", "verdicts": [verdict]}


def test_gitlab_gets_an_issue_for_each_finding_and_error() -> None:
    confirmed, refuted, error = json.loads(gitlab.render(result(finding(verdict=CONFIRMED), finding(verdict=REFUTED))))
    assert confirmed == {
        "description": "`if` on a tracer, 100% (confirmed: TracerBoolConversionError at a.py:4:5)",
        "check_name": "JIT101",
        "fingerprint": "0123",
        "severity": "critical",
        "location": {"path": "a.py", "lines": {"begin": 4, "end": 4}},
    }
    assert refuted["severity"] == "info"
    assert (error["check_name"], error["severity"], error["location"]["path"]) == ("JIT001", "blocker", "b.py")


def test_junit_has_a_case_for_each_finding_and_error() -> None:
    shown = junit.render(result(finding(verdict=CONFIRMED), finding(verdict=REFUTED)))
    suite = ElementTree.fromstring(shown.encode())[0]
    assert suite.attrib == {"name": "jitlint", "tests": "3", "failures": "1", "errors": "1", "skipped": "1"}
    assert [(case.get("classname"), case.get("name"), case[0].tag) for case in suite] == [
        ("a.py", "JIT101 a.py:4:5", "failure"),
        ("a.py", "JIT101 a.py:4:5", "skipped"),
        ("b.py", "JIT001", "error"),
    ]
    assert suite[0][0].text == f"a.py:1:1  step 0\na.py:2:1  step 1\nconfirmed: {CONFIRMED.reason}"
    clean = ElementTree.fromstring(junit.render(Result((), files=3)).encode())[0]
    assert clean.get("failures") == "0" and [len(case) for case in clean] == [0]
    odd = dataclasses.replace(finding(), message="\x00<&\ud800")
    assert ElementTree.fromstring(junit.render(Result((odd,))).encode())[0][0][0].get("message") == "�<&�"


def test_markdown_fits_into_a_comment_and_escapes() -> None:
    odd = dataclasses.replace(finding(verdict=CONFIRMED), message="a | b of `x | y` *is* <b>")
    shown = markdown.render(result(odd))
    assert shown.startswith("### jitlint: 1 finding in 2 files (1 confirmed)\n")
    assert r"| JIT101 | `a.py:4:5` | a \| b of `x \| y` \*is\* \<b\><br>from `a.py:1:1`: step 0 |" in shown
    assert shown.endswith("- b.py: JIT001 no Python\n")
    assert markdown.render(Result((), files=1)) == "### jitlint: no findings in 1 file\n"
    long = markdown.render(result(*[finding()] * 2000))
    assert len(long) < 65_536 and "more." in long


def test_fixes_are_edits_of_files() -> None:
    fix = Fix("Remove the comment", (Edit(place(4, 12, 4, 17), ""),))
    fixed = result(dataclasses.replace(finding(), fix=fix))
    (shown,) = json.loads(as_json.render(fixed))["findings"]
    edit = {"path": "a.py", "line": 4, "column": 12, "end_line": 4, "end_column": 17, "cell": None, "text": ""}
    assert shown["fix"] == {"message": "Remove the comment", "grade": "safe", "edits": [edit]}
    jsonschema.validate(json.loads(as_json.render(fixed)), CONTRACT)
    document = sarif.document(fixed)
    jsonschema.Draft7Validator(SARIF_SCHEMA).validate(document)
    (change,) = document["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]
    region = {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 17}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": ""}}]
