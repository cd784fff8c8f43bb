"""The process that analyzes, so that the server answers meanwhile: a function goes there by name, its result comes back.

Compiled analysis lets no other thread run, and what hangs or dies there is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import queue
import signal
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, ParamSpec, TypeVar

import psutil

_P = ParamSpec("_P")
_T = TypeVar("_T")

_LENGTH = struct.Struct("<Q")
_PATIENCE = 5.0
"""Seconds for ending well."""

Tell = Callable[[Any], None]
"""Takes what a function says before it is done."""


class ProcessLostError(Exception):
    """The process ended, or did not answer in time; the message says which. The next call starts another one."""


class FailedError(Exception):
    """The function raised; the message says what."""


class Process:
    """One process, started when it is first needed, that runs one function at a time."""

    def __init__(self) -> None:
        self._running: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def call(self, seconds: float, tell: Tell, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Runs a function of a module there. Who stops waiting for it leaves the others' turns in order.

        Args:
            seconds: what it may take.
            tell: takes what the function tells (`told` there) before it is done.
            function: what to run.
            args: its arguments, which can be pickled.
            kwargs: more of them.

        Raises:
            ProcessLostError: the process was lost meanwhile.
            FailedError: the function raised.
        """
        return await asyncio.shield(asyncio.ensure_future(self._call(seconds, tell, function, *args, **kwargs)))

    async def _call(self, seconds: float, tell: Tell, *call: Any, **kwargs: Any) -> Any:
        async with self._turn:
            try:
                async with asyncio.timeout(seconds):
                    running = await self._start()
                    assert running.stdin is not None
                    running.stdin.write(_frame((call[0], call[1:], kwargs)))
                    await running.stdin.drain()
                    kind, value = await _read(running)
                    while kind == "told":
                        tell(value)
                        kind, value = await _read(running)
            except TimeoutError:
                self.kill()
                raise ProcessLostError(f"did not answer within {seconds:.0f} seconds") from None
            except (OSError, EOFError, pickle.UnpicklingError):
                self.kill()
                raise ProcessLostError("ended unexpectedly") from None
            if kind == "failed":
                raise FailedError(value)
            return value

    def stop(self) -> None:
        """Asks the process to end, and sees to it that it does."""
        running = self._running
        if running is not None and running.returncode is None:
            running.terminate()
            asyncio.get_running_loop().call_later(_PATIENCE, _kill, running.pid)

    def kill(self) -> None:
        """Ends the process and all that it has started."""
        if self._running is not None:
            _kill(self._running.pid)
            self._running = None

    async def _start(self) -> asyncio.subprocess.Process:
        if self._running is None or self._running.returncode is not None:
            self._running = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                __name__,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=1 << 24,
            )
        return self._running


def _kill(pid: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        if process.ppid() == os.getpid():  # another one may have its number by now
            for each in (*process.children(recursive=True), process):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()


def _frame(message: object) -> bytes:
    data = pickle.dumps(message)
    return _LENGTH.pack(len(data)) + data


async def _read(running: asyncio.subprocess.Process) -> Any:
    assert running.stdout is not None
    (length,) = _LENGTH.unpack(await running.stdout.readexactly(_LENGTH.size))
    return pickle.loads(await running.stdout.readexactly(length))


# --- in the other process ---------------------------------------------------------------------------------------------

_out: BinaryIO | None = None


def told(value: object) -> None:
    """Says something to who waits for the function that runs."""
    if _out is not None:
        _out.write(_frame(("told", value)))
        _out.flush()


def _serve() -> None:
    """Runs what comes in on standard input until it ends; nothing else writes to standard output, or reads."""
    global _out
    requests = os.fdopen(os.dup(0), "rb")
    _out = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does, and leaves nothing behind
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        while True:
            function, args, kwargs = waiting.get()
            try:
                answer = ("done", function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - it is for who has asked
                answer = ("failed", f"{type(error).__name__}: {error}")
            _out.write(_frame(answer))
            _out.flush()


def _receive(requests: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    """Takes requests at once, so that it is seen when the server is gone: then nobody waits for what runs."""
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError, struct.error):
        while header := requests.read(_LENGTH.size):
            (length,) = _LENGTH.unpack(header)
            waiting.put(pickle.loads(requests.read(length)))
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_PATIENCE)
    for each in psutil.Process().children(recursive=True):
        each.kill()
    os._exit(1)


if __name__ == "__main__":
    from jitlint.lsp.process import _serve as serve  # under the name that `told` is imported by

    serve()
