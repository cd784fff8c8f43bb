"""The report on entry points."""

from __future__ import annotations

import json

import click

from jitlint.events.entry_point import EntryPoint, Origin
from jitlint.events.event import Root
from jitlint.findings.entry_report import Build, EntryReport
from jitlint.findings.finding import Result
from jitlint.report import entries, text
from jitlint.report import json as as_json
from jitlint.source.places import Place


def entry(name: str, origin: Origin = Origin.TRANSFORM) -> EntryPoint:
    place = Place("pkg/a.py", 3, 2, 3, 9)
    return EntryPoint(place, "jax.jit", f"pkg.a:{name}", name, "pkg/a.py", Root("pkg/a.py", "pkg.a", name), origin)


CPU = Build("cpu", "compiled", seconds={"trace": 0.002, "compile": 0.1}, memory={"total": 3 * 2**20}, flops=2e6)
TPU = Build("tpu:v5e", "failed", "fails-to-lower", "it fails to lower for tpu:v5e (no rule)")
DONE = EntryReport(
    entry("step"),
    "compiled",
    target="step",
    inputs=("x=f32[4]",),
    source="search",
    builds=(CPU,),
    equations=3,
    constants=2048,
    compared="equal",
    jax="0.10.2",
)
FAILED = EntryReport(
    entry("rule", Origin.EXPORT),
    "failed",
    "fails-to-lower",
    "tpu:v5e: no rule",
    "rule(…).update",
    source="search",
    builds=(CPU, TPU),
)
LOST = EntryReport(entry("lost", Origin.METHOD), "not-reached", "no-inputs", "no inputs found")


def test_each_entry_has_a_line_and_a_line_for_each_device() -> None:
    assert click.unstyle(entries.render([DONE, FAILED, LOST])).split("\n") == [
        "pkg/a.py:3:2 jax.jit of step compiled: with x=f32[4] (search); 3 equations; 2 KiB of constants; "
        "runs as without jit",
        "   cpu: trace 2 ms, compile 100 ms, 3 MiB of memory, 2e+06 flops",
        "pkg/a.py:3:2 export rule failed: tpu:v5e: no rule; as rule(…).update without arguments (search)",
        "   cpu: trace 2 ms, compile 100 ms, 3 MiB of memory, 2e+06 flops",
        "   tpu:v5e failed: it fails to lower for tpu:v5e (no rule)",
        "pkg/a.py:3:2 method lost not-reached: no inputs found",
        "",
        "3 entry points:",
        "     1   33%  compiled",
        "     1   33%  failed: fails-to-lower",
        "     1   33%  not-reached: no-inputs",
    ]


def test_the_report_stands_before_the_summary() -> None:
    shown = click.unstyle(text.render(Result((), files=1, entries=(LOST,)), []))
    assert shown.startswith("pkg/a.py:3:2 method lost") and shown.endswith("\n\nNo findings in 1 file.\n")
    assert text.render(Result((), files=1, entries=()), []) == text.render(Result((), files=1), [])


def test_json_has_the_entries_and_counts_them() -> None:
    document = json.loads(as_json.render(Result((), files=1, entries=(DONE, FAILED))))
    first, second = document["entries"]
    assert (first["name"], first["status"], first["equations"], first["compared"]) == ("step", "compiled", 3, "equal")
    assert first["devices"][0]["peak_memory"] == 3 * 2**20
    assert [device["status"] for device in second["devices"]] == ["compiled", "failed"]
    assert document["summary"]["entries"] == {"compiled": 1, "failed: fails-to-lower": 1}
    assert document["summary"]["found_by_verifying_only"] == 0
    assert "entries" not in json.loads(as_json.render(Result((), files=1)))
