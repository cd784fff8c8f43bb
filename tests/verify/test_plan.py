"""Findings become jobs and probes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify.plan import jobs
from jitlint.verify.recorder.forms import module_name
from jitlint.verify.worker.messages import EntryRequest, RootRequest

STEP = "import jax\n\n\n@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2\n"


def step(path: Path, **more: object) -> tuple[object, object]:
    file = source(path, STEP)
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="step", root="step", **more)
    return file, found


def test_one_job_per_module_in_order_of_findings(tmp_path: Path) -> None:
    first, found_first = step(tmp_path / "first.py")
    second, found_second = step(tmp_path / "second.py")
    planned = jobs([found_second, found_first, found_second], [first, second])
    assert [job.module for job in planned] == ["second", "first"]
    assert [[probe.id for probe in job.probes] for job in planned] == [[0, 2], [1]]


def test_a_probe_says_where_what_and_from_where(tmp_path: Path) -> None:
    file, found = step(tmp_path / "mod.py", calls=("(1.0)",))
    (job,) = jobs([found], [file])
    (probe,) = job.probes
    assert probe.kind == "bool" and probe.construct == "ternary"
    assert probe.place.file == str(tmp_path / "mod.py")
    assert (probe.place.line, probe.place.column, probe.place.end_column) == (6, 17, 22)
    assert probe.entry is not None
    assert probe.entry == EntryRequest(probe.entry.place, "jax.jit", "mod:step")
    assert probe.root == RootRequest("mod", "step", ("(1.0)",), (4, 6))
    assert job.sources == {str(tmp_path / "mod.py"): STEP}
    assert str(tmp_path) in job.paths


def test_packages_give_dotted_names_and_their_parent_as_path(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    assert module_name(inner / "mod.py") == "pkg.sub.mod"
    assert module_name(inner / "__init__.py") == "pkg.sub"
    file = source(inner / "mod.py", STEP)
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="step")
    (job,) = jobs([found], [file])
    assert job.module == "pkg.sub.mod"
    assert str(tmp_path) in job.paths


def test_what_began_in_a_file_that_was_not_given_is_run_from_its_own(tmp_path: Path) -> None:
    file, found = step(tmp_path / "mod.py")
    elsewhere = replace(found, event=replace(found.event, root=found.event.root._replace(path="other.py")))
    (job,) = jobs([elsewhere], [file])
    assert (job.module, job.file) == ("mod", str(tmp_path / "mod.py"))


def test_a_job_can_be_narrowed(tmp_path: Path) -> None:
    file, found = step(tmp_path / "mod.py")
    (job,) = jobs([found, found, found], [file])
    narrowed = job.only({1}, definitions_only=True)
    assert [probe.id for probe in narrowed.probes] == [1]
    assert narrowed.definitions_only and narrowed.only({1}).definitions_only


def test_a_module_of_many_findings_is_several_jobs_whatever_the_workers(tmp_path: Path) -> None:
    file, found = step(tmp_path / "mod.py")
    of_another = replace(found, event=replace(found.event, symbol="mod.other"))
    planned = jobs([found] * 60 + [of_another] * 10 + [found] * 40, [file])
    assert [len(job.probes) for job in planned] == [60, 50]
    assert [probe.id for job in planned for probe in job.probes] == list(range(110))
    (few,) = jobs([found] * 20 + [of_another] * 10, [file])
    assert len(few.probes) == 30


def test_tests_in_a_folder_of_their_own_find_the_packages_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for folder in ("pkg/deep", "src", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    for package in ("pkg", "pkg/deep"):
        source(tmp_path / package / "__init__.py", "")
    library, _ = step(tmp_path / "pkg/deep/mod.py")
    file, found = step(tmp_path / "tests/test_mod.py")
    (job,) = jobs([found], [library, file])
    assert job.paths == tuple(str(tmp_path / folder) for folder in ("tests", "", "src"))
