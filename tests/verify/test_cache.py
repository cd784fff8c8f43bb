"""A second run takes from the cache what would come out the same, and nothing else."""

from __future__ import annotations

import json
import os
import py_compile
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.findings.finding import Finding, Verdict
from jitlint.project.cache_folder import CacheFolder
from jitlint.source.text import SourceFile
from jitlint.verify import plan
from jitlint.verify.api import verify
from jitlint.verify.cache import Cache
from jitlint.verify.observing import Seen
from jitlint.verify.options import VerifyOptions
from jitlint.verify.pool import Worker
from jitlint.verify.protocol import Observation

STEP = """import jax
{top}

@jax.jit
def step(x):
    if {test}:
        return x
    return -x
"""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[int]]]:
    """The probes of each job that a worker was given."""
    given: list[list[int]] = []
    run = Worker.run

    def noting(self: Worker, job: plan.Job, *more: object) -> object:
        given.append([probe.id for probe in job.probes])
        return run(self, job, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Worker, "run", noting)
    yield given


def step(path: Path, test: str = "x > 0", top: str = "") -> tuple[SourceFile, Finding]:
    file = source(path, STEP.format(test=test, top=top))
    found = finding(file, EventKind.BOOL, "if", test, symbol="step", entry="jax.jit", function="step", root="step")
    return file, found


def verdict(path: Path, options: VerifyOptions, test: str = "x > 0", top: str = "") -> Verdict:
    file, found = step(path, test, top)
    (seen,) = verify([found], [file], options)
    assert seen.verdict is not None
    return seen.verdict


def a_job(folder: Path, options: VerifyOptions) -> tuple[Cache, plan.Job]:
    file, found = step(folder / "mod.py")
    (job,) = plan.jobs([found, found], [file])
    return Cache(replace(options, cache=folder / ".jitlint_cache")), job


def an_observation(probe: int, *, lasting: bool = True) -> Observation:
    return Observation(probe, "confirmed", "observed", ("x=f32[]",), {"exception": "E"}, lasting)


def test_the_second_run_starts_no_worker(tmp_path: Path, runs: list[list[int]]) -> None:
    options = VerifyOptions(cache=tmp_path / ".jitlint_cache")
    first = verdict(tmp_path / "mod.py", options)
    assert first.status == "confirmed" and len(runs) == 1
    assert verdict(tmp_path / "mod.py", options) == first and len(runs) == 1
    assert verdict(tmp_path / "mod.py", replace(options, cache=None)) == first and len(runs) == 2
    assert (tmp_path / ".jitlint_cache" / ".gitignore").read_text() == "*\n"
    assert verdict(tmp_path / "mod.py", options, test="x.ndim > 0").status == "refuted" and len(runs) == 3


def test_what_the_code_reads_is_part_of_it(tmp_path: Path, runs: list[list[int]]) -> None:
    """Modules that the linter was not given, data files, and files that were not there."""
    options = VerifyOptions(cache=tmp_path / ".jitlint_cache")
    (tmp_path / "settings.py").write_text("ON = True\n")
    py_compile.compile(str(tmp_path / "settings.py"))  # the worker reads this file, and not the source
    (tmp_path / "data.txt").write_text("1")
    top = (
        f"import settings\nfrom pathlib import Path\nDATA = int(Path({str(tmp_path / 'data.txt')!r}).read_text())\n"
        f"try:\n    MORE = Path({str(tmp_path / 'more.txt')!r}).read_text()\nexcept OSError:\n    MORE = ''"
    )
    test = "(x if settings.ON and DATA and not MORE else 1) > 0"

    def status() -> str:
        return verdict(tmp_path / "mod.py", options, test, top).status

    assert [status(), status()] == ["confirmed", "confirmed"] and len(runs) == 1
    (tmp_path / "data.txt").write_text("0")
    assert [status(), status()] == ["refuted", "refuted"] and len(runs) == 2
    (tmp_path / "data.txt").write_text("1")
    (tmp_path / "settings.py").write_text("ON = False\n")
    assert [status(), status()] == ["refuted", "refuted"] and len(runs) == 3
    (tmp_path / "settings.py").write_text("ON = True\n")
    assert status() == "confirmed"
    (tmp_path / "more.txt").write_text("yes")
    assert status() == "refuted"


def test_what_depends_on_the_moment_is_not_kept(tmp_path: Path, runs: list[list[int]]) -> None:
    options = VerifyOptions(cache=tmp_path / ".jitlint_cache", probe_timeout=2.0)
    file = source(
        tmp_path / "mod.py",
        "import jax, os, subprocess, time\n\n@jax.jit\ndef good(x):\n    return 1 if x > 0 else 2\n\n"
        "@jax.jit\ndef dies(x):\n    os._exit(1)\n    return 1 if x > 1 else 2\n\n"
        "@jax.jit\ndef asks(x):\n    subprocess.run(['true'])\n    return 1 if x > 2 else 2\n",
    )
    found = [
        finding(file, EventKind.BOOL, "ternary", f"x > {at}", entry=f"jax.jit\ndef {name}", function=name, root=name)
        for at, name in enumerate(("good", "dies", "asks"))
    ]
    first = verify(found, [file], options)
    assert [one.verdict.status for one in first if one.verdict] == ["confirmed", "inconclusive", "confirmed"]
    runs.clear()
    second = verify(found, [file], options)
    assert [one.verdict.status for one in second if one.verdict] == ["confirmed", "inconclusive", "confirmed"]
    assert runs == [[1, 2], [2]]


def test_a_reached_limit_is_kept_until_more_is_allowed(tmp_path: Path, runs: list[list[int]]) -> None:
    file = source(
        tmp_path / "mod.py",
        "import jax\n\n@jax.jit\ndef slow(x):\n    total = 0\n    while total < 10**12:\n        total += 1\n"
        "    return 1 if x > total else 2\n",
    )
    found = finding(file, EventKind.BOOL, "ternary", "x > total", entry="jax.jit", function="slow", root="slow")

    def verdict(seconds: float) -> Verdict:
        options = VerifyOptions(cache=tmp_path / ".jitlint_cache", probe_timeout=seconds)
        (seen,) = verify([found], [file], options)
        assert seen.verdict is not None
        return seen.verdict

    assert verdict(1.0).status == "inconclusive"
    assert (verdict(1.0).status, len(runs)) == ("inconclusive", 1)
    assert (verdict(1.5).status, len(runs)) == ("inconclusive", 2)


def test_what_cannot_be_compared_is_not_kept(tmp_path: Path) -> None:
    """Code may look at pipes, devices and files without end: these are not read, now or later."""
    (tmp_path / "file").write_text("1")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as sparse:
        sparse.truncate(1 << 40)
    os.utime(tmp_path / "huge", (0, 0))
    cache, job = a_job(tmp_path, VerifyOptions())
    for name in ("pipe", "huge"):
        cache.keep(job, Seen({0: an_observation(0)}, paths={str(tmp_path / name)}, jax="0"))
        assert not cache.recall(job).observations
    os.utime(tmp_path / "file", (0, 0))
    cache.keep(job, Seen({0: an_observation(0)}, paths={str(tmp_path / "file")}, jax="0"))
    assert cache.recall(job).observations
    (tmp_path / "file").unlink()
    os.mkfifo(tmp_path / "file")
    assert not a_job(tmp_path, VerifyOptions())[0].recall(job).observations


@pytest.mark.parametrize("change", ["environment", "installed", "options", "interpreter"])
def test_another_environment_is_another_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    installed = tmp_path / "lib"
    installed.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(installed))
    options = VerifyOptions(variables=("MODE",))
    cache, job = a_job(tmp_path, options)
    cache.keep(job, Seen({0: an_observation(0)}, jax="0"))
    assert a_job(tmp_path, options)[0].recall(job).observations == {0: an_observation(0)}
    match change:
        case "environment":
            monkeypatch.setenv("MODE", "other")
        case "installed":
            (installed / "other-1.0.dist-info").mkdir()
        case "options":
            options = replace(options, inputs=({"file": str(tmp_path / "mod.py"), "line": 5},))
        case _:
            (tmp_path / "python").symlink_to(sys.executable)
            options = replace(options, python=str(tmp_path / "python"))
    assert not a_job(tmp_path, options)[0].recall(job).observations


def test_a_file_that_changes_during_the_run_is_not_taken_for_what_was_read(tmp_path: Path) -> None:
    cache, job = a_job(tmp_path, VerifyOptions())
    (tmp_path / "late.txt").write_text("written after the run began")
    cache.keep(job, Seen({0: an_observation(0)}, paths={str(tmp_path / "late.txt")}, jax="0"))
    assert not cache.recall(job).observations


def test_positions_and_not_indices_are_kept(tmp_path: Path) -> None:
    """Another file's findings may come before: the job is the same."""
    cache, job = a_job(tmp_path, VerifyOptions())
    cache.keep(job, Seen({1: an_observation(1), 0: an_observation(0, lasting=False)}, jax="0"))
    moved = replace(job, probes=tuple(replace(probe, id=probe.id + 7) for probe in job.probes))
    assert cache.recall(moved).observations == {8: an_observation(8)}


def test_an_entry_that_is_none_is_no_entry(tmp_path: Path) -> None:
    cache, job = a_job(tmp_path, VerifyOptions())
    cache.keep(job, Seen({0: an_observation(0)}, paths={str(tmp_path)}, jax="0"))
    (file,) = (tmp_path / ".jitlint_cache" / "observations").glob("observed-*")
    folder = CacheFolder(file.parent, re.compile("observed-.*"), 1)
    whole = folder.read(file.name)
    entry = json.loads(whole)
    chance = random.Random(0)
    broken = [whole[: len(whole) // 2], b"", b"\xff\x00", b"null", b"[]", b"[" * 100_000, chance.randbytes(500)]
    for name in entry:
        broken += [json.dumps({**entry, name: wrong}).encode() for wrong in (None, 3, "x", [1], {"0": 1}, {"9": {}})]
    (observation,) = entry["observations"].values()
    for name in observation:
        wrong = {**entry, "observations": {"0": {**observation, name: [["x"]]}}}
        broken.append(json.dumps(wrong).encode())
    for data in broken:
        folder.write(file.name, data)
        assert cache.recall(job).observations in ({}, {0: an_observation(0)}), data
    folder.write(file.name, whole)
    assert cache.recall(job).observations == {0: an_observation(0)}


def test_a_changed_or_exchanged_entry_is_no_entry(tmp_path: Path) -> None:
    """Although it is one that could be read."""
    cache, job = a_job(tmp_path, VerifyOptions())
    other = replace(job, probes=job.probes[:1])
    cache.keep(job, Seen({0: an_observation(1)}, jax="0"))
    (file,) = (tmp_path / ".jitlint_cache" / "observations").glob("observed-*")
    whole = file.read_bytes()
    assert whole.count(b'"jax": "0"') == 1
    file.write_bytes(whole.replace(b'"jax": "0"', b'"jax": "1"'))
    assert cache.recall(job) == Seen()
    cache.keep(other, Seen({0: an_observation(0)}, jax="0"))
    (another,) = {*file.parent.glob("observed-*")} - {file}
    file.write_bytes(another.read_bytes())
    assert cache.recall(job) == Seen()
    assert cache.recall(other).observations == {0: an_observation(0)}


def test_a_folder_that_cannot_be_used_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / ".jitlint_cache").write_text("a file")
    cache, job = a_job(tmp_path, VerifyOptions())
    cache.keep(job, Seen({0: an_observation(0)}, jax="0"))
    assert not cache.recall(job).observations
    gone, job = a_job(tmp_path, VerifyOptions(python=str(tmp_path / "no-python")))
    gone.keep(job, Seen({0: an_observation(0)}, jax="0"))
    assert not gone.recall(job).observations


def test_what_a_killed_run_had_begun_to_write_goes(tmp_path: Path) -> None:
    cache, job = a_job(tmp_path, VerifyOptions())
    folder = tmp_path / ".jitlint_cache" / "observations"
    folder.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    for writer in (ended.pid, os.getpid()):
        (folder / f".{writer}-x.new").touch()
    cache.keep(job, Seen({0: an_observation(0)}, jax="0"))
    assert [path.name for path in folder.glob(".*")] == [f".{os.getpid()}-x.new"]


def test_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    cache, job = a_job(tmp_path, VerifyOptions())
    seen = Seen({0: an_observation(0), 1: an_observation(1)}, jax="0")
    failures: list[object] = []

    def work() -> None:
        for _ in range(30):
            cache.keep(job, seen)
            if cache.recall(job).observations != seen.observations:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    names = sorted(path.name[:9] for path in (tmp_path / ".jitlint_cache" / "observations").iterdir())
    assert names == ["CACHEDIR.", "observed-"]
