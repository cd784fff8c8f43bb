"""Nothing that comes over the pipe is trusted."""

from __future__ import annotations

import json
import os
import struct

import pytest

from jitlint.verify import protocol
from jitlint.verify.worker import wire

OBSERVATION = {"type": "observation", "probe": 3, "outcome": "confirmed", "code": "observed", "inputs": ["x=f32[4]"],
               "evidence": {"executions": 2}}  # fmt: skip


def framed(item: object) -> bytes:
    body = json.dumps(item).encode()
    return struct.pack(">I", len(body)) + body


def test_messages_survive_any_cutting() -> None:
    data = framed({"type": "ready", "jax": "0.10.2"}) + framed(OBSERVATION) + framed({"type": "ended", "status": -9})
    for size in (1, 3, 7, len(data)):
        decoder = protocol.Decoder()
        seen = [m for at in range(0, len(data), size) for m in decoder.feed(data[at : at + size])]
        assert seen == [
            protocol.Ready("0.10.2"),
            protocol.Observation(3, "confirmed", "observed", ("x=f32[4]",), {"executions": 2}),
            protocol.Ended(-9),
        ]


@pytest.mark.parametrize(
    "item",
    [
        [],
        "text",
        {"type": "unheard"},
        {"type": "ready"},
        {"type": "began", "pid": "12"},
        {"type": "began", "pid": True},
        {**OBSERVATION, "outcome": "perhaps"},
        {**OBSERVATION, "inputs": "x"},
        {**OBSERVATION, "inputs": [1]},
        {**OBSERVATION, "evidence": None},
        {**OBSERVATION, "probe": None},
        {name: value for name, value in OBSERVATION.items() if name != "code"},
    ],
)
def test_what_is_malformed_is_refused(item: object) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.parse(json.dumps(item).encode())


def test_no_json_and_sizes_beyond_reason_are_refused() -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.parse(b"\xff\x00")
    with pytest.raises(protocol.ProtocolError):
        list(protocol.Decoder().feed(b"\xff\xff\xff\xff garbage"))


def test_the_wire_keeps_messages_whole() -> None:
    reader, writer = os.pipe()
    wire.write(writer, {"text": "ü" * 1000})
    wire.write(writer, {"n": 1})
    os.close(writer)
    assert wire.read(reader) == {"text": "ü" * 1000}
    assert wire.read(reader) == {"n": 1}
    assert wire.read(reader) is None
    os.close(reader)


@pytest.mark.parametrize("data", [b"\x00\x00", b"\x00\x00\x00\x09{}", b"\xff\xff\xff\xff", b"\x00\x00\x00\x02[]"])
def test_the_wire_refuses_what_is_no_message(data: bytes) -> None:
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    with pytest.raises(wire.WireError):
        wire.read(reader)
    os.close(reader)


def test_a_message_over_the_limit_is_not_sent() -> None:
    with pytest.raises(wire.WireError):
        wire.write(-1, {"text": "x" * (wire.LIMIT + 1)})
