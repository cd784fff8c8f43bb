"""Ctrl-C ends a run at once, with all its processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest
from making import finding, source

from jitlint.analysis.events import EventKind
from jitlint.verify import VerifyOptions, verify

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


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", ENDLESS)
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    timer = threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        verify([found], [file], VerifyOptions(module_timeout=60.0))
    assert time.monotonic() - began < 10
    assert not [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]


def test_a_top_level_without_end_is_left_out(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", ENDLESS)
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    (seen,) = verify([found], [file], VerifyOptions(module_timeout=12.0))
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict
