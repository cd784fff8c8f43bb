"""Several processes say what one says, and leave nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from jitlint.analysis.program import parallel, tasks
from jitlint.pipeline import find, read
from jitlint.source.text import SourceFile


@pytest.fixture(scope="module")
def sources(root: Path) -> tuple[SourceFile, ...]:
    return read([str(root / "fixtures" / "projects"), str(root / "fixtures" / "seeds")]).files


@pytest.fixture(autouse=True)
def eager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Any run is worth processes, and scratch folders are seen."""
    monkeypatch.setattr(parallel, "LEAST_LINES", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_several_processes(sources: tuple[SourceFile, ...], eager: Path) -> None:
    cache = eager / "cache"
    alone = find(sources)
    assert find(sources, jobs=3, cache=cache) == alone
    assert find(sources, jobs=3, cache=cache) == alone
    assert find(sources, jobs=2) == alone
    assert [path.name for path in eager.iterdir()] == ["cache"]


def test_deep_code_in_several_processes() -> None:
    deep = SourceFile(Path("deep.py"), "deep.py", f"import jax\ndeep = {'-' * 1500}1\n")
    other = SourceFile(Path("other.py"), "other.py", "import jax\n")
    assert find((deep, other), jobs=2) == find((deep, other))
    assert not find((deep, other)).errors


def killed_once(patch: pytest.MonkeyPatch, mark: Path, work: str) -> None:
    """Has the first process that gets to some work killed."""
    does = getattr(tasks.Bench, work)

    def killed(self: tasks.Bench, task: tasks.Task) -> object:
        with contextlib.suppress(FileExistsError):
            mark.touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        return does(self, task)

    patch.setattr(tasks.Bench, work, killed)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("work", ["_lower", "_interpret"])
def test_what_a_killed_process_left_is_done(
    sources: tuple[SourceFile, ...], eager: Path, monkeypatch: pytest.MonkeyPatch, work: str, jobs: int
) -> None:
    some = sources[:20]
    alone = find(some)
    mark = eager / "killed"
    killed_once(monkeypatch, mark, work)
    assert find(some, jobs=jobs) == alone
    assert list(eager.iterdir()) == [mark]
    assert not psutil.Process().children()


def interrupted(*_: Sequence[object]) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("victims", ["itself", "the process that it was made of", "both"])
def test_processes_made_of_the_one_that_ran_the_module_tops(
    sources: tuple[SourceFile, ...], eager: Path, monkeypatch: pytest.MonkeyPatch, victims: str
) -> None:
    alone = find(sources)
    mark = eager / "killed"
    main = os.getpid()
    interpret = tasks.Bench._interpret

    def killing(self: tasks.Bench, task: tasks.Interpreting) -> object:
        if task.parts != (0,) and os.getppid() != main:
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                if victims != "itself":
                    os.kill(os.getppid(), signal.SIGKILL)
                if victims != "the process that it was made of":
                    os.kill(os.getpid(), signal.SIGKILL)
        return interpret(self, task)

    monkeypatch.setattr(tasks.Bench, "_interpret", killing)
    assert find(sources, jobs=2) == alone
    assert mark.exists()
    assert not psutil.Process().children()


def test_an_interruption_ends_all(
    sources: tuple[SourceFile, ...], eager: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        find(sources[:20], jobs=2)
    assert not list(eager.iterdir())
    assert not psutil.Process().children()


def test_a_run_with_nothing_to_do_starts_no_process(
    sources: tuple[SourceFile, ...], eager: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = SourceFile(Path("broken.py"), "broken.py", "import jax\n(")
    files = (*sources[:20], broken)
    first = find(files, cache=eager / "cache")
    monkeypatch.setattr(parallel, "Worker", interrupted)
    assert find(files, cache=eager / "cache") == first
    for run in (eager / "cache").glob("run-*"):  # the whole result
        run.unlink()
    assert find(files, cache=eager / "cache") == first
