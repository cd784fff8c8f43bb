"""What kills the process that analyzes costs one root or one file, and is reported; all else is told as usual."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner, Result

from jitlint import ir
from jitlint.__main__ import main
from jitlint.analysis.machine.interpreter import EXECUTORS
from jitlint.analysis.program import parallel
from jitlint.analysis.program.worker import LostError, Worker
from jitlint.source.defects import VARIABLE

GOOD = """\
import hard
import jax

@jax.jit
def good(x):
    while x > 0:
        x = hard.second(x)
    return x
"""
HARD = """\
import jax

@jax.jit
def first(x):
    del secret_name
    if x > 0:
        return x
    return -x

@jax.jit
def second(x):
    return -x if x > 0 else x
"""
GOOD_FOUND = "good.py:6:11 JIT102 "
HARD_FOUND = "hard.py:12:18 JIT104 "
ENDED = "JIT000 internal error (interpreting, `hard.first`): the process ended by "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "hard.py").write_text(HARD)
    return tmp_path


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert not psutil.Process().children()
    return done


def send(number: signal.Signals) -> Callable[..., Any]:
    def die(*_: object) -> Any:
        signal.pthread_kill(threading.get_ident(), number)

    return die


def take_memory(*_: object) -> Any:
    return bytearray(12 << 30)


def deleting(patch: pytest.MonkeyPatch, die: Callable[..., Any]) -> None:
    """Has `del` kill the process that interprets it."""
    patch.setitem(EXECUTORS, ir.Delete, die)


DEATHS = {
    "SIGSEGV": send(signal.SIGSEGV),
    "SIGABRT": send(signal.SIGABRT),
    "SIGBUS": send(signal.SIGBUS),
    "SIGKILL": send(signal.SIGKILL),
    "exit status 3": lambda *_: os._exit(3),
    "a lack of memory": take_memory,
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_death_costs_one_root(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    deleting(monkeypatch, DEATHS[how])
    done = run("--no-cache", ".")
    assert done.exit_code == 2
    assert GOOD_FOUND in done.stdout and HARD_FOUND in done.stdout
    assert done.stderr.startswith(f"hard.py: {ENDED}{how}; please report it")
    assert done.stderr.count("JIT000") == 1


class Unreadable:
    """An answer that the main process cannot read."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("no number",)


def test_an_answer_that_cannot_be_read_is_lost() -> None:
    worker = Worker(lambda _: [Unreadable()])
    worker.ask(None)
    with pytest.raises(LostError) as lost:
        worker.receive()
    assert lost.value.death.how.startswith("ValueError: invalid literal") and not lost.value.death.from_outside
    assert not psutil.Process().children()


def test_it_can_be_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    deleting(monkeypatch, DEATHS["SIGSEGV"])
    (error,) = json.loads(run("--no-cache", "--format", "json", ".").stdout)["errors"]
    assert error["path"] == "hard.py"
    assert error["report"].startswith("jitlint ")
    assert "\ninterpreting: SIGSEGV\n" in error["report"] and " die\n" in error["report"]
    assert not any(line in error["report"] for line in HARD.splitlines() if line)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_it_is_reported_in_each_run_until_it_is_mended(
    jobs: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(parallel, "LEAST_LINES", 0)
    for at in range(5):
        (tmp_path / f"more{at}").mkdir()
        (tmp_path / f"more{at}" / "__init__.py").write_text(GOOD.replace("import hard", "").replace("hard.second", ""))
    with monkeypatch.context() as patch:
        deleting(patch, DEATHS["SIGSEGV"])
        first = run("--jobs", jobs, ".")
        assert ENDED in first.stderr and first.stdout.count("JIT102") == 6
        again = run("--jobs", jobs, ".")
        assert (again.stdout, again.stderr) == (first.stdout, first.stderr)
    mended = run("--jobs", jobs, ".")
    assert mended.exit_code == 1 and "hard.py:6:8 JIT101" in mended.stdout and not mended.stderr


def test_a_death_while_parsing_costs_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, die = ast.parse, DEATHS["SIGSEGV"]
    monkeypatch.setattr(
        ast, "parse", lambda text, *rest, **named: die() if text == HARD else parse(text, *rest, **named)
    )
    done = run("--no-cache", ".")
    assert done.exit_code == 2 and GOOD_FOUND in done.stdout and "hard.py" not in done.stdout
    assert done.stderr.startswith("hard.py: JIT000 internal error (parsing): the process ended by SIGSEGV; ")


def test_a_death_at_the_top_level_costs_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deleting(monkeypatch, DEATHS["SIGSEGV"])
    (tmp_path / "hard.py").write_text(f"{HARD}\ndel first\n")
    done = run("--no-cache", ".")
    assert done.exit_code == 2 and GOOD_FOUND in done.stdout and "hard.py:" not in done.stdout
    said = "JIT000 internal error (interpreting the top level, `hard`): the process ended by SIGSEGV; "
    assert done.stderr.startswith(f"hard.py: {said}")


def test_after_many_deaths_a_unit_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deleting(monkeypatch, DEATHS["SIGSEGV"])
    functions = "".join(f"@jax.jit\ndef f{at}(x):\n    del x\n" for at in range(9))
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "many.py").write_text(f"import jax\n{functions}")
    (tmp_path / "apart" / "beside.py").write_text("import jax\nfrom apart import many\n")
    done = run("--no-cache", ".")
    assert GOOD_FOUND in done.stdout and HARD_FOUND in done.stdout
    assert done.stderr.count("JIT000") == 3
    assert "\napart/many.py: JIT000 " in f"\n{done.stderr}" and "\napart/beside.py: JIT000 " in f"\n{done.stderr}"


def test_a_question_about_a_line_is_answered_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    deleting(monkeypatch, DEATHS["SIGSEGV"])
    done = run("stage", "hard.py:6")
    assert done.exit_code == 2
    assert f"Error: hard.py: {ENDED}SIGSEGV" in done.stderr


def test_without_other_processes_it_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("--no-cache", ".")
    monkeypatch.setattr(parallel, "CAN_FORK", False)
    monkeypatch.setattr(parallel, "Worker", None)
    done = run("--no-cache", ".")
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)


def test_without_other_processes_a_lack_of_memory_costs_one_root(monkeypatch: pytest.MonkeyPatch) -> None:
    def lack(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(parallel, "CAN_FORK", False)
    deleting(monkeypatch, lack)
    done = run("--no-cache", ".")
    assert GOOD_FOUND in done.stdout and HARD_FOUND in done.stdout
    assert done.stderr.startswith(f"hard.py: {ENDED}a lack of memory; ")


HANGS = """
import time
from functools import partial
from pathlib import Path
from jitlint import ir
from jitlint.__main__ import run
from jitlint.analysis import api
from jitlint.analysis.machine.interpreter import EXECUTORS

def hang(*_):
    Path("hangs").touch()
    while True:
        time.sleep(0.01)

EXECUTORS[ir.Delete] = hang
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_main_one(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", HANGS, "--no-cache", "."]
    unignored = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, preexec_fn=unignored) as process:
        while process.poll() is None and not (tmp_path / "hangs").exists():
            time.sleep(0.01)
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) == 1
        process.send_signal(number)
    assert not psutil.wait_procs(children, timeout=60)[1]
