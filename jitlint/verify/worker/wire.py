"""The wire between linter and worker: JSON messages over file descriptors, each after its length."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import asdict
from typing import Any

LIMIT = 16 * 1024 * 1024
_HEADER = struct.Struct(">I")


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
    data = memoryview(_HEADER.pack(len(body)) + body)
    while data:
        data = data[os.write(fd, data) :]


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
