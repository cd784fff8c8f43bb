"""A process that works for this one and may die of it: of a runaway recursion in compiled code, or of too much memory.

It is forked, so that it knows everything that this process knew then; `Worker.split` forks it in turn, so that another
one knows what it has found out. `Worker.receive` says how it died and what it was working on. On Windows, which cannot
fork, there are no such processes.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import select
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from mmap import mmap
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, TypeVar

from jitlint.analysis.machine.recursion import STACK_BYTES, with_deep_recursion
from jitlint.source import progress
from jitlint.source.defects import Defect, describe_death, raised_at_once

CAN_FORK = sys.platform != "win32"

MEMORY = 4 << 30
"""Bytes that a process may use, if three quarters of the machine's memory are not less."""

OUT_OF_MEMORY = "a lack of memory"
"""What ends a process that can get no more of it."""

_OUT_OF_MEMORY = 77
"""Its exit status."""

_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP) if CAN_FORK else ()
"""Signals that a process gets from a user, or from a machine that has no memory left."""

_T = TypeVar("_T")

Answers = Callable[[Any], Iterable[Any]]
"""What a worker does: the answers to a question, as it finds them."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker ended."""

    how: str
    """The name of a signal, or other words for what ended it."""
    from_outside: bool
    """Whether somebody else may have ended it: another worker may then do what it left."""
    at: progress.Progress
    """What it was working on."""
    trace: str
    """What `faulthandler` could write."""

    def defect(self, path: str) -> Defect:
        """The internal error that this is for a file."""
        return describe_death(self.how, self.trace, path, self.at.work or "starting", self.at.symbol)


class LostError(Exception):
    """A worker died before it gave all answers."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.how)
        self.death = death


@dataclass(frozen=True, slots=True)
class _Split:
    """The question that has a process make another one of itself; the answer is the new one's number."""

    page: int
    """Where the new one notes what it works on."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """The question how a process ended that was made so; the answer is what `os.waitpid` says."""

    process: int


class Worker:
    """One such process; it takes one question after the other."""

    def __init__(self, answers: Answers, others: Iterable[Worker] = (), *, splits: int = 0) -> None:
        """Starts the process.

        Args:
            answers: runs in the process.
            others: the workers that run already; it must not keep their connections open.
            splits: how many processes may be made of it.
        """
        self.connection, theirs = Pipe()
        self._pages = progress.new_pages(1 + splits)
        self._page = self._pages[0]
        self._trace = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        self._mother: Worker | None = None
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # other threads: none holds a lock
            self._process = os.fork()
        if not self._process:
            status = 1
            try:
                for ours in (self.connection, *(other.connection for other in others)):
                    ours.close()
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C: the main process ends the others
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                _limit()
                _watch(theirs, self._page, self._trace.fileno())
                with_deep_recursion(lambda: _serve(theirs, answers, self._pages))
                status = 0
            finally:
                os._exit(status)
        theirs.close()

    def split(self, number: int) -> Worker:
        """Makes another process, which knows all that this one knows now. This one must not be answering.

        Args:
            number: of the `splits`. The last process that was made with it must have ended.

        Raises:
            LostError: this process has died.
        """
        made = Worker.__new__(Worker)
        made.connection, theirs = Pipe()
        made._pages, made._page = self._pages, self._pages[1 + number]
        made._trace = tempfile.TemporaryFile()  # noqa: SIM115
        made._mother = self
        self.ask(_Split(1 + number))
        with contextlib.suppress(OSError):  # it died: `receive` says so
            for handle in (theirs.fileno(), made._trace.fileno()):
                send_handle(self.connection, handle, self._process)
        theirs.close()
        made._process = self.receive()
        return made

    def ask(self, question: object) -> None:
        """Asks a question; `receive` gives the answers."""
        with contextlib.suppress(OSError):  # it died: `receive` says so
            self.connection.send_bytes(pickle.dumps(question))

    def receive(self) -> Any:
        """The next answer.

        Raises:
            LostError: the process died.
            BaseException: what the process raised.
        """
        try:
            data = self.connection.recv_bytes()
        except (EOFError, OSError):
            raise LostError(self._death) from None
        try:
            answer = pickle.loads(data)
        except Exception as error:  # noqa: BLE001 - a defect of ours costs this answer, not the run
            answer = error
        if isinstance(answer, Exception) and not raised_at_once():
            at = progress.read(self._page)
            self.end()
            raise LostError(Death(f"{type(answer).__name__}: {answer}"[:200], False, at, _trace_of(answer)))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        """Ends the process, whatever it does. It must end before the one that it was made of."""
        self.connection.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._process, signal.SIGKILL)
            self._status()
        self._trace.close()

    def _status(self) -> int:
        """What `os.waitpid` says of the process, which has ended."""
        if self._mother is None:
            return os.waitpid(self._process, 0)[1]
        self._mother.ask(_Ended(self._process))
        try:
            return int(self._mother.receive())
        except LostError:
            return signal.SIGKILL  # both are dead: somebody else did that

    @cached_property
    def _death(self) -> Death:
        """How the process ended, which the system tells only once."""
        self.connection.close()
        status = os.waitstatus_to_exitcode(self._status())
        self._trace.seek(0)
        trace = self._trace.read().decode(errors="replace")
        self._trace.close()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        how = OUT_OF_MEMORY if status == _OUT_OF_MEMORY else how
        return Death(how, -status in _FROM_OUTSIDE, progress.read(self._page), trace)


def alone(work: Callable[[], _T]) -> _T:
    """The result of `work()`, run with deep recursion in a process of its own if there can be one.

    Raises:
        LostError: the process died.
        BaseException: what `work` raises.
    """
    if not CAN_FORK:
        return with_deep_recursion(work)
    worker = Worker(lambda _: [work()])
    try:
        worker.ask(None)
        result: _T = worker.receive()
    finally:
        worker.end()
    return result


def _trace_of(error: Exception) -> str:
    """The places that an exception of a worker came through, the last one first, as `faulthandler` writes them."""
    text = "".join(getattr(error, "__notes__", ())) or "".join(traceback.format_tb(error.__traceback__))
    return "\n".join(reversed([line for line in text.splitlines() if line.startswith('  File "')]))


# --- in the other process ---------------------------------------------------------------------------------------------


def _serve(connection: Connection, answers: Answers, pages: Sequence[mmap]) -> None:
    """Answers questions until there are no more."""
    with contextlib.suppress(EOFError, OSError):  # the main process has ended
        while True:
            question = pickle.loads(connection.recv_bytes())
            if isinstance(question, _Split):
                connection = _split(connection, pages[question.page])
            elif isinstance(question, _Ended):
                connection.send(os.waitpid(question.process, 0)[1])
            else:
                for answer in _packed(answers, question):
                    connection.send_bytes(answer)


def _split(connection: Connection, page: mmap) -> Connection:
    """Makes another process of this one. Gives each of them its connection to the main process."""
    theirs, trace = recv_handle(connection), recv_handle(connection)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # as above
        process = os.fork()
    if process:
        os.close(theirs)
        os.close(trace)
        connection.send(process)
        return connection
    connection.close()
    made = Connection(theirs)
    _watch(made, page, trace)
    return made


def _watch(connection: Connection, page: mmap, trace: int) -> None:
    """Has a new process note what it works on, write what it dies of, and end with the main process."""
    progress.use(page)
    faulthandler.enable(trace, all_threads=False)
    threading.Thread(target=_end_with_parent, args=(connection,), daemon=True).start()


def _packed(answers: Answers, question: object) -> Iterator[bytes]:
    """The answers to a question, and the exception that ended them if there is one."""
    try:
        for answer in answers(question):
            yield pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # a new process has more
    except BaseException as error:  # noqa: BLE001 - the main process raises it again
        error.add_note("".join(traceback.format_exception(error)))
        yield pickle.dumps(error)


def _limit() -> None:
    """Limits the process's memory. If it dies, it leaves no image of itself."""
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    memory = min(MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = memory + STACK_BYTES  # a stack counts whole, though only a little of it is used
    limits = (limit for limit in (wanted, before, most) if limit != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), most))


def _end_with_parent(connection: Connection) -> None:
    """Ends this process when the main process has ended, even if that was killed."""
    poll = select.poll()
    poll.register(connection.fileno(), 0)  # tells nothing but that the other end is closed
    poll.poll()
    os._exit(1)
