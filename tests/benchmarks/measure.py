"""What a command costs: seconds of the clock and of the processor, and memory, of it and its children."""

from __future__ import annotations

import contextlib
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
    # What is installed with a tool counts, not what this program finds.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryFile() as output:
        quiet = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, **quiet)
        with ThreadPoolExecutor(1) as watching:
            seen = watching.submit(_watched, process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        told = output.read()
        if process.returncode not in statuses or b"Traceback (most recent call last)" in told:
            end = told[-2000:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(command)[:500]} ended with {process.returncode}:\n{end}")
    peak, cpu = seen.result()
    # The system counts no child that nobody waited for; watching misses what lives between two looks.
    return Cost(round(wall, 4), round(max(usage.ru_utime + usage.ru_stime, cpu), 4), round(peak / 2**20, 1))


def _watched(pid: int) -> tuple[int, float]:
    """The most bytes at a time and the CPU seconds of a process and its descendants, looked at until it is gone."""
    peak = 0
    seconds: dict[psutil.Process, float] = {}
    try:
        process = psutil.Process(pid)
        while process.status() != psutil.STATUS_ZOMBIE:
            resident = 0
            for one in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    times = one.cpu_times()
                    seconds[one] = times.user + times.system
                    resident += one.memory_info().rss
            peak = max(peak, resident)
            time.sleep(_LOOK_EVERY)
    except psutil.NoSuchProcess:
        pass
    return peak, sum(seconds.values())
