"""The worker process: loads jax once, starts no backend, and forks a child for each job."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

from . import limits, messages, needs, wire
from .process import child_process

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_TICK = 0.01
_AT_ONCE = 256
"""How many ended children are noted before the linter is heard again: code may start new ones faster than they end."""


def serve(request: int, reply: int, unconfined: str) -> None:
    """Answers jobs from `request` on `reply`, one at a time, until `request` is closed.

    Args:
        request: the pipe with jobs, and with the order to end one.
        reply: the pipe for answers.
        unconfined: what it lacks of the sandbox that it should have, "" if nothing.
    """
    os.set_inheritable(request, False)
    os.set_inheritable(reply, False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # in a sandbox, jobs cannot send the first process what it ignores
    child_process.process_option(_PR_SET_CHILD_SUBREAPER, 1)
    child_process.process_option(_PR_SET_DUMPABLE, 0)  # keeps what this process has open from its children
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
            wire.write(reply, {"type": "ended", **_in_child(message, request, reply)})


def _in_child(message: dict[str, object], request: int, reply: int) -> dict[str, object]:
    """Runs one job in a child with a session of its own, until it ends, has too many, or `request` has something.

    Returns, once all processes that it started have ended too, its exit code, or minus the signal that ended it, and
    whether it had too many processes.
    """
    job = messages.JobRequest.read(message)
    Path(job.scratch).mkdir(exist_ok=True)
    before = _processes()
    said, saying = os.pipe()
    child = os.fork()
    if child == 0:
        for each in (request, reply, said):
            os.close(each)
        _run(job, saying)
    os.close(saying)
    os.set_blocking(said, False)
    relay = wire.Relay(said, reply)
    ended: dict[int, int] = {}
    too_many = False
    while _reap(ended) and child not in ended and not too_many:
        ready = select.select([request, said][: 2 - relay.closed], [], [], _TICK)[0]
        if request in ready:
            break
        relay.forward()
        too_many = _too_many(before)
    while _reap(ended):
        _kill_all(child)
        time.sleep(_TICK)
    relay.forward()
    os.close(said)
    shutil.rmtree(job.scratch, ignore_errors=True)
    return {"status": ended[child], "too_many": too_many}


def _run(job: messages.JobRequest, saying: int) -> NoReturn:
    """Does a job in this process, and ends it."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jitlint may run where it is ignored
        child_process.process_option(_PR_SET_DUMPABLE, 1)
        child_process.die_with_parent()
        child_process.claim()
        from .job import run  # imports jax, which must be known to be there

        run(job, lambda answer: wire.write(saying, answer))
    except BaseException as error:  # noqa: BLE001  the child must end here, whatever happened, and never return
        _give_up(error, saying)
    os._exit(0)


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
        for _ in range(_AT_ONCE):
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                break
            ended.setdefault(child, os.waitstatus_to_exitcode(status))
        return True
    return False


def _too_many(before: int) -> bool:
    """Whether a job has too many processes, given how many there were before it.

    Processes multiply while they are counted, so this is done here, near to them, and all are counted before the job's
    are told from others.
    """
    if _processes() - before <= limits.PROCESSES:
        return False
    return os.getpid() == 1 or len(_descendants()) > limits.PROCESSES


def _processes() -> int:
    """How many processes there are that this one can see; 0 where there is no /proc."""
    try:
        return sum(map(str.isdecimal, os.listdir("/proc")))  # noqa: PTH208  without an object for each
    except OSError:
        return 0


def _kill_all(child: int) -> None:
    """Kills all processes of a job: in a sandbox all that there are, else its session and all that descend from us."""
    if os.getpid() == 1:
        _kill(-1)
        return
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    for process in _descendants():
        _kill(process)


def _kill(process: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


def _descendants() -> list[int]:
    """What this process started, directly or not, orphans that came to it included; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            parent = entry.read_text(errors="replace").rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(entry.parent.name))
    found = [os.getpid()]
    for process in found:
        found.extend(children.get(process, ()))
    return found[1:]
