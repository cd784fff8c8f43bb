"""The worker process: loads jax once, starts no backend, and forks a child for each job."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from . import messages, needs, wire
from .process import child_process

_PR_SET_CHILD_SUBREAPER = 36
_TICK = 0.01


def serve(request: int, reply: int, unconfined: str) -> None:
    """Answers jobs from `request` on `reply`, one at a time, until `request` is closed.

    Args:
        request: the pipe with jobs, and with the order to end one.
        reply: the pipe for answers.
        unconfined: why there is no sandbox, "" if there is one or none is wanted.
    """
    os.set_inheritable(request, False)
    os.set_inheritable(reply, False)
    child_process.process_option(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        import jax  # may be missing, which is an answer
    except ImportError as error:
        wire.write(reply, {"type": "unusable", "message": f"{sys.executable} cannot import jax: {error}"})
        return
    if problem := needs.problem(sys.version_info[:2], jax.__version__):
        wire.write(reply, {"type": "unusable", "message": f"{sys.executable} {problem}"})
        return
    wire.write(reply, {"type": "ready", "jax": jax.__version__, "unconfined": unconfined})
    gc.freeze()  # leaves jax's objects out of garbage collection: children neither copy nor search them
    while (message := wire.read(request)) is not None:
        if message["type"] == "job":  # an order to end a job may come after its end
            wire.write(reply, {"type": "ended", "status": _in_child(message, request, reply)})


def _in_child(message: dict[str, object], request: int, reply: int) -> int:
    """Runs one job in a child with a session of its own, until it ends or something comes from `request`.

    Returns its exit code, or minus the signal that ended it, once all processes that it started have ended too.
    """
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            child_process.die_with_parent()
            child_process.claim()
            os.close(request)
            from .job import run  # imports jax, which must be known to be there

            run(messages.JobRequest.read(message), lambda answer: wire.write(reply, answer))
        except BaseException as error:  # noqa: BLE001  the child must end here, whatever happened, and never return
            _give_up(error, reply)
        os._exit(0)
    ended: dict[int, int] = {}
    while _reap(ended) and child not in ended and not select.select([request], [], [], _TICK)[0]:
        pass
    while _reap(ended):
        _kill_all(child)
        time.sleep(_TICK)
    return ended[child]


def _give_up(error: BaseException, reply: int) -> NoReturn:
    """Ends a job's process and sends why; if the pipe is broken, ends it as a broken pipe would."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error}"[:400] + f" ({Path(at.filename).name}:{at.lineno})"
    try:
        wire.write(reply, {"type": "broken", "message": text})
    except OSError:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    os._exit(3)


def _reap(ended: dict[int, int]) -> bool:
    """Notes how children ended, by process. Returns whether there are more."""
    with contextlib.suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG))[0]:
            ended.setdefault(one[0], os.waitstatus_to_exitcode(one[1]))
        return True
    return False


def _kill_all(child: int) -> None:
    """Kills all processes of a job: in a sandbox all that there are, else its session and our other children."""
    if os.getpid() == 1:
        _kill(-1)
        return
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    for process in _children():
        _kill(process)


def _kill(process: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


def _children() -> Iterator[int]:
    """This process's children, orphans that came to it included; none where there is no /proc."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            parent = entry.read_text(errors="replace").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                yield int(entry.parent.name)
