"""Ctrl-C ends a run at once, with all its processes, and what is known by then is reported."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

QUICK = """import jax

@jax.jit
def f(x):
    return 1 if x > 0 else 2
"""

ENDLESS = """import time
import jax

@jax.jit
def f(x):
    return 1 if x > 0 else 2

while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
"""


@pytest.fixture(autouse=True)
def can_be_interrupted() -> Iterator[None]:
    """Lets SIGINT interrupt the tests, also where they run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interruption_leaves_nothing_and_keeps_what_is_known(tmp_path: Path) -> None:
    quick, endless = source(tmp_path / "quick.py", QUICK), source(tmp_path / "mod.py", ENDLESS)
    known = finding(quick, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    found = finding(endless, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    began = time.monotonic()

    def interrupt(module: str, done: int, total: int) -> None:
        if (module, done) == ("mod", 1):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    options = VerifyOptions(module_timeout=60.0, jobs=1, full_import=True)
    first, second = verify([known, found], [quick, endless], options, interrupt)
    assert first.verdict and first.verdict.status == "confirmed"
    assert second.verdict and second.verdict.status == "not-run"
    assert second.verdict.evidence["reason"] == "interrupted"
    assert time.monotonic() - began < 30
    assert not [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]


def test_a_top_level_without_end_is_left_out(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", ENDLESS)
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    (seen,) = verify([found], [file], VerifyOptions(module_timeout=12.0, full_import=True))
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict
