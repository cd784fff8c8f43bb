"""Worker processes: started, spoken to, watched, and ended with everything that they started."""

from __future__ import annotations

import contextlib
import math
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import psutil

from jitlint.project.temporary import make_folder
from jitlint.verify import devices, protocol
from jitlint.verify.options import VerifyOptions
from jitlint.verify.plan import Job
from jitlint.verify.protocol import Observation
from jitlint.verify.worker import limits, wire
from jitlint.verify.worker.effort import Effort

_START = Path(wire.__file__).with_name("start.py")
_START_SECONDS = 60.0
_GRACE = 2.0
_TICK = 0.1
_OUTPUT_BYTES = 2000


class WorkerUnusableError(Exception):
    """The interpreter cannot run a worker; the message says why."""


class _WorkerEndedError(protocol.ProtocolError):
    """The worker process has ended."""


@dataclass
class JobEnd:
    """How a job ended.

    Attributes:
        observations: what was seen, by probe.
        cut_by: what cut the job short, as the value of a `Reason`, or "aborted"; "" if nothing did.
        status: the process's exit code, or minus the signal that ended it.
        message: why it is broken, if it is.
        loaded: whether the module was loaded.
        probe: the probe that ran last, None while the module loads.
        compiling: whether that probe's function was being compiled.
        forced: the probes that were run with the failures that hide them forced past.
        paths: the files and folders that the code looked at.
        output: the end of what it printed.
        starved: whether it was cut short for its time and hardly ran: another run might come further.
    """

    observations: dict[int, Observation] = field(default_factory=dict)
    cut_by: str = ""
    status: int = 0
    message: str = ""
    loaded: bool = False
    probe: int | None = None
    compiling: bool = False
    forced: set[int] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    output: str = ""
    starved: bool = False


@dataclass(frozen=True)
class _Limit:
    """So many seconds of work from a moment on."""

    effort: Effort
    seconds: float

    def is_over(self) -> bool:
        return self.effort.spent() > self.seconds


class Worker:
    """One worker process in the user's interpreter. Use it as a context manager: leaving it ends all its processes.

    Once it has run a job, `jax` is its version of jax, `unconfined` says what it lacks of the sandbox that it should
    have, and `absent` names the requested platforms that JAX cannot use here, each with the reason.
    """

    def __init__(self, options: VerifyOptions, shown: Collection[str] = ()) -> None:
        """
        Args:
            options: limits and choices of the run.
            shown: the folders that jobs must see.
        """
        self._options = options
        self._shown = shown
        self._process: subprocess.Popen[bytes] | None = None
        self._requests = self._replies = self._printed = -1
        self._decoder = protocol.Decoder()
        self._output = b""
        self._measured = 0.0
        self._aborted = False
        self._started: set[psutil.Process] = set()
        self._used_before = 0.0
        self._scratch = ""
        self.jax = ""
        self.unconfined = ""
        self.absent: set[str] = set()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._stop()

    def abort(self) -> None:
        """Ends the job that runs in another thread; the worker takes no other."""
        self._aborted = True

    def run(self, job: Job, seconds: float, progress: Callable[[int], None] = lambda count: None) -> JobEnd:
        """Runs a job.

        Args:
            job: what to run.
            seconds: how much work it may do.
            progress: called with 1 for each probe that is done.

        Returns:
            What was seen; `cut_by` is "aborted" if another thread called `abort`.

        Raises:
            WorkerUnusableError: the interpreter is missing, or has no jax.
        """
        end = JobEnd()
        try:
            self._start()
        except WorkerUnusableError:
            if not self._aborted:
                raise
            return JobEnd(cut_by="aborted")
        try:
            scratch = f"{self._scratch}/job"
            wire.write(self._requests, job.request(self._options, scratch).message())
            self._follow(end, job, seconds, progress)
        except _WorkerEndedError as error:
            end.message, end.status = str(error), self._stop()
            end.cut_by = "crashed" if end.status < 0 else "broken"
        except (protocol.ProtocolError, wire.WireError, OSError) as error:
            end.cut_by, end.message = "broken", str(error)
            self._stop()
        end.output = self._output.decode(errors="replace").strip()
        if self._aborted:
            end.cut_by = "aborted"
        return end

    def _follow(self, end: JobEnd, job: Job, seconds: float, progress: Callable[[int], None]) -> None:
        probes = {probe.id for probe in job.probes}
        each = self._options.probe_timeout
        whole = _Limit(self.effort(), seconds)
        step = _Limit(self.effort(), seconds / 2)  # for the modules, and the programs that lead to the places
        stop = math.inf
        while True:
            for message in self._receive():
                match message:
                    case protocol.Loaded(absent):
                        end.loaded = True
                        self.absent.update(absent)
                    case protocol.Probing(probe):
                        end.probe, end.compiling = probe, False
                        step = _Limit(self.effort(), each + _GRACE)
                    case protocol.Forcing(probe):
                        end.probe, end.compiling = probe, False
                        end.forced.add(probe)
                        step = _Limit(self.effort(), limits.FORCED * each + _GRACE)
                    case protocol.Compiling():
                        end.compiling = True
                        compiling = self._options.compile_timeout * len(self._options.devices)
                        step = _Limit(self.effort(), compiling + _GRACE)
                    case protocol.Text():
                        self._dump(message)
                    case protocol.Read(paths):
                        end.paths.update(paths)
                    case protocol.Observation() if message.probe in probes:
                        if message.probe not in end.observations:
                            progress(1)
                        end.observations[message.probe] = message
                    case protocol.Broken(text):
                        end.cut_by, end.message = "broken", text
                    case protocol.Ended(status, too_many):
                        end.status = status
                        if too_many:
                            end.cut_by = "processes"
                        elif status and not end.cut_by:
                            end.cut_by = "crashed" if status < 0 else "exited"
                        return
                    case _:
                        raise protocol.ProtocolError(f"unexpected {type(message).__name__}")
            if not end.cut_by:
                end.cut_by = self._over_limits(step, whole)
                if end.cut_by:
                    end.starved = (whole if whole.is_over() else step).effort.waited()
                    stop = time.monotonic() + _GRACE
                    wire.write(self._requests, {"type": "end"})
            elif time.monotonic() > stop:
                self._stop()
                return

    def _over_limits(self, step: _Limit, whole: _Limit) -> str:
        if self._aborted:
            return "aborted"
        if time.monotonic() < self._measured + _TICK:
            return ""
        self._measured = time.monotonic()
        processes = self._descendants()
        if len(processes) > limits.PROCESSES:
            return "processes"
        most = self._options.resident_mb * 1024 * 1024
        if all(sum(map(each, processes)) > most for each in (_resident, _proportional)):
            return "memory"
        if whole.is_over():  # said after the others: what takes too much is slow for that reason
            return "module-time"
        return "probe-time" if step.is_over() else ""

    def effort(self) -> Effort:
        """The work that the worker does from now on."""
        return Effort(self._processor_time)

    def _processor_time(self) -> float:
        """The seconds of processor time of all processes that this object ran."""
        if self._process is None:
            return self._used_before
        running = (self._process.pid, *(each.pid for each in self._descendants()))
        return self._used_before + sum(map(_processor_time, running))

    def _dump(self, message: protocol.Text) -> None:
        """Writes a program's text where the user wants it, under a name that holds nothing but letters and digits."""
        if self._options.dump is not None:
            named = (re.sub(r"[^A-Za-z0-9_.-]+", "-", part).strip(".-") for part in (message.name, message.device))
            suffix = "jaxpr" if message.kind == "jaxpr" else "hlo"
            (self._options.dump / f"{'.'.join(named)}.{suffix}.txt").write_text(message.text, encoding="utf-8")

    def _receive(self) -> Iterator[protocol.Message]:
        ready, _, _ = select.select([self._replies, self._printed], [], [], _TICK)
        if self._printed in ready:
            self._output = (self._output + os.read(self._printed, 1 << 16))[-_OUTPUT_BYTES:]
        if self._replies in ready:
            data = os.read(self._replies, 1 << 16)
            if not data:
                raise _WorkerEndedError("the worker process ended")
            yield from self._decoder.feed(data)

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None and Path(self._scratch).is_dir():
            return
        self._stop()
        if self._aborted:
            raise WorkerUnusableError("the run was interrupted")
        self._scratch = make_folder()
        theirs_in, self._requests = os.pipe()
        self._replies, theirs_out = os.pipe()
        self._printed, printing = os.pipe()
        self._output = b""
        self._decoder = protocol.Decoder()
        worker = [self._options.python, str(_START), str(theirs_in), str(theirs_out), self._scratch]
        try:
            self._process = subprocess.Popen(
                self._options.confinement.command(worker, self._scratch, self._shown),
                stdin=subprocess.DEVNULL,
                stdout=printing,
                stderr=printing,
                pass_fds=(theirs_in, theirs_out),
                cwd=self._scratch,
                env=environment(self._options, self._scratch),
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerUnusableError(f"{self._options.python} cannot be started: {error}") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
            os.close(printing)
        self._await_ready()

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and not self._aborted:
            try:
                messages = list(self._receive())
            except protocol.ProtocolError as error:
                self._stop()
                raise WorkerUnusableError(f"{self._options.python} does not run the worker ({error})") from error
            for message in messages:
                if isinstance(message, protocol.Ready):
                    self.jax, self.unconfined = message.jax, message.unconfined
                    return
                self._stop()
                raise WorkerUnusableError(getattr(message, "message", "it did not start"))
        self._stop()
        raise WorkerUnusableError(f"{self._options.python} took more than {_START_SECONDS:.0f} s to import jax")

    def _descendants(self) -> list[psutil.Process]:
        """The running processes that the worker started, directly or not."""
        if self._process is not None:
            with contextlib.suppress(psutil.Error):
                self._started.update(psutil.Process(self._process.pid).children(recursive=True))
        self._started = {each for each in self._started if _is_alive(each)}
        return list(self._started)

    def _stop(self) -> int:
        """Ends the worker process, after all that it started; orphans among these become its children.

        Returns:
            Its exit code, or minus the signal that ended it.
        """
        status = 0
        if (process := self._process) is not None:
            self._used_before = self._processor_time()
            while left := self._descendants():
                for each in sorted(left, key=psutil.Process.create_time):  # all in a sandbox end with its first one
                    with contextlib.suppress(psutil.Error):
                        each.kill()
                psutil.wait_procs(left, timeout=_TICK)
            process.kill()
            status = process.wait()
            self._process = None
        for fd in (self._requests, self._replies, self._printed):
            if fd >= 0:
                os.close(fd)
        self._requests = self._replies = self._printed = -1
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""
        return status


def environment(options: VerifyOptions, scratch: str) -> dict[str, str]:
    """The environment variables of workers: few, quiet, repeatable, with temporary files in `scratch`."""
    return {
        **options.confinement.environment(scratch),
        "JAX_TRACEBACK_FILTERING": "off",  # filtering takes longer than tracing; we pick the user's frames
        "OPENBLAS_NUM_THREADS": "1",  # only a process of one thread can be forked safely
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "Agg",
        **devices.environment(options.devices),
    }


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _processor_time(pid: int) -> float:
    """Seconds that a process used, and those of its children that have ended."""
    try:
        return float(sum(psutil.Process(pid).cpu_times()[:4]))
    except psutil.Error:
        return 0.0


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _proportional(process: psutil.Process) -> int:
    """Resident memory, with shared memory divided among the processes that share it, if the system says how."""
    try:
        usage = process.memory_full_info()
        return int(getattr(usage, "pss", usage.rss))
    except psutil.Error:
        return _resident(process)
