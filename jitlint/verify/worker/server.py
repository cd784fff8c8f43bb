"""The worker process: loads jax once, starts no backend, and forks a child for each job."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path

from . import apart, needs, wire

_PR_SET_CHILD_SUBREAPER = 36


def serve(request: int, reply: int) -> None:
    """Answers jobs from `request` on `reply`, one at a time, until `request` is closed."""
    os.set_inheritable(request, False)
    os.set_inheritable(reply, False)
    apart.die_with_parent()
    apart.process_option(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        import jax
    except ImportError as error:
        wire.write(reply, {"type": "unusable", "message": f"{sys.executable} cannot import jax: {error}"})
        return
    if problem := needs.problem(sys.version_info[:2], jax.__version__):
        wire.write(reply, {"type": "unusable", "message": f"{sys.executable} {problem}"})
        return
    wire.write(reply, {"type": "ready", "jax": jax.__version__})
    gc.freeze()  # what jax made at import: children need neither copy it nor search it for the user's functions
    while (job := wire.read(request)) is not None:
        status = _in_child(job, request, reply)
        wire.write(reply, {"type": "ended", "status": status})


def _in_child(job: dict[str, object], request: int, reply: int) -> int:
    """Runs one job in a child with a session of its own; gives its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            apart.die_with_parent()
            os.close(request)
            wire.write(reply, {"type": "began", "pid": os.getpid()})
            from .job import run

            run(job, lambda message: wire.write(reply, message))
        except BaseException as error:  # noqa: BLE001  the child must end here, whatever happened, and never return
            at = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__}: {error}"[:400] + f" ({Path(at.filename).name}:{at.lineno})"
            wire.write(reply, {"type": "broken", "message": told})
            os._exit(3)
        os._exit(0)
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == child:
            return os.waitstatus_to_exitcode(status)
