"""A separate process that runs functions, so that the server can answer meanwhile.

The server sends a function's name and its arguments, and gets the result. A thread would not do: no other thread runs
while compiled analysis does. If the process hangs or dies, another one replaces it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, ParamSpec, TypeVar

import psutil

from jitlint.collector import rare_collections

_P = ParamSpec("_P")
_T = TypeVar("_T")

_LENGTH = struct.Struct("<Q")
_PATIENCE = 5.0
"""Seconds that a process has to end by itself."""

Tell = Callable[[Any], None]
"""Takes the messages that a function sends before it returns."""


class ProcessLostError(Exception):
    """The process ended, or did not answer in time; the message says which. The next call starts another one."""


class FailedError(Exception):
    """The function raised; the message says what."""


class RemediableError(Exception):
    """A function raises this if the user can do something about it; the message says what."""


class Process:
    """One process, started when it is first needed, that runs one function at a time."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()

    async def call(
        self, seconds: float, tell: Tell, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Runs a function in the process, after the calls that came before.

        Args:
            seconds: how long it may take.
            tell: takes the messages that the function sends with `send` before it returns.
            function: a function of a module.
            args: its arguments; they must be picklable.
            kwargs: its keyword arguments.

        Raises:
            ProcessLostError: the process ended, or took too long.
            FailedError: the function raised an exception.
        """
        # Shielded: if the caller is cancelled, the process still has to finish this call before the next.
        return await asyncio.shield(asyncio.ensure_future(self._call(seconds, tell, (function, args, kwargs))))

    async def _call(self, seconds: float, tell: Tell, request: object) -> Any:
        async with self._turn:
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[tuple[str, Any]] = loop.create_future()

            def take(kind: str, value: Any) -> None:
                if kind == "message":
                    tell(value)
                elif not answer.done():
                    answer.set_result((kind, value))

            def exchange() -> None:
                for kind, value in self._answers(request):
                    with contextlib.suppress(RuntimeError):  # the server has ended
                        loop.call_soon_threadsafe(take, kind, value)

            # A daemon thread does not keep the server from ending.
            threading.Thread(target=exchange, daemon=True).start()
            try:
                kind, value = await asyncio.wait_for(answer, seconds)
            except TimeoutError:
                kind, value = "lost", f"did not answer within {seconds:.0f} seconds"
            if kind == "lost":
                self.kill()
                raise ProcessLostError(value)
            if kind == "failed":
                raise FailedError(value)
            return value

    def wait(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Runs a function in the process and waits for its result, for callers without an event loop.

        Raises:
            ProcessLostError: the process ended.
            FailedError: the function raised an exception.
        """
        try:
            *_, (kind, value) = self._answers((function, args, kwargs))
        except BaseException:
            self.kill()  # interrupted: its answer would be taken for that of the next call
            raise
        if kind == "lost":
            raise ProcessLostError(value)
        if kind == "failed":
            raise FailedError(value)
        result: _T = value
        return result

    def stop(self) -> None:
        """Asks the process to end, and does not wait."""
        if self._running is not None:
            self._running.terminate()

    def kill(self) -> None:
        """Ends the process and all processes that it has started."""
        running, self._running = self._running, None
        if running is not None:
            _kill(running)

    def _answers(self, request: object) -> Iterator[tuple[str, Any]]:
        """Sends a request to the process, and yields its messages and its answer as they arrive."""
        try:
            if self._running is None or self._running.poll() is not None:
                # -P: without the working folder on its path, which is the folder that the editor shows.
                command = [sys.executable, "-P", "-m", __name__]
                self._running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            running = self._running
            assert running.stdin is not None and running.stdout is not None
            running.stdin.write(_frame(request))
            running.stdin.flush()
            kind = "message"
            while kind == "message":
                kind, value = _read(running.stdout)
                yield kind, value
        except (OSError, ValueError, EOFError, pickle.UnpicklingError):
            yield "lost", "ended unexpectedly"


def _kill(running: subprocess.Popen[bytes]) -> None:
    if running.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            for each in psutil.Process(running.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
        running.kill()
        running.wait()


def _frame(message: object) -> bytes:
    data = pickle.dumps(message)
    return _LENGTH.pack(len(data)) + data


def _read(stream: IO[bytes]) -> Any:
    """The next message.

    Raises:
        EOFError: there is none.
    """
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    return pickle.loads(stream.read(*_LENGTH.unpack(header)))


# --- in the other process ---------------------------------------------------------------------------------------------

_out: BinaryIO | None = None


def send(value: object) -> None:
    """Sends a message to the caller of the function that runs."""
    if _out is not None:
        _out.write(_frame(("message", value)))
        _out.flush()


def serve() -> None:
    """Runs the functions that arrive on standard input, until that ends.

    The functions themselves can neither read from standard input nor write to standard output.
    """
    global _out
    requests = os.fdopen(os.dup(0), "rb")
    _out = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as on Ctrl-C, and cleans up
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError), rare_collections():
        while True:
            function, args, kwargs = waiting.get()
            try:
                answer = ("done", function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - the caller gets it
                answer = ("failed", _words(error))
            _out.write(_frame(answer))
            _out.flush()
            if waiting.empty():
                gc.collect()  # no call waits


def _words(error: Exception) -> str:
    """The message for the user: what to do, or that jitlint has a defect."""
    if isinstance(error, RemediableError):
        return str(error)
    return f"internal error ({type(error).__name__}: {error}); please report it"


def _receive(requests: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    """Reads requests in a thread, to notice when the server is gone, and then ends this process."""
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
        while True:
            waiting.put(_read(requests))
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_PATIENCE)
    for each in psutil.Process().children(recursive=True):
        each.kill()
    os._exit(1)


if __name__ == "__main__":
    from jitlint.lsp.process import serve  # `send` is imported under this name

    serve()
