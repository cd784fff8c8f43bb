"""The wire between linter and worker: JSON messages over file descriptors, each after its length."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import asdict
from typing import Any

LIMIT = 16 * 1024 * 1024
_HEADER = struct.Struct(">I")
_AT_ONCE = 64
_OF_SERVER = frozenset(("ready", "unusable", "ended"))


class WireError(Exception):
    """The other side sent something that is no message."""


def write(fd: int, message: dict[str, Any]) -> None:
    """Sends one message; records in it become JSON objects.

    Raises:
        WireError: the message is larger than LIMIT.
        OSError: the other side is gone.
    """
    body = json.dumps(message, separators=(",", ":"), default=asdict).encode()
    if len(body) > LIMIT:
        raise WireError(f"a message of {len(body)} bytes is over the limit of {LIMIT}")
    _write_all(fd, _HEADER.pack(len(body)) + body)


def read(fd: int) -> dict[str, Any] | None:
    """Waits for one message; None when the other side closed the pipe between two messages.

    Raises:
        WireError: the message is cut off, too long, or no JSON object.
    """
    header = _exactly(fd, _HEADER.size)
    if header is None:
        return None
    (size,) = _HEADER.unpack(header)
    if size > LIMIT:
        raise WireError(f"a message of {size} bytes is over the limit of {LIMIT}")
    body = _exactly(fd, size)
    if body is None:
        raise WireError("the message is cut off")
    try:
        message = json.loads(body)
    except ValueError as error:
        raise WireError(f"the message is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise WireError("the message is no JSON object")
    return message


class Relay:
    """Passes on what a job says, in whole messages, and without those that only the server may send.

    Code in the job may write anything. What is no message ends the relay, after a message that says so.

    Attributes:
        closed: whether no more will come.
    """

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target
        self._buffer = bytearray()
        self.closed = False

    def forward(self) -> None:
        """Passes on what there is now, or much of it; the source must not block.

        Raises:
            OSError: the other side is gone.
        """
        for _ in range(_AT_ONCE):
            if self.closed:
                return
            try:
                part = os.read(self._source, 1 << 16)
            except BlockingIOError:
                return
            self.closed = not part
            self._buffer += part
            self._pass_on()

    def _pass_on(self) -> None:
        while len(self._buffer) >= _HEADER.size:
            (size,) = _HEADER.unpack(self._buffer[: _HEADER.size])
            whole = _HEADER.size + size
            if size <= LIMIT and len(self._buffer) < whole:
                return
            if size > LIMIT or not _may_pass(self._buffer[_HEADER.size : whole]):
                self.closed = True
                self._buffer.clear()
                write(self._target, {"type": "broken", "message": "the code wrote into the worker's pipe"})
                return
            _write_all(self._target, self._buffer[:whole])
            del self._buffer[:whole]


def _may_pass(body: bytes | bytearray) -> bool:
    try:
        item = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(item, dict) and item.get("type") not in _OF_SERVER


def _write_all(fd: int, data: bytes | bytearray) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _exactly(fd: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(fd, size - len(parts))
        if not part:
            if parts:
                raise WireError("the message is cut off")
            return None
        parts += part
    return bytes(parts)
