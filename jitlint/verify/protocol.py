"""Reads and checks what workers say; user code could write into the pipe, so nothing is trusted to be well-formed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jitlint.verify.worker import wire
from jitlint.verify.worker.messages import read_evidence

OUTCOMES = frozenset(("confirmed", "refuted", "unclear", "surveyed", "failed"))


class ProtocolError(Exception):
    """The worker sent something that is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a worker saw of one probe.

    Attributes:
        probe: the probe's id.
        outcome: one of `OUTCOMES`.
        code: the reason when the outcome is "unclear".
        inputs: the inputs, for people.
        evidence: what was seen, by name; `Line` and `Words` name lines of the user's files.
        lasting: whether another run would see the same while the code, its environment and its files stay as they are.
    """

    probe: int
    outcome: str
    code: str
    inputs: tuple[str, ...]
    evidence: Mapping[str, Any]
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded this version of jax; `unconfined` says what it lacks of the sandbox that it should have."""

    jax: str
    unconfined: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """The interpreter can't run workers."""

    message: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The job's module is loaded; `absent` are the requested platforms that JAX cannot use, with JAX's messages."""

    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Probing:
    """A probe is being run."""

    probe: int


@dataclass(frozen=True, slots=True)
class Forcing:
    """A probe is run again, with the failures that hide it forced past; what was seen without that was sent before."""

    probe: int


@dataclass(frozen=True, slots=True)
class Compiling:
    """A probe's function is being compiled; its trace's observation was sent before."""

    probe: int


@dataclass(frozen=True, slots=True)
class Text:
    """A program's text for people: `kind` is "jaxpr" or "hlo", `name` the function's."""

    name: str
    device: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """The files and folders that the job's code has looked at since the last message of this type."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """The worker's own code failed."""

    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The job's process ended with this exit code, or minus the signal; it may have had too many processes."""

    status: int
    too_many: bool = False


Message = Observation | Ready | Unusable | Loaded | Probing | Forcing | Compiling | Text | Read | Broken | Ended


class Decoder:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Takes bytes and yields the messages that they complete.

        Raises:
            ProtocolError: the bytes are no messages.
        """
        self._buffer += data
        while len(self._buffer) >= 4:
            size = int.from_bytes(self._buffer[:4], "big")
            if size > wire.LIMIT:
                raise ProtocolError(f"a message of {size} bytes")
            if len(self._buffer) < 4 + size:
                return
            body = bytes(self._buffer[4 : 4 + size])
            del self._buffer[: 4 + size]
            yield parse(body)


def parse(body: bytes) -> Message:
    """One message from its JSON.

    Raises:
        ProtocolError: it is no JSON, or no message, or a part is missing or of the wrong type.
    """
    try:
        item = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"no JSON: {error}") from error
    if not isinstance(item, dict):
        raise ProtocolError("no JSON object")
    match item.get("type"):
        case "ready":
            return Ready(_text(item, "jax"), _text(item, "unconfined"))
        case "unusable":
            return Unusable(_text(item, "message"))
        case "loaded":
            return Loaded(_texts(item, "absent"))
        case "probing":
            return Probing(_number(item, "probe"))
        case "forcing":
            return Forcing(_number(item, "probe"))
        case "compiling":
            return Compiling(_number(item, "probe"))
        case "text":
            return Text(*(_text(item, name) for name in ("name", "device", "kind", "text")))
        case "read":
            return Read(_texts(item, "paths"))
        case "broken":
            return Broken(_text(item, "message"))
        case "ended":
            return Ended(_number(item, "status"), item.get("too_many") is True)
        case "observation":
            return observation(item)
        case other:
            raise ProtocolError(f"unknown type {other!r}")


def observation(item: Mapping[str, Any]) -> Observation:
    """An observation from its JSON form.

    Raises:
        ProtocolError: a part is missing or of the wrong type.
    """
    outcome, evidence = _text(item, "outcome"), item.get("evidence")
    if outcome not in OUTCOMES:
        raise ProtocolError(f"unknown outcome {outcome!r}")
    if not isinstance(evidence, dict):
        raise ProtocolError("`evidence` is no object")
    try:
        evidence = {name: read_evidence(part) for name, part in evidence.items()}
    except RecursionError as error:
        raise ProtocolError("`evidence` is nested too deeply") from error
    lasting = item.get("lasting") is True
    return Observation(_number(item, "probe"), outcome, _text(item, "code"), _texts(item, "inputs"), evidence, lasting)


def _texts(item: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = item.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ProtocolError(f"`{name}` is no list of texts")
    return tuple(value)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise ProtocolError(f"`{name}` is no text")
    return value


def _number(item: Mapping[str, Any], name: str) -> int:
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ProtocolError(f"`{name}` is no whole number")
    return value
