"""Nothing that comes over the pipe is trusted."""

from __future__ import annotations

import json
import os
import random
import struct
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind
from jitlint.verify import protocol, verdicts
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker import wire
from jitlint.verify.worker.messages import Line, Words

OBSERVATION = {
    "type": "observation",
    "probe": 3,
    "outcome": "confirmed",
    "code": "observed",
    "inputs": ["x=f32[4]"],
    "evidence": {"executions": 2},
}

MESSAGES = [
    OBSERVATION,
    {**OBSERVATION, "outcome": "refuted", "evidence": {"first_call": 1, "second_call": 1}, "lasting": True},
    {**OBSERVATION, "outcome": "confirmed", "evidence": {"compilations": 1, "where": "tracing f()", "exception": "E"}},
    {**OBSERVATION, "outcome": "unclear", "code": "no-inputs"},
    {
        **OBSERVATION,
        "evidence": {"place": {"file": "a.py", "line": 3}, "branch": {"parts": ["in ", {"file": "a", "line": 3}]}},
    },
    {"type": "ready", "jax": "0.10.2", "unconfined": ""},
    {"type": "loaded", "absent": ["cuda (RuntimeError: none)"]},
    {"type": "unusable", "message": "no jax"},
    {"type": "ended", "status": 12},
    {"type": "probing", "probe": 3},
    {"type": "read", "paths": ["a.py"]},
    {"type": "broken", "message": "failed"},
    {"type": "ended", "status": -9},
]


def framed(item: object) -> bytes:
    body = json.dumps(item).encode()
    return struct.pack(">I", len(body)) + body


def test_messages_survive_any_cutting() -> None:
    data = (
        framed({"type": "ready", "jax": "0.10.2", "unconfined": ""})
        + framed(OBSERVATION)
        + framed({"type": "ended", "status": -9})
    )
    for size in (1, 3, 7, len(data)):
        decoder = protocol.Decoder()
        seen = [m for at in range(0, len(data), size) for m in decoder.feed(data[at : at + size])]
        assert seen == [
            protocol.Ready("0.10.2", ""),
            protocol.Observation(3, "confirmed", "observed", ("x=f32[4]",), {"executions": 2}),
            protocol.Ended(-9),
        ]
    (ended,) = protocol.Decoder().feed(framed({"type": "ended", "status": -9, "too_many": True}))
    assert ended == protocol.Ended(-9, too_many=True)


@pytest.mark.parametrize(
    "item",
    [
        [],
        "text",
        {"type": "unheard"},
        {"type": "ready"},
        {"type": "ended", "status": "12"},
        {"type": "ended", "status": True},
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


def test_lines_in_evidence_come_back_as_lines() -> None:
    evidence = {
        "place": Line("a.py", 3),
        "branch": Words(("in ", Line("a.py", 4))),
        "tried": [{"file": "a", "line": "b"}],
    }
    reader, writer = os.pipe()
    wire.write(writer, {**OBSERVATION, "evidence": evidence})
    os.close(writer)
    sent = wire.read(reader)
    os.close(reader)
    assert protocol.parse(json.dumps(sent).encode()) == protocol.Observation(
        3, "confirmed", "observed", ("x=f32[4]",), evidence
    )
    assert protocol.observation({**OBSERVATION, "evidence": {"file": "a.py", "line": 3}}).evidence["line"] == 3


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


def test_noise_is_a_protocol_error_and_nothing_else() -> None:
    """Random bytes, messages with bytes changed, cut off or doubled, and messages with parts of any type."""
    chance = random.Random(0)
    whole = [framed(item) for item in MESSAGES]
    values = [None, True, -1, 2**70, 1e400, "", "\ud800", "x" * 70_000, [], [[]], {}, {"a": [1]}, MESSAGES]
    streams = [chance.randbytes(chance.randrange(200)) for _ in range(300)]
    streams += [framed({**item, name: value}) for item in MESSAGES for name in item for value in values]
    streams += [struct.pack(">I", len(body)) + body for body in (b"[" * 50_000, b'{"type":' * 50_000, b"1" * 50_000)]
    for _ in range(1500):
        data = bytearray(b"".join(chance.choices(whole, k=3)))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randrange(9)]
                case _:
                    data[at:at] = data[at : at + 9]
        streams.append(bytes(data))
    refused = 0
    for data in streams:
        decoder, size = protocol.Decoder(), chance.randrange(1, 50) if len(data) < 5000 else len(data)
        try:
            for at in range(0, len(data), size):
                for message in decoder.feed(data[at : at + size]):
                    if isinstance(message, protocol.Observation):
                        assert verdicts.judge(message, "").reason
        except protocol.ProtocolError:
            refused += 1
    assert len(streams) / 4 < refused < len(streams)


@pytest.mark.slow
def test_code_that_writes_into_the_pipe_costs_its_own_verdict(tmp_path: Path) -> None:
    file = source(
        tmp_path / "mod.py",
        "import os\nimport jax\n\n"
        "@jax.jit\ndef noisy(x):\n    for fd in range(3, 64):\n        try:\n"
        "            os.write(fd, b'\\xff' * 3000)\n        except OSError:\n            pass\n"
        "    return 1 if x > 0 else 2\n\n"
        "@jax.jit\ndef kind(x):\n    return 1 if x > 1 else 2\n",
    )
    found = [
        finding(file, EventKind.BOOL, "ternary", f"x > {at}", entry=f"jax.jit\ndef {name}", function=name, root=name)
        for at, name in enumerate(("noisy", "kind"))
    ]
    first, second = verify(found, [file], VerifyOptions(jobs=1))
    assert first.verdict and first.verdict.evidence["reason"] == "broken"
    assert second.verdict and second.verdict.status == "confirmed"


def test_a_job_says_nothing_in_the_name_of_the_server() -> None:
    fine, forged = framed({"type": "loaded"}), framed({"type": "ended", "status": 0})
    cut_off = framed({"type": "probing", "probe": 1})[:-3]
    broken = {"type": "broken", "message": "the code wrote into the worker's pipe"}
    for said, passed in (
        (fine + cut_off, [{"type": "loaded"}]),
        (fine + forged + fine, [{"type": "loaded"}, broken]),
        (b"\xff" * 40 + fine, [broken]),
        (struct.pack(">I", 2) + b"no" + fine, [broken]),
    ):
        (source, saying), (heard, target) = os.pipe(), os.pipe()
        os.set_blocking(source, False)
        os.write(saying, said)
        relay = wire.Relay(source, target)
        relay.forward()
        os.close(saying)
        relay.forward()
        os.close(target)
        assert relay.closed
        assert [wire.read(heard) for _ in passed] == passed
        assert wire.read(heard) is None
        os.close(source)
        os.close(heard)
