"""What a command costs: seconds of the clock and of the processor, and memory, of it and its children."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil

_LOOK_EVERY = 0.05  # seconds


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, and the most MiB at a time: the sum of the processes' resident sets."""

    wall: float
    cpu: float
    mebibytes: float


def cost(command: Sequence[str], folder: Path, statuses: range = range(2)) -> Cost:
    """Runs a command in a folder, to its end.

    Args:
        command: the program and its arguments.
        folder: its working directory.
        statuses: the exit statuses of a run that did its work.

    Raises:
        RuntimeError: it ended otherwise, or in an exception.
    """
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        with ThreadPoolExecutor(1) as watching:
            peak = watching.submit(_peak, process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        told = output.read()
        if process.returncode not in statuses or b"Traceback (most recent call last)" in told:
            end = told[-2000:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(command)[:500]} ended with {process.returncode}:\n{end}")
    return Cost(round(wall, 4), round(usage.ru_utime + usage.ru_stime, 4), round(peak.result() / 2**20, 1))


def _peak(pid: int) -> int:
    """Bytes, looked at until the process is gone."""
    peak = 0
    try:
        process = psutil.Process(pid)
        while process.status() != psutil.STATUS_ZOMBIE:
            family = (process, *process.children(recursive=True))
            peak = max(peak, sum(map(_resident, family)))
            time.sleep(_LOOK_EVERY)
    except psutil.NoSuchProcess:
        pass
    return peak


def _resident(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0
