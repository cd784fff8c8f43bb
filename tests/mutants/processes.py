"""Asks workers: requests in order, each under a time limit, in a process that is started again when it dies."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "JAX_TRACEBACK_FILTERING": "off",
    "XLA_FLAGS": "--xla_backend_optimization_level=0",
    "PYTHONHASHSEED": "0",
}


def ask(requests: Iterable[dict[str, Any]]) -> Iterator[Any]:
    """The answers, in order; None for a request that failed, ran too long or killed its worker."""
    worker = _start()
    try:
        for request in requests:
            answer, alive = _ask(worker, request)
            if not alive:
                _stop(worker)
                worker = _start()
            yield answer
    finally:
        _stop(worker)


def _start() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.mutants.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
    )


def _ask(worker: subprocess.Popen[str], request: dict[str, Any]) -> tuple[Any, bool]:
    assert worker.stdin is not None and worker.stdout is not None
    try:
        worker.stdin.write(json.dumps(request) + "\n")
        worker.stdin.flush()
    except BrokenPipeError:
        return None, False
    ready, _, _ = select.select([worker.stdout], [], [], SECONDS)
    line = worker.stdout.readline() if ready else ""
    if not line:
        return None, False
    reply = json.loads(line)
    if "error" in reply and os.environ.get("MUTANTS_DEBUG"):
        print(request, reply["error"], file=sys.stderr)
    return reply.get("answer"), True


def _stop(worker: subprocess.Popen[str]) -> None:
    worker.kill()
    worker.communicate()
